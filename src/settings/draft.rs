//! A plan in the making: the changes as values and as splices, side by side.

pub(crate) mod containers;

use std::collections::{BTreeSet, HashSet};

use json_patch::{AddOperation, PatchOperation, RemoveOperation, ReplaceOperation};
use serde_json::{Map, Value};

use super::change::{Action, Change};
use super::edit::{Editor, Reshape, path};
use super::identity::same;
use super::inventory::{Event, Group, Survey};
use super::layout::{Item, Part};
use super::obstacle;
use super::record::Record;
use super::refusal::Refusal;
use super::registration::Registration;
use crate::syntax::json::{Document, Node, child};

pub(crate) struct Outcome {
    pub(crate) after: Option<String>,
    pub(crate) record: Record,
    pub(crate) changes: Vec<Change>,
    pub(crate) operations: Vec<PatchOperation>,
    pub(crate) foreign: usize,
}

pub(crate) struct Draft<'d, 't, 'w> {
    document: &'d Document<'t>,
    survey: &'d Survey<'d>,
    editor: Editor<'d, 't>,
    record: Record,
    /// For each event of the survey what becomes of its entries.
    pairings: Vec<Pairing<'w>>,
    gone_groups: Vec<BTreeSet<usize>>,
    gone_events: BTreeSet<usize>,
    hooks_gone: bool,
    /// The events that the file does not have yet.
    new_events: Vec<(&'w str, Vec<&'w Registration>)>,
    changes: Vec<Change>,
    operations: Vec<PatchOperation>,
}

