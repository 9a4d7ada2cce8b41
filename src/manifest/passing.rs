//! Hooks that the client runs itself, by an entry of its own kind in `settings.json`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::{Action, Manner, Origin, Passed, Problem, seconds};
use super::reader::Reader;
use crate::client::event::{Event, Handler};
use crate::client::settings_schema;
use crate::syntax::json::Document;

/// The keys that say what such a hook is.
pub(super) const ACTIONS: &[&str] = &["prompt", "agent", "http", "mcp_tool"];

/// The further keys that are read here.
pub(super) const KEYS: &[&str] =
    &["model", "continue_on_block", "headers", "allowed_env_vars", "on_failure"];

/// Keys that are hookman's to keep, which it cannot where the client runs the hook.
const HOOKMANS: &[&str] = &[
    "on_error",
    "parallel",
    "always",
    "async",
    "cwd",
    "path",
    "when",
    "switch",
    "adopted",
    "options",
    "after",
    "mode",
    "observe_until",
];

/// The keys of a hook that the client runs, besides its action.
pub(super) struct Rest<'a> {
    pub(super) manner: &'a Manner,
    /// Milliseconds it may take, where it says so.
    pub(super) timeout_ms: Option<u64>,
    pub(super) events: &'a [Event],
    /// The place of each key.
    pub(super) origins: &'a BTreeMap<String, Origin>,
    /// The place of the hook's declaration.
    pub(super) origin: &'a Origin,
}

impl Rest<'_> {
    fn problem(&self, key: &str, message: String) -> Problem {
        let origin = self.origins.get(key).unwrap_or(self.origin).clone();
        Problem { origin, message }
    }
}

/// Lays over the handler what the other keys of the hook say, and checks the whole against the
/// client's rules for each event.
pub(super) fn complete(mut passed: Passed, rest: &Rest<'_>) -> Result<Passed, Problem> {
    let name = passed.handler.name();
    if let Some(key) = HOOKMANS.iter().find(|key| rest.origins.contains_key(**key)) {
        let message = format!(
            "`{key}` has no effect on a hook of type {name}: the client runs it, not hookman; \
             leave it out"
        );
        return Err(rest.problem(key, message));
    }
    passed.keys.extend(rest.manner.handler_keys());
    passed.keys.extend(rest.timeout_ms.map(|timeout| ("timeout".to_owned(), seconds(timeout))));
    for event in rest.events {
        if !event.facts().takes.includes(passed.handler) {
            let takes = Handler::ALL.iter().filter(|it| event.facts().takes.includes(**it));
            let takes: Vec<&str> = takes.map(|handler| handler.name()).collect();
            let message = format!(
                "the client runs no hook of type {name} on {event}, only {}",
                takes.join(", ")
            );
            return Err(rest.problem("event", message));
        }
        if let Some((key, message)) = defect(&passed, *event) {
            return Err(rest.problem(key, message));
        }
    }
    Ok(passed)
}

/// Finds the defect that the client would see in the entry for an event, and the manifest's key for it.
fn defect(passed: &Passed, event: Event) -> Option<(&'static str, String)> {
    let settings = json!({"hooks": {event.name(): [{"hooks": [passed.keys]}]}}).to_string();
    let document = Document::parse(&settings).ok()?;
    let defect = settings_schema::check(&document, &[event.name()]).into_iter().next()?;
    let key = match defect.pointer.rsplit('/').next().unwrap_or_default() {
        "timeout" => "timeout",
        "if" => "if",
        "statusMessage" => "status_message",
        key => extra(passed.handler)
            .iter()
            .find(|it| it.theirs == key)
            .map_or_else(|| passed.handler.name(), |it| it.ours),
    };
    Some((key, format!("{}; {} ({})", defect.message, defect.effects, defect.hint)))
}

/// A key of the manifest that goes into the handler.
struct Extra {
    ours: &'static str,
    theirs: &'static str,
    read: fn(&mut Reader<'_>, &str, &Spanned<DeValue<'_>>) -> Option<Value>,
}

