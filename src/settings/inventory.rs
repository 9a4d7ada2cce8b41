//! The handlers of a settings file, ours and foreign.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::syntax::json::{Document, Member, Node, Position, child};

use super::identity::{identity, same};
use super::registration::{Passed, passed_words};
use crate::client::call::run_words;

#[derive(Debug, Clone, PartialEq)]
pub struct Handler {
    pub pointer: String,
    pub position: Position,
    pub event: String,
    pub matcher: Option<String>,
    pub ours: bool,
    pub value: Value,
    /// The client's key by which equal handlers of matching groups run once, the last in the place of the
    /// first (2.1.197). Matcher and timeout are not in it; scopes share keys, and plugins do not.
    pub identity: String,
}

impl Handler {
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key)?.as_str()
    }
}

/// All handlers of a document that the client would read, in the order of the file.
pub fn handlers(document: &Document<'_>) -> Vec<Handler> {
    let mut handlers = Vec::new();
    let (mut place, mut passed) = (Position { line: 1, column: 1 }, 0);
    for event in Survey::of(document).events {
        for group in event.groups {
            for (index, node) in group.handlers.iter().enumerate() {
                let value = document.value(node);
                // Of duplicate keys the earlier are left out, so the offsets only grow.
                place = document.position_from(place, passed, node.span.start);
                passed = node.span.start;
                handlers.push(Handler {
                    pointer: format!("{}/hooks/{index}", group.pointer),
                    position: place,
                    event: event.name.clone(),
                    matcher: group.matcher.clone(),
                    ours: run_words(&value).is_some(),
                    identity: identity(&value),
                    value,
                });
            }
        }
    }
    handlers
}

/// The places of the values of all handlers of a document, and of their matchers, by JSON Pointer.
pub fn places(document: &Document<'_>) -> HashMap<String, Position> {
    let mut places = HashMap::new();
    let mut add = |pointer: &str, node: &Node| {
        for member in node.members().unwrap_or_default() {
            let position = document.position(member.value.span.start);
            places.insert(format!("{pointer}/{}", document.key(member)), position);
        }
    };
    for group in Survey::of(document).events.iter().flat_map(|event| &event.groups) {
        add(&group.pointer, group.node);
        for (index, node) in group.handlers.iter().enumerate() {
            add(&format!("{}/hooks/{index}", group.pointer), node);
        }
    }
    places
}

/// hookman's handlers in a document, in order, without a close look at those of others.
pub fn own_handlers(document: &Document<'_>) -> Vec<Value> {
    let survey = Survey::of(document);
    let groups = survey.events.iter().flat_map(|event| &event.groups);
    let ours = |group: &Group<'_>| {
        let nodes = group.ours.iter().map(|(index, _)| &group.handlers[*index]);
        nodes.map(|node| document.value(node)).collect::<Vec<_>>()
    };
    groups.flat_map(ours).collect()
}

/// The hooks of a document, as far as they have the shape that hookman edits.
pub(crate) struct Survey<'n> {
    pub(crate) hooks: Option<&'n Member>,
    pub(crate) events: Vec<Event<'n>>,
}

pub(crate) struct Event<'n> {
    pub(crate) name: String,
    /// Its place among the members of `hooks`.
    pub(crate) index: usize,
    pub(crate) array: &'n Node,
    pub(crate) groups: Vec<Group<'n>>,
}

pub(crate) struct Group<'n> {
    pub(crate) pointer: String,
    /// Its place in the event's array.
    pub(crate) index: usize,
    pub(crate) node: &'n Node,
    pub(crate) matcher: Option<String>,
    pub(crate) list: &'n Node,
    pub(crate) handlers: &'n [Node],
    pub(crate) ours: Vec<(usize, Vec<String>)>,
    /// True if it has no key that a hookman group would not have.
    pub(crate) plain: bool,
}

impl Group<'_> {
    /// Returns whether all its handlers are hookman's, and there is at least one.
    pub(crate) fn is_ours_alone(&self) -> bool {
        !self.ours.is_empty() && self.ours.len() == self.handlers.len()
    }
}

impl<'n> Survey<'n> {
    pub(crate) fn of(document: &'n Document<'_>) -> Self {
        let members = document.root().members().unwrap_or_default();
        let hooks = members.iter().rev().find(|member| document.key(member) == "hooks");
        let mut events = Vec::new();
        let keys = hooks.and_then(|hooks| hooks.value.members()).unwrap_or_default();
        let mut seen = HashSet::new();
        for (index, member) in keys.iter().enumerate().rev() {
            let name = document.key(member);
            if seen.insert(name.clone())
                && let Some(elements) = member.value.elements()
            {
                let groups = groups(document, &name, elements);
                events.push(Event { name: name.into_owned(), index, array: &member.value, groups });
            }
        }
        events.reverse();
        Self { hooks, events }
    }

