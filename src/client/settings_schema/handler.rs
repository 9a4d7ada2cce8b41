//! The rules for one handler.

use super::{Check, Effect, Kind, Node, Pointer, last_of_each};
use crate::client::event::{Event, Handler, Subject};

/// The keys that a handler of any type may have.
const COMMON_KEYS: [&str; 5] = ["type", "if", "timeout", "statusMessage", "once"];

/// A type of handler: the strings it must have, and its other keys.
struct Type {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

const TYPES: [Type; 5] = [
    Type {
        name: "command",
        required: &["command"],
        optional: &[
            "args",
            "shell",
            "async",
            "asyncRewake",
            "rewakeMessage",
            "rewakeSummary",
            "onFailure",
            "cloud",
        ],
    },
    Type {
        name: "http",
        required: &["url"],
        optional: &["headers", "allowedEnvVars", "onFailure"],
    },
    Type { name: "mcp_tool", required: &["server", "tool"], optional: &["input"] },
    Type { name: "prompt", required: &["prompt"], optional: &["model", "continueOnBlock"] },
    Type { name: "agent", required: &["prompt"], optional: &["model"] },
];

impl Check<'_, '_> {
    pub(super) fn handler(&mut self, event: &str, pointer: &Pointer<'_>, handler: &Node) {
        let Kind::Object(members) = &handler.kind else {
            let message = format!("a handler is {} instead of an object", handler.describe());
            let hint = "write `{\"type\": \"command\", \"command\": …}`";
            self.report(Effect::FileDropped, pointer, handler, message, hint);
            return;
        };
        self.shadowed(pointer, members, |_| true);
        let Some(kind) = self.kind(pointer, handler) else { return };
        for key in kind.required {
            self.required(&pointer.key(key), handler, key, kind.name);
        }
        for member in last_of_each(self.document, members) {
            let key = self.document.key(member);
            let pointer = pointer.key(&key);
            let known = COMMON_KEYS.contains(&key.as_ref())
                || kind.required.contains(&key.as_ref())
                || kind.optional.contains(&key.as_ref());
            if known {
                self.key(event, &pointer, &key, &member.value);
            } else {
                let place = format!("a handler of type `{}`", kind.name);
                self.stripped(&pointer, &member.value, &key, &place);
            }
        }
        self.event_takes(event, pointer, handler, kind.name);
    }

