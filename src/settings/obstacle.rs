//! Guesses that an edit would need, and for which it is refused.

use std::collections::HashSet;

use crate::syntax::json::{Document, Node};

use super::{
    inventory::{Event, Survey},
    record::Record,
    refusal::Refusal,
    registration::Registration,
};

/// Refuses to edit where a value of the wrong type or a duplicate key is in the way.
pub(crate) fn refuse(
    document: &Document<'_>,
    survey: &Survey<'_>,
    wanted: &[Registration],
    record: &Record,
) -> Result<(), Refusal> {
    let mut needed: HashSet<&str> = wanted.iter().map(|wanted| &*wanted.event).collect();
    let holds_ours = |event: &&Event<'_>| event.groups.iter().any(|group| !group.ours.is_empty());
    needed.extend(survey.events.iter().filter(holds_ours).map(|event| &*event.name));
    needed.extend(record.made.iter().filter_map(|made| made.strip_prefix("/hooks/")));
    if needed.is_empty() {
        return Ok(());
    }
    refuse_duplicates(document, survey, &needed)?;
    let Some(hooks) = survey.hooks.filter(|_| !wanted.is_empty()) else { return Ok(()) };
    let wrong = |key, node, wanted| Refusal::wrong_type(document, Some(key), node, wanted);
    let Some(members) = hooks.value.members() else {
        return Err(wrong("hooks", &hooks.value, "an object"));
    };
    for member in members {
        let key = document.key(member);
        if member.value.elements().is_none() && wanted.iter().any(|wanted| *wanted.event == *key) {
            return Err(wrong(&key, &member.value, "an array"));
        }
    }
    Ok(())
}

/// Refuses duplicate keys anywhere among the hooks: a pointer there would mean two places.
pub(crate) fn refuse_ambiguous(
    document: &Document<'_>,
    survey: &Survey<'_>,
) -> Result<(), Refusal> {
    only_once(document, document.root(), |key| key == "hooks")?;
    if let Some(hooks) = survey.hooks {
        only_once(document, &hooks.value, |_| true)?;
    }
    for group in survey.events.iter().flat_map(|event| &event.groups) {
        only_once(document, group.node, |_| true)?;
    }
    Ok(())
}

/// Refuses duplicate keys in the way of an edit: the client reads the last, others may read the first.
fn refuse_duplicates(
    document: &Document<'_>,
    survey: &Survey<'_>,
    needed: &HashSet<&str>,
) -> Result<(), Refusal> {
    only_once(document, document.root(), |key| key == "hooks")?;
    if let Some(hooks) = survey.hooks {
        only_once(document, &hooks.value, |key| needed.contains(key))?;
    }
    for group in survey.events.iter().flat_map(|event| &event.groups) {
        if !group.ours.is_empty() {
            only_once(document, group.node, |key| ["hooks", "matcher"].contains(&key))?;
        }
    }
    Ok(())
}

/// Refuses an object in which a key that it concerns occurs twice.
pub(super) fn only_once(
    document: &Document<'_>,
    object: &Node,
    concerns: impl Fn(&str) -> bool,
) -> Result<(), Refusal> {
    let mut seen = HashSet::new();
    for member in object.members().unwrap_or_default() {
        let key = document.key(member);
        if concerns(&key) && !seen.insert(key.clone()) {
            let position = document.position(member.key.start);
            return Err(Refusal::DuplicateKey { key: key.into_owned(), position });
        }
    }
    Ok(())
}
