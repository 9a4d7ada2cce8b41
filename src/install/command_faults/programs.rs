//! Are the program and its script there, and can they be run?

use std::path::{Path, PathBuf};

use super::calls::{self, Call, Known, is_shell};
use super::command::{Around, Caller, Command, Fault, Kind, Line, Weight};
use crate::client::Event;
use crate::install::addition::nearby;
use crate::machine::foreign;
use crate::machine::program::{self, Trouble};
use crate::syntax::escaped::quoted;
use crate::syntax::shell::programs::is_built_in;

/// Programs that scripts often need and systems often lack.
const TOOLS: &str = "bun curl deno gh go jq node npx osascript perl php pnpm prettier python python3 rg \
                     ruby ruff shellcheck terminal-notifier tsx uv uvx yarn yq";

/// The bytes of a script that are read.
const MOST: u64 = 64 * 1024;

pub(super) fn examine(command: &Command, around: &Around, call: &Call) -> Vec<Fault> {
    let Some(program) = call.program.as_ref().filter(|_| !call.is_tested) else { return vec![] };
    if !call.by_shell && is_line(&program.text) {
        return Vec::from_iter(Fault::known("whole-line", &[&program.shown]));
    }
    let mut faults = Vec::from_iter(of_operators(call));
    if program.text.contains('/') {
        faults.extend(path(command, around, call, program));
    } else if !call.by_shell || !is_built_in(&program.text) {
        faults.extend(bare(command, around, call, program));
    }
    // Of a program that is not there, its script is no cause.
    let script = script(call).filter(|_| faults.is_empty());
    faults.extend(script.and_then(|script| of_interpreter(command, call, script)));
    faults
}

/// The fault of an argument that a shell alone would take for an operator.
fn of_operators(call: &Call) -> Option<Fault> {
    const OPERATORS: [&str; 7] = ["|", "||", "&&", ">", ">>", "2>&1", "2>/dev/null"];
    let words = call.arguments.iter().flatten().filter(|_| !call.by_shell);
    let word = words.into_iter().find(|word| OPERATORS.contains(&&*word.text))?;
    Fault::known("operator", &[&word.text])
}

fn is_line(program: &str) -> bool {
    let is_program = |first: &str| !first.starts_with('/') || Path::new(first).is_file();
    program.split_once(' ').is_some_and(|(first, _)| is_program(first))
        && !Path::new(program).exists()
}

/// The script that an interpreter, or a program that runs one, is given.
pub(super) fn script(call: &Call) -> Option<&Known> {
    let program = &call.program.as_ref()?.text;
    let mut arguments = call.arguments.iter().map(Option::as_ref);
    if call.by_shell && matches!(&**program, "." | "source") {
        return arguments.next()?.filter(|word| word.text.contains('/'));
    }
    code(program)?;
    let is_runner = program.ends_with("uv") || program.ends_with("deno");
    if is_runner && arguments.next()?.is_none_or(|word| word.text != "run") {
        return None;
    }
    for argument in arguments {
        let argument = argument?;
        let is_for_bun = argument.text == "run" && program.ends_with("bun");
        if is_instead(program, &argument.text) {
            return None;
        }
        if !argument.text.starts_with(['-', '+']) && !is_for_bun {
            let is_script = Path::new(&argument.text).extension().is_some();
            let looks_like_file = is_script || !is_runner && argument.text.contains(['/', '.']);
            return looks_like_file.then_some(argument);
        }
    }
    None
}

/// Returns whether an interpreter with this argument is given no file.
fn is_instead(program: &str, argument: &str) -> bool {
    const LETTERS: [char; 6] = ['c', 'e', 'm', 'E', 'p', 'n'];
    let Some(letters) = argument.strip_prefix('-') else { return false };
    match letters.strip_prefix('-') {
        Some(long) => ["eval", "print", "directory", "project", "module"].contains(&long),
        None if is_shell(program) => letters.is_empty() || letters.contains(['c', 's']),
        None => letters.is_empty() || letters.ends_with(LETTERS),
    }
}

/// The program that an interpreter is given in so many words, behind the option for that.
pub(super) fn inline(call: &Call) -> Option<(&str, &str)> {
    let program = &call.program.as_ref()?.text;
    let ends: &[char] = match stem(program) {
        "python" => &['c'],
        "node" | "nodejs" => &['e', 'p'],
        _ if is_shell(program) => &['c'],
        _ => return None,
    };
    let mut arguments = call.arguments.iter();
    let option = loop {
        let word = &arguments.next()?.as_ref()?.text;
        let letters = word.strip_prefix('-').filter(|it| !it.contains("type"))?;
        let is_it = !letters.starts_with('-') && letters.ends_with(ends);
        if is_it || ["-eval", "-print"].contains(&letters) && ends.contains(&'e') {
            break word;
        }
    };
    Some((option, &arguments.next()?.as_ref()?.text))
}

/// With which code an interpreter ends where its script is not there.
fn code(program: &str) -> Option<i32> {
    match stem(program) {
        "ash" | "dash" | "perl" | "pypy" | "python" | "sh" | "source" | "uv" => Some(2),
        "bash" | "ksh" | "zsh" => Some(127),
        "bun" | "deno" | "node" | "ruby" | "tsx" => Some(1),
        _ => (program == ".").then_some(2),
    }
}

