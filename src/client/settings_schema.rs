//! The client's own rules for a settings file.
//!
//! The clients 2.1.330 and 2.1.197 were asked what they do, key by key and type by type; where the two
//! differ, a defect says so.

mod check;
mod defect;
mod handler;
mod keys;
mod parked;
mod shape;

pub use defect::{Defect, Effect, Effects, VERSIONS};
pub use handler::is_one_rule;

use super::event::Event;
use super::matcher::compile;
use super::tools;
use crate::syntax::json::{Document, Kind, Member, Node, Position};
use check::{Check, Pointer, hidden, last_of_each};
use parked::{GUARDS, Search};

/// The largest settings file that the client reads, in bytes (2.1.197).
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// All defects of a settings file in its order; groups of events not in `known_events` are passed over.
/// Without one the client loads every hook, which need not match anything.
pub fn check(document: &Document<'_>, known_events: &[&str]) -> Vec<Defect> {
    checked(document, known_events, false)
}

fn checked(document: &Document<'_>, known_events: &[&str], newest: bool) -> Vec<Defect> {
    let known_events = known_events.iter().copied().collect();
    let mut check = Check { document, known_events, newest, defects: Vec::new() };
    if document.text().len() > MAX_BYTES {
        check.report(
            Effects::DROP,
            &Pointer::ROOT,
            document.root(),
            "the file is larger than 2 MiB",
            "make it smaller",
        );
    }
    check.root();
    located(document, check.defects)
}

/// Says where each defect is that drops the file for the newest client, and the way out.
pub fn drops(shown: &str, document: &Document<'_>) -> Vec<String> {
    let defects = checked(document, &Event::names(Event::ALL), true).into_iter();
    let drops = defects.filter(|it| it.effects.newest == Effect::FileDropped);
    let line = |Defect { line, column, message, effects, hint, .. }| {
        format!("{shown}:{line}:{column}: {message}; {effects} until it is corrected: {hint}")
    };
    drops.map(line).collect()
}

/// Puts the defects in the order of the file and gives them their places in one pass over it.
fn located(document: &Document<'_>, mut defects: Vec<(usize, Defect)>) -> Vec<Defect> {
    defects.sort_by_key(|(offset, _)| *offset);
    let mut place = Position { line: 1, column: 1 };
    let mut passed = 0;
    let located = defects.into_iter().map(|(offset, mut defect)| {
        let next = document.position_from(place, passed, offset);
        (place, passed) = (next, offset);
        (defect.line, defect.column) = (place.line, place.column);
        defect
    });
    located.collect()
}

impl Check<'_, '_> {
    fn root(&mut self) {
        let (root, top) = (self.document.root(), Pointer::ROOT);
        let Kind::Object(members) = &root.kind else {
            let message = format!("the file holds {} instead of an object", root.describe());
            self.report(Effects::DROP, &top, root, message, "put everything in `{ }`");
            return;
        };
        self.settings(&top, members);
        self.parked(&top, root, Search::START);
        self.shadowed(&top, members, |key| key == "hooks");
        let Some(hooks) = self.document.get(root, "hooks") else { return };
        let pointer = top.key("hooks");
        let Kind::Object(events) = &hooks.kind else {
            self.no_events(&pointer, hooks);
            return;
        };
        self.shadowed(&pointer, events, |_| true);
        for member in last_of_each(self.document, events) {
            self.event(&pointer, &self.document.key(member), &member.value);
        }
    }

    fn no_events(&mut self, pointer: &Pointer<'_>, hooks: &Node) {
        let elements = hooks.elements().unwrap_or_default();
        // Any object in a list could be a guard.
        let holds_objects = elements.iter().any(|it| matches!(it.kind, Kind::Object(_)));
        let newest = if holds_objects { Effect::FileDropped } else { Effect::KeyDropped };
        let message = format!("`hooks` is {} instead of an object", hooks.describe());
        let hint = "write `\"hooks\": { \"PreToolUse\": [ … ] }`";
        let effects = Effects { newest, oldest: Effect::KeyDropped };
        self.report(effects, pointer, hooks, message, hint);
    }

    /// Reports members that a later member of the same name hides.
    fn shadowed(&mut self, pointer: &Pointer<'_>, members: &[Member], concerns: fn(&str) -> bool) {
        for member in hidden(self.document, members) {
            let key = self.document.key(member);
            if concerns(&key) {
                let message = format!("`{key}` is here more than once, and only the last counts");
                let pointer = pointer.key(&key);
                let hint = "join the two by hand";
                let effects = Effects::both(Effect::KeyDropped);
                self.report(effects, &pointer, &member.value, message, hint);
            }
        }
    }

