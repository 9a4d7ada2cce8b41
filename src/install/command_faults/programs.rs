//! Are the program and its script there, and can they be run?

use std::path::{Path, PathBuf};

use super::calls::{Call, Known, is_shell};
use super::command::{Around, Caller, Command};
use super::fault::{Fault, Kind, Weight};
use super::runners;
use crate::install::addition::nearby;
use crate::machine::program::{self, Trouble};
use crate::syntax::quoting::quoted;

/// The words that shells know by themselves.
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
    for output in &call.outputs {
        written(command, call, output, faults);
    }
    if call.by_shell && matches!(&*program.text, "." | "source") {
        sourced(command, around, call, faults);
    } else if !call.by_shell && line_in_exec_form(call, program, faults) {
        return;
    } else if program.text.contains('/') {
        path(command, around, call, program, faults);
    } else if !(call.by_shell && OF_SHELLS.contains(&&*program.text)) {
        bare(command, around, call, program, faults);
    }
    if let Some(script) = script(call) {
        of_interpreter(command, call, script, faults);
    }
}

/// The characters that only a shell reads, in a word that no shell sees.
const OF_LINES: &[&str] =
    &["|", "||", "&&", "&", ";", ">", ">>", "<", "2>&1", "2>/dev/null", ">/dev/null"];

/// Returns whether a line for a shell is written as the name of a program, or as its arguments.
fn line_in_exec_form(call: &Call, program: &Known, faults: &mut Vec<Fault>) -> bool {
    const FIX: &str = "leave `args` out and write one line in `command`; in a manifest, write \
                       `command` for `argv`";
    let is_file = || file(call, program).is_some_and(|file| file.exists());
    // Of a missing file with blanks in its path, the first word is no file either.
    let first = program.text.split_whitespace().next().unwrap_or_default();
    let is_program = !first.starts_with('/') || Path::new(first).is_file();
    if program.text.contains(char::is_whitespace) && is_program && !is_file() {
        let message = format!(
            "with `args` no shell reads `{}`: the client looks for a program of that whole name",
            program.shown
        );
        faults.push(Fault::new(Kind::Missing, Weight::Breaks, message, FIX));
        return true;
    }
    let is_sign = |word: &&Known| OF_LINES.contains(&&*word.text);
    if let Some(sign) = call.arguments.iter().flatten().find(is_sign) {
        let message = format!(
            "no shell reads `{}` here, so `{}` gets it as a word",
            sign.shown, program.shown
        );
        faults.push(Fault::new(Kind::Quoting, Weight::Breaks, message, FIX));
    }
    false
}

/// A folder that a shell would have to write in, and that is not there.
fn written(command: &Command<'_>, call: &Call, output: &Known, faults: &mut Vec<Fault>) {
    let target = file(call, output).filter(|_| output.text.contains('/'));
    let Some(folder) = target.as_deref().and_then(Path::parent).filter(|it| !it.exists()) else {
        return;
    };
    let (kind, means) = failing(command, "does not run the command");
    faults.push(Fault::new(
        kind,
        Weight::Breaks,
        format!("there is no folder for `{}`, so the shell {means}", output.shown),
        format!("run `mkdir -p {}`", quoted(&folder.display().to_string())),
    ));
}

/// Judges a failure of a shell that cannot go on with a line: `otherwise`, unless its code blocks.
fn failing(command: &Command<'_>, otherwise: &str) -> (Kind, String) {
    match command.blocked_by_two() {
        Some(event) => {
            (Kind::Lockout, format!("ends with 2 where it is dash, which blocks each {event}"))
        }
        None => (Kind::Missing, otherwise.to_owned()),
    }
}

/// A file that the shell is to read as a part of its line.
fn sourced(command: &Command<'_>, around: &Around, call: &Call, faults: &mut Vec<Fault>) {
    let Some(Some(word)) = call.arguments.first() else { return };
    let is_there = |file: PathBuf| file.is_file() || file.exists() && !file.is_dir();
    let found = if word.text.contains('/') {
        file(call, word).is_none_or(is_there)
    } else {
        std::env::split_paths(&around.path).any(|folder| is_there(folder.join(&word.text)))
    };
    if found {
        if word.text.contains('/') {
            relative(command, call, word, faults);
        }
        return;
    }
    let (kind, means) = failing(command, "goes no further");
    let whose = if word.text.contains('/') { "there is no file" } else { "the PATH has no file" };
    faults.push(Fault::new(
        kind,
        Weight::Breaks,
        format!("{whose} `{}` for the shell to read, so it {means}", word.shown),
        "correct the path, or ask for the file first: `[ -f FILE ] && . FILE`",
    ));
}

