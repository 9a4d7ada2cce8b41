//! Putting handlers back into a text that was edited since they were taken out.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use crate::client::json::{Document, Node, child};

use super::{Rebuilt, strip::taken};
use crate::settings::{
    edit::{Editor, Item, Reshape, apply},
    inventory::{Event, Handler, Survey, handlers},
    layout::{Part, item_spans},
    refusal::Refusal,
};

/// Where an item of the old container stands among those of the new one.
enum Slot {
    /// It was never taken out; its place in the new container, if it is still there.
    Kept(Option<usize>),
    /// It was taken out, and this text goes back.
    Taken(String),
}

/// An item of the joined container: one that stands there, or one of the old container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    Stands(usize),
    Back(usize),
}

/// `now` with the handlers put back that `old` has at `pointers`, each with its old text and beside
/// its old neighbours as far as they still stand; and the new pointers, in the order of the old.
///
/// A handler that somebody put back meanwhile is not put there a second time.
///
/// # Errors
///
/// A [`Refusal`] where a text is no JSON or a value of the wrong type is in the way.
pub(super) fn rejoin(
    now: &str,
    old: &str,
    pointers: &[&str],
) -> Result<(String, Vec<String>), Refusal> {
    let (now, old) = (Document::parse(now)?, Document::parse(old)?);
    let (here, there) = (Survey::of(&now), Survey::of(&old));
    crate::settings::obstacle::refuse_ambiguous(&now, &here)?;
    let old_handlers = handlers(&old);
    let mut standing = handlers(&now);
    for handler in old_handlers.iter().filter(|handler| !pointers.contains(&&*handler.pointer)) {
        drop(take(&mut standing, handler));
    }
    let mut back: HashMap<String, Handler> = HashMap::new();
    for handler in old_handlers.iter().filter(|handler| pointers.contains(&&*handler.pointer)) {
        back.extend(take(&mut standing, handler).map(|found| (handler.pointer.clone(), found)));
    }
    let missing: Vec<&str> =
        pointers.iter().copied().filter(|pointer| !back.contains_key(*pointer)).collect();
    let mut rejoin =
        Rejoin { now: &now, old: &old, editor: Editor::new(&now), places: HashMap::new() };
    let mut events = Map::new();
    for event in &there.events {
        let taken = taken(event, &missing);
        if taken.iter().all(BTreeSet::is_empty) {
            continue;
        }
        match here.event(&event.name) {
            Some(target) => rejoin.event(event, target, &taken),
            None => {
                let groups = rejoin.groups_of(event, &taken);
                events.insert(event.name.clone(), groups.into());
            }
        }
    }
    let Rejoin { mut editor, mut places, .. } = rejoin;
    add_events(&mut editor, &now, &here, &events)?;
    let text = apply(now.text(), &editor.splices());
    let joined = Document::parse(&text)?;
    let mut rest = handlers(&joined);
    rest.retain(|handler| !places.values().any(|place| *place == handler.pointer));
    for (pointer, found) in back {
        places.extend(take(&mut rest, &found).map(|handler| (pointer, handler.pointer)));
    }
    let place = |pointer: &&str| places.get(*pointer).cloned().unwrap_or_default();
    let places = pointers.iter().map(place).collect();
    Ok((text, places))
}

/// Takes the first handler out of a list that is the same as another, with its event and matcher.
fn take(handlers: &mut Vec<Handler>, wanted: &Handler) -> Option<Handler> {
    let same = |handler: &Handler| {
        handler.event == wanted.event
            && handler.matcher == wanted.matcher
            && handler.value == wanted.value
    };
    handlers.iter().position(same).map(|index| handlers.remove(index))
}

