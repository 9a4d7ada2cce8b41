//! Taking handlers out of a text.

use std::collections::{BTreeSet, HashMap};

use crate::syntax::json::Document;

use crate::settings::{
    edit::{Editor, Reshape, apply},
    inventory::{Event, Survey},
    layout::Part,
    refusal::Refusal,
};

/// The text without the handlers at these pointers, and without the groups that held nothing else.
pub(super) fn strip(text: &str, pointers: &[&str]) -> Result<String, Refusal> {
    if pointers.is_empty() {
        return Ok(text.to_owned());
    }
    let document = Document::parse(text)?;
    let survey = Survey::of(&document);
    let mut editor = Editor::new(&document);
    for event in &survey.events {
        let taken = taken(event, pointers);
        let mut whole = BTreeSet::new();
        for (group, handlers) in event.groups.iter().zip(taken) {
            if handlers.is_empty() {
                continue;
            }
            if handlers.len() == group.handlers.len() {
                whole.insert(group.index);
                continue;
            }
            editor.reshape(&Reshape {
                container: group.list,
                parent: Some(group.node),
                part: Part::Handlers,
                removed: handlers,
                added: Vec::new(),
                hollow: None,
            });
        }
        if !whole.is_empty() {
            editor.reshape(&Reshape {
                container: event.array,
                parent: survey.hooks.map(|hooks| &hooks.value),
                part: Part::Event,
                removed: whole,
                added: Vec::new(),
                hollow: None,
            });
        }
    }
    Ok(apply(text, text, &editor.splices()))
}

/// For each group of an event the places of the handlers at the pointers.
pub(super) fn taken(event: &Event<'_>, pointers: &[&str]) -> Vec<BTreeSet<usize>> {
    let mut places: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for pointer in pointers {
        if let Some((group, place)) = pointer.rsplit_once("/hooks/")
            && let Ok(place) = place.parse()
        {
            places.entry(group).or_default().insert(place);
        }
    }
    event.groups.iter().map(|it| places.get(&*it.pointer).cloned().unwrap_or_default()).collect()
}
