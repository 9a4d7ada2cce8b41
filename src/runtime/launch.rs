//! Why a command did not come to run, in words that name the file and the way out.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::chain::plan::Run;
use crate::client::shell;
use crate::machine::program::{self, Trouble};
use crate::machine::{environment, files};

/// The most lines that an interpreter says of a script that it cannot read.
const FEW_LINES: usize = 10;

/// How a command was called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<'a> {
    /// What was to be run.
    pub run: &'a Run<'a>,
    /// The words of its `argv`, with all that is replaced in them.
    pub words: &'a [String],
    /// The directory it ran in, where it is not hookman's own.
    pub directory: Option<&'a Path>,
    /// Its `PATH`, where it is not hookman's own.
    pub path: Option<&'a OsStr>,
}

impl Attempt<'_> {
    /// Why the system did not start it.
    pub(super) fn not_started(&self, error: &io::Error) -> String {
        if let Some(directory) = self.directory.filter(|directory| !directory.is_dir()) {
            return format!("its directory `{}` is not there (`cwd`)", directory.display());
        }
        let Some(name) = self.words.first() else { return error.to_string() };
        self.trouble(name).unwrap_or_else(|| format!("`{name}`: {error}"))
    }

    /// Why a shell or an interpreter exited with 126 or 127, if it can be seen.
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

    /// What is wrong if an exit with 2 is an interpreter's and not the hook's own.
    ///
    /// Interpreters and parsers of arguments exit with 2 when a script is not there, may not be
    /// read or does not parse, and when they are called wrongly; the client takes that for a block.
    /// A hook may well block with a message about such a mistake in somebody else's file, so only
    /// lines in an interpreter's own shape are believed, and only about the program that was called
    /// and its script. What is in doubt is a block.
    pub(super) fn misfired(&self, stdout: &str, stderr: &str) -> Option<String> {
        if !stdout.trim().is_empty() {
            return None;
        }
        let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
        let calls = self.calls();
        let is_wrong = |line: &&str| {
            let own = |call: &Called| {
                call.names().any(|name| is_syntax_error(line, name) || is_usage(line, name))
            };
            (matches!(self.run, Run::Command(_)) && is_of_the_shell(line)) || calls.iter().any(own)
        };
        if let Some(line) = lines().find(is_wrong) {
            return Some(format!("its interpreter gave up with 2, and it decided nothing: {line}"));
        }
        let script = calls.iter().find_map(|call| {
            let script = call.script.as_deref()?;
            let is_unread = lines().take(FEW_LINES).any(|line| call.could_not_open(line, script));
            (is_unread && !files::is_readable(&self.file(script))).then_some(script)
        })?;
        let path = self.file(script);
        let what = if path.exists() { "may not be read" } else { "is not there" };
        Some(format!("`{}` {what}", path.display()))
    }

    /// The programs that the command calls.
    fn calls(&self) -> Vec<Called> {
        let mut calls = Vec::new();
        if let Run::Command(line) = self.run {
            shell::each_invocation(line, &mut |call| {
                let arguments: Vec<&str> = call.arguments.iter().map(|it| &*it.text).collect();
                calls.push(Called::new(call.program, &arguments));
            });
        } else {
            let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
            if words.first().is_some_and(|program| file_name(program) == "env") {
                words.remove(0);
            }
            if let Some((program, arguments)) = words.split_first() {
                calls.push(Called::new(program, arguments));
            }
        }
        calls
    }

    /// The words of the command, as far as they can be known without running it.
    fn own_words(&self) -> Vec<Cow<'_, str>> {
        match self.run {
            Run::Command(line) => {
                let commands = shell::split(line).commands;
                let words = commands.into_iter().flat_map(|command| command.words);
                words.map(|word| Cow::Owned(expanded(&word.text))).collect()
            }
            _ => self.words.iter().map(|word| Cow::Borrowed(word.as_str())).collect(),
        }
    }

    fn file(&self, word: &str) -> PathBuf {
        self.directory.map_or_else(|| PathBuf::from(word), |directory| directory.join(word))
    }

    /// What keeps the program of this name from being run, and what to do.
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
            Trouble::NoFormat => format!(
                "`{shown}` is neither a program nor a script: its first line does not name an \
                 interpreter, as in `#!/bin/sh`"
            ),
        })
    }

    fn not_on_path(&self, name: &str) -> Option<String> {
        let own = || environment::raw("PATH").unwrap_or_default();
        let path: Cow<'_, OsStr> = self.path.map_or_else(|| Cow::Owned(own()), Cow::Borrowed);
        if let Some(file) = program::on_path(name, &path) {
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

/// A program, and the script that it is an interpreter of.
struct Called {
    program: String,
    script: Option<String>,
}

impl Called {
    fn new(program: &str, arguments: &[&str]) -> Self {
        /// Options with which the next word is no script to run.
        const APART: [char; 3] = ['c', 'm', 'n'];
        let arguments = match file_name(program) {
            "uv" => arguments.strip_prefix(&["run"]).unwrap_or_default(),
            name if INTERPRETERS.contains(&stem(name).as_str()) => arguments,
            _ => &[],
        };
        let options = arguments.iter().take_while(|word| word.starts_with('-')).count();
        let is_apart = arguments[..options].iter().any(|option| option.contains(APART));
        let script = arguments.get(options).filter(|_| !is_apart).map(|script| expanded(script));
        Self { program: expanded(program), script }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        [Some(&self.program), self.script.as_ref()].into_iter().flatten().map(|it| file_name(it))
    }

    /// Whether a line is what interpreters say of a script that they cannot read.
    fn could_not_open(&self, line: &str, script: &str) -> bool {
        if !line.contains(script) {
            return false;
        }
        let Some((head, rest)) = line.split_once(": ") else {
            return line.starts_with("Can't open perl script ");
        };
        let rest = rest.strip_prefix("0: ").unwrap_or(rest);
        let is_own = stem(file_name(head)) == stem(file_name(&self.program));
        let says = ["can't open ", "Can't open ", "cannot open "];
        (is_own && says.iter().any(|start| rest.starts_with(start)))
            || line.starts_with("Can't open perl script ")
            || line.starts_with("error: Failed to spawn: ")
    }
}

const INTERPRETERS: &[&str] =
    &["ash", "bash", "dash", "ksh", "node", "perl", "php", "pypy", "python", "ruby", "sh", "zsh"];

/// An interpreter's name without its version.
fn stem(name: &str) -> String {
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.').to_ascii_lowercase()
}

/// The text with variables and the home directory in the place of their names, as a shell would
/// have it.
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

/// `NAME: line 3: syntax error …` of a shell, with or without the word `line`.
fn is_syntax_error(line: &str, name: &str) -> bool {
    let Some((head, rest)) = line.split_once(": ").filter(|_| !name.is_empty()) else {
        return false;
    };
    let rest = rest.strip_prefix("line ").unwrap_or(rest);
    let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or_default();
    file_name(head) == name
        && digits > 0
        && rest[digits..].strip_prefix(": ").is_some_and(is_about_syntax)
}

fn is_about_syntax(text: &str) -> bool {
    ["syntax error", "Syntax error", "unexpected EOF while looking for matching"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// What the shell that was given the line says of the line.
fn is_of_the_shell(line: &str) -> bool {
    line.strip_prefix("/bin/sh: ").is_some_and(|rest| {
        rest.split(": ").any(is_about_syntax) || rest.starts_with("0: Illegal option")
    })
}

/// `usage: NAME [OPTIONS]`: words that go on like a sentence are a hook's own.
fn is_usage(line: &str, name: &str) -> bool {
    let Some(rest) = line.strip_prefix("usage:").or_else(|| line.strip_prefix("Usage:")) else {
        return false;
    };
    let mut words = rest.split_whitespace();
    let program = words.next().unwrap_or_default();
    let is_argument = |word: &str| {
        word.starts_with(['[', '<', '-', '{', '(']) || !word.contains(|it: char| it.is_lowercase())
    };
    !name.is_empty() && file_name(program) == name && words.next().is_none_or(is_argument)
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
    fn an_exit_with_2_is_the_hook_s_own_unless_its_interpreter_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("here.py"), "").unwrap();
        let shell = |line: &str| Run::Command(line.to_owned());
        let argv = |line: &str| Run::Argv(line.split(' ').map(str::to_owned).collect());
        let rows = [
            (
                argv("python3 gone.py"),
                "python3: can't open file '/x/gone.py': [Errno 2] No such file or directory",
                true,
            ),
            (
                shell("cat | python3 gone.py"),
                "python3: can't open file 'gone.py': [Errno 2] No such file or directory",
                true,
            ),
            (
                shell("perl gone.pl"),
                "Can't open perl script \"gone.pl\": No such file or directory",
                true,
            ),
            (shell("sh gone.sh"), "sh: 0: cannot open gone.sh: No such file", true),
            (
                shell("uv run gone.py"),
                "error: Failed to spawn: `gone.py`\n  Caused by: No such file or directory (os error 2)",
                true,
            ),
            (argv("python3 here.py"), "here.py: No such file or directory", false),
            (argv("python3 here.py"), "src/gone.py: No such file or directory", false),
            (argv("bash x.sh"), "x.sh: line 3: syntax error near unexpected token `fi'", true),
            (
                argv("bash x.sh"),
                "x.sh: line 9: unexpected EOF while looking for matching `\"'",
                true,
            ),
            (argv("dash /m/x.sh"), "/m/x.sh: 3: Syntax error: \"fi\" unexpected", true),
            (argv("bash x.sh"), "y.sh: line 3: syntax error near unexpected token `fi'", false),
            (
                argv("bash x.sh"),
                "x.sh: eval: line 3: syntax error near unexpected token `fi'",
                false,
            ),
            (argv("bash x.sh"), "x.sh: line 3: that is a syntax error", false),
            (shell("case"), "/bin/sh: 1: Syntax error: end of file unexpected", true),
            (shell("case"), "/bin/sh: -c: line 1: syntax error: unexpected end of file", true),
            (shell("x"), "/bin/sh: syntax error: unterminated quoted string", true),
            (argv("x"), "/bin/sh: 1: Syntax error: end of file unexpected", false),
            (
                argv("/opt/guard --strct"),
                "error: unexpected argument\n\nUsage: guard [OPTIONS]",
                true,
            ),
            (
                argv("python3 here.py --strct"),
                "usage: here.py [-h] [--strict]\nhere.py: error: unrecognized arguments",
                true,
            ),
            (argv("guard"), "usage: git commit -m TEXT", false),
            (argv("/usr/bin/env python3 gone.py"), "python3: can't open file 'gone.py'", true),
            (argv("python3 -u gone.py"), "python3.12: can't open file 'gone.py'", true),
            (shell("./protect.sh .env s/"), "Permission denied: .env is protected", false),
            (argv("python3 here.py --deny .env"), "Permission denied: .env is ours", false),
            (argv("python3 here.py .env"), "python3: can't open file '.env'", false),
            (argv("python3 here.py --forbid rm"), "usage: rm is forbidden", false),
            (argv("python3 here.py"), "usage: here.py is not for main", false),
            (argv("bash x.sh y.sh"), "y.sh: line 3: syntax error near `fi'", false),
            (argv("bash -n y.sh"), "y.sh: line 3: syntax error near `fi'", false),
            (shell("grep -q x gone.txt"), "grep: gone.txt: No such file or directory", false),
            (argv("guard"), "", false),
            (argv("guard"), "no", false),
        ];
        for (run, stderr, expected) in rows {
            let words = if let Run::Argv(words) = &run { words.clone() } else { Vec::new() };
            let directory = Some(folder.path());
            let attempt = Attempt { run: &run, words: &words, directory, path: None };
            assert_eq!(attempt.misfired("", stderr).is_some(), expected, "{run:?} {stderr}");
            let answer = r#"{"decision":"block"}"#;
            assert_eq!(attempt.misfired(answer, stderr), None, "{run:?} {stderr}");
        }
    }

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
