//! The needs of the script that a command runs.

use super::calls::{self, Call, is_shell};
use super::command::{Around, Command, Line};
use super::fault::{Fault, Kind, Weight};
use super::guard;
use super::programs;
use crate::machine::{foreign, program};

/// The bytes of a script that are read.
const MOST: u64 = 64 * 1024;

/// The programs that scripts often need and systems often lack.
const TOOLS: &[&str] = &[
    "bun",
    "curl",
    "deno",
    "gh",
    "go",
    "jq",
    "node",
    "npx",
    "osascript",
    "perl",
    "php",
    "pnpm",
    "prettier",
    "python",
    "python3",
    "rg",
    "ruby",
    "ruff",
    "shellcheck",
    "terminal-notifier",
    "tsx",
    "uv",
    "uvx",
    "yq",
    "yarn",
];

pub(super) fn examine(
    command: &Command<'_>,
    around: &Around,
    call: &Call,
    faults: &mut Vec<Fault>,
) {
    let Some(word) = programs::script(call).or(call.program.as_ref()) else { return };
    if !word.text.contains('/') && programs::script(call).is_none() {
        return;
    }
    let Some(file) = programs::file(call, word) else { return };
    let Ok(Some(text)) = foreign::read_start(&file, MOST) else { return };
    if text.starts_with('\u{7f}') || text.contains('\0') {
        return;
    }
    let said = guard::without_comments(&text);
    faults.extend(guard::of_text(command, &format!("`{}`", word.shown), &said));
    let by = match &call.program {
        Some(program) if word != program => Some(program.text.clone()),
        _ => program::interpreter(&file),
    };
    if !call.is_tested && by.is_some_and(|by| is_shell(&by)) {
        needs(command, around, &word.shown, &text, faults);
    }
}

fn needs(command: &Command<'_>, around: &Around, shown: &str, text: &str, faults: &mut Vec<Fault>) {
    let script = Command { line: Line::Shell(text), ..command.clone() };
    let found = calls::of(&script, around);
    // It may bring what it needs.
    if text.contains("PATH=") {
        return;
    }
    for tool in TOOLS {
        let calls = |call: &&Call| call.program.as_ref().is_some_and(|it| it.text == *tool);
        let asks = ["command -v", "which", "type", "hash"];
        let asks = asks.iter().any(|word| text.contains(&format!("{word} {tool}")));
        let is_called = found.iter().any(|call| calls(&call) && !call.is_tested);
        if !asks && is_called && program::on_path(tool, &around.path).is_none() {
            faults.push(Fault::new(
                Kind::Needs,
                Weight::Risks,
                format!("`{shown}` calls `{tool}`, which is not on the PATH"),
                format!("install `{tool}`, or have the script go without it"),
            ));
        }
    }
}

/// Returns whether a command, or the script that it runs, has a word in it.
pub(crate) fn mentions(command: &Command<'_>, around: &Around, word: &str) -> bool {
    let is_in_line = match command.line {
        Line::Shell(line) => line.contains(word),
        Line::Argv(words) => words.iter().any(|it| it.contains(word)),
    };
    is_in_line
        || calls::of(command, around).iter().any(|call| {
            let script = programs::script(call).or(call.program.as_ref());
            let file = script.filter(|it| it.text.contains('/') || it.text.contains('.'));
            let file = file.and_then(|it| programs::file(call, it));
            let text = file.and_then(|file| foreign::read_start(&file, MOST).ok().flatten());
            text.is_some_and(|text| text.contains(word))
        })
}
