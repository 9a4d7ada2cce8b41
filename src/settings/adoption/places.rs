//! Where the items of an old container stand among those of a new one, and where what was taken out
//! goes between them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Where an item of the old container stands among those of the new one.
pub(super) enum Slot {
    /// It was never taken out; its place in the new container, if it is still there.
    Kept(Option<usize>),
    /// It was taken out, and this text goes back.
    Taken(String),
}

/// An item of the joined container: one that stands there, or one of the old container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joined {
    Stands(usize),
    Back(usize),
}

/// The order in which what stands and what goes back stand together: what goes back follows its old
/// predecessor, or else precedes its old successor.
pub(super) fn join(slots: &[Slot], standing: usize) -> Vec<Joined> {
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

/// The places of old groups among those that stand, each with whether handlers go back into it: of
/// an equal one, else of one with the same matcher and a handler in common, else of one with the
/// same matcher, as when all of its handlers were edited.
pub(super) fn groups(old: &[Option<(Value, bool)>], standing: &[Value]) -> Vec<Option<usize>> {
    type Left = (Value, bool);
    let handlers = |group: &Value| group.get("hooks").and_then(Value::as_array).cloned();
    // An empty one would go as a whole with what was put into it.
    let has_any = |group: &Value| handlers(group).is_some_and(|handlers| !handlers.is_empty());
    let same = |(one, _): &Left, other: &Value| {
        has_any(one) && has_any(other) && one.get("matcher") == other.get("matcher")
    };
    let akin = |one: &Left, other: &Value| {
        let own = handlers(&one.0).unwrap_or_default();
        same(one, other)
            && handlers(other).unwrap_or_default().iter().any(|handler| own.contains(handler))
    };
    let equal = |(one, _): &Left, other: &Value| one == other;
    let host = |one: &Left, other: &Value| one.1 && same(one, other);
    anchors(old, standing, &[&equal, &akin, &host, &same])
}

/// Whether an old item is one that stands.
type Test<'t, T> = &'t dyn Fn(&T, &Value) -> bool;

/// The places of old items among those that stand, in the same order: the first test finds what it
/// can, the next one what is between. An item that is `None` is looked for nowhere.
pub(super) fn anchors<T>(
    old: &[Option<T>],
    standing: &[Value],
    tests: &[Test<'_, T>],
) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; old.len()];
    for test in tests {
        for (index, item) in old.iter().enumerate() {
            let Some(item) = item.as_ref().filter(|_| found[index].is_none()) else { continue };
            let before = found[..index].iter().rev().find_map(|place| *place);
            let after = found[index..].iter().find_map(|place| *place);
            let mut between = before.map_or(0, |place| place + 1)..after.unwrap_or(standing.len());
            found[index] = between.find(|place| test(item, &standing[*place]));
        }
    }
    found
}

pub(super) fn without(group: &Value, handlers: &BTreeSet<usize>) -> Value {
    let mut group = group.clone();
    if let Some(list) = group.get_mut("hooks") {
        let all = list.as_array().map(Vec::as_slice).unwrap_or_default();
        let kept = all.iter().enumerate().filter(|(index, _)| !handlers.contains(index));
        *list = json!(kept.map(|(_, handler)| handler).collect::<Vec<_>>());
    }
    group
}
