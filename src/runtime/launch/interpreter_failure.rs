//! Exits with 2 that are an interpreter's and not the hook's own.
//!
//! Interpreters exit with 2 when a script cannot be read, and the client takes that for a block. Words
//! alone prove nothing, as a tool's input may have any: the disk has to show it.

use super::{Attempt, expanded, file_name};
use crate::chain::plan::Run;
use crate::machine::{environment, files};
use crate::syntax::shell;

const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

struct Called {
    program: String,
    script: String,
}

impl Attempt<'_> {
    /// Names the cause that kept an interpreter which exited with 2 from its script, if that is the reason.
    pub(in crate::runtime) fn unread_script(&self, stdout: &str, stderr: &str) -> Option<String> {
        if !stdout.trim().is_empty() {
            return None;
        }
        let Called { program, script } = self.only_call()?;
        let path = self.file(&script);
        let says_so = could_not_open(stderr.trim().lines().next()?, &program, &script);
        if !says_so || files::is_readable(&path) {
            return None;
        }
        let what = if path.exists() { "may not be read" } else { "is not there" };
        Some(format!("`{}` {what}", path.display()))
    }

    /// The interpreter that the command runs, if that is all it runs and its words are known.
    fn only_call(&self) -> Option<Called> {
        let mut words = match self.run {
            Run::Command(line) => words_of(line)?,
            _ => self.words.to_vec(),
        };
        let passes_on = |word: &String| matches!(file_name(word), "env" | "exec");
        if words.first().is_some_and(passes_on) {
            words.remove(0);
        }
        let (program, arguments) = words.split_first()?;
        let script = script(program, arguments)?;
        Some(Called { program: program.clone(), script: script.to_owned() })
    }
}

/// The words of the one program that a line runs, as a shell would have them.
fn words_of(line: &str) -> Option<Vec<String>> {
    // A program in front of the line may give it other variables.
    if environment::raw("CLAUDE_CODE_SHELL_PREFIX").is_some() {
        return None;
    }
    let split = shell::split(line);
    let [command] = &*split.commands else { return None };
    if !split.complete || !command.assignments.is_empty() {
        return None;
    }
    let known = |word: &shell::Word<'_>| {
        if !word.expanded {
            return Some(word.text.clone().into_owned());
        }
        // What is quoted in part is replaced in part.
        let is_mixed = line.contains(['\'', '\\']);
        let is_known = |it: &String| !is_mixed && !it.contains(['$', '`', '*', '?', '[', '{', '~']);
        Some(expanded(&word.text)).filter(is_known)
    };
    command.words.iter().map(known).collect()
}

/// The script of an interpreter; none where it cannot be told which word that is.
fn script<'w>(program: &str, arguments: &'w [String]) -> Option<&'w str> {
    // Options that take no word.
    let (plain, arguments) = match &*stem(program) {
        "python" | "pypy" => ("BEIOqu", arguments),
        "perl" => ("", arguments),
        "uv" => ("", arguments.strip_prefix(&["run".to_owned()])?),
        name if SHELLS.contains(&name) => ("euvx", arguments),
        _ => return None,
    };
    let is_plain = |word: &&String| {
        word.strip_prefix('-')
            .is_some_and(|it| !it.is_empty() && it.chars().all(|it| plain.contains(it)))
    };
    let script = arguments.iter().find(|word| !is_plain(word))?;
    (!script.starts_with(['-', '+'])).then_some(script)
}

/// Returns whether a line is what an interpreter says of a script that it cannot read.
fn could_not_open(line: &str, program: &str, script: &str) -> bool {
    if !line.contains(script) {
        return false;
    }
    match &*stem(program) {
        "perl" => line.starts_with("Can't open perl script "),
        "uv" => line.starts_with("error: Failed to spawn: "),
        name => {
            let Some((head, rest)) = line.split_once(": ") else { return false };
            let rest = rest.strip_prefix("0: ").unwrap_or(rest);
            let says = ["can't open ", "Can't open ", "cannot open "];
            stem(head) == name && says.iter().any(|start| rest.starts_with(start))
        }
    }
}

/// An interpreter's name without its folder and version.
fn stem(program: &str) -> String {
    let name = file_name(program);
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn shell(line: &str) -> Run<'_> {
        Run::Command(line.to_owned())
    }

    fn argv(line: &str) -> Run<'_> {
        Run::Argv(line.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn a_script_that_is_not_there_blocks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("here.py"), "").unwrap();
        let gone = "python3: can't open file '/x/gone.py': [Errno 2] No such file or directory";
        let rows = [
            (argv("python3 gone.py"), gone, true),
            (argv("python3 gone.py"), "", false),
            (argv("python3 -u gone.py"), "python3.12: can't open file 'gone.py'", true),
            (argv("/usr/bin/env python3 gone.py"), gone, true),
            (shell("exec python3 gone.py --all"), gone, true),
            (shell("python3 \"$NOT_SET_ANYWHERE\"gone.py"), gone, true),
            (
                argv("perl gone.pl"),
                "Can't open perl script \"gone.pl\": No such file or directory",
                true,
            ),
            (argv("sh gone.sh"), "sh: 0: cannot open gone.sh: No such file", true),
            (shell("/bin/sh gone.sh"), "/bin/sh: 0: cannot open gone.sh: No such file", true),
            (
                argv("uv run gone.py"),
                "error: Failed to spawn: `gone.py`\n  Caused by: No such file or directory (os error 2)",
                true,
            ),
            // It is there, or another is said.
            (argv("python3 here.py"), "python3: can't open file 'here.py'", false),
            (argv("python3 here.py gone.py"), gone, false),
            (argv("python3 gone.py"), "python3: can't open file 'other.py'", false),
            (argv("python3 gone.py"), "perl: can't open gone.py", false),
            (argv("grep x gone.py"), "grep: can't open gone.py", false),
            // Which word is the script, or what it is called, cannot be told.
            (argv("python3 -X gone.py here.py"), gone, false),
            (argv("bash -o gone.py here.sh"), "bash: cannot open gone.py", false),
            (shell("cd x && python3 gone.py"), gone, false),
            (shell("cat | python3 gone.py"), gone, false),
            (shell("here.py && python3 gone.py"), gone, false),
            (shell("X=1 python3 gone.py"), gone, false),
            (shell("python3 $(pwd)/gone.py"), "python3: can't open '$(pwd)/gone.py'", false),
            (shell("python3 '$HOME'\"$HOME\"gone.py"), gone, false),
            // A usage is the hook's own word.
            (argv("python3 --x"), "usage: python3 [option] ... [-c cmd | file] [arg] ...", false),
            (argv("./gone.sh"), "usage: gone.sh [x]", false),
        ];
        for (run, stderr, expected) in rows {
            let words = if let Run::Argv(words) = &run { words.clone() } else { Vec::new() };
            let attempt =
                Attempt { run: &run, words: &words, directory: Some(folder.path()), path: None };
            let is_unread = |stdout, stderr: &str| attempt.unread_script(stdout, stderr).is_some();
            assert_eq!(is_unread("", stderr), expected, "{run:?} {stderr}");
            assert!(!is_unread("an answer", stderr), "{run:?} {stderr}");
            assert!(!is_unread("", &format!("Blocked: x\n{stderr}")), "{run:?} {stderr}");
        }
    }
}
