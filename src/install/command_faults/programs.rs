//! Are the program and its script there, and can they be run?

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::calls::{Call, Known};
use super::{Around, Caller, Command, Fault, Kind, Weight};
use crate::machine::program::{self, Trouble};

/// What shells know by themselves.
const OF_SHELLS: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "alias",
    "bg",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "command",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
    "{",
    "}",
    "!",
];

/// Interpreters, and with which code they end where their script is not there.
///
/// Seen with `dash` 0.5.12, `bash` 5.2, Python 3.11, Perl 5.36 and Node 20.
const INTERPRETERS: &[(&str, i32)] = &[
    ("ash", 2),
    ("bash", 127),
    ("bun", 1),
    ("dash", 2),
    ("ksh", 127),
    ("node", 1),
    ("perl", 2),
    ("pypy", 2),
    ("python", 2),
    ("ruby", 1),
    ("sh", 2),
    ("tsx", 1),
    ("zsh", 127),
];

/// Options of interpreters after which no script comes.
const WITHOUT_SCRIPT: &[&str] = &["-c", "-e", "-m", "-E", "-p", "-n", "--eval", "--print"];

pub(super) fn examine(
    command: &Command<'_>,
    around: &Around,
    call: &Call,
    faults: &mut Vec<Fault>,
) {
    if call.is_tested {
        return;
    }
    let Some(program) = &call.program else { return };
    // Another fault says already that no shell reads the `~`.
    if !call.by_shell && program.text.starts_with("~/") {
        return;
    }
    if program.text.contains('/') {
        path(command, call, program, faults);
    } else if !(call.by_shell && OF_SHELLS.contains(&&*program.text)) {
        bare(command, around, call, program, faults);
    }
    if let Some(script) = script(call) {
        of_interpreter(command, call, script, faults);
    }
}

/// The script that an interpreter is given.
pub(super) fn script(call: &Call) -> Option<&Known> {
    code(&call.program.as_ref()?.text)?;
    for argument in &call.arguments {
        let argument = argument.as_ref()?;
        if WITHOUT_SCRIPT.contains(&&*argument.text) || argument.text == "-" {
            return None;
        }
        if !argument.text.starts_with(['-', '+']) {
            let looks_like_file = argument.text.contains(['/', '.']);
            return looks_like_file.then_some(argument);
        }
    }
    None
}

/// With which code an interpreter ends where its script is not there.
fn code(program: &str) -> Option<i32> {
    let name = program.rsplit('/').next().unwrap_or_default();
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    let found = INTERPRETERS.iter().find(|(known, _)| *known == stem);
    found.map(|(_, code)| *code)
}

/// The file that a word means, where that can be told.
pub(super) fn file(call: &Call, word: &Known) -> Option<PathBuf> {
    let path = Path::new(&word.text);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    Some(call.start.directory.as_ref()?.join(word.text.strip_prefix("./").unwrap_or(&word.text)))
}

fn path(command: &Command<'_>, call: &Call, program: &Known, faults: &mut Vec<Fault>) {
    let Some(file) = file(call, program) else { return };
    let shown = &program.shown;
    let Some(trouble) = program::trouble(&file) else {
        return relative(command, call, program, faults);
    };
    let fault = match trouble {
        Trouble::Absent => absent(command, &file, shown),
        Trouble::Directory => Fault::new(
            Kind::Missing,
            Weight::Breaks,
            format!("`{shown}` is a directory"),
            "name the program in it",
        ),
        Trouble::NotExecutable => {
            let mut fault = Fault::new(
                Kind::NotExecutable,
                Weight::Breaks,
                format!("`{shown}` is not executable"),
                format!("run `chmod +x {}`", quoted(&file)),
            );
            fault.executable = Some(file);
            fault
        }
        Trouble::Crlf(interpreter) => crlf(shown, &interpreter),
        Trouble::NoInterpreter(interpreter) => Fault::new(
            Kind::Interpreter,
            Weight::Breaks,
            format!("the first line of `{shown}` names `{interpreter}`, which is not there"),
            "install it, or correct the line",
        ),
        // A shell runs it as a script of its own.
        Trouble::NoFormat if call.by_shell => return relative(command, call, program, faults),
        Trouble::NoFormat => Fault::new(
            Kind::Interpreter,
            Weight::Risks,
            format!("`{shown}` is neither a program nor a script that names its interpreter"),
            "begin it with a line such as `#!/bin/sh`",
        ),
    };
    faults.push(fault);
}

fn crlf(shown: &str, interpreter: &str) -> Fault {
    Fault::new(
        Kind::Interpreter,
        Weight::Breaks,
        format!(
            "the first line of `{shown}` ends in CRLF, so the system looks for `{interpreter}\\r`"
        ),
        "save the file with LF line ends",
    )
}

