//! Exits with 2 that are an interpreter's and not the hook's own.
//!
//! Interpreters exit with 2 when a script is not there, may not be read or does not parse, and the
//! client takes that for a block. A hook blocks with the same code, and whoever wrote the tool's input
//! may have it quote any words. So words alone prove nothing: the disk has to show it, or the shell
//! that is asked once more and runs nothing. What is in doubt is a block.

use std::ffi::OsStr;
use std::time::Duration;

use super::{Attempt, expanded, file_name};
use crate::chain::plan::Run;
use crate::client::shell;
use crate::machine::child::{self, Ended, Program, Spec};
use crate::machine::{environment, files, program};

/// What a shell may take to read a script without running it.
const A_MOMENT: Duration = Duration::from_secs(5);

const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// The one program that a command runs.
struct Called {
    program: String,
    /// The script that it is an interpreter of.
    script: Option<String>,
}

impl Attempt<'_> {
    /// What is wrong if an exit with 2 was none of the hook's own.
    pub(in super::super) fn misfired(&self, stdout: &str, stderr: &str) -> Option<String> {
        let said = stderr.trim();
        if !stdout.trim().is_empty() || said.is_empty() {
            return None;
        }
        let call = self.only_call();
        let unread = call.as_ref().and_then(|call| self.unread(call, said));
        unread.or_else(|| {
            let unrun = self.unrun(call.as_ref(), said)?;
            self.is_said_again(&unrun, said).then(|| {
                let line = said.lines().next().unwrap_or_default();
                format!("its shell gave up with 2, and it decided nothing: {line}")
            })
        })
    }

    /// What keeps the script of an interpreter that says so from being read.
    fn unread(&self, call: &Called, said: &str) -> Option<String> {
        let script = call.script.as_deref()?;
        let path = self.file(script);
        if !call.could_not_open(said.lines().next()?, script) || files::is_readable(&path) {
            return None;
        }
        let what = if path.exists() { "may not be read" } else { "is not there" };
        Some(format!("`{}` {what}", path.display()))
    }

    /// How the shell that may have said this is asked for it once more.
    fn unrun(&self, call: Option<&Called>, said: &str) -> Option<[String; 4]> {
        let of = |shell: &str, words: [&str; 3]| {
            let [n, c, text] = words.map(str::to_owned);
            [shell.to_owned(), n, c, text]
        };
        if let Run::Command(line) = self.run
            && said.starts_with("/bin/sh: ")
        {
            return Some(of("/bin/sh", ["-n", "-c", line]));
        }
        let Called { program, script } = call?;
        let is_of = |path: &str| said.strip_prefix(path).is_some_and(|it| it.starts_with(": "));
        if let Some(script) = script {
            let is_asked = is_shell(program) && is_of(script);
            return is_asked.then(|| of(program, ["-n", "--", script]));
        }
        let on_path = || self.on_path(program).map(|path| path.to_string_lossy().into_owned());
        let path = if program.contains('/') { program.clone() } else { on_path()? };
        let shell =
            program::interpreter(&self.file(&path)).filter(|it| is_shell(it) && is_of(&path));
        shell.map(|shell| of(&shell, ["-n", "--", &path]))
    }

    /// Whether a shell that runs nothing fails with the same words, and no others.
    fn is_said_again(&self, unrun: &[String], said: &str) -> bool {
        let path = self.path.map(|path| ("PATH", path));
        let variables: Vec<(&str, &OsStr)> = path.into_iter().collect();
        let spec = Spec {
            directory: self.directory,
            variables: &variables,
            ..Spec::new(Program::Argv(unrun), A_MOMENT)
        };
        let Some(Ok(finished)) = child::run(&[spec], None).pop() else { return false };
        finished.ended == Ended::Exited(2)
            && String::from_utf8_lossy(&finished.stderr).trim() == said
    }

    /// The program that the command runs, if it is one program, whose words are known, and nothing
    /// but `cat`.
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
        Called::new(program, arguments)
    }
}

