//! The manner in which a hook runs with others: with its neighbours, or on an entry of its own.

use toml::de::DeTable;

use super::model::Manner;
use super::reader::Reader;
use crate::client::event::{Event, Subject};
use crate::client::settings_schema::is_one_rule;

pub(super) const KEYS: &[&str] = &[
    "parallel",
    "always",
    "if",
    "async",
    "status_message",
    "after",
    "adopted",
    "context_priority",
];

/// Reads how a hook runs; `events` are those that it names.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    events: Option<&[Event]>,
) -> Manner {
    let mut manner = Manner::default();
    let mut is_set =
        |key: &str| table.get(key).and_then(|value| reader.boolean(key, value)).unwrap_or_default();
    manner.parallel = is_set("parallel");
    manner.always = is_set("always");
    manner.adopted = is_set("adopted");
    manner.background = is_set("async");
    if let Some(value) = table.get("after") {
        let names = reader.texts("after", value, "a name or a list of names");
        manner.after = names.unwrap_or_default().into_iter().map(|(_, name)| name).collect();
    }
    if let Some(value) = table.get("status_message") {
        manner.status_message = reader.text("status_message", value);
    }
    if let Some(value) = table.get("context_priority") {
        manner.context_priority = reader.integer("context_priority", value).unwrap_or_default();
    }
    if let Some(value) = table.get("if") {
        // An empty one is none to the client.
        manner.condition = reader.text("if", value).filter(|rule| !rule.is_empty());
        if let Some(rule) = manner.condition.as_deref().filter(|rule| !is_one_rule(rule)) {
            let message = format!(
                "`{rule}` is not one permission rule, and the client never runs a hook with it"
            );
            reader.problem(value.span().start, message);
        }
        let deaf = |event: &&Event| event.facts().subject != Subject::Tool;
        let events = events.filter(|_| manner.condition.is_some());
        if let Some(event) = events.and_then(|events| events.iter().find(deaf)) {
            let message = format!(
                "`if` is a rule about tools, and on {event} the client never runs a hook with one"
            );
            reader.problem(value.span().start, message);
        }
    }
    manner
}
