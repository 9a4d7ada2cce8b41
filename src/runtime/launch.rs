//! The reason why a command did not come to run, in words that name the file and the way out.

mod interpreter_failure;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::chain::plan::Run;
use crate::machine::environment;
use crate::machine::program::{self, Trouble};
use crate::syntax::shell;

#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<'a> {
    pub run: &'a Run<'a>,
    /// The words of its `argv`, with all that is replaced in them.
    pub words: &'a [String],
    pub directory: Option<&'a Path>,
    /// Its `PATH`, where it is not hookman's own.
    pub path: Option<&'a OsStr>,
}

impl Attempt<'_> {
    pub(super) fn not_started(&self, error: &io::Error) -> String {
        if let Some(directory) = self.directory.filter(|directory| !directory.is_dir()) {
            return format!("its directory `{}` is not there (`cwd`)", directory.display());
        }
        let Some(name) = self.words.first() else { return error.to_string() };
        self.trouble(name).unwrap_or_else(|| format!("`{name}`: {error}"))
    }

    /// Explains why a shell or an interpreter exited with 126 or 127, if it can be seen.
    pub(super) fn not_found(&self, stderr: &str) -> Option<String> {
        let words = self.own_words();
        let programs = match self.run {
            Run::Argv(_) => &words[..1],
            _ => &words,
        };
        programs.iter().find_map(|word| {
            let name = file_name(word);
            let named = !name.is_empty() && stderr.contains(name);
            // `env` names what it looked for, and not the script that asked for it.
            let by_env = || matches!(program::trouble(&self.file(word)), Some(Trouble::Crlf(_)));
            let is_it = named || matches!(self.run, Run::Argv(_)) || by_env();
            is_it.then(|| self.trouble(word)).flatten()
        })
    }

    /// The words of the command, as far as they can be known without running it.
    fn own_words(&self) -> Vec<Cow<'_, str>> {
        match self.run {
            Run::Command(line) => {
                let mut commands = shell::split(line).commands;
                // What a line gives a name runs nothing, such as the directory of a package.
                commands.retain(|it| it.words.first().is_none_or(|it| it.text != "export"));
                let words = commands.into_iter().flat_map(|command| command.words);
                words.map(|word| Cow::Owned(expanded(&word.text))).collect()
            }
            _ => self.words.iter().map(|word| Cow::Borrowed(word.as_str())).collect(),
        }
    }

    fn file(&self, word: &str) -> PathBuf {
        self.directory.map_or_else(|| PathBuf::from(word), |directory| directory.join(word))
    }

    /// Names the cause that keeps the program of this name from being run, and the way out.
    fn trouble(&self, name: &str) -> Option<String> {
        if !name.contains('/') {
            return self.not_on_path(name);
        }
        let shown = name;
        Some(match program::trouble(&self.file(name))? {
            Trouble::Absent if name.starts_with('~') => {
                format!("`{shown}` was not found: only a shell replaces `~`; give the whole path")
            }
            Trouble::Absent => format!("there is no file `{shown}`"),
            Trouble::Directory => format!("`{shown}` is a directory"),
            Trouble::NotExecutable => {
                format!("`{shown}` is not executable; `chmod +x` makes it so")
            }
            Trouble::Crlf(interpreter) => format!(
                "the first line of `{shown}` ends in CRLF, so the system looks for `{interpreter}\\r`; \
                 save the file with LF line ends"
            ),
            Trouble::NoInterpreter(interpreter) => format!(
                "the first line of `{shown}` names `{interpreter}`, which is not there; install it \
                 or correct the line"
            ),
            Trouble::NoFormat | Trouble::Marked => format!(
                "`{shown}` is neither a program nor a script: its first line does not name an \
                 interpreter, as in `#!/bin/sh`"
            ),
        })
    }

    fn on_path(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return None;
        }
        let own = || environment::raw("PATH").unwrap_or_default();
        let path: Cow<'_, OsStr> = self.path.map_or_else(|| Cow::Owned(own()), Cow::Borrowed);
        program::on_path(name, &path)
    }

    fn not_on_path(&self, name: &str) -> Option<String> {
        if let Some(file) = self.on_path(name) {
            return self.trouble(&file.to_string_lossy());
        }
        let home = environment::raw("HOME").map(PathBuf::from);
        let place = home.and_then(|home| program::usual_place(name, &home));
        match (place, self.run) {
            (Some(place), _) => Some(format!(
                "`{name}` was not found; it is in {0}, which the PATH of the client lacks: add \
                 `path = [\"{0}\"]` to the hook",
                place.display()
            )),
            // What a shell does not find may be no program at all.
            (None, Run::Command(_)) => None,
            (None, _) => Some(format!("`{name}` was not found")),
        }
    }
}

/// The text with variables and the home directory put in, as a shell would have it.
fn expanded(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut rest = match word.strip_prefix("~/") {
        Some(rest) => {
            text.push_str(&environment::text("HOME").unwrap_or_default());
            text.push('/');
            rest
        }
        None => word,
    };
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let (name, after) = match behind.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some(braced) => braced,
            None => {
                let letter = |it: char| it.is_ascii_alphanumeric() || it == '_';
                behind.split_at(behind.find(|it| !letter(it)).unwrap_or(behind.len()))
            }
        };
        if name.is_empty() {
            text.push_str(&rest[at..rest.len() - after.len()]);
        } else {
            text.push_str(&environment::text(name).unwrap_or_default());
        }
        rest = after;
    }
    text + rest
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

/// A `PATH` with directories after those it has.
pub(super) fn longer_path(more: &[String]) -> OsString {
    let usual = || OsString::from("/usr/local/bin:/usr/bin:/bin");
    let mut path = environment::raw("PATH").unwrap_or_else(usual);
    for directory in more {
        path.push(":");
        path.push(expanded(directory));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_a_shell_would_make_of_them() {
        let home = environment::text("HOME").unwrap_or_default();
        for (word, expected) in [
            ("x", "x".to_owned()),
            ("~/x", format!("{home}/x")),
            ("$HOME/x", format!("{home}/x")),
            ("a${HOME}b", format!("a{home}b")),
            ("$NOT_SET_ANYWHERE/x", "/x".to_owned()),
            ("${NOT_SET_ANYWHERE}x$", "x$".to_owned()),
            ("$(pwd)/x", "$(pwd)/x".to_owned()),
        ] {
            assert_eq!(expanded(word), expected, "{word}");
        }
    }
}
