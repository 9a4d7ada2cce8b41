//! An answer that is among other text.

use std::ops::Range;

use serde_json::{Map, Value};

use super::output::{self, Output, trimmed};
use super::{Answer, Decision, Event, PlainText, unheard};

#[derive(Debug)]
pub struct EmbeddedAnswer {
    pub answer: Answer,
    pub noise: usize,
    /// True if some of the answer is not believed.
    pub doubted: bool,
    /// A field of the answer that decides nothing where it is, in words.
    pub misplaced: Option<String>,
    /// The part of the other text that may be an answer and cannot be heeded, in words.
    pub unread: Option<String>,
}

impl EmbeddedAnswer {
    fn weight(&self) -> (Option<Decision>, bool) {
        (self.answer.decision.filter(|it| *it != Decision::Allow), self.answer.stop)
    }
}

const FIELDS: [&str; 5] =
    ["continue", "decision", "hookSpecificOutput", "stopReason", "systemMessage"];

/// The answer among other text, as profiles print it; of several the last of the gravest. Quoted words may
/// be anybody's, so only what holds back or tells something is believed. Where the client reads text, only
/// an object of a gate (`is_gate`) that holds all back is an answer.
pub fn among(event: Event, stdout: &str, is_gate: bool) -> Option<EmbeddedAnswer> {
    let is_text = event.facts().plain_text != PlainText::Ignored;
    let fields = match event.facts().plain_text {
        PlainText::Ignored => FIELDS.as_slice(),
        PlainText::Context => &FIELDS[2..3],
        _ => &[],
    };
    if fields.is_empty() && !is_gate {
        return None;
    }
    let text = trimmed(stdout);
    let Objects { found: objects, rest, broken } = objects(text);
    let names = |fields: &[&str]| fields.iter().any(|field| rest.contains(field));
    let looks = !is_text || names(&["\"decision\"", "\"continue\""]);
    let unread = broken && looks || names_answer(event, &rest);
    let mut unread = unread.then(|| "what comes with its answer cannot be read".to_owned());
    let mut best: Option<EmbeddedAnswer> = None;
    for (span, object) in objects {
        let known = fields.iter().any(|field| object.contains_key(*field))
            || is_text && is_gate && holds_back(event, &object);
        if !known && is_text {
            continue;
        }
        let misplaced = unheard::in_object(event, &object);
        let answer = if known { output::answer(event, object).map(Some) } else { Ok(None) };
        match answer {
            Ok(Some(answer)) => {
                let noise = text.len() - span.len();
                let found =
                    EmbeddedAnswer { answer, noise, doubted: false, misplaced, unread: None };
                let lesser = match best.take() {
                    Some(graver) if graver.weight() > found.weight() => {
                        best = Some(graver);
                        Some(found)
                    }
                    lesser => {
                        best = Some(found);
                        lesser
                    }
                };
                unread = unread.or(lesser.and_then(|it| it.misplaced));
            }
            Ok(None) => unread = unread.or(misplaced),
            Err(error) => unread = unread.or_else(|| Some(error.to_string())),
        }
    }
    let EmbeddedAnswer { mut answer, noise, misplaced, .. } = best?;
    let said = (answer.decision, answer.specific.len());
    answer.specific.retain(|key, value| key == "decision" && value["behavior"] == "deny");
    if answer.decision == Some(Decision::Allow) {
        (answer.decision, answer.reason) = (None, None);
    }
    let doubted = said != (answer.decision, answer.specific.len());
    Some(EmbeddedAnswer { answer, noise, doubted, misplaced, unread })
}

fn holds_back(event: Event, object: &Map<String, Value>) -> bool {
    let top = event.facts().top;
    top.contains(&"decision") && object.get("decision").is_some_and(|it| it == "block")
        || top.contains(&"continue") && object.get("continue") == Some(&Value::Bool(false))
}

/// Returns whether an unreadable text names a field that decides something, encoded twice too.
pub fn names_answer(event: Event, text: &str) -> bool {
    if let Ok(inner) = serde_json::from_str::<String>(text) {
        return match output::read(event, &inner) {
            Output::Answer(answer) => !answer.is_silent(),
            Output::Malformed(_) => true,
            Output::Empty | Output::Text => false,
        };
    }
    let once = text.replace("\\\"", "\"");
    let names = |fields: &[&str]| fields.iter().any(|field| once.contains(field));
    match event.facts().plain_text {
        PlainText::Ignored => {
            names(&["\"hookSpecificOutput\"", "\"decision\"", "\"permissionDecision\""])
        }
        PlainText::Context if names(&["\"hookSpecificOutput\""]) => true,
        _ => names_block(event, text),
    }
}

/// Returns whether an object begins in a text, cannot be read, and names what holds back.
fn names_block(event: Event, text: &str) -> bool {
    let top = event.facts().top;
    let fields = [("decision", "\"decision\""), ("continue", "\"continue\"")];
    let is_named = fields.iter().any(|(name, field)| top.contains(name) && text.contains(field));
    is_named && (objects(text).broken || is_listed(event, text))
}

fn is_listed(event: Event, text: &str) -> bool {
    let list: Result<Vec<Value>, _> = serde_json::from_str(trimmed(text));
    let holds = |it: &Value| it.as_object().is_some_and(|object| holds_back(event, object));
    list.is_ok_and(|list| list.iter().any(holds))
}

struct Objects {
    found: Vec<(Range<usize>, Map<String, Value>)>,
    /// The text without them.
    rest: String,
    /// True if something begins like an object and is none.
    broken: bool,
}

/// The objects that begin a line or follow another one on its line.
fn objects(text: &str) -> Objects {
    /// The number of lines that are looked at, the last ones; what is no answer may have any number.
    const TRIES: usize = 16;
    let begins_a_line =
        |at: &usize| *at == 0 || text[..*at].trim_end_matches([' ', '\t']).ends_with('\n');
    let starts: Vec<usize> =
        text.match_indices('{').map(|(at, _)| at).filter(begins_a_line).collect();
    let (mut found, mut rest, mut broken) = (Vec::new(), String::new(), false);
    let mut done = 0;
    for start in &starts[starts.len().saturating_sub(TRIES)..] {
        let mut at = *start;
        while text[at..].starts_with('{') {
            let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter();
            let Some(Ok(object)) = stream.next() else {
                broken = true;
                break;
            };
            let end = at + stream.byte_offset();
            // One inside another is part of what is read already.
            if at >= done {
                rest.push_str(&text[done..at]);
            }
            done = done.max(end);
            found.push((at..end, object));
            at = text.len() - text[end..].trim_start_matches([' ', '\t']).len();
        }
    }
    rest.push_str(&text[done..]);
    Objects { found, rest, broken }
}