/// The name of a program without its directory and its version.
pub(super) fn stem(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')
}

pub(super) fn file(call: &Call, word: &Known) -> Option<PathBuf> {
    // `find` and `xargs` put what they find in the place of the first, and a shell in that of a pattern.
    if word.text.contains("{}") || call.by_shell && word.text.contains(['*', '?']) {
        return None;
    }
    let path = Path::new(&word.text);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    Some(call.start.directory.as_ref()?.join(word.text.strip_prefix("./").unwrap_or(&word.text)))
}

fn path(command: &Command, around: &Around, call: &Call, program: &Known) -> Vec<Fault> {
    let Some(file) = file(call, program).map(nearby::to_be) else { return Vec::new() };
    let relative = || relative(command, call, program);
    let shown = &program.shown;
    let path = quoted(&file.display().to_string());
    let fault = match program::trouble(&file) {
        None => return of_env(&file, shown, around).into_iter().chain(relative()).collect(),
        // A shell runs it as a script of its own.
        Some(Trouble::NoFormat) if call.by_shell && first_line(&file).is_none() => relative(),
        Some(Trouble::Absent) => absent(command, call, &file, program),
        Some(Trouble::Directory) => Fault::known("directory", &[shown]),
        Some(Trouble::NotExecutable) => Fault::known("not-executable", &[shown, &path])
            .map(|fault| Fault { executable: Some(file), ..fault }),
        Some(Trouble::Crlf(_)) => Fault::known("crlf", &[shown, &path]),
        Some(Trouble::NoInterpreter(name)) => Fault::known("no-interpreter", &[shown, &name]),
        Some(Trouble::Marked) => Fault::known("marked", &[shown]),
        Some(Trouble::NoFormat) => {
            Fault::known("no-format", &[shown, &first_line(&file).unwrap_or("#!/bin/sh")])
        }
    };
    Vec::from_iter(fault)
}

/// The first line of a script that is for no shell, by the ending of its file.
fn first_line(file: &Path) -> Option<&'static str> {
    Some(match file.extension()?.to_str()? {
        "py" => "#!/usr/bin/env python3",
        "js" | "mjs" | "cjs" => "#!/usr/bin/env node",
        "ts" => "#!/usr/bin/env tsx",
        "rb" => "#!/usr/bin/env ruby",
        "pl" => "#!/usr/bin/env perl",
        "php" => "#!/usr/bin/env php",
        _ => return None,
    })
}

/// Names the program that the `env` of a script's first line does not find.
fn of_env(file: &Path, shown: &str, around: &Around) -> Option<Fault> {
    let name = program::not_found_by_env(file, &around.path)?;
    if let Some((_, option)) = name.split_once(' ') {
        return Fault::known("env-option", &[&shown, &name, &option]);
    }
    let usual = around.home.as_deref().and_then(|home| program::usual_place(&name, home));
    let fix = match usual {
        Some(place) => format!("name `{}` in the line", place.join(&name).display()),
        None => "install it, or correct the line".to_owned(),
    };
    Fault::known("env-without", &[&shown, &name, &fix])
}

fn absent(command: &Command, call: &Call, file: &Path, word: &Known) -> Option<Fault> {
    let shown = &word.shown;
    // What no shell has put a value in for is looked for under this very name.
    if shown.starts_with(['~', '$']) && shown.starts_with(&*word.text) {
        let (name, rest) = match (call.by_shell, shown.strip_prefix("~/")) {
            (true, Some(rest)) => ("tilde-in-quotes", rest),
            (true, None) => ("variable-in-quotes", ""),
            (false, _) => ("variable-without-shell", ""),
        };
        return Some(closed(command, Fault::known(name, &[shown, &rest])?));
    }
    let program = call.program.as_ref().map_or("", |it| it.text.as_str());
    let event = command.blocked_by_two().filter(|_| ends_with_two(call, word));
    let is_gone = file.parent().is_some_and(|folder| !folder.is_dir());
    let name = match event {
        Some(_) => "lockout",
        None if is_gone => "gone",
        None => "missing",
    };
    let fix =
        nearby::advice(file).unwrap_or_else(|| "correct the path, or take the hook out".into());
    let event = event.map_or("", Event::name);
    Some(closed(command, Fault::known(name, &[shown, &fix, &program, &event])?))
}

/// Says of a hook that must hold that every call is denied.
fn closed(command: &Command, mut fault: Fault) -> Fault {
    if command.is_closed {
        fault.weight = Weight::Breaks;
        fault.notice = Some("each call that the hook is asked about is blocked, as it must hold");
    }
    fault
}

