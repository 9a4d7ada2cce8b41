//! Putting handlers back into a text that was edited since they were taken out.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use crate::client::json::{Document, Node, child};

use super::{
    Rebuilt,
    places::{Joined, Slot, anchors, groups, join, without},
    strip::taken,
};
use crate::settings::{
    edit::{Editor, Item, Reshape, apply},
    inventory::{Event, Handler, Survey, handlers},
    layout::{Part, item_spans},
    refusal::Refusal,
};

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

/// The text with one handler in a group of its own at the end of its event, and its pointer.
///
/// # Errors
///
/// As [`rejoin`].
pub(super) fn append(text: &str, handler: &Rebuilt) -> Result<(String, String), Refusal> {
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
    let mut place = 0;
    match survey.event(&handler.event) {
        Some(event) => {
            place = event.array.elements().map_or(0, <[_]>::len);
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
    let pointer = format!("{}/{place}/hooks/0", child("/hooks", &handler.event));
    Ok((apply(text, &editor.splices()), pointer))
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
        let known = |index: usize| old.groups.iter().position(|group| group.index == index);
        let gone = |index: usize| {
            let at = known(index)?;
            Some((&old.groups[at], &taken[at])).filter(|(_, handlers)| !handlers.is_empty())
        };
        // What is left of each group of the old event; nothing of one that went whole.
        let left = |(index, element): (usize, &Node)| {
            let value = self.old.value(element);
            let Some((group, handlers)) = gone(index) else { return Some((value, false)) };
            let is_part = handlers.len() < group.handlers.len();
            is_part.then(|| (without(&value, handlers), true))
        };
        let left: Vec<_> = elements.iter().enumerate().map(left).collect();
        let found = groups(&left, &standing);
        let mut slots = Vec::with_capacity(elements.len());
        let mut partial = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let place = found[index];
            let Some((group, handlers)) = gone(index) else {
                slots.push(Slot::Kept(place));
                continue;
            };
            let is_group = |place: &usize| target.groups.iter().any(|group| group.index == *place);
            slots.push(match place.filter(is_group) {
                Some(place) => {
                    partial.push((group, handlers, place));
                    Slot::Kept(Some(place))
                }
                None if handlers.len() == group.handlers.len() => {
                    Slot::Taken(self.old.slice(element.span).to_owned())
                }
                None => Slot::Taken(self.reduced(element, group.list, handlers)),
            });
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
        let elements = old.elements().unwrap_or_default();
        let left = |(index, element): (usize, &Node)| {
            (!taken.contains(&index)).then(|| self.old.value(element))
        };
        let left: Vec<_> = elements.iter().enumerate().map(left).collect();
        // One that was edited is known by its kind, or else by its place between the others.
        let kind = |one: &Value, other: &Value| one.get("type") == other.get("type");
        let found = anchors(&left, &standing, &[&|one, other| one == other, &kind, &|_, _| true]);
        let slot = |(index, element): (usize, &Node)| {
            let words = || self.old.slice(element.span).to_owned();
            if taken.contains(&index) { Slot::Taken(words()) } else { Slot::Kept(found[index]) }
        };
        let slots: Vec<Slot> = elements.iter().enumerate().map(slot).collect();
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