/// The text with one handler in a group of its own at the end of its event.
///
/// # Errors
///
/// As [`rejoin`].
pub(super) fn append(text: &str, handler: &Rebuilt) -> Result<String, Refusal> {
    let document = Document::parse(text)?;
    let survey = Survey::of(&document);
    crate::settings::obstacle::refuse_ambiguous(&document, &survey)?;
    let mut group = Map::new();
    if let Some(matcher) = &handler.matcher {
        group.insert("matcher".to_owned(), matcher.clone().into());
    }
    group.insert("hooks".to_owned(), vec![handler.handler.clone()].into());
    let group = Value::Object(group);
    let mut editor = Editor::new(&document);
    match survey.event(&handler.event) {
        Some(event) => {
            editor.reshape(&Reshape {
                container: event.array,
                parent: survey.hooks.map(|hooks| &hooks.value),
                part: Part::Event,
                removed: BTreeSet::new(),
                added: vec![(None, &group)],
                hollow: None,
            });
        }
        None => {
            let events = Map::from_iter([(handler.event.clone(), vec![group].into())]);
            add_events(&mut editor, &document, &survey, &events)?;
        }
    }
    Ok(apply(text, &editor.splices()))
}

fn add_events(
    editor: &mut Editor<'_, '_>,
    document: &Document<'_>,
    survey: &Survey<'_>,
    events: &Map<String, Value>,
) -> Result<(), Refusal> {
    if events.is_empty() {
        return Ok(());
    }
    let root = document.root();
    let wrong = |key: Option<&str>, node: &Node, wanted| Refusal::WrongType {
        key: key.map(str::to_owned),
        found: node.describe(),
        wanted,
        position: document.position(node.span.start),
    };
    if root.members().is_none() {
        return Err(wrong(None, root, "an object"));
    }
    let whole = Value::Object(events.clone());
    let (container, parent, part, added): (_, _, _, Vec<Item<'_>>) = match survey.hooks {
        Some(hooks) => {
            for member in hooks.value.members().unwrap_or_default() {
                let key = document.key(member);
                if events.contains_key(&*key) {
                    return Err(wrong(Some(&key), &member.value, "an array"));
                }
            }
            if hooks.value.members().is_none() {
                return Err(wrong(Some("hooks"), &hooks.value, "an object"));
            }
            let added = events.iter().map(|(event, groups)| (Some(&**event), groups)).collect();
            (&hooks.value, Some(root), Part::Hooks, added)
        }
        None => (root, None, Part::Root, vec![(Some("hooks"), &whole)]),
    };
    editor.reshape(&Reshape {
        container,
        parent,
        part,
        removed: BTreeSet::new(),
        added,
        hollow: None,
    });
    Ok(())
}

struct Rejoin<'d, 't> {
    now: &'d Document<'t>,
    old: &'d Document<'t>,
    editor: Editor<'d, 't>,
    /// The new pointers by the old ones.
    places: HashMap<String, String>,
}

impl Rejoin<'_, '_> {
    /// The groups of an event that is gone, with nothing in them but what was taken out.
    fn groups_of(&mut self, event: &Event<'_>, taken: &[BTreeSet<usize>]) -> Vec<Value> {
        let mut groups = Vec::new();
        for (group, handlers) in event.groups.iter().zip(taken) {
            if handlers.is_empty() {
                continue;
            }
            let base = format!("{}/{}", child("/hooks", &event.name), groups.len());
            self.place(&group.pointer, handlers.iter().copied().zip(0..), &base);
            let mut value = self.old.value(group.node);
            let picked = handlers.iter().map(|index| self.old.value(&group.handlers[*index]));
            value["hooks"] = picked.collect();
            groups.push(value);
        }
        groups
    }

    fn place(&mut self, old: &str, handlers: impl IntoIterator<Item = (usize, usize)>, new: &str) {
        for (from, to) in handlers {
            self.places.insert(format!("{old}/hooks/{from}"), format!("{new}/hooks/{to}"));
        }
    }