fn bare(command: &Command, around: &Around, call: &Call, program: &Known) -> Option<Fault> {
    let name = &program.text;
    let is_name = |it: char| it.is_alphanumeric() || "_-.+:".contains(it);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    if let Some(found) = program::on_path(name, &around.path) {
        let shown = found.display().to_string();
        return match program::trouble(&found) {
            Some(Trouble::NoInterpreter(by)) => Fault::known("no-interpreter", &[&shown, &by]),
            Some(Trouble::Crlf(_)) => Fault::known("crlf", &[&shown, &quoted(&shown)]),
            _ => of_env(&found, &shown, around),
        };
    }
    if call.is_brought {
        return None;
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
    Some(closed(command, Fault { kind, ..Fault::known("not-on-path", &[name, &fix])? }))
}

fn relative(command: &Command, call: &Call, word: &Known) -> Option<Fault> {
    if !call.start.is_fragile || Path::new(&word.text).is_absolute() {
        return None;
    }
    let fix = match command.caller {
        Caller::Client => format!(
            "write `\\\"$CLAUDE_PROJECT_DIR\\\"/{}`",
            word.text.strip_prefix("./").unwrap_or(&word.text)
        ),
        Caller::Hookman { .. } => "add `cwd = \"project\"` to the hook".to_owned(),
    };
    let mut fault = Fault::known("relative", &[&word.shown, &fix])?;
    if ends_with_two(call, word) && command.blocked_by_two().is_some() {
        fault.notice = Some("after a `cd` it exits with 2, and each call is blocked");
    }
    Some(fault)
}

fn ends_with_two(call: &Call, script: &Known) -> bool {
    let program = call.program.as_ref().filter(|program| *program != script);
    program.and_then(|program| code(&program.text)) == Some(2)
}

fn of_interpreter(command: &Command, call: &Call, script: &Known) -> Option<Fault> {
    let file = file(call, script)?;
    let program = &call.program.as_ref()?.text;
    match program::trouble(&file) {
        Some(Trouble::Absent) if is_found_by_node(program, &file) => None,
        Some(Trouble::Absent) => absent(command, call, &file, script),
        // Other interpreters than shells take such line ends.
        _ if is_shell(program) && program::has_crlf(&file) => {
            Fault::known("crlf", &[&script.shown, &quoted(&file.display().to_string())])
        }
        _ => relative(command, call, script),
    }
}

/// Returns whether `node` finds a script that was named without its ending, or a folder.
fn is_found_by_node(program: &str, file: &Path) -> bool {
    let with = |ending: &&str| PathBuf::from(format!("{}{ending}", file.display())).is_file();
    let endings = [".js", ".json", ".cjs", ".mjs", ".ts", "/index.js"];
    matches!(stem(program), "node" | "nodejs" | "bun") && endings.iter().any(with)
}

/// The file that a call runs: its script, else its program where that is a path.
pub(super) fn run_file(call: &Call) -> Option<(&Known, PathBuf)> {
    let of_path = || call.program.as_ref().filter(|word| word.text.contains('/'));
    let word = script(call).or_else(of_path)?;
    Some((word, file(call, word)?))
}

pub(super) fn is_alone(call: &Call) -> bool {
    let mut arguments = call.arguments.iter();
    let script = script(call);
    script.is_none_or(|script| arguments.any(|word| word.as_ref() == Some(script)))
        && arguments.next().is_none()
}

/// The text of the file that a call runs, as far as it is read.
pub(super) fn text(call: &Call) -> Option<String> {
    let (_, file) = run_file(call)?;
    let text = foreign::read_start(&file, MOST).ok()??;
    (!text.starts_with('\u{7f}') && !text.contains('\0')).then_some(text)
}

/// The calls in a script, where a shell runs it.
pub(super) fn inside(
    command: &Command,
    around: &Around,
    call: &Call,
    text: &str,
) -> Option<Vec<Call>> {
    let (_, file) = run_file(call)?;
    let by = match script(call) {
        Some(_) => call.program.as_ref().map(|program| program.text.clone()),
        None => program::interpreter(&file),
    };
    by.filter(|by| is_shell(by))?;
    let script = Command { line: Line::Shell(text.to_owned()), ..command.clone() };
    Some(calls::of(&script, around))
}

/// The programs that a script for a shell calls, and that are not there.
pub(super) fn needs(around: &Around, call: &Call, text: &str, found: &[Call]) -> Vec<Fault> {
    let Some((word, _)) = run_file(call) else { return Vec::new() };
    // It may bring what it needs, or look at the system that it is on.
    let brings = ["PATH=", "uname", "OSTYPE"].iter().any(|it| text.contains(it));
    let used = found.iter().filter(|call| !call.is_tested).filter_map(|it| it.program.as_ref());
    let is_called = |tool: &&str| used.clone().any(|program| program.text == *tool);
    let is_missing = |tool: &&str| !brings && program::on_path(tool, &around.path).is_none();
    let missing = TOOLS.split_whitespace().filter(is_called).filter(is_missing);
    missing.filter_map(|tool| Fault::known("calls-missing", &[&word.shown, &tool])).collect()
}

pub(crate) fn whole(command: &Command, around: &Around) -> String {
    let line = match &command.line {
        Line::Shell(line) => line.clone(),
        Line::Argv(words) => words.join("\n"),
    };
    let scripts = calls::of(command, around);
    std::iter::once(line).chain(scripts.iter().filter_map(text)).collect::<Vec<_>>().join("\n")
}