/// The keys that a type of handler takes (the client's documentation).
fn extra(handler: Handler) -> &'static [Extra] {
    const MODEL: Extra = Extra { ours: "model", theirs: "model", read: text };
    const ON_BLOCK: Extra =
        Extra { ours: "continue_on_block", theirs: "continueOnBlock", read: boolean };
    const HEADERS: Extra = Extra { ours: "headers", theirs: "headers", read: headers };
    const VARIABLES: Extra =
        Extra { ours: "allowed_env_vars", theirs: "allowedEnvVars", read: names };
    const ON_FAILURE: Extra = Extra { ours: "on_failure", theirs: "onFailure", read: text };
    match handler {
        Handler::Prompt => &[MODEL, ON_BLOCK],
        Handler::Agent => &[MODEL],
        Handler::Http => &[HEADERS, VARIABLES, ON_FAILURE],
        Handler::McpTool | Handler::Command => &[],
    }
}

/// Reads the value of one of [`ACTIONS`] and the keys that go with it.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Option<Action> {
    let handler = Handler::ALL.iter().copied().find(|handler| handler.name() == key)?;
    let mut keys = Map::from_iter([("type".to_owned(), Value::from(key))]);
    match handler {
        Handler::McpTool => keys.extend(tool(reader, value)?),
        Handler::Http => keys.extend([("url".to_owned(), said(reader, key, value)?.into())]),
        _ => keys.extend([("prompt".to_owned(), said(reader, key, value)?.into())]),
    }
    for extra in extra(handler) {
        if let Some(value) = table.get(extra.ours) {
            let value = (extra.read)(reader, extra.ours, value)?;
            keys.insert(extra.theirs.to_owned(), value);
        }
    }
    Some(Action::Passed(Passed { handler, keys }))
}

/// Names keys that belong to another type of hook than this one.
pub(super) fn misplaced(action: &Action, origins: &BTreeMap<String, Origin>) -> Option<Problem> {
    let own = match action {
        Action::Passed(passed) => extra(passed.handler),
        _ => &[],
    };
    let (key, origin) = KEYS
        .iter()
        .filter(|key| own.iter().all(|extra| extra.ours != **key))
        .find_map(|key| Some((key, origins.get(*key)?)))?;
    let takers = Handler::ALL.iter().filter(|it| extra(**it).iter().any(|it| it.ours == *key));
    let takers: Vec<&str> = takers.map(|handler| handler.name()).collect();
    let message = format!("`{key}` is for hooks of type {}", takers.join(" and "));
    Some(Problem { origin: origin.clone(), message })
}

fn said(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let text = reader.text(key, value)?;
    if text.trim().is_empty() {
        reader.problem(value.span().start, format!("`{key}` is empty"));
        return None;
    }
    Some(text)
}

fn tool(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Map<String, Value>> {
    const WANTED: &str = "a table such as { server = \"github\", tool = \"search\" }";
    let DeValue::Table(table) = value.get_ref() else {
        reader.wrong_type("mcp_tool", value, WANTED);
        return None;
    };
    reader.unknown_keys(table, "mcp_tool", &["server", "tool", "input"]);
    let mut keys = Map::new();
    for key in ["server", "tool"] {
        let Some(value) = table.get(key) else {
            reader.problem(
                value.span().start,
                format!("`mcp_tool` has no `{key}`; it takes {WANTED}"),
            );
            return None;
        };
        keys.insert(key.to_owned(), said(reader, key, value)?.into());
    }
    if let Some(input) = table.get("input") {
        keys.insert("input".to_owned(), reader.table("input", input)?.into());
    }
    Some(keys)
}

fn text(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
    said(reader, key, value).map(Value::from)
}

fn boolean(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
    reader.boolean(key, value).map(Value::from)
}

fn names(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
    let names = reader.texts(key, value, "a list of names of variables")?;
    Some(names.into_iter().map(|(_, name)| Value::from(name)).collect())
}

fn headers(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Value> {
    let DeValue::Table(table) = value.get_ref() else {
        reader.wrong_type(key, value, "a table of strings");
        return None;
    };
    let mut headers = Map::new();
    for (name, value) in table {
        let text = reader.text(name.get_ref(), value)?;
        headers.insert(name.get_ref().to_string(), text.into());
    }
    Some(headers.into())
}
