//! Do denials of a command reach the client, and what it prints anybody?

use super::calls::Call;
use super::command::{Command, Line, blocks};
use super::fault::{Fault, Kind, Weight};
use super::programs;
use crate::client::event::{Event, PlainText};
use crate::syntax::shell;

/// The words with which scripts end with exit code 2.
const TWO: [&str; 2] = ["exit 2", "exit(2)"];

/// The words of scripts whose answer is a decision.
const DECIDES: [&str; 2] = ["permissionDecision", "\"decision\""];

/// Returns whether a text has some words outside of its comments.
fn has(text: &str, words: &[&str]) -> bool {
    code(text).any(|line| words.iter().any(|word| line.contains(word)))
}

/// The lines of a script without its comments, as far as these can be told.
pub(super) fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(['#', '/']));
    lines.map(|line| line.split(" # ").next().unwrap_or(line))
}

fn fault(weight: Weight, message: impl Into<String>, fix: &str) -> Fault {
    Fault::new(Kind::Answer, weight, message.into(), fix)
}

/// The fault of a command that says no where nobody waits for it; `texts` are those of its scripts.
pub(super) fn unawaited(command: &Command<'_>, texts: &[String]) -> Option<Fault> {
    let denies = |text: &String| has(text, &TWO) || has(text, &DECIDES);
    let is_late = command.is_async && command.events.iter().any(|event| blocks(*event));
    (is_late && texts.iter().any(denies)).then(|| {
        let message = "it can say no, and nobody waits for a hook that is `async`";
        fault(Weight::Risks, message, "take `async` out of the hook")
    })
}

/// The fault of a call whose exit code 2 the rest of its line hides; `text` is that of its script.
pub(super) fn hidden(command: &Command<'_>, call: &Call, text: &str) -> Option<Fault> {
    let Line::Shell(line) = command.line else { return None };
    let behind = call.site.behind.trim_start().trim_start_matches("2>&1").trim_start();
    let is_whole =
        !has(line, &["exit", "pipefail", "$?", "PIPESTATUS", "$(", "`", "if ", "while "]);
    let is_gate = has(text, &TWO)
        && !has(text, &DECIDES)
        && command.events.iter().any(|event| blocks(*event));
    if !is_whole && !behind.starts_with("|| exit 0") || !is_gate {
        return None;
    }
    let sign = if behind.starts_with('|') && !behind.starts_with("||") {
        "|"
    } else if behind.starts_with('&') && !behind.starts_with("&&") {
        "&"
    } else {
        let masks = ["|| true", "||true", "|| :", "||:", "|| exit 0", "; true", "; :"];
        masks.into_iter().find(|mask| behind.starts_with(mask))?
    };
    let message = format!(
        "`{sign}` behind `{}` hides exit code 2, which blocks",
        programs::run_file(call)?.0.shown
    );
    Some(fault(Weight::Risks, message, &format!("take `{sign}` out of the line")))
}

/// The fault of a line, with its scripts for a shell, that prints words for nobody and does nothing else.
pub(super) fn unread(command: &Command<'_>, texts: &[String]) -> Option<Fault> {
    let is_ignored = |it: &Event| it.facts().plain_text == PlainText::Ignored;
    let event = command.events.first().filter(|_| command.events.iter().all(is_ignored))?;
    let (mut prints, mut does_more) = (false, texts.iter().any(|text| text.contains('|')));
    for text in texts {
        shell::each_invocation(text, &mut |call| {
            let is_printing = call.program == "echo" || call.program == "printf";
            let is_for_eyes = |text: &str| !text.contains(['{', '\u{1b}', '\\']);
            prints |= is_printing;
            let is_script = call.program.contains('.') || ["bash", "sh"].contains(&call.program);
            does_more |= !is_printing && !is_script
                || !call.redirections.is_empty()
                || !call.arguments.iter().all(|word| is_for_eyes(&word.text));
        });
    }
    (prints && !does_more).then(|| {
        let message = format!("it prints plain text, which nobody reads on {event}");
        let fix = format!("print JSON; `hookman events {event}` shows the form of an answer");
        fault(Weight::Hints, message, &fix)
    })
}
