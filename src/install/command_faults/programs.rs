//! Are the program and its script there, and can they be run?

use std::path::{Path, PathBuf};

use super::calls::{self, Call, Known, is_shell};
use super::command::{Around, Caller, Command, Fault, Kind, Line, Weight};
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

pub(super) fn examine(
    command: &Command<'_>,
    around: &Around,
    call: &Call,
    faults: &mut Vec<Fault>,
) {
    let Some(program) = call.program.as_ref().filter(|_| !call.is_tested) else { return };
    if !call.by_shell && is_line(&program.text) {
        let message = format!(
            "with `args` no shell reads `{}`: the client looks for a program of that whole name",
            program.shown
        );
        let fix = "leave `args` out and write one line in `command`; in a manifest, write `command` \
                   for `argv`";
        return faults.push(Fault::new(Kind::Missing, Weight::Breaks, message, fix));
    }
    faults.extend(of_operators(call));
    if program.text.contains('/') {
        path(command, around, call, program, faults);
    } else if !call.by_shell || !is_built_in(&program.text) {
        bare(command, around, call, program, faults);
    }
    if let Some(script) = script(call) {
        of_interpreter(command, call, script, faults);
    }
}

/// The fault of an argument that a shell alone would take for an operator.
fn of_operators(call: &Call) -> Option<Fault> {
    const OPERATORS: [&str; 7] = ["|", "||", "&&", ">", ">>", "2>&1", "2>/dev/null"];
    let words = call.arguments.iter().flatten().filter(|_| !call.by_shell);
    let word = words.into_iter().find(|word| OPERATORS.contains(&&*word.text))?;
    let message =
        format!("no shell reads these arguments, so `{}` is handed over as a word", word.text);
    let fix = "write one line in `command`, without `args`; in a manifest, `command` for `argv`";
    Some(Fault::new(Kind::Quoting, Weight::Breaks, message, fix))
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

/// Returns whether an interpreter with this argument is given no file: alone or at the end of several
/// letters.
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
    let name = program.rsplit('/').next().unwrap_or_default();
    let ends: &[char] = match stem(name) {
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
    let name = program.rsplit('/').next().unwrap_or_default();
    match stem(name) {
        "ash" | "dash" | "perl" | "pypy" | "python" | "sh" | "source" | "uv" => Some(2),
        "bash" | "ksh" | "zsh" => Some(127),
        "bun" | "deno" | "node" | "ruby" | "tsx" => Some(1),
        _ => (name == ".").then_some(2),
    }
}

/// The name of a program without its version.
pub(super) fn stem(name: &str) -> &str {
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')
}

/// The file that a word means, where that can be told.
pub(super) fn file(call: &Call, word: &Known) -> Option<PathBuf> {
    // `find` and `xargs` put what they find in its place.
    if word.text.contains("{}") {
        return None;
    }
    // A pattern is for the shell to resolve, and each turn of a loop has another of its files.
    if call.by_shell && word.text.contains(['*', '?']) {
        return None;
    }
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
    let interpreter =
        |message: String, fix: String| Fault::new(Kind::Interpreter, Weight::Breaks, message, fix);
    let fault = match program::trouble(&file) {
        None => {
            faults.extend(of_env(&file, shown, around));
            return relative(command, call, program, faults);
        }
        // A shell runs it as a script of its own.
        Some(Trouble::NoFormat) if call.by_shell && first_line(&file).is_none() => {
            return relative(command, call, program, faults);
        }
        Some(Trouble::Absent) => absent(command, call, &file, program),
        Some(Trouble::Directory) => Fault::new(
            Kind::Missing,
            Weight::Breaks,
            format!("`{shown}` is a directory"),
            "name the program in it",
        ),
        Some(Trouble::NotExecutable) => {
            let mut fault = Fault::new(
                Kind::NotExecutable,
                Weight::Breaks,
                format!("`{shown}` is not executable"),
                format!("run `chmod +x {}`", quoted(&file.display().to_string())),
            );
            fault.executable = Some(file);
            fault
        }
        Some(Trouble::Crlf(_)) => crlf(shown, &file),
        Some(Trouble::NoInterpreter(name)) => no_interpreter(shown, &name),
        Some(Trouble::Marked) => interpreter(
            format!(
                "`{shown}` begins with a byte order mark, so the system does not see its first line"
            ),
            "save it as UTF-8 without a byte order mark".to_owned(),
        ),
        Some(Trouble::NoFormat) => interpreter(
            format!("`{shown}` is neither a program nor a script that names its interpreter"),
            format!("begin it with a line such as `{}`", first_line(&file).unwrap_or("#!/bin/sh")),
        ),
    };
    faults.push(fault);
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

fn no_interpreter(shown: &str, interpreter: &str) -> Fault {
    let message = format!("the first line of `{shown}` names `{interpreter}`, which is not there");
    Fault::new(Kind::Interpreter, Weight::Breaks, message, "install it, or correct the line")
}

/// Names the program that the `env` of a script's first line does not find.
fn of_env(file: &Path, shown: &str, around: &Around) -> Option<Fault> {
    let name = program::not_found_by_env(file, &around.path)?;
    let mut fault = no_interpreter(shown, &name);
    if let Some((_, option)) = name.split_once(' ') {
        fault.message = format!(
            "`env` takes `{name}` in the first line of `{shown}` for the name of one program"
        );
        fault.fix = format!("write `#!/usr/bin/env -S {name}`, or leave `{option}` out");
        return Some(fault);
    }
    fault.message =
        format!("the first line of `{shown}` asks `env` for `{name}`, which is not on the PATH");
    if let Some(place) = around.home.as_deref().and_then(|home| program::usual_place(&name, home)) {
        fault.fix = format!("name `{}` in the line", place.join(&name).display());
    }
    Some(fault)
}

fn crlf(shown: &str, file: &Path) -> Fault {
    let file = quoted(&file.display().to_string());
    let message = format!(
        "the lines of `{shown}` end in CRLF, and the CR is taken for a part of \
                           the last word"
    );
    let fix = format!(
        "run `tr -d '\\r' < {file} > {file}.lf && cat {file}.lf > {file} && rm \
                       {file}.lf`"
    );
    Fault::new(Kind::Interpreter, Weight::Breaks, message, fix)
}

fn absent(command: &Command<'_>, call: &Call, file: &Path, word: &Known) -> Fault {
    let shown = &word.shown;
    // What no shell has put a value in for is looked for under this very name.
    if shown.starts_with(['~', '$']) && shown.starts_with(&*word.text) {
        let fix = match (call.by_shell, shown.strip_prefix("~/")) {
            (true, Some(rest)) => format!("write `\"$HOME\"/{rest}`"),
            (true, None) => format!("write `\"{shown}\"`"),
            (false, _) => "give the whole path, or `${CLAUDE_PROJECT_DIR}` with braces".to_owned(),
        };
        let what = if call.by_shell {
            "these quotes keep the shell from putting"
        } else {
            "no shell puts"
        };
        let message = format!("`{shown}`: {what} a value in");
        return closed(command, Fault::new(Kind::Quoting, Weight::Breaks, message, fix));
    }
    let is_gone = file.parent().is_some_and(|folder| !folder.is_dir());
    let (kind, message) = if is_gone {
        (Kind::Gone, format!("`{shown}` is not there, and neither is its directory"))
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
    let is_name = |it: char| it.is_alphanumeric() || "_-.+:".contains(it);
    if name.is_empty() || !name.chars().all(is_name) {
        return;
    }
    if let Some(found) = program::on_path(name, &around.path) {
        let shown = found.display().to_string();
        match program::trouble(&found) {
            Some(Trouble::NoInterpreter(interpreter)) => {
                faults.push(no_interpreter(&shown, &interpreter));
            }
            Some(Trouble::Crlf(_)) => faults.push(crlf(&shown, &found)),
            _ => faults.extend(of_env(&found, &shown, around)),
        }
        return;
    }
    if call.is_brought {
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
    if ends_with_two(call, word) && command.blocked_by_two().is_some() {
        fault.notice = Some("after a `cd` it exits with 2, and each call is blocked");
    }
    faults.push(fault);
}

fn ends_with_two(call: &Call, script: &Known) -> bool {
    let program = call.program.as_ref().filter(|program| *program != script);
    program.and_then(|program| code(&program.text)) == Some(2)
}

fn of_interpreter(command: &Command<'_>, call: &Call, script: &Known, faults: &mut Vec<Fault>) {
    let Some(file) = file(call, script) else { return };
    let program = call.program.as_ref().map(|it| it.text.as_str()).unwrap_or_default();
    match program::trouble(&file) {
        Some(Trouble::Absent) if is_found_by_node(program, &file) => {}
        Some(Trouble::Absent) => {
            let event = command.blocked_by_two().filter(|_| ends_with_two(call, script));
            let mut fault = absent(command, call, &file, script);
            if let Some(event) = event {
                fault.kind = Kind::Lockout;
                fault.message = format!(
                    "there is no file `{}`, so `{program}` exits with 2, which blocks each {event}",
                    script.shown
                );
            }
            faults.push(fault);
        }
        // Other interpreters than shells take such line ends.
        _ if is_shell(program) && program::has_crlf(&file) => {
            faults.push(crlf(&script.shown, &file));
        }
        _ => relative(command, call, script, faults),
    }
}

/// Returns whether `node` finds a script that was named without its ending, or a folder.
fn is_found_by_node(program: &str, file: &Path) -> bool {
    let with = |ending: &&str| PathBuf::from(format!("{}{ending}", file.display())).is_file();
    let endings = [".js", ".json", ".cjs", ".mjs", ".ts", "/index.js"];
    matches!(program.rsplit('/').next(), Some("node" | "nodejs" | "bun"))
        && endings.iter().any(with)
}

/// The file that a call runs: its script, else its program where that is a path.
pub(super) fn run_file(call: &Call) -> Option<(&Known, PathBuf)> {
    let of_path = || call.program.as_ref().filter(|word| word.text.contains('/'));
    let word = script(call).or_else(of_path)?;
    Some((word, file(call, word)?))
}

/// Returns whether the script that a call runs is given no arguments.
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
    command: &Command<'_>,
    around: &Around,
    call: &Call,
    text: &str,
) -> Option<Vec<Call>> {
    let (_, file) = run_file(call)?;
    let by = if script(call).is_some() {
        call.program.as_ref().map(|program| program.text.clone())
    } else {
        program::interpreter(&file)
    };
    by.filter(|by| is_shell(by))?;
    let script = Command { line: Line::Shell(text), ..command.clone() };
    Some(calls::of(&script, around))
}

/// The programs that a script for a shell calls, and that are not there.
pub(super) fn needs(
    around: &Around,
    call: &Call,
    text: &str,
    found: &[Call],
    faults: &mut Vec<Fault>,
) {
    let Some((word, _)) = run_file(call) else { return };
    // It may bring what it needs, or look at the system that it is on.
    if ["PATH=", "uname", "OSTYPE"].iter().any(|it| text.contains(it)) {
        return;
    }
    for tool in TOOLS.split_whitespace() {
        let calls = |call: &&Call| call.program.as_ref().is_some_and(|it| it.text == tool);
        let is_called = found.iter().any(|call| calls(&call) && !call.is_tested);
        if is_called && program::on_path(tool, &around.path).is_none() {
            let message = format!("`{}` calls `{tool}`, which is not on the PATH", word.shown);
            let fix = format!("install `{tool}`, or have the script go without it");
            faults.push(Fault::new(Kind::Needs, Weight::Risks, message, fix));
        }
    }
}

/// Returns whether a command, or the script that it runs, has a word in it.
pub(crate) fn mentions(command: &Command<'_>, around: &Around, word: &str) -> bool {
    let is_in_line = match command.line {
        Line::Shell(line) => line.contains(word),
        Line::Argv(words) => words.iter().any(|it| it.contains(word)),
    };
    let is_in_script = |call: &Call| text(call).is_some_and(|text| text.contains(word));
    is_in_line || calls::of(command, around).iter().any(is_in_script)
}