impl<'d, 't, 'w> Draft<'d, 't, 'w> {
    pub(crate) fn new(
        document: &'d Document<'t>,
        survey: &'d Survey<'d>,
        wanted: &'w [Registration],
        record: &Record,
    ) -> Result<Self, Refusal> {
        obstacle::refuse(document, survey, wanted, record)?;
        let mut by_event: Vec<(&str, Vec<&Registration>)> = Vec::new();
        for registration in wanted {
            match by_event.iter_mut().find(|(event, _)| *event == registration.event) {
                Some((_, registrations)) => registrations.push(registration),
                None => by_event.push((&registration.event, vec![registration])),
            }
        }
        let pairing = |event: &Event<'_>| {
            let wanted = by_event.iter().find(|(name, _)| *name == event.name);
            pair(document, event, wanted.map_or(&[], |(_, registrations)| registrations))
        };
        let pairings: Vec<_> = survey.events.iter().map(pairing).collect();
        by_event.retain(|(name, _)| survey.event(name).is_none());
        Ok(Self {
            document,
            survey,
            editor: Editor::new(document),
            record: record.clone(),
            gone_groups: vec![BTreeSet::new(); pairings.len()],
            pairings,
            gone_events: BTreeSet::new(),
            hooks_gone: false,
            new_events: by_event,
            changes: Vec::new(),
            operations: Vec::new(),
        })
    }

    pub(crate) fn bring_up_to_date(&mut self) {
        let survey = self.survey;
        for (index, event) in survey.events.iter().enumerate() {
            for stale in std::mem::take(&mut self.pairings[index].stale) {
                let group = &event.groups[stale.place.0];
                self.update(&event.name, group, &stale);
            }
        }
    }

    fn update(&mut self, event: &str, group: &Group<'_>, stale: &Stale<'_>) {
        let index = stale.place.1;
        let node = &group.handlers[index];
        let old = self.document.value(node);
        let new = merged(&old, stale.wanted.handler());
        if stale.handler_differs {
            self.update_handler(node, &old, &new);
        }
        let (pointer, before, after) = if stale.matcher_differs {
            self.update_matcher(group, stale.wanted.matcher.as_deref());
            let before = self.document.value(group.node);
            let after = with_entry(&before, stale.wanted.matcher.as_deref(), index, new);
            (group.pointer.clone(), before, after)
        } else {
            (format!("{}/hooks/{index}", group.pointer), old, new)
        };
        let path = path(&pointer);
        let value = after.clone();
        self.operations.push(PatchOperation::Replace(ReplaceOperation { path, value }));
        self.changes.push(Change {
            action: Action::Replace,
            event: event.to_owned(),
            pointer,
            before: Some(before),
            after: Some(after),
        });
    }

    fn update_handler(&mut self, node: &Node, old: &Value, new: &Value) {
        let members = node.members().unwrap_or_default();
        let (Some(old), Some(map)) = (old.as_object(), new.as_object()) else { return };
        if members.len() != old.len() {
            // A key occurs twice, and nothing says which one to keep.
            self.editor.replace(node, Part::Handler, new, false);
            return;
        }
        let inline = !self.document.slice(node.span).contains('\n');
        let mut removed = BTreeSet::new();
        for (index, member) in members.iter().enumerate() {
            let key = self.document.key(member);
            match map.get(&*key) {
                Some(value) if old.get(&*key) == Some(value) => {}
                Some(value) => {
                    let part = Part::Handler.below(Some(&key));
                    self.editor.replace(&member.value, part, value, inline);
                }
                None => {
                    removed.insert(index);
                }
            }
        }
        let added = map.iter().filter(|(key, _)| !old.contains_key(*key));
        self.editor.reshape(&Reshape {
            container: node,
            parent: None,
            part: Part::Handler,
            removed,
            added: added.map(|(key, value)| Item { key: Some(key), value }).collect(),
            hollow: None,
        });
    }

    fn update_matcher(&mut self, group: &Group<'_>, wanted: Option<&str>) {
        let members = group.node.members().unwrap_or_default();
        let old = members.iter().position(|member| self.document.key(member) == "matcher");
        match (old, wanted.map(Value::from)) {
            (Some(index), Some(value)) => {
                self.editor.replace(&members[index].value, Part::Other, &value, true);
            }
            (None, Some(value)) => {
                self.editor.prepend(
                    group.node,
                    Part::Group,
                    Item { key: Some("matcher"), value: &value },
                );
            }
            (Some(index), None) => {
                self.editor.take(group.node, None, Part::Group, BTreeSet::from([index]));
            }
            (None, None) => {}
        }
    }

    /// Takes out surplus entries, the last first, so that the pointers before them hold.
    pub(crate) fn take_out(&mut self) {
        let survey = self.survey;
        for (index, event) in survey.events.iter().enumerate() {
            let surplus = std::mem::take(&mut self.pairings[index].surplus);
            for (place, group) in event.groups.iter().enumerate().rev() {
                let handlers: BTreeSet<usize> =
                    surplus.iter().filter(|(at, _)| *at == place).map(|(_, at)| *at).collect();
                if !handlers.is_empty() {
                    self.take_out_of(event, index, group, handlers);
                }
            }
        }
    }

    fn take_out_of(
        &mut self,
        event: &Event<'_>,
        index: usize,
        group: &Group<'_>,
        handlers: BTreeSet<usize>,
    ) {
        let whole = group.plain && handlers.len() == group.handlers.len();
        for at in handlers.iter().rev().copied() {
            let handler = self.document.value(&group.handlers[at]);
            if whole && at == 0 {
                let mut value = self.document.value(group.node);
                value["hooks"] = vec![handler].into();
                self.removal(&event.name, group.pointer.clone(), value);
            } else {
                let pointer = format!("{}/hooks/{at}", group.pointer);
                self.removal(&event.name, pointer, handler);
            }
        }
        if whole {
            self.gone_groups[index].insert(group.index);
            return;
        }
        self.editor.take(group.list, Some(group.node), Part::Handlers, handlers);
    }

    fn removal(&mut self, event: &str, pointer: String, before: Value) {
        self.remove(&pointer);
        let (action, event, before) = (Action::Remove, event.to_owned(), Some(before));
        self.changes.push(Change { action, event, pointer, before, after: None });
    }

    fn remove(&mut self, pointer: &str) {
        self.operations.push(PatchOperation::Remove(RemoveOperation { path: path(pointer) }));
    }

    fn add(&mut self, pointer: &str, value: Value) {
        self.operations.push(PatchOperation::Add(AddOperation { path: path(pointer), value }));
    }

    pub(crate) fn prune(&mut self) {
        let survey = self.survey;
        let mut gone = HashSet::new();
        for (index, event) in survey.events.iter().enumerate() {
            let pointer = child("/hooks", &event.name);
            let groups = event.array.elements().map_or(0, <[_]>::len);
            if groups == self.gone_groups[index].len()
                && self.pairings[index].missing.is_empty()
                && self.record.has_made(&pointer)
            {
                self.remove(&pointer);
                self.gone_events.insert(index);
                gone.insert(pointer);
            }
        }
        let members = survey.hooks.and_then(|hooks| hooks.value.members());
        if members.is_some_and(|members| members.len() == self.gone_events.len())
            && self.new_events.is_empty()
            && self.record.has_made("/hooks")
        {
            self.remove("/hooks");
            self.hooks_gone = true;
            gone.insert("/hooks".to_owned());
        }
        self.record.forget(&gone);
    }

    /// Appends missing entries, each in a group of its own.
    pub(crate) fn append(&mut self) {
        let survey = self.survey;
        for (index, event) in survey.events.iter().enumerate() {
            let kept = event.array.elements().map_or(0, <[_]>::len) - self.gone_groups[index].len();
            let missing = self.pairings[index].missing.clone();
            self.append_groups(&event.name, kept, &missing);
        }
        if survey.hooks.is_none() && !self.new_events.is_empty() {
            self.add("/hooks", Map::new().into());
            self.record.note("/hooks");
        }
        for (event, registrations) in self.new_events.clone() {
            let pointer = child("/hooks", event);
            self.add(&pointer, Value::Array(Vec::new()));
            self.record.note(&pointer);
            self.append_groups(event, 0, &registrations);
        }
    }

    fn append_groups(&mut self, event: &str, kept: usize, missing: &[&Registration]) {
        for (index, registration) in missing.iter().enumerate() {
            let pointer = child(&child("/hooks", event), &(kept + index).to_string());
            let group = registration.group();
            self.add(&pointer, group.clone());
            let (action, event) = (Action::Add, event.to_owned());
            self.changes.push(Change { action, event, pointer, before: None, after: Some(group) });
        }
    }
}