    /// Counts entries among ours that hookman wrote and the client runs without it.
    pub(crate) fn claim(&mut self, document: &Document<'_>, written: &[Passed]) {
        for passed in written {
            if let Some((event, group, index)) = self.find(document, passed) {
                let ours = &mut self.events[event].groups[group].ours;
                ours.push((index, passed_words(&passed.handler)));
                ours.sort_by_key(|(index, _)| *index);
            }
        }
    }

    /// The last entry equal to one that the client runs without hookman, by event, group and place; one
    /// alone in its group, as hookman writes them, comes first.
    pub(crate) fn find(
        &self,
        document: &Document<'_>,
        passed: &Passed,
    ) -> Option<(usize, usize, usize)> {
        let at = self.events.iter().position(|event| event.name == passed.event)?;
        let mut found: Option<(bool, (usize, usize, usize))> = None;
        for (place, group) in self.events[at].groups.iter().enumerate() {
            if group.matcher != passed.matcher {
                continue;
            }
            let alone = group.plain && group.handlers.len() == 1;
            for (index, node) in group.handlers.iter().enumerate() {
                let free = group.ours.iter().all(|(ours, _)| *ours != index);
                let better = found.is_none_or(|(was_alone, _)| alone || !was_alone);
                if free && better && same(&document.value(node), &passed.handler) {
                    found = Some((alone, (at, place, index)));
                }
            }
        }
        found.map(|(_, place)| place)
    }

    /// Returns whether no hookman entry is among those counted.
    pub(crate) fn is_without_ours(&self) -> bool {
        self.events.iter().flat_map(|event| &event.groups).all(|group| group.ours.is_empty())
    }

    pub(crate) fn event(&self, name: &str) -> Option<&Event<'n>> {
        self.events.iter().find(|event| event.name == name)
    }
}

fn groups<'n>(document: &Document<'_>, event: &str, elements: &'n [Node]) -> Vec<Group<'n>> {
    let event = child("/hooks", event);
    let group = |(index, node): (usize, &'n Node)| {
        let list = document.get(node, "hooks")?;
        let handlers = list.elements()?;
        let ours = handlers.iter().enumerate().filter_map(|(index, handler)| {
            let words = is_command(document, handler).then(|| document.value(handler));
            Some((index, run_words(&words?)?))
        });
        let mut keys = node.members()?.iter().map(|member| document.key(member));
        Some(Group {
            pointer: format!("{event}/{index}"),
            index,
            node,
            matcher: document
                .get(node, "matcher")
                .and_then(|node| document.string(node))
                .map(std::borrow::Cow::into_owned),
            list,
            handlers,
            ours: ours.collect(),
            plain: keys.all(|key| key == "matcher" || key == "hooks"),
        })
    };
    elements.iter().enumerate().filter_map(group).collect()
}

/// A cheap look ahead that spares most foreign handlers being turned into values.
fn is_command(document: &Document<'_>, handler: &Node) -> bool {
    document
        .get(handler, "command")
        .and_then(|command| document.string(command))
        .is_some_and(|command| command.contains("hookman"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let document = Document::parse(text).unwrap();
        let handlers = handlers(&document);
        let line = |handler: &Handler| {
            let Handler { pointer, position, event, matcher, ours, .. } = handler;
            format!("{pointer} {}:{} {event} {matcher:?} {ours}", position.line, position.column)
        };
        handlers.iter().map(line).collect()
    }

    #[test]
    fn lists_handlers_in_the_order_of_the_file() {
        let text = r#"{"hooks": {
            "Stop": [{"matcher": "x", "hooks": [
                {"type": "command", "command": "hookman run Stop"}, {"type": "http", "url": "u"}
            ]}, {"hooks": 1}, 5],
            "Other": {},
            "PreToolUse": [{"hooks": []}, {"matcher": 1, "hooks": [{"command": "hookman run x"}]}]
        }}"#;
        assert_eq!(
            found(text),
            [
                "/hooks/Stop/0/hooks/0 3:17 Stop Some(\"x\") true",
                "/hooks/Stop/0/hooks/1 3:69 Stop Some(\"x\") false",
                "/hooks/PreToolUse/1/hooks/0 6:68 PreToolUse None false",
            ]
        );
    }

    #[test]
    fn lists_only_what_the_client_reads() {
        let text = r#"{"hooks": {"Stop": [{"hooks": [1]}]}, "hooks": {"Stop": [{"hooks": [2]}],
            "Stop": [{"hooks": [3], "hooks": [4]}]}}"#;
        assert_eq!(found(text), ["/hooks/Stop/0/hooks/0 2:47 Stop None false"]);
        assert_eq!(found("[]"), Vec::<String>::new());
    }
}
