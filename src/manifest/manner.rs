//! How a hook runs beside others: with its neighbours, or on an entry of its own.

use serde_json::{Map, Value};
use toml::de::DeTable;

use super::document::Reader;
use crate::client::event::{Event, Subject};
use crate::client::settings_schema::is_one_rule;

/// The keys that are read here.
pub(super) const KEYS: &[&str] =
    &["parallel", "always", "if", "async", "status_message", "adopted"];

/// How a hook runs beside others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest")]
pub struct Manner {
    /// Whether it may run at the same time as its neighbours that are marked so too.
    pub parallel: bool,
    /// Whether it runs also when a hook before it has ended the chain.
    pub always: bool,
    /// A rule of the client's permission language that a call must fall under.
    pub condition: Option<String>,
    /// Whether the client goes on without waiting for it.
    pub background: bool,
    /// What the client shows while the hook runs.
    pub status_message: Option<String>,
    /// Whether it stood in `settings.json` as somebody else's and can go back there.
    pub adopted: bool,
}

impl Manner {
    /// The further keys of the handler that the client needs to call this hook apart from its
    /// chain, or none if it runs with its chain.
    pub fn own_entry(&self) -> Option<Map<String, Value>> {
        (self.background || self.status_message.is_some()).then(|| self.handler_keys())
    }

    /// What a handler of the client's that runs this hook says besides its command and time limit.
    pub fn handler_keys(&self) -> Map<String, Value> {
        let mut keys = Map::new();
        if let Some(condition) = &self.condition {
            keys.insert("if".to_owned(), condition.clone().into());
        }
        if self.background {
            keys.insert("async".to_owned(), true.into());
        }
        if let Some(message) = &self.status_message {
            keys.insert("statusMessage".to_owned(), message.clone().into());
        }
        keys
    }

    pub(super) fn read(
        reader: &mut Reader<'_>,
        table: &DeTable<'_>,
        events: Option<&[Event]>,
    ) -> Self {
        let mut manner = Self::default();
        if let Some(value) = table.get("parallel") {
            manner.parallel = reader.boolean("parallel", value).unwrap_or_default();
        }
        if let Some(value) = table.get("always") {
            manner.always = reader.boolean("always", value).unwrap_or_default();
        }
        if let Some(value) = table.get("adopted") {
            manner.adopted = reader.boolean("adopted", value).unwrap_or_default();
        }
        if let Some(value) = table.get("async") {
            manner.background = reader.boolean("async", value).unwrap_or_default();
        }
        if let Some(value) = table.get("status_message") {
            manner.status_message = reader.text("status_message", value);
        }
        if let Some(value) = table.get("if") {
            manner.condition = reader.text("if", value);
            if let Some(rule) = manner.condition.as_deref().filter(|rule| !is_one_rule(rule)) {
                let message = format!(
                    "`{rule}` is not one permission rule, and the client never runs a hook with it"
                );
                reader.problem(value.span().start, message);
            }
            let deaf = |event: &&Event| event.facts().subject != Subject::Tool;
            if let Some(event) = events.and_then(|events| events.iter().find(deaf)) {
                let message = format!(
                    "`if` is a rule about tools, and on {event} the client never runs a hook with one"
                );
                reader.problem(value.span().start, message);
            }
        }
        manner
    }
}
