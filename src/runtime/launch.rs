//! Why a command did not come to run, in words that name the file and the way out.

mod called;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use called::Called;

use crate::chain::plan::Run;
use crate::client::shell;
use crate::machine::child::{self, Ended, Program, Spec};
use crate::machine::program::{self, Trouble};
use crate::machine::{environment, files};

/// The most lines that an interpreter says of a script that it cannot read.
const FEW_LINES: usize = 10;

/// What a shell may take to read a line without running it.
const A_MOMENT: Duration = Duration::from_secs(5);

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
    /// lines in an interpreter's own shape are believed, and only about the script that was called,
    /// or the program where it has none. What is in doubt is a block.
    pub(super) fn misfired(&self, stdout: &str, stderr: &str) -> Option<String> {
        if !stdout.trim().is_empty() {
            return None;
        }
        let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
        let calls = self.calls();
        let is_own = |named: &str, call: &Called| {
            let own = call.own();
            named == own || Some(Path::new(named)) == self.on_path(own).as_deref()
        };
        let is_wrong = |line: &&str| {
            let own = |call: &Called| {
                called::of_syntax_error(line)
                    .is_some_and(|named| !call.is_bare_interpreter() && is_own(named, call))
                    || called::of_usage(line)
                        .is_some_and(|named| named == file_name(call.own()) || is_own(named, call))
            };
            calls.iter().any(own)
        };
        if let Some(line) = lines().find(is_wrong).or_else(|| self.of_the_shell(lines())) {
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

    /// The line that the shell that was given the command says of the command. A program of the
    /// command's may have said the same of something else, so the shell is asked.
    fn of_the_shell<'l>(&self, lines: impl Iterator<Item = &'l str>) -> Option<&'l str> {
        let Run::Command(command) = self.run else { return None };
        let mut lines = lines.filter(|line| line.starts_with("/bin/sh: ")).peekable();
        lines.peek()?;
        let unrun = ["/bin/sh", "-n", "-c", command].map(str::to_owned);
        let spec = Spec::new(Program::Argv(&unrun), A_MOMENT);
        let finished = child::run(&[spec], None).pop()?.ok()?;
        if finished.ended != Ended::Exited(2) {
            return None;
        }
        let said = String::from_utf8_lossy(&finished.stderr);
        lines.find(|line| said.lines().any(|it| it.trim() == *line))
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
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    fn shell(line: &str) -> Run<'_> {
        Run::Command(line.to_owned())
    }

    fn argv(line: &str) -> Run<'_> {
        Run::Argv(line.split(' ').map(str::to_owned).collect())
    }

    /// Whether such an exit with 2 of a command in the folder, which is its `PATH` too, is its
    /// interpreter's.
    fn check(run: &Run<'_>, folder: &Path, stderr: &str, expected: bool) {
        let words = if let Run::Argv(words) = run { words.clone() } else { Vec::new() };
        let (directory, path) = (Some(folder), Some(folder.as_os_str()));
        let attempt = Attempt { run, words: &words, directory, path };
        assert_eq!(attempt.misfired("", stderr).is_some(), expected, "{run:?} {stderr}");
        let answer = r#"{"decision":"block"}"#;
        assert_eq!(attempt.misfired(answer, stderr), None, "{run:?} {stderr}");
    }

    #[test]
    fn an_exit_with_2_is_the_hook_s_own_unless_its_interpreter_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("here.py"), "").unwrap();
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
            check(&run, folder.path(), stderr, expected);
        }
    }

    #[test]
    fn what_is_said_of_another_script_is_the_hook_s_own() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("on-the-path");
        std::fs::write(&program, "").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let rows = [
            (argv("/m/x.sh"), "/m/x.sh: 3: Syntax error: \"fi\" unexpected", true),
            (argv("/m/x.sh"), "/proj/x.sh: line 3: syntax error near `fi'", false),
            (argv("/m/x.sh"), "x.sh: line 3: syntax error near `fi'", false),
            (argv("on-the-path"), "[PATH]/on-the-path: 3: Syntax error: \"fi\" unexpected", true),
            (argv("on-the-path"), "/m/on-the-path: 3: Syntax error: \"fi\" unexpected", false),
            (argv("sh x.sh"), "sh: 1: Syntax error: Unterminated quoted string", false),
            (shell("sh x.sh"), "sh: 1: Syntax error: Unterminated quoted string", false),
            (argv("sh -c x"), "sh: 1: Syntax error: Unterminated quoted string", false),
            (
                argv("python3 here.py"),
                "usage: python3 [option] ... [-c cmd | file] [arg] ...",
                false,
            ),
            (argv("python3 --x"), "usage: python3 [option] ... [-c cmd | file] [arg] ...", true),
            (argv("/m/guard --x"), "usage: /m/guard [-h]", true),
            (argv("/m/guard"), "usage: /bin/guard [-h]", false),
        ];
        for (run, stderr, expected) in rows {
            let stderr = stderr.replace("[PATH]", &folder.path().to_string_lossy());
            check(&run, folder.path(), &stderr, expected);
        }
    }

    #[test]
    fn a_shell_is_believed_about_the_line_that_it_was_given() {
        let folder = tempfile::tempdir().unwrap();
        let said = |line: &str| {
            let output = Command::new("/bin/sh").args(["-c", line]).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{line}");
            String::from_utf8(output.stderr).unwrap()
        };
        for (line, expected) in
            [("case", true), ("echo \"x", true), ("-z x", true), ("eval 'case'", false)]
        {
            check(&shell(line), folder.path(), &said(line), expected);
            check(&shell("python3 x.py"), folder.path(), &said(line), false);
        }
        let other = "/bin/sh: 1: Syntax error: that of another";
        check(&shell("case"), folder.path(), other, false);
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