    fn kind(&mut self, pointer: &Pointer<'_>, handler: &Node) -> Option<&'static Type> {
        let hint = "write `\"type\": \"command\"`, or http, mcp_tool, prompt or agent";
        let Some(node) = self.document.get(handler, "type") else {
            self.report(Effect::FileDropped, pointer, handler, "a handler without `type`", hint);
            return None;
        };
        let pointer = pointer.key("type");
        let Some(name) = self.document.string(node) else {
            self.expect(&pointer, node, "type", "a string");
            return None;
        };
        let kind = TYPES.iter().find(|kind| kind.name == name);
        if kind.is_none() {
            let message = format!("`{name}` is no type of handler");
            self.report(Effect::FileDropped, &pointer, node, message, hint);
        }
        kind
    }

    fn required(&mut self, pointer: &Pointer<'_>, handler: &Node, key: &str, kind: &str) {
        match self.document.get(handler, key) {
            None => {
                let message = format!("a handler of type `{kind}` without `{key}`");
                let hint = format!("add `{key}`");
                self.report(Effect::FileDropped, pointer, handler, message, hint);
            }
            Some(node) => {
                if self.expect(pointer, node, key, "a string")
                    && self.document.string(node).is_some_and(|text| text.is_empty())
                    && key == "command"
                {
                    let message = "`command` is empty";
                    self.report(Effect::NeverFires, pointer, node, message, "name a program");
                }
            }
        }
    }

    fn key(&mut self, event: &str, pointer: &Pointer<'_>, key: &str, node: &Node) {
        match key {
            "timeout" => self.timeout(pointer, node),
            "args" => self.args(pointer, node),
            "if" => self.condition(event, pointer, node),
            "url" => self.url(pointer, node),
            "shell" => self.one_of(pointer, node, key, ["bash", "powershell"], ""),
            "onFailure" => {
                let only = " (2.1.329; older clients ignore it)";
                self.one_of(pointer, node, key, ["continue", "block"], only);
            }
            // The types of these are in the client's schema; their effect was not measured.
            "statusMessage" | "model" => {
                self.expect(pointer, node, key, "a string");
            }
            "async" | "asyncRewake" | "once" | "continueOnBlock" => {
                self.expect(pointer, node, key, "a boolean");
            }
            _ => {}
        }
    }

    fn timeout(&mut self, pointer: &Pointer<'_>, node: &Node) {
        if !self.expect(pointer, node, "timeout", "a number") {
            return;
        }
        if self.document.number(node).is_none_or(|seconds| seconds <= 0.0) {
            let message = "`timeout` is not above 0";
            self.report(Effect::FileDropped, pointer, node, message, "write seconds, above 0");
        }
    }

    fn args(&mut self, pointer: &Pointer<'_>, node: &Node) {
        if !self.expect(pointer, node, "args", "an array") {
            return;
        }
        for (index, element) in node.elements().unwrap_or_default().iter().enumerate() {
            self.expect(&pointer.at(index), element, "args", "a string");
        }
    }

    fn one_of(
        &mut self,
        pointer: &Pointer<'_>,
        node: &Node,
        key: &str,
        values: [&str; 2],
        only: &str,
    ) {
        let value = self.document.string(node);
        if !value.as_deref().is_some_and(|value| values.contains(&value)) {
            let [one, other] = values;
            let message = format!("`{key}` is neither `{one}` nor `{other}`{only}");
            let hint = format!("write one of the two, or delete `{key}`");
            self.report(Effect::FileDropped, pointer, node, message, hint);
        }
    }

    fn url(&mut self, pointer: &Pointer<'_>, node: &Node) {
        let Some(url) = self.document.string(node) else { return };
        // The client asks its URL parser, which takes any scheme.
        let rest = url.split_once(':').filter(|(scheme, _)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        let special =
            |scheme: &str| ["http", "https"].iter().any(|s| s.eq_ignore_ascii_case(scheme));
        let valid = rest.is_some_and(|(scheme, rest)| {
            !special(scheme) || !rest.trim_start_matches(['/', '\\']).is_empty()
        });
        if !valid {
            let message = format!("`{url}` is no URL");
            self.report(Effect::FileDropped, pointer, node, message, "write `https://…` in full");
        }
    }

    fn condition(&mut self, event: &str, pointer: &Pointer<'_>, node: &Node) {
        if !self.expect(pointer, node, "if", "a string") {
            return;
        }
        if !is_about_tools(event) {
            let message = format!("a handler of {event} with `if`");
            let hint = "delete `if`, it works on tool events only";
            self.report(Effect::NeverFires, pointer, node, message, hint);
            return;
        }
        let Some(rule) = self.document.string(node) else { return };
        if !is_one_rule(&rule) {
            let message = format!("the condition `{rule}` is not one permission rule");
            let hint = "write one rule, such as `Bash(git *)`, and a handler for each further one";
            self.report(Effect::NeverFires, pointer, node, message, hint);
        }
    }

    fn event_takes(&mut self, event: &str, pointer: &Pointer<'_>, handler: &Node, kind: &str) {
        let known = Event::from_name(event);
        let handler_type = Handler::ALL.iter().copied().find(|handler| handler.name() == kind);
        let (Some(known), Some(handler_type)) = (known, handler_type) else { return };
        let takes = known.facts().takes.includes(handler_type);
        let effect = match handler_type {
            // The client drops these with a line in its debug log (2.1.197).
            Handler::Prompt | Handler::Agent => Effect::HandlerDropped,
            // Seen: `http` on SessionStart loads and never fires.
            _ => Effect::NeverFires,
        };
        if !takes {
            let message = format!("{event} takes no `{kind}` handlers");
            self.report(effect, pointer, handler, message, "use a `command` handler");
        }
    }
}

/// Whether the client looks at a handler's `if` on an event; on any other such a handler never runs
/// (the client's documentation, seen on `Stop`).
pub(super) fn is_about_tools(event: &str) -> bool {
    Event::from_name(event).is_some_and(|event| event.facts().subject == Subject::Tool)
}

/// Whether the client takes a text for one permission rule: a tool name, alone or with one pattern
/// in brackets that end the rule.
pub fn is_one_rule(rule: &str) -> bool {
    let rule = rule.trim();
    let (name, pattern) = match rule.split_once('(') {
        Some((name, pattern)) => (name, Some(pattern)),
        None => (rule, None),
    };
    let tool = |c: char| c.is_ascii_alphanumeric() || "_-.*".contains(c);
    !name.is_empty()
        && name.chars().all(tool)
        && pattern.is_none_or(|pattern| pattern.ends_with(')') && !holds_two(pattern))
}

/// Whether a second rule begins inside what was taken for the pattern, as in `Bash(a), Bash(b)`.
fn holds_two(pattern: &str) -> bool {
    let mut depth = 1;
    for (at, character) in pattern.char_indices() {
        depth += match character {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            let rest = pattern[at + 1..].trim_start_matches([' ', ',', '|']);
            return rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains('(');
        }
    }
    false
}
