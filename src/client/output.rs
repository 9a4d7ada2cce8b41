//! The output of a hook, and the client's reading of it.
//!
//! Source: the client's hooks reference, "Hook output" and "Decision control"; the treatment of
//! text that looks like JSON and is none is that of client 2.1.248 and later.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Answer, Block, Decision, Event, payload};
use crate::syntax::json::BOM;

pub use super::wording::{Said, write};

#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Nothing but blanks.
    Empty,
    Answer(Answer),
    Text,
    /// A JSON object that the client would reject, with the reason.
    Malformed(AnswerError),
}

/// The reason why the client would not take a text or an object for an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("its output is not valid JSON: {0}")]
    Syntax(String),
    #[error("`{0}` is {1}")]
    Type(&'static str, &'static str),
    #[error("`{0}` must be {1}{but}", but = .2.as_ref().map(|it| format!(", not \"{it}\"")).unwrap_or_default())]
    Word(&'static str, &'static str, Option<String>),
    #[error("`hookSpecificOutput` has no `hookEventName`")]
    Eventless,
    #[error("`hookEventName` is {0}, but the event is {1}")]
    OtherEvent(String, Event),
}

/// Reads standard output the way the client does for `event`.
pub fn read(event: Event, stdout: &str) -> Output {
    let text = trimmed(stdout);
    if text.is_empty() {
        return Output::Empty;
    }
    if !text.starts_with('{') {
        return Output::Text;
    }
    match object(text) {
        Ok(object) => answer(event, object).map_or_else(Output::Malformed, Output::Answer),
        Err(error) if text.ends_with('}') => {
            Output::Malformed(AnswerError::Syntax(error.to_string()))
        }
        Err(_) => Output::Text,
    }
}

/// The text without what JavaScript trims, a byte order mark included, as 2.1.329 and 2.1.197 read it.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter == BOM || letter.is_whitespace() && letter != '\u{85}')
}

/// An object as JavaScript reads it, with halves of characters, infinite numbers and any depth.
pub(super) fn object(text: &str) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_str(text).or_else(|error| {
        serde_json::from_str::<IgnoredAny>(text)?;
        by_field(&payload::repaired(text), 2).ok_or(error)
    })
}

fn by_field(text: &str, levels: usize) -> Option<Map<String, Value>> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let value = |raw: &RawValue| {
        let inner = || by_field(raw.get(), levels.checked_sub(1)?).map(Value::Object);
        serde_json::from_str(raw.get()).ok().or_else(inner).unwrap_or_default()
    };
    Some(fields.into_iter().map(|(key, raw)| (key, value(raw))).collect())
}

/// Returns whether the first line asks the client not to wait, as soon as it is whole (2.1.197).
pub fn goes_on_alone(stdout: &[u8]) -> bool {
    if stdout.first() != Some(&b'{') {
        return false;
    }
    let Some(end) = stdout.iter().position(|byte| *byte == b'\n') else { return false };
    let line = serde_json::from_slice::<Map<String, Value>>(&stdout[..end]);
    line.is_ok_and(|object| object.get("async") == Some(&Value::Bool(true)))
}

/// Returns whether an answer has the key that asks the client not to wait, in a form that it does not heed.
pub fn asks_to_go_on(stdout: &str) -> bool {
    let no = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
    object(trimmed(stdout)).is_ok_and(|it| it.get("async").is_some_and(|value| !no(value)))
}

pub(super) fn answer(event: Event, mut object: Map<String, Value>) -> Result<Answer, AnswerError> {
    let mut answer = Answer {
        stop: take_bool(&mut object, "continue")? == Some(false),
        stop_reason: take_text(&mut object, "stopReason")?,
        system_message: take_text(&mut object, "systemMessage")?,
        terminal_sequence: take_text(&mut object, "terminalSequence")?,
        suppress_output: take_bool(&mut object, "suppressOutput")? == Some(true),
        reason: take_text(&mut object, "reason")?,
        ..Answer::default()
    };
    let decision = take_text(&mut object, "decision")?;
    answer.decision = match decision.as_deref() {
        None => None,
        Some("block") => Some(Decision::Deny),
        Some("approve") => Some(Decision::Allow),
        Some(_) => return Err(AnswerError::Word("decision", "\"block\"", decision)),
    };
    match object.remove("hookSpecificOutput") {
        None => {}
        Some(Value::Object(specific)) => read_specific(event, specific, &mut answer)?,
        Some(_) => return Err(AnswerError::Type("hookSpecificOutput", "not an object")),
    }
    own_decision(event, &mut answer)?;
    Ok(answer)
}

/// Reads the decision where the event has it; what is elsewhere the client passes over.
fn own_decision(event: Event, answer: &mut Answer) -> Result<(), AnswerError> {
    match event.facts().block {
        Block::Permission => {}
        Block::Decision => answer.decision = answer.decision.filter(|it| *it == Decision::Deny),
        Block::Never | Block::ExitCode => answer.decision = None,
        Block::Request => {
            let Some(decision) = answer.specific.get_mut("decision") else {
                answer.decision = None;
                return Ok(());
            };
            answer.decision = Some(match decision["behavior"].as_str() {
                Some("allow") => Decision::Allow,
                Some("deny") => Decision::Deny,
                _ => return Err(AnswerError::Word("decision.behavior", "allow or deny", None)),
            });
            let message = decision.as_object_mut().and_then(|it| it.shift_remove("message"));
            answer.reason = message.and_then(|message| message.as_str().map(str::to_owned));
        }
        Block::Action => {
            let is_blocked = answer.decision == Some(Decision::Deny);
            answer.decision = match answer.specific.get("action").map(Value::as_str) {
                None | Some(Some("accept")) if is_blocked => Some(Decision::Deny),
                None => None,
                Some(Some("accept")) => Some(Decision::Allow),
                Some(Some("decline" | "cancel")) => Some(Decision::Deny),
                Some(_) => {
                    return Err(AnswerError::Word("action", "accept, decline or cancel", None));
                }
            };
        }
    }
    Ok(())
}

