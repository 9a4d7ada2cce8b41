//! A file that holds hookman's entries and nothing else, which goes with the last of them.

use serde_json::{Map, Value, json};

use super::change::{Action, Change};
use super::plan::Plan;
use super::record::Record;
use super::registration::Registration;
use crate::client::call::run_words;
use crate::syntax::json::child;

/// Plans the file with these entries; `before` is what it holds now.
pub fn plan(before: Option<&str>, wanted: &[Registration]) -> Plan {
    let old = events(before);
    let new = value(wanted);
    let mut changes = Vec::new();
    let of = |all: &Map<String, Value>, event: &str| all.get(event).cloned();
    let names = new.keys().chain(old.keys().filter(|event| !new.contains_key(*event)));
    for event in names {
        let (before, after) = (of(&old, event), of(&new, event));
        let action = match (&before, &after) {
            (Some(before), Some(after)) if before == after => continue,
            (Some(_), Some(_)) => Action::Replace,
            (None, _) => Action::Add,
            (_, None) => Action::Remove,
        };
        let pointer = child("/hooks", event);
        changes.push(Change { action, event: event.clone(), pointer, before, after });
    }
    let after =
        (!wanted.is_empty()).then(|| format!("{:#}\n", json!({"version": 1, "hooks": new})));
    let before = before.map(str::to_owned);
    // What is the same to the program stays as it is written.
    let after = if changes.is_empty() && after.is_some() && before.is_some() {
        before.clone()
    } else {
        after
    };
    let mut plan = Plan::unchanged(before.as_deref(), Record::default());
    (plan.after, plan.changes, plan.wanted) = (after, changes, wanted.to_vec());
    plan
}

pub fn lines(text: &str) -> Vec<String> {
    let handlers = events(Some(text)).into_iter().filter_map(|(_, handlers)| match handlers {
        Value::Array(handlers) => Some(handlers),
        _ => None,
    });
    let line = |handler: Value| {
        let line = handler.get("bash")?.as_str()?.to_owned();
        run_words(&json!({"type": "command", "command": line})).map(|_| line)
    };
    handlers.flatten().filter_map(line).collect()
}

fn events(text: Option<&str>) -> Map<String, Value> {
    let value: Value = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    value.get("hooks").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn value(wanted: &[Registration]) -> Map<String, Value> {
    let mut events = Map::new();
    for entry in wanted {
        let handler =
            json!({"type": "command", "bash": entry.command, "timeoutSec": entry.timeout});
        let handlers =
            events.entry(entry.event.clone()).or_insert_with(|| Value::Array(Vec::new()));
        handlers.as_array_mut().into_iter().for_each(|all| all.push(handler.clone()));
    }
    events
}
