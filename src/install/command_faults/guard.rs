//! Does what says no say it in a way that blocks?

use super::command::{Command, Line, blocks};
use super::fault::{Fault, Kind, Weight};
use crate::client::event::Event;

/// The ways in which languages end with a code that blocks nothing; a program that means to block uses
/// 2.
const ONE: &[&str] = &["exit 1", "exit(1)", "SystemExit(1)", "exitCode = 1", "exit 255"];

/// The words of a text that can block, or of which that cannot be told.
const KNOWS: &[&str] = &[
    "exit 2",
    "exit(2)",
    "Exit(2)",
    "exitCode = 2",
    "exit $",
    "exit \"$",
    "return 2",
    "decision",
    "Decision",
    "\"block\"",
    "'block'",
    "exec ",
];

/// Words of those who mean to block.
const MEANS: &[&str] = &[
    "block",
    "denied",
    "deny",
    "forbid",
    "refus",
    "not allowed",
    "prohibit",
    "protected",
    "reject",
];

pub(super) fn of_line(command: &Command<'_>) -> Option<Fault> {
    let Line::Shell(line) = command.line else { return None };
    of_text(command, "the line", &without_comments(line))
}

/// A text without what is remarked in it, by the rules of shells, Python and JavaScript.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let start = line.trim_start();
        let is_starred = start.starts_with("* ") && !start.starts_with("* )");
        let is_whole = ["#", "//", "/*"].iter().any(|mark| start.starts_with(mark));
        if !is_whole && !is_starred {
            let is_outside =
                |at: &usize| ["'", "\""].iter().all(|it| line[..*at].matches(it).count() % 2 == 0);
            let marks = [" # ", " // "].iter().filter_map(|mark| line.find(mark));
            kept.push_str(&line[..marks.filter(is_outside).min().unwrap_or(line.len())]);
        }
        kept.push('\n');
    }
    kept
}

/// What a text of a command, its line or its script, says with an exit code that blocks nothing.
pub(super) fn of_text(command: &Command<'_>, what: &str, text: &str) -> Option<Fault> {
    let is_asked = |event: &Event| {
        matches!(event, Event::PreToolUse | Event::UserPromptSubmit | Event::UserPromptExpansion)
    };
    if command.is_async {
        return of_async(command, what, text);
    }
    if !command.is_open {
        return None;
    }
    if !command.events.iter().any(is_asked) {
        return None;
    }
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    let lower = text.to_lowercase();
    // Where a match is what ends in failure, no failure is meant.
    let is_match = text.contains("grep") && text.contains("&& exit 1");
    let means = is_match || MEANS.iter().any(|word| lower.contains(word));
    if !means || !has(ONE) {
        return None;
    }
    // Standard output with a denial counts whatever the code; standard error does not.
    let decides = |line: &&str| line.contains("ecision") && !line.trim_start().starts_with('#');
    let on_error = |line: &str| {
        ["1>&2", ">&2", "sys.stderr", "console.error"].iter().any(|it| line.contains(it))
    };
    let mut deciding = text.lines().filter(decides).peekable();
    let is_misdirected = deciding.peek().is_some() && deciding.all(on_error);
    if is_misdirected && !has(TWO) && !text.contains("exit $") {
        return Some(Fault::new(
            Kind::Toothless,
            Weight::Risks,
            format!("{what} says its decision on standard error, which the client does not read"),
            "print the JSON on standard output, and exit with 0",
        ));
    }
    if has(KNOWS) {
        return None;
    }
    Some(Fault::new(
        Kind::Toothless,
        Weight::Risks,
        format!("{what} says no with exit code 1, which blocks nothing: only 2 does"),
        "exit with 2, and say why on standard error",
    ))
}

const TWO: &[&str] = &["exit 2", "exit(2)", "Exit(2)", "exitCode = 2"];

/// What says no although nobody waits for it.
///
/// Source: the clients 2.1.329 and 2.1.197, with which the call goes on.
fn of_async(command: &Command<'_>, what: &str, text: &str) -> Option<Fault> {
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    let event = command.events.iter().find(|event| blocks(**event))?;
    let decides = has(&["decision", "Decision"]) && has(&["deny", "\"block\"", "'block'"]);
    if !has(TWO) && !decides {
        return None;
    }
    let mut fault = Fault::new(
        Kind::Toothless,
        Weight::Risks,
        format!("{what} says no to {event}, and nobody waits for a hook that is `async`"),
        "leave `async` out",
    );
    fault.key = Some("async");
    Some(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::command_faults::command::Caller;

    #[test]
    fn a_no_that_blocks_nothing_is_seen() {
        let rows = [
            ("grep -q rm && { echo blocked >&2; exit 1; }", Event::PreToolUse, true),
            ("import sys\nprint('not allowed')\nsys.exit(1)", Event::PreToolUse, true),
            ("echo blocked >&2; exit 2", Event::PreToolUse, false),
            ("if bad; then echo denied; exit 2; fi; exit 1", Event::PreToolUse, false),
            ("echo '{\"decision\": \"block\"}'; exit 1", Event::PreToolUse, false),
            ("echo '{\"decision\": \"block\"}' >&2; exit 1", Event::PreToolUse, true),
            ("jq -r .tool_input.command | grep -q 'rm -rf' && exit 1", Event::PreToolUse, true),
            ("grep -q ok f || exit 1", Event::PreToolUse, false),
            ("prettier --check . || exit 1", Event::PreToolUse, false),
            ("echo blocked >&2; exit 1", Event::PostToolUse, false),
        ];
        for (line, event, expected) in rows {
            let command = Command {
                line: Line::Shell(line),
                caller: Caller::Client,
                events: vec![event],
                is_closed: false,
                is_open: true,
                is_async: false,
            };
            assert_eq!(of_line(&command).is_some(), expected, "{line}");
            let closed = Command { is_open: false, is_closed: true, ..command };
            assert_eq!(of_line(&closed), None, "{line}");
        }
    }
}