fn read_specific(
    event: Event,
    mut specific: Map<String, Value>,
    answer: &mut Answer,
) -> Result<(), AnswerError> {
    match take_text(&mut specific, "hookEventName")? {
        Some(name) if name == event.name() => {}
        Some(name) => return Err(AnswerError::OtherEvent(name, event)),
        None => return Err(AnswerError::Eventless),
    }
    // On events without permissions the client passes over it.
    if event.facts().block == Block::Permission
        && let Some(word) = take_text(&mut specific, "permissionDecision")?
    {
        answer.decision = Some(match word.as_str() {
            "allow" => Decision::Allow,
            "ask" => Decision::Ask,
            "defer" => Decision::Defer,
            "deny" => Decision::Deny,
            _ => {
                let words = "allow, ask, defer or deny";
                return Err(AnswerError::Word("permissionDecision", words, Some(word)));
            }
        });
    }
    if let Some(reason) = take_text(&mut specific, "permissionDecisionReason")? {
        answer.reason = Some(reason);
    }
    answer.context.extend(take_text(&mut specific, "additionalContext")?);
    if specific.get("updatedInput").is_some_and(|input| !input.is_object()) {
        return Err(AnswerError::Type("updatedInput", "not an object"));
    }
    answer.specific = specific;
    Ok(())
}

fn take_text(
    object: &mut Map<String, Value>,
    key: &'static str,
) -> Result<Option<String>, AnswerError> {
    match object.shift_remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(AnswerError::Type(key, "not a string")),
    }
}

fn take_bool(
    object: &mut Map<String, Value>,
    key: &'static str,
) -> Result<Option<bool>, AnswerError> {
    match object.shift_remove(key) {
        None => Ok(None),
        Some(Value::Bool(boolean)) => Ok(Some(boolean)),
        Some(_) => Err(AnswerError::Type(key, "neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_again() {
        let rows = [
            (
                Event::PreToolUse,
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"},"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"ctx"}}"#,
            ),
            (Event::PostToolUse, r#"{"decision":"block","reason":"go on"}"#),
            (
                Event::PermissionRequest,
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}"#,
            ),
            (
                Event::Elicitation,
                r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"a":1}}}"#,
            ),
            (
                Event::PermissionRequest,
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#,
            ),
            (
                Event::SessionStart,
                r#"{"continue":false,"stopReason":"why","systemMessage":"hi","hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["a"],"additionalContext":"x"}}"#,
            ),
        ];
        for (event, text) in rows {
            let Output::Answer(answer) = read(event, text) else { panic!("{text}") };
            assert_eq!(write(event, &answer).stdout, text);
        }
    }

    #[test]
    fn what_the_client_rejects_is_malformed() {
        let rows = [
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#,
                "`hookSpecificOutput` has no `hookEventName`",
            ),
            (
                r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#,
                "`hookEventName` is Stop, but the event is PreToolUse",
            ),
            (r#"{"decision":"deny"}"#, "`decision` must be \"block\", not \"deny\""),
            (r#"{"continue":"no"}"#, "`continue` is neither true nor false"),
            (
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"no"}}"#,
                "`permissionDecision` must be allow, ask, defer or deny, not \"no\"",
            ),
            (
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":[]}}"#,
                "`updatedInput` is not an object",
            ),
        ];
        for (text, reason) in rows {
            let Output::Malformed(error) = read(Event::PreToolUse, text) else { panic!("{text}") };
            assert_eq!(error.to_string(), reason);
        }
        assert!(matches!(read(Event::PreToolUse, "{broken}"), Output::Malformed(_)));
        assert_eq!(read(Event::PreToolUse, "{ half"), Output::Text);
        assert_eq!(read(Event::PreToolUse, "[1]"), Output::Text);
        assert_eq!(read(Event::PreToolUse, " \n"), Output::Empty);
    }

    #[test]
    fn silence_stays_silence_and_a_block_takes_the_form_of_its_event() {
        for event in Event::ALL {
            assert_eq!(write(*event, &Answer::default()), Said::default());
        }
        let rows = [
            (Event::TaskCompleted, 0, r#"{"decision":"block","reason":"no"}"#),
            (Event::TeammateIdle, 2, ""),
            (Event::Stop, 2, ""),
            (Event::Notification, 0, ""),
            (Event::UserPromptSubmit, 0, r#"{"decision":"block","reason":"no"}"#),
            (
                Event::PermissionRequest,
                0,
                r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#,
            ),
            (
                Event::Elicitation,
                0,
                r#"{"reason":"no","hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"#,
            ),
        ];
        for (event, code, stdout) in rows {
            let said = write(event, &Answer::deny("no"));
            assert_eq!((said.code, said.stdout.as_str()), (code, stdout), "{event}");
        }
    }
}
