//! The client's own rules for a settings file, as far as they concern hooks.
//!
//! Where client 2.1.197 and 2.1.329 differ, the worse effect is taken and the message names the
//! version. Effects were seen on those two clients unless a comment gives another source.

mod handler;
mod pointer;

pub use handler::is_one_rule;

use std::{collections::HashSet, fmt};

use serde::Serialize;

use super::json::{Document, Kind, Member, Node, Position};
use super::matcher::compile;
use pointer::Pointer;

/// The largest settings file that the client reads, in bytes (2.1.197).
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// What the client does about a defect, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It applies nothing of the file: no hook, permission or environment variable.
    FileDropped,
    /// It ignores the key, or an earlier duplicate of it.
    KeyDropped,
    /// It ignores the one handler.
    HandlerDropped,
    /// It loads the handler, which then never does anything.
    NeverFires,
    /// It reads over the key and deletes it when it next rewrites the file.
    Stripped,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FileDropped => "the client ignores the whole file",
            Self::KeyDropped => "the client ignores this key",
            Self::HandlerDropped => "the client ignores this handler",
            Self::NeverFires => "this handler never fires",
            Self::Stripped => "the client deletes this key when it next rewrites the file",
        })
    }
}

/// Something in a settings file that does not do what its author meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// What the client does about it.
    pub effect: Effect,
    /// JSON Pointer of the value at fault.
    pub pointer: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// What was found. It names no place, so equal defects have equal messages.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = Position { line: self.line, column: self.column };
        write!(f, "{position}: {}; {} ({})", self.message, self.effect, self.hint)
    }
}

/// All defects of a settings file in the order of the file.
///
/// `known_events` are the events that the client knows; groups under any other are not looked at,
/// as the client drops the key. No defect means that the client loads every hook of the file; it
/// does not mean that each will match something.
pub fn check(document: &Document<'_>, known_events: &[&str]) -> Vec<Defect> {
    let mut check = Check {
        document,
        known_events: known_events.iter().copied().collect(),
        defects: Vec::new(),
    };
    if document.text().len() > MAX_BYTES {
        check.report(
            Effect::FileDropped,
            &Pointer::ROOT,
            document.root(),
            "the file is larger than 2 MiB",
            "make it smaller",
        );
    }
    check.root();
    located(document, check.defects)
}

struct Check<'d, 't> {
    document: &'d Document<'t>,
    known_events: HashSet<&'d str>,
    defects: Vec<(usize, Defect)>,
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

/// The top-level keys whose wrong type is known to drop the file (seen on both clients), with the
/// type they need.
const TOP_LEVEL: [(&str, &str); 3] =
    [("disableAllHooks", "a boolean"), ("model", "a string"), ("permissions", "an object")];

impl Check<'_, '_> {
    fn report(
        &mut self,
        effect: Effect,
        pointer: &Pointer<'_>,
        node: &Node,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let (pointer, message, hint) = (pointer.to_string(), message.into(), hint.into());
        let defect = Defect { effect, pointer, line: 0, column: 0, message, hint };
        self.defects.push((node.span.start, defect));
    }

    fn root(&mut self) {
        let (root, top) = (self.document.root(), Pointer::ROOT);
        let Kind::Object(members) = &root.kind else {
            let message = format!("the file holds {} instead of an object", root.describe());
            self.report(Effect::FileDropped, &top, root, message, "put everything in `{ }`");
            return;
        };
        for (key, wanted) in TOP_LEVEL {
            if let Some(node) = self.document.get(root, key) {
                self.expect(&top.key(key), node, key, wanted);
            }
        }
        self.shadowed(&top, members, |key| key == "hooks");
        let Some(hooks) = self.document.get(root, "hooks") else { return };
        let pointer = top.key("hooks");
        let Kind::Object(events) = &hooks.kind else {
            let message = format!("`hooks` is {} instead of an object", hooks.describe());
            self.report(Effect::KeyDropped, &pointer, hooks, message, "write `\"hooks\": { }`");
            return;
        };
        self.shadowed(&pointer, events, |_| true);
        for member in last_of_each(self.document, events) {
            self.event(&pointer, &self.document.key(member), &member.value);
        }
    }

    /// Reports `node` where it is not of the type that the schema asks for.
    fn expect(&mut self, pointer: &Pointer<'_>, node: &Node, key: &str, wanted: &str) -> bool {
        let right = node.describe() == wanted;
        if !right {
            let message = format!("`{key}` is {} instead of {wanted}", node.describe());
            self.report(Effect::FileDropped, pointer, node, message, format!("make it {wanted}"));
        }
        right
    }

    /// Reports members that a later member of the same name hides.
    fn shadowed(&mut self, pointer: &Pointer<'_>, members: &[Member], concerns: fn(&str) -> bool) {
        for member in hidden(self.document, members) {
            let key = self.document.key(member);
            if concerns(&key) {
                let message =
                    format!("`{key}` stands here more than once, and only the last counts");
                let pointer = pointer.key(&key);
                let hint = "join the two by hand";
                self.report(Effect::KeyDropped, &pointer, &member.value, message, hint);
            }
        }
    }