/// The wanted handler with the old spelling of values that are the same to the client.
fn merged(old: &Value, wanted: Value) -> Value {
    let Value::Object(wanted) = wanted else { return wanted };
    let keep = |(key, value): (String, Value)| {
        let kept = old.get(&key).filter(|old| same(old, &value)).cloned();
        (key, kept.unwrap_or(value))
    };
    wanted.into_iter().map(keep).collect()
}

fn with_entry(group: &Value, matcher: Option<&str>, index: usize, handler: Value) -> Value {
    let mut new = Map::new();
    new.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher.into())));
    let rest = group.as_object().into_iter().flatten().filter(|(key, _)| *key != "matcher");
    new.extend(rest.map(|(key, value)| (key.clone(), value.clone())));
    if let Some(slot) = new.get_mut("hooks").and_then(|hooks| hooks.get_mut(index)) {
        *slot = handler;
    }
    Value::Object(new)
}

pub(crate) type HandlerIndex = (usize, usize);

#[derive(Debug, Default)]
pub(crate) struct Pairing<'w> {
    /// Entries to bring up to date where they are; equal ones are not listed.
    pub(crate) stale: Vec<Stale<'w>>,
    pub(crate) surplus: HashSet<HandlerIndex>,
    pub(crate) missing: Vec<&'w Registration>,
}

/// An entry that differs from what is wanted.
#[derive(Debug)]
pub(crate) struct Stale<'w> {
    pub(crate) place: HandlerIndex,
    pub(crate) wanted: &'w Registration,
    pub(crate) matcher_differs: bool,
    pub(crate) handler_differs: bool,
}

/// Pairs an event's entries with the wanted registrations: those that run the same words, then the rest, in
/// order. An entry whose matcher changes moves to a group of its own where others would be hit.
pub(crate) fn pair<'w>(
    document: &Document<'_>,
    event: &Event<'_>,
    wanted: &[&'w Registration],
) -> Pairing<'w> {
    let mut found: Vec<(HandlerIndex, &[String])> = Vec::new();
    for (group_index, group) in event.groups.iter().enumerate() {
        found.extend(group.ours.iter().map(|(index, words)| ((group_index, *index), &**words)));
    }
    let mut pairs: Vec<Option<HandlerIndex>> = vec![None; wanted.len()];
    for (pair, registration) in pairs.iter_mut().zip(wanted) {
        let words = registration.words();
        let same = found.iter().position(|(_, found)| words.as_deref() == Some(*found));
        *pair = same.map(|index| found.remove(index).0);
    }
    for (pair, wanted) in pairs.iter_mut().zip(wanted).filter(|(pair, _)| pair.is_none()) {
        // An entry that runs hookman does not turn into one that does not.
        let kind = |(_, words): &(HandlerIndex, &[String])| is_passed(words) == wanted.is_passed();
        *pair = found.iter().position(kind).map(|index| found.remove(index).0);
    }
    let mut pairing = Pairing {
        surplus: found.into_iter().map(|(place, _)| place).collect(),
        ..Pairing::default()
    };
    let shared = |group: usize, pairing: &Pairing<'_>| {
        let handlers = event.groups[group].handlers.len();
        let leaving = pairing.surplus.iter().filter(|(place, _)| *place == group).count();
        handlers - leaving > 1
    };
    for (place, wanted) in pairs.into_iter().zip(wanted) {
        let Some(place) = place else {
            pairing.missing.push(wanted);
            continue;
        };
        let group = &event.groups[place.0];
        let matcher_differs = group.matcher != wanted.matcher;
        if matcher_differs && shared(place.0, &pairing) {
            pairing.surplus.insert(place);
            pairing.missing.push(wanted);
            continue;
        }
        let handler = document.value(&group.handlers[place.1]);
        let handler_differs = !same(&handler, &wanted.handler());
        if matcher_differs || handler_differs {
            pairing.stale.push(Stale { place, wanted, matcher_differs, handler_differs });
        }
    }
    pairing
}

fn is_passed(words: &[String]) -> bool {
    words.first().is_some_and(String::is_empty)
}
