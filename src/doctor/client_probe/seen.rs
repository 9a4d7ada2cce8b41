//! The events that came about while the client was asked, as a recording hook saw them.

use serde_json::{Map, Value, json};

use crate::client::event::Event;
use crate::client::matcher;
use crate::client::payload::Payload;
use crate::client::permission_rule::{Anchors, Rule};
use crate::settings::Handler;

/// The settings that are given besides the copies: for each event of `handlers`, a hook that writes
/// what came to `file`.
pub(super) fn settings(handlers: &[Handler], file: &str) -> Value {
    let mut events = Map::new();
    for event in handlers.iter().filter_map(|handler| Event::from_name(&handler.event)) {
        // A hook there takes the place of what git does.
        if !matches!(event, Event::WorktreeCreate | Event::WorktreeRemove) {
            let handler = json!({"type": "command", "command": format!("cat >> '{file}'")});
            events.insert(event.name().to_owned(), json!([{ "hooks": [handler] }]));
        }
    }
    json!({ "hooks": events })
}

pub(super) struct Seen<'a> {
    payloads: Vec<Payload<'a>>,
    project: &'a str,
    home: &'a str,
}

impl<'a> Seen<'a> {
    /// Reads what the hook wrote, a payload in each line.
    pub(super) fn read(text: &'a str, project: &'a str, home: &'a str) -> Self {
        let payloads = text.lines().filter_map(|line| Payload::parse(line).ok()).collect();
        Self { payloads, project, home }
    }

    /// Returns whether something came that a handler is for.
    pub(super) fn has_for(&self, handler: &Handler, event: Event) -> bool {
        let rule = condition(handler).filter(|rule| !rule.is_empty());
        self.of(event).any(|payload| {
            let subject = payload.subject(event);
            let anchors = Anchors { cwd: &payload.cwd, project: self.project, home: self.home };
            matcher::matches(handler.matcher.as_deref(), event, subject)
                && rule.is_none_or(|rule| {
                    Rule::parse(rule).is_some_and(|rule| {
                        rule.matches(&payload.tool_name, payload.tool_input, anchors)
                    })
                })
        })
    }

    fn of(&self, event: Event) -> impl Iterator<Item = &Payload<'a>> {
        self.payloads.iter().filter(move |payload| payload.hook_event_name == event.name())
    }
}

pub(super) fn condition(handler: &Handler) -> Option<&str> {
    handler.text("if")
}
