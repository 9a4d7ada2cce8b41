//! The reason why a settings file is left alone, and the proof that a plan holds.

use std::collections::HashMap;

use json_patch::Patch;
use serde_json::{Value, json};

use super::identity::same;
use super::inventory::Survey;
use super::registration::{Passed, Registration};
use crate::client::settings_schema::{self, Effect, MAX_BYTES};
use crate::syntax::json::{Document, Node, Position, SyntaxError, is_blank};

/// The reason why no plan was made. Nothing may be written then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    // It is part of the message, so it is no source to be told once more.
    #[error("{0}. Correct that place by hand, then try again")]
    Syntax(SyntaxError),
    /// A value on the edit's path has another type than the client asks for; no `key` means the file.
    #[error("{}", wrong_type(key.as_deref(), found, wanted, *position))]
    WrongType { key: Option<String>, found: &'static str, wanted: &'static str, position: Position },
    #[error(
        "{position}: `{key}` occurs here for the second time; the client reads only the last. Join \
         the two by hand, then try again"
    )]
    DuplicateKey { key: String, position: Position },
    #[error(
        "the file would have {bytes} bytes, and the client ignores one of more than {MAX_BYTES}. \
         Make it smaller by hand, then try again"
    )]
    TooLarge { bytes: usize },
    #[error(
        "its hooks have comments between them, which would not come back to their places. Move the comments \
         out of the lists of the events, then try again"
    )]
    Commented,
    #[error(
        "the command `{command}` could not be told from somebody else's afterwards. Call the \
         program `hookman` and its first argument `run`"
    )]
    Unrecognisable { command: String },
    #[error(
        "the edited text is not what it should be: {reason}. This is a bug in hookman; please \
         report it with the file"
    )]
    Unproven { reason: String },
}

fn wrong_type(key: Option<&str>, found: &str, wanted: &str, position: Position) -> String {
    match key {
        None => format!(
            "{position}: the file holds {found} instead of {wanted}; the client ignores the \
             whole file. Make it an object by hand, then try again"
        ),
        Some(key) => format!(
            "{position}: `{key}` is {found} instead of {wanted}; the client ignores it. \
             Correct or delete it by hand, then try again"
        ),
    }
}

impl Refusal {
    /// The refusal of a value of the wrong type at a key, or of the whole file.
    pub(crate) fn wrong_type(
        document: &Document<'_>,
        key: Option<&str>,
        node: &Node,
        wanted: &'static str,
    ) -> Self {
        let position = document.position(node.span.start);
        Self::WrongType { key: key.map(str::to_owned), found: node.describe(), wanted, position }
    }
}

impl From<SyntaxError> for Refusal {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

pub(crate) struct Claim<'a> {
    /// The text before; none if there is no file.
    pub(crate) before: Option<&'a str>,
    /// The text after; none if there is to be no file.
    pub(crate) after: Option<&'a str>,
    pub(crate) patch: &'a Patch,
    /// The hookman entries that the new text holds, and no others.
    pub(crate) wanted: &'a [Registration],
    /// Those of them that the client runs without hookman.
    pub(crate) passed: &'a [Passed],
    /// True if the file has to be as Claude Code reads it.
    pub(crate) in_schema: bool,
}

pub(crate) fn prove(claim: &Claim<'_>) -> Result<(), Refusal> {
    let [before, after] = [claim.before, claim.after].map(|text| text.map(filled));
    let [before, after] = [before.unwrap_or("{}"), after.unwrap_or("{}")];
    if after.len() > MAX_BYTES && after.len() > before.len() {
        return Err(Refusal::TooLarge { bytes: after.len() });
    }
    let old = Document::parse(before)?;
    let new = Document::parse(after).map_err(|error| unproven(error.to_string()))?;
    let mut expected = old.value(old.root());
    json_patch::patch(&mut expected, claim.patch).map_err(|error| unproven(error.to_string()))?;
    if expected != new.value(new.root()) {
        return Err(unproven("it differs from the old value with the changes made".to_owned()));
    }
    if !has_exactly(&new, claim) {
        return Err(unproven("its hookman entries are not the wanted ones".to_owned()));
    }
    let defect = if claim.in_schema { new_defect(&old, &new) } else { None };
    defect.map_or(Ok(()), |message| Err(unproven(message)))
}

/// An empty file counts as `{}` for the client.
pub(crate) fn filled(text: &str) -> &str {
    if is_blank(text) { "{}" } else { text }
}

fn unproven(reason: String) -> Refusal {
    Refusal::Unproven { reason }
}

fn has_exactly(document: &Document<'_>, claim: &Claim<'_>) -> bool {
    let mut survey = Survey::of(document);
    survey.claim(document, claim.passed);
    let mut entries: Vec<Value> = Vec::new();
    for event in &survey.events {
        for group in &event.groups {
            for (index, _) in &group.ours {
                let handler = document.value(&group.handlers[*index]);
                entries.push(json!([event.name, group.matcher, handler]));
            }
        }
    }
    let every_one = claim.wanted.iter().all(|wanted| {
        let wanted = json!([wanted.event, wanted.matcher, wanted.handler()]);
        let entry = entries.iter().position(|entry| same(entry, &wanted));
        entry.map(|index| entries.swap_remove(index)).is_some()
    });
    every_one && entries.is_empty()
}

/// The first defect that drops the file in the new text more often than in the old; all events are known.
fn new_defect(old: &Document<'_>, new: &Document<'_>) -> Option<String> {
    let events: Vec<_> = [old, new]
        .into_iter()
        .flat_map(|document| {
            let hooks = document.get(document.root(), "hooks");
            let members = hooks.and_then(|hooks| hooks.members()).unwrap_or_default();
            members.iter().map(|member| document.key(member))
        })
        .collect();
    let events: Vec<&str> = events.iter().map(AsRef::as_ref).collect();
    let count = |document: &Document<'_>| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for defect in settings_schema::check(document, &events) {
            if defect.effects.worst() == Effect::FileDropped {
                *counts.entry(defect.message).or_default() += 1;
            }
        }
        counts
    };
    let old = count(old);
    count(new).into_iter().find(|(message, count)| old.get(message) < Some(count)).map(|(m, _)| m)
}