pub(super) fn script(call: &Call) -> Option<&Known> {
    let program = &call.program.as_ref()?.text;
    if let Some(script) = runners::script(program, &call.arguments) {
        return Some(script);
    }
    code(program)?;
    for argument in &call.arguments {
        let argument = argument.as_ref()?;
        if runners::is_instead(program, &argument.text) {
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

fn path(
    command: &Command<'_>,
    around: &Around,
    call: &Call,
    program: &Known,
    faults: &mut Vec<Fault>,
) {
    let Some(file) = file(call, program).map(nearby::to_be) else { return };
    let shown = &program.shown;
    let Some(trouble) = program::trouble(&file) else {
        faults.extend(of_env(&file, shown, around));
        return relative(command, call, program, faults);
    };
    let fault = match trouble {
        Trouble::Absent => {
            let unexpanded = call.by_shell.then(|| runners::unexpanded(&program.text)).flatten();
            unexpanded.unwrap_or_else(|| absent(command, &file, shown))
        }
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
                format!("run `chmod +x {}`", quoted(&file.display().to_string())),
            );
            fault.executable = Some(file);
            fault
        }
        Trouble::Crlf(interpreter) => crlf(shown, &file, &interpreter),
        Trouble::NoInterpreter(interpreter) => no_interpreter(shown, &interpreter),
        // A shell runs it as a script of its own.
        Trouble::NoFormat if call.by_shell => {
            faults.extend(runners::unmarked(&file, shown));
            return relative(command, call, program, faults);
        }
        Trouble::Marked => runners::marked(shown),
        Trouble::NoFormat => Fault::new(
            Kind::Interpreter,
            Weight::Risks,
            format!("`{shown}` is neither a program nor a script that names its interpreter"),
            "begin it with a line such as `#!/bin/sh`",
        ),
    };
    faults.push(fault);
}

fn no_interpreter(shown: &str, interpreter: &str) -> Fault {
    Fault::new(
        Kind::Interpreter,
        Weight::Breaks,
        format!("the first line of `{shown}` names `{interpreter}`, which is not there"),
        "install it, or correct the line",
    )
}

/// Names the program that the `env` of a script's first line does not find.
fn of_env(file: &Path, shown: &str, around: &Around) -> Option<Fault> {
    let name = program::not_found_by_env(file, &around.path)?;
    let Some((_, option)) = name.split_once(' ') else {
        let place = around.home.as_deref().and_then(|home| program::usual_place(&name, home));
        let mut fault = no_interpreter(shown, &name);
        fault.message = format!(
            "the first line of `{shown}` asks `env` for `{name}`, which is not on the PATH"
        );
        if let Some(place) = place {
            fault.fix = format!("name `{}` in the line", place.join(&name).display());
        }
        return Some(fault);
    };
    Some(Fault::new(
        Kind::Interpreter,
        Weight::Breaks,
        format!("`env` takes `{name}` in the first line of `{shown}` for the name of one program"),
        format!("write `#!/usr/bin/env -S {name}`, or leave `{option}` out"),
    ))
}

fn crlf(shown: &str, file: &Path, interpreter: &str) -> Fault {
    Fault::new(
        Kind::Interpreter,
        Weight::Breaks,
        format!(
            "the first line of `{shown}` ends in CRLF, so the system looks for `{interpreter}\\r`"
        ),
        with_lf(file),
    )
}

/// Gives the command that makes a file's line ends LF.
fn with_lf(file: &Path) -> String {
    let file = quoted(&file.display().to_string());
    format!("run `tr -d '\\r' < {file} > {file}.lf && cat {file}.lf > {file} && rm {file}.lf`")
}

fn absent(command: &Command<'_>, file: &Path, shown: &str) -> Fault {
    let is_gone = file.parent().is_some_and(|folder| !folder.is_dir());
    let (kind, message) = if is_gone {
        let message = format!("`{shown}` is not there, and neither is its directory");
        (Kind::Gone, message)
    } else {
        (Kind::Missing, format!("there is no file `{shown}`"))
    };
    let fix =
        nearby::advice(file).unwrap_or_else(|| "correct the path, or take the hook out".into());
    closed(command, Fault::new(kind, Weight::Breaks, message, fix))
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
        let shown = found.display().to_string();
        match program::trouble(&found) {
            Some(Trouble::NoInterpreter(interpreter)) => {
                faults.push(no_interpreter(&shown, &interpreter));
            }
            Some(Trouble::Crlf(interpreter)) => faults.push(crlf(&shown, &found, &interpreter)),
            _ => faults.extend(of_env(&found, &shown, around)),
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
            word.text.strip_prefix("./").unwrap_or(&word.text)
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
        Some(Trouble::Absent) if runners::is_found_by_node(call, &file) => {}
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
        // Other interpreters than shells take such line ends.
        _ if program::has_crlf(&file)
            && call.program.as_ref().is_some_and(|it| is_shell(&it.text)) => faults.push(Fault::new(
            Kind::Interpreter,
            Weight::Breaks,
            format!(
                "the lines of `{}` end in CRLF, and the shell takes the CR for a part of the last word",
                script.shown
            ),
            with_lf(&file),
        )),
        _ => relative(command, call, script, faults),
    }
}