/// The words of the one program that a line runs beside `cat`, as a shell would have them.
fn words_of(line: &str) -> Option<Vec<String>> {
    // A program in front of the line may give it other variables.
    if environment::raw("CLAUDE_CODE_SHELL_PREFIX").is_some() {
        return None;
    }
    let split = shell::split(line);
    let is_cat = |words: &[shell::Word<'_>]| words.first().is_some_and(|word| word.text == "cat");
    let mut commands = split.commands.iter().filter(|command| !is_cat(&command.words));
    let (command, None) = (commands.next()?, commands.next()) else { return None };
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

impl Called {
    /// Nothing where it cannot be told which word is the script.
    fn new(program: &str, arguments: &[String]) -> Option<Self> {
        let name = stem(file_name(program));
        // Options that take no word.
        let plain = match &*name {
            "python" | "pypy" => "BEIOqu",
            "perl" => "",
            "uv" => {
                let script = arguments.strip_prefix(&["run".to_owned()])?.first()?;
                let script = (!script.starts_with('-')).then(|| script.clone())?;
                return Some(Self { program: program.to_owned(), script: Some(script) });
            }
            _ if is_shell(program) => "euvx",
            _ => return Some(Self { program: program.to_owned(), script: None }),
        };
        let is_plain = |word: &&String| {
            word.strip_prefix('-')
                .is_some_and(|it| !it.is_empty() && it.chars().all(|it| plain.contains(it)))
        };
        let script = arguments.iter().find(|word| !is_plain(word))?;
        (!script.starts_with(['-', '+']))
            .then(|| Self { program: program.to_owned(), script: Some(script.clone()) })
    }

    /// Whether a line is what interpreters say of a script that they cannot read.
    fn could_not_open(&self, line: &str, script: &str) -> bool {
        if !line.contains(script) {
            return false;
        }
        let name = stem(file_name(&self.program));
        match &*name {
            "perl" => line.starts_with("Can't open perl script "),
            "uv" => line.starts_with("error: Failed to spawn: "),
            _ => {
                let Some((head, rest)) = line.split_once(": ") else { return false };
                let rest = rest.strip_prefix("0: ").unwrap_or(rest);
                let says = ["can't open ", "Can't open ", "cannot open "];
                stem(file_name(head)) == name && says.iter().any(|start| rest.starts_with(start))
            }
        }
    }
}

/// An interpreter's name without its version.
fn stem(name: &str) -> String {
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.').to_ascii_lowercase()
}

fn is_shell(program: &str) -> bool {
    SHELLS.contains(&file_name(program))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn shell(line: &str) -> Run<'_> {
        Run::Command(line.to_owned())
    }

    fn argv(line: &str) -> Run<'_> {
        Run::Argv(line.split(' ').map(str::to_owned).collect())
    }

    /// Whether such an exit with 2 of a command in the folder, which is on its `PATH` too, is its
    /// interpreter's.
    fn check(run: &Run<'_>, folder: &Path, stderr: &str, expected: bool) {
        let words = if let Run::Argv(words) = run { words.clone() } else { Vec::new() };
        let path = path_with(folder);
        let attempt = Attempt { run, words: &words, directory: Some(folder), path: Some(&path) };
        assert_eq!(attempt.misfired("", stderr).is_some(), expected, "{run:?} {stderr}");
        assert_eq!(attempt.misfired("an answer", stderr), None, "{run:?} {stderr}");
    }

    fn path_with(folder: &Path) -> std::ffi::OsString {
        let mut path = folder.as_os_str().to_owned();
        path.push(":/usr/bin:/bin");
        path
    }

    fn script(folder: &Path, name: &str, text: &str) {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What a command says that exits with 2.
    fn said(run: &Run<'_>, folder: &Path) -> String {
        let words = match run {
            Run::Argv(words) => words.clone(),
            Run::Command(line) => ["/bin/sh", "-c", line].map(str::to_owned).to_vec(),
            Run::Builtin { .. } => panic!(),
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(folder).env("PATH", path_with(folder));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{run:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    #[test]
    fn a_script_that_is_not_there_blocks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        script(folder.path(), "here.py", "");
        let gone = "python3: can't open file '/x/gone.py': [Errno 2] No such file or directory";
        let rows = [
            (argv("python3 gone.py"), gone, true),
            (argv("python3 gone.py"), "", false),
            (argv("python3 -u gone.py"), "python3.12: can't open file 'gone.py'", true),
            (argv("/usr/bin/env python3 gone.py"), gone, true),
            (shell("exec python3 gone.py --all"), gone, true),
            (shell("cat | python3 gone.py"), gone, true),
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
            (shell("here.py && python3 gone.py"), gone, false),
            (shell("X=1 python3 gone.py"), gone, false),
            (shell("python3 $(pwd)/gone.py"), "python3: can't open '$(pwd)/gone.py'", false),
            (shell("python3 '$HOME'\"$HOME\"gone.py"), gone, false),
        ];
        for (run, stderr, expected) in rows {
            check(&run, folder.path(), stderr, expected);
            check(&run, folder.path(), &format!("Blocked: x\n{stderr}"), false);
        }
    }

    #[test]
    fn a_script_that_no_shell_can_read_blocks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let broken = "if true; then\n";
        script(folder.path(), "plain", broken);
        script(folder.path(), "sh.sh", &format!("#!/bin/sh\n{broken}"));
        script(folder.path(), "env.sh", &format!("#!/usr/bin/env bash\necho \"\n{broken}"));
        script(
            folder.path(),
            "whole.sh",
            "#!/bin/sh\necho \"$0: 3: Syntax error: x\" >&2; exit 2\n",
        );
        script(folder.path(), "early.sh", "#!/bin/sh\necho no >&2; exit 2\nif true; then\n");
        let whole = folder.path().join("sh.sh").to_string_lossy().into_owned();
        let rows = [
            (argv("sh plain"), true),
            (argv("bash plain"), true),
            (shell("cat | bash plain"), true),
            (argv("./sh.sh"), true),
            (shell("./sh.sh --all"), true),
            (argv(&whole), true),
            (argv("sh.sh"), true),
            (argv("./env.sh"), true),
            (argv("./whole.sh"), false),
            (argv("sh whole.sh"), false),
            (argv("./early.sh"), false),
            (shell("case"), true),
            (shell("echo \"x"), true),
            (shell("-z x"), true),
            (shell("eval 'case'"), false),
            (shell("./sh.sh; exit 2"), false),
        ];
        for (run, expected) in rows {
            let said = said(&run, folder.path());
            check(&run, folder.path(), &said, expected);
            check(&run, folder.path(), &format!("Blocked: x\n{said}"), false);
            check(&run, folder.path(), &format!("{said}Blocked: x\n"), false);
            check(&argv("./whole.sh"), folder.path(), &said, false);
        }
    }

    #[test]
    fn a_usage_is_a_hook_s_own_word() {
        let folder = tempfile::tempdir().unwrap();
        script(folder.path(), "guard.sh", "#!/bin/sh\n");
        let rows = [
            (argv("./guard.sh"), "usage: guard.sh [x]"),
            (argv("./guard.sh"), "Blocked: x\n: usage\nusage: ./guard.sh"),
            (shell("bash ./guard.sh"), "usage: guard.sh"),
            (argv("python3 --x"), "usage: python3 [option] ... [-c cmd | file] [arg] ..."),
        ];
        for (run, stderr) in rows {
            check(&run, folder.path(), stderr, false);
        }
    }
}
