//! A file that holds hookman's entries and nothing else, which goes with the last of them.

use serde_json::{Map, Value, json};

use super::change::{Action, Change};
use super::plan::Plan;
use super::record::Record;
use super::registration::Registration;
use crate::client::call::run_words;
use crate::client::host::files::Form;
use crate::syntax::json::{child, strip_bom, without_comments};

const PLUGIN: &str = include_str!("../../templates/opencode.js");
const LINES: &str = "const LINES = ";

/// Plans the file with these entries; `before` is what it holds now.
pub fn plan(form: Form, before: Option<&str>, wanted: &[Registration]) -> Plan {
    let mut old = events(form, before);
    let new = value(form, wanted);
    let text = match form {
        Form::Plugin => {
            let lines = format!("{LINES}{:#};", Value::Object(new.clone()));
            PLUGIN.replace("const LINES = @LINES@;", &lines)
        }
        _ => format!("{:#}\n", json!({"version": 1, "hooks": new})),
    };
    // The lines can be the same in another plugin, or in a file that its program drops.
    let stays = |before: &str| match form {
        Form::Plugin => before == text,
        _ => serde_json::from_str(before).is_ok_and(|it: Value| it["version"] == 1),
    };
    if !wanted.is_empty() && before.is_some_and(|before| !stays(before)) {
        old.values_mut().for_each(|line| *line = Value::Null);
    }
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
    // What is the same to the program stays as it is written.
    let text = before.filter(|_| changes.is_empty()).map_or(text, str::to_owned);
    let after = (!wanted.is_empty()).then_some(text);
    let mut plan = Plan::unchanged(before, Record::default());
    (plan.after, plan.changes, plan.wanted) = (after, changes, wanted.to_vec());
    plan
}

/// Returns whether a file is hookman's, or empty: one with anything else in it is somebody's.
pub fn is_own(form: Form, text: &str) -> bool {
    if form == Form::Plugin {
        return text.lines().next() == PLUGIN.lines().next() || text.trim().is_empty();
    }
    let all = events(form, Some(text)).into_iter().map(|(_, handlers)| handlers);
    let count: usize = all.map(|it| it.as_array().map_or(1, Vec::len)).sum();
    count == lines(form, text).len() && (count > 0 || text.trim().is_empty())
}

pub fn lines(form: Form, text: &str) -> Vec<String> {
    let handlers = events(form, Some(text)).into_iter().flat_map(|(_, handlers)| match handlers {
        Value::Array(handlers) => handlers,
        line => vec![json!({"bash": line})],
    });
    let line = |handler: Value| {
        let line = handler.get("bash")?.as_str()?.to_owned();
        run_words(&json!({"type": "command", "command": line})).map(|_| line)
    };
    handlers.filter_map(line).collect()
}

fn events(form: Form, text: Option<&str>) -> Map<String, Value> {
    let text = text.unwrap_or_default();
    if form == Form::Plugin {
        // The lines hold shell text, so only the reader of JSON knows their end.
        let rest = text.split_once(LINES).map(|(_, rest)| rest).unwrap_or_default();
        let lines = serde_json::Deserializer::from_str(rest).into_iter().next();
        return lines.and_then(Result::ok).unwrap_or_default();
    }
    let text = without_comments(strip_bom(text));
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    value.get("hooks").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn value(form: Form, wanted: &[Registration]) -> Map<String, Value> {
    let handlers = |entry: &Registration| match form {
        Form::Plugin => entry.command.as_str().into(),
        _ => json!([{"type": "command", "bash": entry.command, "timeoutSec": entry.timeout}]),
    };
    wanted.iter().map(|entry| (entry.event.clone(), handlers(entry))).collect()
}
