//! The rules for one handler.

use url::Url;

use super::check::{Check, Pointer, last_of_each};
use super::defect::{Effect, Effects};
use super::shape::TABLES;
use crate::client::event::Handler;
use crate::client::{Event, Rule, Subject};
use crate::syntax::json::{Kind, Node};

impl Check<'_, '_> {
    pub(super) fn handler(&mut self, event: &str, pointer: &Pointer<'_>, handler: &Node) {
        let loss = Self::loss(event, Effect::HandlerDropped);
        let Kind::Object(members) = &handler.kind else {
            let message = format!("a handler is {} instead of an object", handler.describe());
            let hint = "write `{\"type\": \"command\", \"command\": …}`";
            self.report(loss, pointer, handler, message, hint);
            return;
        };
        self.shadowed(pointer, members, |_| true);
        let Some(kind) = self.kind(pointer, handler, loss) else { return };
        let path = format!("handler.{}", kind.name());
        self.value(&path, pointer, handler, loss);
        for member in last_of_each(self.document, members) {
            let key = self.document.key(member);
            let pointer = pointer.key(&key);
            if key != "type" && !TABLES[0].has(&format!("{path}.{key}")) {
                let place = format!("a handler of type `{}`", kind.name());
                self.stripped(&pointer, &member.value, &key, &place);
            }
            match key.as_ref() {
                "command" => self.command(&pointer, &member.value),
                "if" => self.condition(event, &pointer, &member.value),
                "url" => self.url(&pointer, &member.value, loss),
                _ => {}
            }
        }
        self.event_takes(event, pointer, handler, kind);
    }

    fn kind(&mut self, pointer: &Pointer<'_>, handler: &Node, loss: Effects) -> Option<Handler> {
        let hint = "write `\"type\": \"command\"`, or http, mcp_tool, prompt or agent";
        let Some(node) = self.document.get(handler, "type") else {
            self.report(loss, pointer, handler, "a handler without `type`", hint);
            return None;
        };
        let name = self.document.string(node);
        let kind = Handler::ALL.iter().copied().find(|kind| name.as_deref() == Some(kind.name()));
        if kind.is_none() {
            let message = match name {
                Some(name) => format!("`{name}` is no type of handler"),
                None => format!("`type` is {} instead of a string", node.describe()),
            };
            self.report(loss, &pointer.key("type"), node, message, hint);
        }
        kind
    }

    fn command(&mut self, pointer: &Pointer<'_>, node: &Node) {
        if self.document.string(node).is_some_and(|text| text.is_empty()) {
            let effects = Effects::both(Effect::NeverFires);
            self.report(effects, pointer, node, "`command` is empty", "name a program");
        }
    }

    /// The client asks its URL parser, which takes any scheme.
    fn url(&mut self, pointer: &Pointer<'_>, node: &Node, loss: Effects) {
        let Some(url) = self.document.string(node) else { return };
        if let Err(error) = Url::parse(&url) {
            let message = format!("`{url}` is no URL: {error}");
            let hint = "write `https://…` in full; the client puts no variables into it";
            self.report(loss, pointer, node, message, hint);
        } else if !["http:", "https:"].iter().any(|it| url.trim().to_lowercase().starts_with(it)) {
            let message = format!("`{url}` is no address of the web");
            let effects = Effects::both(Effect::NeverFires);
            self.report(effects, pointer, node, message, "write one with `http://` or `https://`");
        }
    }

    fn condition(&mut self, event: &str, pointer: &Pointer<'_>, node: &Node) {
        let effects = Effects::both(Effect::NeverFires);
        // An empty one is none to the client.
        let Some(rule) = self.document.string(node).filter(|rule| !rule.is_empty()) else { return };
        if !is_about_tools(event) {
            let message = format!("a handler of {event} with `if`");
            let hint = "delete `if`, it works on tool events only";
            self.report(effects, pointer, node, message, hint);
        } else if !is_one_rule(&rule) {
            let is_blank_around = rule != rule.trim() && is_one_rule(rule.trim());
            let (what, hint) = if is_blank_around {
                ("has blanks around it", format!("write `{}`", rule.trim()))
            } else {
                let hint = "write one rule, such as `Bash(git *)`, and a handler for each other";
                ("is not one permission rule", hint.to_owned())
            };
            let message = format!("the condition `{rule}` {what}");
            self.report(effects, pointer, node, message, hint);
        }
    }

    fn event_takes(&mut self, event: &str, pointer: &Pointer<'_>, handler: &Node, kind: Handler) {
        let takes = Event::from_name(event).is_none_or(|it| it.facts().takes.includes(kind));
        let effect = match kind {
            // The client drops these with a line in its debug log (2.1.197).
            Handler::Prompt | Handler::Agent => Effect::HandlerDropped,
            // Seen: `http` on SessionStart loads and never fires.
            _ => Effect::NeverFires,
        };
        if !takes {
            let message = format!("{event} takes no `{}` handlers", kind.name());
            let hint = "use a `command` handler";
            self.report(Effects::both(effect), pointer, handler, message, hint);
        }
    }
}

/// Returns whether the client looks at `if` on an event; elsewhere such a handler never runs.
pub(super) fn is_about_tools(event: &str) -> bool {
    Event::from_name(event).is_some_and(|event| event.facts().subject == Subject::Tool)
}

/// Returns whether the client takes a text for one permission rule: a tool, and maybe a pattern.
pub fn is_one_rule(rule: &str) -> bool {
    Rule::parse(rule).is_some_and(|rule| !rule.content.is_some_and(|it| holds_two(&it)))
}

/// Returns whether a second rule begins inside what was taken for the pattern, as in `Bash(a), Bash(b)`.
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
