//! Faults of an answer for which the client does not heed it, or some of it.
//!
//! The client passes over fields that are in the wrong place. Source: clients 2.1.329 and 2.1.197, which
//! take `permissionDecision` at the top, `decision` inside `hookSpecificOutput` and names that are spelled
//! otherwise for keys that they do not know, without a word; `tests/client/cases/answers.toml` shows it.

use serde_json::{Map, Value};

use super::output::{self, Output};
use super::{Answer, Block, Event};
use crate::syntax::named::words;

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
    if faults.is_empty() {
        let specific = object.get(SPECIFIC).and_then(Value::as_object);
        let is_field =
            |key: &str| key == "hookEventName" || key == CONTEXT || facts.specific.contains(&key);
        let unknown = specific.and_then(|specific| specific.keys().find(|key| !is_field(key)));
        faults.extend(unknown.map(|key| format!("`{key}` is no field of an answer to {event}")));
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

pub(crate) fn is_answer(text: &str) -> bool {
    let fields = ["decision", "hookSpecificOutput", "continue", "systemMessage"];
    object(text).is_some_and(|object| fields.iter().any(|field| object.contains_key(*field)))
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(output::trimmed(text)).ok()
}

pub(crate) fn refuses(text: &str) -> bool {
    const WORDS: &str = "block|dangerous|denied|deny|destructive|do not |don't |forbid|leave it|not allowed\
                         |not permitted|off limits|prohibit|protected|refus|reject|secret";
    let lower = text.to_lowercase();
    WORDS.split('|').any(|word| lower.contains(word))
}

/// The fields that decide something, on one event or another.
const DECIDING: [&str; 8] = words(
    "action behavior continue decision hookSpecificOutput permissionDecision updatedInput \
     updatedToolOutput",
);

/// The object that holds the fields of the event.
const SPECIFIC: &str = "hookSpecificOutput";

/// The field of an answer that would decide something and does not where it is, in words.
pub fn misplaced(event: Event, stdout: &str) -> Option<String> {
    in_object(event, &output::object(output::trimmed(stdout)).ok()?)
}

pub(super) fn in_object(event: Event, answer: &Map<String, Value>) -> Option<String> {
    let facts = event.facts();
    if facts.block == Block::Never {
        let specific = answer.get(SPECIFIC).and_then(Value::as_object);
        let fields = ["permissionDecision", "updatedInput"];
        let field = fields.iter().find(|it| specific.is_some_and(|all| all.contains_key(**it)))?;
        return passed_over(event, field, "inside `hookSpecificOutput`");
    }
    let top = answer.iter().find_map(|(key, value)| {
        let heeded = key == SPECIFIC || facts.top.contains(&key.as_str());
        // To let go on is what happens where nothing is decided.
        let lets_go_on = (key == "decision" && value == "approve")
            || (key == "continue" && *value == Value::Bool(true));
        (!heeded && !lets_go_on).then(|| passed_over(event, key, "at the top"))?
    });
    top.or_else(|| {
        let specific = answer.get(SPECIFIC)?.as_object()?;
        specific.keys().find_map(|key| {
            let heeded = key == "hookEventName" || facts.specific.contains(&key.as_str());
            (!heeded).then(|| passed_over(event, key, "inside `hookSpecificOutput`"))?
        })
    })
}

fn passed_over(event: Event, key: &str, place: &str) -> Option<String> {
    let lower = key.to_ascii_lowercase();
    let is_context = lower.contains("context") || lower.contains("ctx");
    if is_context && key != CONTEXT && event.facts().specific.contains(&CONTEXT) {
        return Some(format!("`{key}` is no field of an answer; the client calls it `{CONTEXT}`"));
    }
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let field = DECIDING.iter().find(|field| plain(field) == plain(key))?;
    let facts = event.facts();
    let is_known = match *field {
        "action" | "updatedToolOutput" => facts.specific.contains(field),
        "behavior" => facts.block == Block::Request,
        _ => true,
    };
    if !is_known {
        return None;
    }
    Some(if *field == key {
        format!("`{key}` has no effect {place} of an answer to {event}")
    } else {
        format!("`{key}` is no field of an answer; the client calls it `{field}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_nothing_where_it_stands_is_found() {
        let rows = [
            (
                Event::PreToolUse,
                r#"{"permissionDecision":"deny"}"#,
                "`permissionDecision` has no effect at the top of an answer to PreToolUse",
            ),
            (
                Event::PreToolUse,
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":"block"}}"#,
                "`decision` has no effect inside `hookSpecificOutput` of an answer to PreToolUse",
            ),
            (
                Event::PreToolUse,
                r#"{"hook_specific_output":{}}"#,
                "`hook_specific_output` is no field of an answer; the client calls it `hookSpecificOutput`",
            ),
            (
                Event::WorktreeRemove,
                r#"{"decision":"block"}"#,
                "`decision` has no effect at the top of an answer to WorktreeRemove",
            ),
            (
                Event::PermissionRequest,
                r#"{"continue":false}"#,
                "`continue` has no effect at the top of an answer to PermissionRequest",
            ),
            (
                Event::TaskCreated,
                r#"{"continue":false}"#,
                "`continue` has no effect at the top of an answer to TaskCreated",
            ),
            (
                Event::PermissionRequest,
                r#"{"behavior":"deny"}"#,
                "`behavior` has no effect at the top of an answer to PermissionRequest",
            ),
            (
                Event::PreToolUse,
                r#"{"updatedInput":{}}"#,
                "`updatedInput` has no effect at the top of an answer to PreToolUse",
            ),
            (
                Event::PostToolUse,
                r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}"#,
                "`permissionDecision` has no effect inside `hookSpecificOutput` of an answer to PostToolUse",
            ),
            (Event::SessionStart, r#"{"decision":"block"}"#, ""),
            (Event::TaskCompleted, r#"{"decision":"block","continue":false}"#, ""),
            (Event::ElicitationResult, r#"{"decision":"block"}"#, ""),
            (Event::PreToolUse, r#"{"decision":"approve","reason":"x"}"#, ""),
            (Event::PermissionRequest, r#"{"decision":"approve"}"#, ""),
            (Event::TaskCreated, r#"{"continue":true}"#, ""),
            (Event::PreToolUse, r#"{"action":"logged","behavior":"x","note":1}"#, ""),
            (Event::PreToolUse, "Decision: none", ""),
        ];
        for (event, stdout, expected) in rows {
            assert_eq!(misplaced(event, stdout).unwrap_or_default(), expected, "{event} {stdout}");
        }
    }
}
