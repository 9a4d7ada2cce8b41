//! Putting handlers back into a text that was edited since they were taken out.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::texts::{plain, taken};
use crate::settings::edit::{Editor, Reshape, apply};
use crate::settings::identity::identity;
use crate::settings::inventory::{Handler, Survey, handlers};
use crate::settings::layout::{Item, Part};
use crate::settings::refusal::{Refusal, filled};
use crate::syntax::json::{Document, child};

/// `now` with the handlers of `old` at `pointers` put back at the end of their events, but for those that
/// are back; and the new pointers, in the order of the old.
pub(super) fn rejoin(
    now: &str,
    old: &str,
    pointers: &[&str],
) -> Result<(String, Vec<String>), Refusal> {
    let (plain_now, plain_old) = (plain(now), plain(old));
    let (document, old) = (Document::parse(&plain_now)?, Document::parse(&plain_old)?);
    crate::settings::obstacle::refuse_ambiguous(&document, &Survey::of(&document))?;
    let chosen: HashSet<&str> = pointers.iter().copied().collect();
    let (adopted, others): (Vec<Handler>, Vec<Handler>) =
        handlers(&old).into_iter().partition(|handler| chosen.contains(&*handler.pointer));
    let mut standing = Standing::of(handlers(&document));
    for handler in &others {
        drop(standing.take(handler));
    }
    // Groups are appended at the end, so these pointers stay right.
    let mut places: HashMap<String, String> = HashMap::new();
    for handler in adopted {
        if let Some(found) = standing.take(&handler) {
            places.insert(handler.pointer, found.pointer);
        }
    }
    let missing: Vec<&str> =
        pointers.iter().copied().filter(|pointer| !places.contains_key(*pointer)).collect();
    let mut text = now.to_owned();
    for event in &Survey::of(&old).events {
        let (mut added, mut back) = (Vec::new(), Vec::new());
        for (group, missing) in event.groups.iter().zip(taken(event, &missing)) {
            if missing.is_empty() {
                continue;
            }
            let mut value = old.value(group.node);
            value["hooks"] =
                missing.iter().map(|index| old.value(&group.handlers[*index])).collect();
            added.push(value);
            back.push((group, missing));
        }
        if added.is_empty() {
            continue;
        }
        let (with, pointers) = append_groups(&text, &event.name, &added)?;
        text = with;
        for ((group, missing), pointer) in back.into_iter().zip(pointers) {
            for (place, index) in missing.iter().enumerate() {
                let was = format!("{}/hooks/{index}", group.pointer);
                places.insert(was, format!("{pointer}/hooks/{place}"));
            }
        }
    }
    let place = |pointer: &&str| places.get(*pointer).cloned().unwrap_or_default();
    Ok((text, pointers.iter().map(place).collect()))
}

/// Handlers by event, matcher and what tells most of them apart, in their order.
struct Standing(HashMap<(String, Option<String>, String), VecDeque<Handler>>);

impl Standing {
    fn of(handlers: Vec<Handler>) -> Self {
        let mut standing = HashMap::new();
        for handler in handlers {
            standing.entry(Self::key(&handler)).or_insert_with(VecDeque::new).push_back(handler);
        }
        Self(standing)
    }

    fn key(handler: &Handler) -> (String, Option<String>, String) {
        (handler.event.clone(), handler.matcher.clone(), handler.identity.clone())
    }

    /// Takes the first handler out that is the same as another, with its event and matcher.
    fn take(&mut self, wanted: &Handler) -> Option<Handler> {
        let alike = self.0.get_mut(&Self::key(wanted))?;
        let index = alike.iter().position(|handler| handler.value == wanted.value)?;
        alike.remove(index)
    }
}

/// The text with one handler in a group of its own at the end of its event, and its pointer.
pub(super) fn append(text: &str, handler: &Rebuilt) -> Result<(String, String), Refusal> {
    let mut group = Map::new();
    if let Some(matcher) = &handler.matcher {
        group.insert("matcher".to_owned(), matcher.clone().into());
    }
    group.insert("hooks".to_owned(), vec![handler.handler.clone()].into());
    let (text, pointers) = append_groups(text, &handler.event, &[Value::Object(group)])?;
    let pointer = pointers.into_iter().next().unwrap_or_default();
    Ok((text, format!("{pointer}/hooks/0")))
}

/// The text with groups at the end of an event, and their pointers.
fn append_groups(
    text: &str,
    name: &str,
    groups: &[Value],
) -> Result<(String, Vec<String>), Refusal> {
    let plain = plain(text);
    let document = Document::parse(&plain)?;
    let survey = Survey::of(&document);
    crate::settings::obstacle::refuse_ambiguous(&document, &survey)?;
    let root = document.root();
    let wrong = |key, node, wanted| Err(Refusal::wrong_type(&document, key, node, wanted));
    if root.members().is_none() {
        return wrong(None, root, "an object");
    }
    let events = Value::Object(Map::from_iter([(name.to_owned(), groups.into())]));
    let hooks = survey.hooks.map(|hooks| &hooks.value);
    let (mut first, mut parent) = (0, Some(root));
    let (container, part, added): (_, _, Vec<Item<'_>>) = match (survey.event(name), hooks) {
        (Some(event), _) => {
            first = event.array.elements().map_or(0, <[_]>::len);
            parent = hooks;
            let added = groups.iter().map(|value| Item { key: None, value });
            (event.array, Part::Event, added.collect())
        }
        (None, Some(hooks)) => {
            let Some(members) = hooks.members() else {
                return wrong(Some("hooks"), hooks, "an object");
            };
            if let Some(member) = members.iter().find(|member| document.key(member) == name) {
                return wrong(Some(name), &member.value, "an array");
            }
            (hooks, Part::Hooks, vec![Item { key: Some(name), value: &events[name] }])
        }
        (None, None) => {
            parent = None;
            (root, Part::Root, vec![Item { key: Some("hooks"), value: &events }])
        }
    };
    let mut editor = Editor::new(&document);
    let removed = BTreeSet::new();
    editor.reshape(&Reshape { container, parent, part, removed, added, hollow: None });
    let pointer = |place| format!("{}/{place}", child("/hooks", name));
    let pointers = (first..first + groups.len()).map(pointer).collect();
    Ok((apply(filled(text), &plain, &editor.splices()), pointers))
}

/// A handler to put back of which nothing is kept but what the manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    pub event: String,
    pub matcher: Option<String>,
    pub handler: Value,
}

impl Rebuilt {
    /// Returns whether the client would take the two for one, which it runs once.
    pub fn is_twin_of(&self, other: &Self) -> bool {
        self.event == other.event && identity(&self.handler) == identity(&other.handler)
    }
}
