//! The proof of a plan, made from the two texts alone.

use std::collections::HashMap;

use json_patch::Patch;
use serde_json::{Value, json};

use crate::client::settings_schema::{self, Effect, MAX_BYTES};
use crate::syntax::json::{Document, is_blank};

use super::{
    identity::same,
    inventory::Survey,
    refusal::Refusal,
    registration::{Passed, Registration},
};

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
    new_defect(&old, &new).map_or(Ok(()), |message| Err(unproven(message)))
}

/// An empty file counts as `{}` for the client.
fn filled(text: &str) -> &str {
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

/// The first defect that drops the file in the new text more often than in the old. Every event
/// counts as known, so that nothing is passed over.
fn new_defect(old: &Document<'_>, new: &Document<'_>) -> Option<String> {
    let count = |document: &Document<'_>| {
        let hooks = document.get(document.root(), "hooks");
        let members = hooks.and_then(|hooks| hooks.members()).unwrap_or_default();
        let events: Vec<_> = members.iter().map(|member| document.key(member)).collect();
        let events: Vec<&str> = events.iter().map(AsRef::as_ref).collect();
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
