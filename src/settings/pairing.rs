//! The pairs of entries in the file and wanted registrations.

use std::collections::HashSet;

use crate::syntax::json::Document;

use super::{identity::same, inventory::Event, registration::Registration};

/// A handler by the index of its group and its own in that.
pub(crate) type HandlerIndex = (usize, usize);

/// The steps for the entries of one event.
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

/// Pairs the entries of an event with the registrations wanted there: first those that run the
/// same words, then the rest, each in the order of the file. What is left over on one side goes,
/// on the other comes.
///
/// An entry whose matcher has to change moves to a group of its own where others would be hit:
/// foreign handlers, or further hookman entries.
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