    fn event(&mut self, hooks: &Pointer<'_>, event: &str, groups: &Node) {
        let pointer = hooks.key(event);
        if !self.known_events.contains(event) {
            let nearest = self.known_events.iter().find(|known| known.eq_ignore_ascii_case(event));
            let hint = nearest.map_or_else(
                || "check its spelling and the client's version".to_owned(),
                |known| format!("write `{known}`"),
            );
            let message = format!(
                "`{event}` is no event of the client (one older than 2.1.101 drops the whole file)"
            );
            self.report(Effect::KeyDropped, &pointer, groups, message, hint);
            return;
        }
        let Kind::Array(groups) = &groups.kind else {
            let message = format!("`{event}` is {} instead of an array", groups.describe());
            let hint = "write a list of groups, `[{\"hooks\": […]}]`";
            self.report(Effect::KeyDropped, &pointer, groups, message, hint);
            return;
        };
        for (index, group) in groups.iter().enumerate() {
            self.group(event, &pointer.at(index), group);
        }
    }

    fn group(&mut self, event: &str, pointer: &Pointer<'_>, group: &Node) {
        let Kind::Object(members) = &group.kind else {
            let message = format!("a group is {} instead of an object", group.describe());
            let hint = "write `{\"hooks\": […]}`";
            self.report(Effect::FileDropped, pointer, group, message, hint);
            return;
        };
        self.shadowed(pointer, members, |_| true);
        let handlers = self.document.get(group, "hooks");
        if handlers.is_none() && self.document.get(group, "type").is_some() {
            let message = "a handler stands directly under its event (2.1.197 drops the file, \
                           2.1.329 only the handler)";
            let hint = "put it in a group, `{\"hooks\": [ … ]}`";
            self.report(Effect::FileDropped, pointer, group, message, hint);
            return;
        }
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
        match handlers.map(|node| (&node.kind, node)) {
            Some((Kind::Array(handlers), _)) => {
                for (index, handler) in handlers.iter().enumerate() {
                    self.handler(event, &pointer.at(index), handler);
                }
            }
            Some((_, node)) => {
                self.expect(&pointer, node, "hooks", "an array");
            }
            None => {
                let hint = "add `\"hooks\": [ ]` with its handlers, or delete the group";
                self.report(Effect::FileDropped, &pointer, group, "a group without `hooks`", hint);
            }
        }
    }

    fn stripped(&mut self, pointer: &Pointer<'_>, node: &Node, key: &str, place: &str) {
        let message = format!("`{key}` is no key of {place}");
        self.report(Effect::Stripped, pointer, node, message, "keep such notes elsewhere");
    }

    fn matcher(&mut self, event: &str, pointer: &Pointer<'_>, matcher: &Node) {
        if !self.expect(pointer, matcher, "matcher", "a string") {
            return;
        }
        let Some(text) = self.document.string(matcher) else { return };
        let exact = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
        if text == "*" || text.chars().all(exact) {
            return;
        }
        if let Err(error) = compile(&text) {
            let message = format!("the matcher `{text}` is no JavaScript expression: {error}");
            let hint = "correct it; for exact names write `A|B`";
            self.report(Effect::NeverFires, pointer, matcher, message, hint);
        } else if handler::is_about_tools(event) && is_permission_rule(&text) {
            let message = format!("the matcher `{text}` is a permission rule, not a tool name");
            let hint = "match the tool, and put the rule in the handler's `if`";
            self.report(Effect::NeverFires, pointer, matcher, message, hint);
        }
    }
}

/// `Bash(git *)` is a valid expression, but no tool is called `Bashgit `: what stands in the
/// brackets has characters that no tool name has.
fn is_permission_rule(matcher: &str) -> bool {
    let Some((name, rule)) = matcher.split_once('(') else { return false };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain
        && rule
            .strip_suffix(')')
            .is_some_and(|rule| !rule.contains(['(', ')', '|']) && rule.contains([' ', ':', '/']))
}

/// The members that count, in the order of the file.
fn last_of_each<'n>(
    document: &Document<'_>,
    members: &'n [Member],
) -> impl Iterator<Item = &'n Member> + use<'n> {
    let hidden = hidden(document, members);
    let start = |member: &Member| member.key.start;
    members.iter().filter(move |member| {
        hidden.binary_search_by_key(&start(member), |hidden| start(hidden)).is_err()
    })
}

/// The members that a later member of the same name hides, in the order of the file.
fn hidden<'n>(document: &Document<'_>, members: &'n [Member]) -> Vec<&'n Member> {
    // A group or handler has few keys, and a file many of those: comparing them costs less than a
    // set for each.
    const FEW: usize = 16;
    if members.len() <= FEW {
        let is_hidden = |(index, member): &(usize, &Member)| {
            let key = document.key(member);
            members[index + 1..].iter().any(|later| document.key(later) == key)
        };
        return members.iter().enumerate().filter(is_hidden).map(|(_, member)| member).collect();
    }
    let mut seen = HashSet::with_capacity(members.len());
    let mut hidden: Vec<&Member> =
        members.iter().rev().filter(|member| !seen.insert(document.key(member))).collect();
    hidden.reverse();
    hidden
}

#[cfg(test)]
mod tests;