    fn event(&mut self, old: &Event<'_>, target: &Event<'_>, taken: &[BTreeSet<usize>]) {
        let elements = old.array.elements().unwrap_or_default();
        let standing: Vec<Value> = target
            .array
            .elements()
            .unwrap_or_default()
            .iter()
            .map(|node| self.now.value(node))
            .collect();
        let mut from = 0;
        // For each group of the old event its slot, and the handlers that went with it.
        let mut slots = Vec::with_capacity(elements.len());
        let mut partial = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let known = old.groups.iter().position(|group| group.index == index);
            let handlers = known.map(|at| &taken[at]).filter(|handlers| !handlers.is_empty());
            let value = self.old.value(element);
            let Some((group, handlers)) = known.map(|at| &old.groups[at]).zip(handlers) else {
                let found = find(&standing, from, &value);
                from = found.map_or(from, |found| found + 1);
                slots.push(Slot::Kept(found));
                continue;
            };
            if handlers.len() == group.handlers.len() {
                slots.push(Slot::Taken(self.old.slice(element.span).to_owned()));
                continue;
            }
            let found = find(&standing, from, &without(&value, handlers));
            match found.filter(|found| target.groups.iter().any(|group| group.index == *found)) {
                Some(found) => {
                    from = found + 1;
                    partial.push((group, handlers, found));
                    slots.push(Slot::Kept(Some(found)));
                }
                None => slots.push(Slot::Taken(self.reduced(element, group.list, handlers))),
            }
        }
        let joined = join(&slots, standing.len());
        self.splice(old.array, target.array, &slots, &joined);
        let base = child("/hooks", &old.name);
        for (at, item) in joined.iter().enumerate() {
            let Joined::Back(index) = item else { continue };
            let Some(known) = old.groups.iter().position(|group| group.index == *index) else {
                continue;
            };
            let places = taken[known].iter().copied().zip(0..);
            self.place(&old.groups[known].pointer, places, &format!("{base}/{at}"));
        }
        for (group, handlers, found) in partial {
            let at = joined.iter().position(|item| *item == Joined::Stands(found));
            let Some(host) = target.groups.iter().find(|group| group.index == found) else {
                continue;
            };
            let (list, host) = (group.list, host.list);
            let places = self.handlers(list, host, handlers);
            let base = format!("{base}/{}", at.unwrap_or(found));
            self.place(&group.pointer, places, &base);
        }
    }

    /// Puts handlers back into a group that still stands; gives the old and new places.
    fn handlers(
        &mut self,
        old: &Node,
        target: &Node,
        taken: &BTreeSet<usize>,
    ) -> Vec<(usize, usize)> {
        let values = |document: &Document<'_>, node: &Node| -> Vec<Value> {
            node.elements().unwrap_or_default().iter().map(|node| document.value(node)).collect()
        };
        let standing = values(self.now, target);
        let mut from = 0;
        let mut slots = Vec::new();
        for (index, element) in old.elements().unwrap_or_default().iter().enumerate() {
            if taken.contains(&index) {
                slots.push(Slot::Taken(self.old.slice(element.span).to_owned()));
                continue;
            }
            let value = self.old.value(element);
            let rest = standing.get(from..).unwrap_or_default();
            let found = rest.iter().position(|other| *other == value).map(|found| from + found);
            from = found.map_or(from, |found| found + 1);
            slots.push(Slot::Kept(found));
        }
        let joined = join(&slots, standing.len());
        self.splice(old, target, &slots, &joined);
        let place = |(at, item): (usize, &Joined)| match item {
            Joined::Back(index) => Some((*index, at)),
            Joined::Stands(_) => None,
        };
        joined.iter().enumerate().filter_map(place).collect()
    }

    /// The text of a group with nothing in it but these of its handlers.
    fn reduced(&self, group: &Node, list: &Node, keep: &BTreeSet<usize>) -> String {
        let mut editor = Editor::new(self.old);
        let all = 0..list.elements().map_or(0, <[_]>::len);
        editor.reshape(&Reshape {
            container: list,
            parent: Some(group),
            part: Part::Handlers,
            removed: all.filter(|index| !keep.contains(index)).collect(),
            added: Vec::new(),
            hollow: None,
        });
        let (text, start) = (self.old.text(), group.span.start);
        let mut splices = editor.splices();
        for splice in &mut splices {
            splice.range = splice.range.start - start..splice.range.end - start;
        }
        apply(&text[start..group.span.end], &splices)
    }

    /// Writes what goes back into a container, between the commas and blanks it had.
    fn splice(&mut self, old: &Node, target: &Node, slots: &[Slot], joined: &[Joined]) {
        let text = self.old.text();
        let spans = item_spans(old);
        let lead = &text[old.span.start + 1..spans.first().map_or(old.span.end - 1, |s| s.start)];
        let tail = &text[spans.last().map_or(old.span.start + 1, |s| s.end)..old.span.end - 1];
        let between = |left: usize| Some(&text[spans.get(left)?.end..spans.get(left + 1)?.start]);
        let gap = self.editor.layout.gap();
        let alone = format!(",{}", if lead.is_empty() { gap } else { lead });
        let before = |index: usize| {
            let own = index.checked_sub(1).and_then(between);
            own.or_else(|| between(index)).unwrap_or(&alone).to_owned()
        };
        let after = |index: usize| {
            let own = between(index);
            own.or_else(|| between(index.checked_sub(1)?)).unwrap_or(&alone).to_owned()
        };
        let words = |index: &usize| match &slots[*index] {
            Slot::Taken(words) => words.as_str(),
            Slot::Kept(_) => "",
        };
        let here = item_spans(target);
        if here.is_empty() {
            let mut inside = lead.to_owned();
            for (n, item) in joined.iter().enumerate() {
                let Joined::Back(index) = item else { continue };
                inside.push_str(&if n == 0 { String::new() } else { before(*index) });
                inside.push_str(words(index));
            }
            inside.push_str(tail);
            self.editor.splice(target.span.start + 1..target.span.end - 1, inside);
            return;
        }
        for run in joined
            .chunk_by(|one, next| matches!(one, Joined::Back(_)) == matches!(next, Joined::Back(_)))
        {
            let back: Vec<usize> = run
                .iter()
                .filter_map(|item| match item {
                    Joined::Back(index) => Some(*index),
                    Joined::Stands(_) => None,
                })
                .collect();
            let Some(first) = back.first() else { continue };
            let place = joined.iter().position(|item| *item == Joined::Back(*first)).unwrap_or(0);
            let behind = place.checked_sub(1).map(|place| joined[place]);
            let (at, new) = match behind {
                Some(Joined::Stands(neighbour)) => {
                    let new = back.iter().map(|index| before(*index) + words(index)).collect();
                    (here[neighbour].end, new)
                }
                _ => {
                    let write = |index: &usize| format!("{}{}", words(index), after(*index));
                    (here[0].start, back.iter().map(write).collect::<String>())
                }
            };
            self.editor.splice(at..at, new);
        }
    }
}

