//! Faults of an answer for which the client does not heed it, or some of it.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::event::{Block, Event};
use super::misplaced::misplaced;
use super::output::{self, Output};

/// The faults of an answer to an event, in words.
pub(crate) fn unheard(event: Event, stdout: &str) -> Vec<String> {
    match output::read(event, stdout) {
        Output::Malformed(error) => vec![error.to_string()],
        Output::Answer(answer) => of_answer(event, &answer, stdout),
        Output::Empty | Output::Text => Vec::new(),
    }
}

fn of_answer(event: Event, answer: &Answer, stdout: &str) -> Vec<String> {
    let facts = event.facts();
    let mut faults: Vec<String> = misplaced(event, stdout).into_iter().collect();
    let object = object(stdout).unwrap_or_default();
    let said = object.get("decision").and_then(Value::as_str);
    if facts.block == Block::Never && said == Some("block") {
        faults.push(format!("`decision` has no effect in an answer to {event}"));
    }
    if facts.block == Block::Request && said.is_some() && faults.is_empty() {
        faults.push(format!("`decision` has no effect at the top of an answer to {event}"));
    }
    let has_context = !answer.context.is_empty() || object.contains_key(CONTEXT);
    let takes_context = facts.context || facts.specific.contains(&CONTEXT);
    if has_context && !takes_context && faults.is_empty() {
        faults.push(format!("`{CONTEXT}` has no effect in an answer to {event}"));
    } else if object.contains_key(CONTEXT) && takes_context {
        faults.push(format!("`{CONTEXT}` has no effect outside of `hookSpecificOutput`"));
    }
    faults
}

const CONTEXT: &str = "additionalContext";

/// Returns whether a text is an object with a field of an answer.
pub(crate) fn is_answer(text: &str) -> bool {
    let fields = ["decision", "hookSpecificOutput", "continue", "systemMessage"];
    object(text).is_some_and(|object| fields.iter().any(|field| object.contains_key(*field)))
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(output::trimmed(text)).ok()
}

/// Returns whether a text is a refusal, by its words.
pub(crate) fn refuses(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "block",
        "dangerous",
        "denied",
        "deny",
        "destructive",
        "do not ",
        "don't ",
        "forbid",
        "leave it",
        "not allowed",
        "not permitted",
        "off limits",
        "prohibit",
        "protected",
        "refus",
        "reject",
        "secret",
    ];
    let lower = text.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}