    fn event(&mut self, hooks: &Pointer<'_>, event: &str, groups: &Node) {
        let pointer = hooks.key(event);
        let is_known = self.known_events.contains(event);
        let is_list = matches!(groups.kind, Kind::Array(_));
        self.parked(&pointer, groups, Search::event(is_known || is_list));
        if !is_known {
            let nearest = self.known_events.iter().find(|known| known.eq_ignore_ascii_case(event));
            let hint = nearest.map_or_else(
                || "check its spelling and the client's version".to_owned(),
                |known| format!("write `{known}`"),
            );
            let message = format!(
                "`{event}` is no event of the client (one older than 2.1.101 drops the whole file)"
            );
            self.report(Effects::both(Effect::KeyDropped), &pointer, groups, message, hint);
            return;
        }
        let is_guard = GUARDS.contains(&event);
        let Kind::Array(groups) = &groups.kind else {
            let drops = is_guard && !matches!(groups.kind, Kind::Null);
            let newest = if drops { Effect::FileDropped } else { Effect::KeyDropped };
            let message = format!("`{event}` is {} instead of an array", groups.describe());
            let hint = "write a list of groups, `[{\"hooks\": […]}]`";
            let effects = Effects { newest, oldest: Effect::KeyDropped };
            self.report(effects, &pointer, groups, message, hint);
            return;
        };
        for (index, group) in groups.iter().enumerate() {
            self.group(event, &pointer.at(index), group);
        }
    }

    /// Gives the loss by a faulty entry of an event: a guard's costs the whole file.
    fn loss(event: &str, entry: Effect) -> Effects {
        let newest = if GUARDS.contains(&event) { Effect::FileDropped } else { entry };
        Effects { newest, oldest: Effect::FileDropped }
    }

    fn group(&mut self, event: &str, pointer: &Pointer<'_>, group: &Node) {
        let loss = Self::loss(event, Effect::GroupDropped);
        let Kind::Object(members) = &group.kind else {
            let message = format!("a group is {} instead of an object", group.describe());
            let hint = "write `{\"hooks\": […]}`";
            self.report(loss, pointer, group, message, hint);
            return;
        };
        self.shadowed(pointer, members, |_| true);
        let handlers = self.document.get(group, "hooks");
        if handlers.is_none() && self.document.get(group, "type").is_some() {
            let message = "a handler is directly under its event";
            let hint = "put it in a group, `{\"hooks\": [ … ]}`";
            self.report(loss, pointer, group, message, hint);
            return;
        }
        self.value("group", pointer, group, loss);
        if let Some(matcher) = self.document.get(group, "matcher") {
            self.matcher(event, &pointer.key("matcher"), matcher);
        }
        for member in last_of_each(self.document, members) {
            let key = self.document.key(member);
            if !["matcher", "hooks"].contains(&key.as_ref()) {
                self.stripped(&pointer.key(&key), &member.value, &key, "a group");
            }
        }
        let pointer = pointer.key("hooks");
        let handlers = handlers.and_then(Node::elements).unwrap_or_default();
        for (index, handler) in handlers.iter().enumerate() {
            self.handler(event, &pointer.at(index), handler);
        }
    }

    fn stripped(&mut self, pointer: &Pointer<'_>, node: &Node, key: &str, place: &str) {
        let message = format!("`{key}` is no key of {place}");
        let effects = Effects::both(Effect::Stripped);
        let hint = match key {
            "matcher" => {
                "move it to the group, next to `hooks`: without one there the handler is for all"
            }
            "enabled" | "disabled" => "take the handler out, as the client runs it all the same",
            _ => "keep such notes elsewhere",
        };
        self.report(effects, pointer, node, message, hint);
    }

    fn matcher(&mut self, event: &str, pointer: &Pointer<'_>, matcher: &Node) {
        let Some(text) = self.document.string(matcher) else { return };
        let exact = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
        if text == "*" || text.chars().all(exact) {
            return;
        }
        if let Err(error) = compile(&text) {
            let message = format!("the matcher `{text}` is no JavaScript expression: {error}");
            let hint = if text.split('|').any(is_permission_rule) {
                RULE
            } else {
                "correct it; for exact names write `A|B`"
            };
            self.report(Effects::both(Effect::NeverFires), pointer, matcher, message, hint);
        } else if handler::is_about_tools(event) && is_permission_rule(&text) {
            let message = format!("the matcher `{text}` is a permission rule, not a tool name");
            self.report(Effects::both(Effect::NeverFires), pointer, matcher, message, RULE);
        }
    }
}

const RULE: &str = "match the tool, and put the rule in the handler's `if`";

/// `Bash(git *)` is a valid expression, but brackets with such characters name no tool.
pub fn is_permission_rule(matcher: &str) -> bool {
    let Some((name, rule)) = matcher.split_once('(') else { return false };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let hits_none =
        || compile(matcher).is_ok_and(|it| tools::KNOWN.iter().all(|name| it.find(name).is_none()));
    plain
        && rule.strip_suffix(')').is_some_and(|rule| {
            let is_of_tool = tools::KNOWN.contains(&name) && !rule.starts_with('?');
            !rule.contains(['(', ')', '|'])
                && (rule.contains([' ', ':', '/'])
                    || is_of_tool && (rule.starts_with('*') || hits_none()))
        })
}

#[cfg(test)]
mod tests;