/// The order in which what stands and what goes back stand together: what goes back follows its old
/// predecessor, or else precedes its old successor.
fn join(slots: &[Slot], standing: usize) -> Vec<Joined> {
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); standing + 1];
    let mut at: Option<usize> = None;
    for (index, slot) in slots.iter().enumerate() {
        match slot {
            Slot::Kept(Some(place)) => at = Some(*place + 1),
            Slot::Kept(None) => {}
            Slot::Taken(_) => {
                let next = slots[index..].iter().find_map(|slot| match slot {
                    Slot::Kept(place) => *place,
                    Slot::Taken(_) => None,
                });
                behind[at.or(next).unwrap_or(0)].push(index);
            }
        }
    }
    let mut joined: Vec<Joined> = behind[0].iter().map(|index| Joined::Back(*index)).collect();
    for (place, back) in behind[1..].iter().enumerate() {
        joined.push(Joined::Stands(place));
        joined.extend(back.iter().map(|index| Joined::Back(*index)));
    }
    joined
}

/// The place of a group from `from` on: an equal one, else one with the same matcher and a handler
/// in common.
fn find(standing: &[Value], from: usize, group: &Value) -> Option<usize> {
    let rest = standing.get(from..)?;
    let handlers = |group: &Value| group.get("hooks").and_then(Value::as_array).cloned();
    let own = handlers(group).unwrap_or_default();
    let akin = |other: &Value| {
        other.get("matcher") == group.get("matcher")
            && handlers(other).unwrap_or_default().iter().any(|handler| own.contains(handler))
    };
    let equal = rest.iter().position(|other| other == group);
    equal.or_else(|| rest.iter().position(akin)).map(|found| from + found)
}

fn without(group: &Value, handlers: &BTreeSet<usize>) -> Value {
    let mut group = group.clone();
    if let Some(list) = group.get_mut("hooks") {
        let all = list.as_array().map(Vec::as_slice).unwrap_or_default();
        let kept = all.iter().enumerate().filter(|(index, _)| !handlers.contains(index));
        *list = json!(kept.map(|(_, handler)| handler).collect::<Vec<_>>());
    }
    group
}