fn absent(command: &Command<'_>, file: &Path, shown: &str) -> Fault {
    let is_gone = file.parent().is_some_and(|folder| !folder.is_dir());
    let (kind, message) = if is_gone {
        let message = format!(
            "`{shown}` is not there, nor the directory it was in, as after its program was removed"
        );
        (Kind::Gone, message)
    } else {
        (Kind::Missing, format!("there is no file `{shown}`"))
    };
    closed(
        command,
        Fault::new(kind, Weight::Breaks, message, "correct the path, or take the hook out"),
    )
}

/// Says of a hook that must hold that every call is denied.
fn closed(command: &Command<'_>, mut fault: Fault) -> Fault {
    if command.is_closed {
        fault.weight = Weight::Breaks;
        fault.notice = Some("each call that the hook is asked about is blocked, as it must hold");
    }
    fault
}

fn bare(
    command: &Command<'_>,
    around: &Around,
    call: &Call,
    program: &Known,
    faults: &mut Vec<Fault>,
) {
    let name = &program.text;
    let is_name = |it: char| it.is_alphanumeric() || "_-.+".contains(it);
    if name.is_empty() || !name.chars().all(is_name) {
        return;
    }
    if let Some(found) = program::on_path(name, &around.path) {
        if let Some(Trouble::NoInterpreter(interpreter)) = program::trouble(&found) {
            faults.push(Fault::new(
                Kind::Interpreter,
                Weight::Breaks,
                format!(
                    "the first line of `{}` names `{interpreter}`, which is not there",
                    found.display()
                ),
                "install it, or correct the line",
            ));
        }
        return;
    }
    let place = around.home.as_deref().and_then(|home| program::usual_place(name, home));
    let fix = match (&command.caller, place) {
        (Caller::Hookman { .. }, Some(place)) => {
            format!("add `path = [\"{}\"]` to the hook", place.display())
        }
        (Caller::Client, Some(place)) => {
            format!("write the whole path, `{}`", place.join(name).display())
        }
        (_, None) => "install it, or take the hook out".to_owned(),
    };
    let kind = if call.is_first { Kind::Missing } else { Kind::Needs };
    let message = format!("`{name}` is not on the PATH");
    faults.push(closed(command, Fault::new(kind, Weight::Risks, message, fix)));
}

fn relative(command: &Command<'_>, call: &Call, word: &Known, faults: &mut Vec<Fault>) {
    if !call.start.is_fragile || Path::new(&word.text).is_absolute() {
        return;
    }
    let fix = match command.caller {
        Caller::Client => format!(
            "write `\\\"$CLAUDE_PROJECT_DIR\\\"/{}`",
            word.shown.strip_prefix("./").unwrap_or(&word.shown)
        ),
        Caller::Hookman { .. } => "add `cwd = \"project\"` to the hook".to_owned(),
    };
    let mut fault = Fault::new(
        Kind::Relative,
        Weight::Risks,
        format!(
            "`{}` is looked for in the session's current directory, and is not found after a `cd`",
            word.shown
        ),
        fix,
    );
    let is_script = call.program.as_ref() != Some(word);
    let two = call.program.as_ref().and_then(|program| code(&program.text)) == Some(2);
    if is_script && two && command.blocked_by_two().is_some() {
        fault.notice = Some("after a `cd` it exits with 2, and each call is blocked");
    }
    faults.push(fault);
}

fn of_interpreter(command: &Command<'_>, call: &Call, script: &Known, faults: &mut Vec<Fault>) {
    let Some(file) = file(call, script) else { return };
    match program::trouble(&file) {
        Some(Trouble::Absent) => {
            let program = call.program.as_ref().map(|it| it.text.as_str()).unwrap_or_default();
            let two = code(program) == Some(2);
            let event = command.blocked_by_two().filter(|_| two);
            faults.push(match event {
                Some(event) => Fault::new(
                    Kind::Lockout,
                    Weight::Breaks,
                    format!(
                        "there is no file `{}`, so `{program}` exits with 2, which blocks each {event}",
                        script.shown
                    ),
                    "correct the path, or take the hook out",
                ),
                None => absent(command, &file, &script.shown),
            });
        }
        Some(Trouble::Crlf(interpreter)) => faults.push(crlf(&script.shown, &interpreter)),
        _ => relative(command, call, script, faults),
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_./@+-".contains(it);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The directories of programs that a command has, in which some are added behind the others.
pub(crate) fn longer(path: &OsString, more: &[PathBuf]) -> OsString {
    let all = std::env::split_paths(path).chain(more.iter().cloned());
    std::env::join_paths(all).unwrap_or_else(|_| path.clone())
}
