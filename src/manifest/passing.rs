//! Hooks that the client runs itself, by an entry of its own kind in `settings.json`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::keys::HookKeys;
use super::model::{Action, Manner, Origin, Passed, Problem, seconds};
use crate::client::event::Handler;
use crate::client::{Event, settings_schema};
use crate::syntax::json::Document;
use crate::syntax::named::words;

/// The further keys of such hooks: the client's name, and the types of handlers that take it.
const EXTRAS: &[(&str, &str, &[Handler])] = &[
    ("model", "model", &[Handler::Prompt, Handler::Agent]),
    ("continue_on_block", "continueOnBlock", &[Handler::Prompt]),
    ("headers", "headers", &[Handler::Http]),
    ("allowed_env_vars", "allowedEnvVars", &[Handler::Http]),
    ("on_failure", "onFailure", &[Handler::Http, Handler::McpTool]),
];

/// Keys that are hookman's to keep, which it cannot where the client runs the hook.
const HOOKMANS: &[&str] = &words::<13>(
    "on_error parallel always async cwd path when switch adopted options after mode observe_until",
);

/// The keys of a hook that the client runs, besides its action.
pub(super) struct Rest<'a> {
    pub(super) manner: &'a Manner,
    pub(super) timeout_ms: Option<u64>,
    pub(super) events: &'a [Event],
    pub(super) origins: &'a BTreeMap<String, Origin>,
    pub(super) origin: &'a Origin,
}

impl Rest<'_> {
    fn problem(&self, key: &str, message: String) -> Problem {
        let origin = self.origins.get(key).unwrap_or(self.origin).clone();
        Problem { origin, message }
    }
}

/// Lays the hook's other keys over the handler, and checks it by the client's rules for each event.
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
        key => EXTRAS
            .iter()
            .find(|(_, theirs, _)| *theirs == key)
            .map_or_else(|| passed.handler.name(), |(ours, ..)| ours),
    };
    Some((key, format!("{}; {} ({})", defect.message, defect.effects, defect.hint)))
}

/// Gives the handler as far as the keys of the hook that are only for it say it.
pub(super) fn handler_keys(handler: Handler, keys: &HookKeys) -> Option<Map<String, Value>> {
    let mut handler_keys = Map::from_iter([("type".to_owned(), Value::from(handler.name()))]);
    let (key, text) = match handler {
        Handler::Http => ("url", &keys.http),
        Handler::Agent => ("prompt", &keys.agent),
        _ => ("prompt", &keys.prompt),
    };
    match handler {
        Handler::McpTool => handler_keys.extend(keys.mcp_tool.clone()?),
        _ => handler_keys.extend([(key.to_owned(), text.clone()?.into())]),
    }
    let values = [
        keys.model.clone().map(Value::from),
        keys.continue_on_block.map(Value::from),
        keys.headers.clone().map(Value::from),
        keys.allowed_env_vars.clone().map(Value::from),
        keys.on_failure.map(Value::from),
    ];
    for ((_, theirs, _), value) in EXTRAS.iter().zip(values) {
        handler_keys.extend(value.map(|value| ((*theirs).to_owned(), value)));
    }
    Some(handler_keys)
}

/// Refuses keys that belong to another type of hook than this one.
pub(super) fn misplaced(
    action: &Action,
    origins: &BTreeMap<String, Origin>,
) -> Result<(), Problem> {
    let own = match action {
        Action::Passed(passed) => Some(passed.handler),
        _ => None,
    };
    for (key, _, takers) in EXTRAS {
        if let (false, Some(origin)) =
            (own.is_some_and(|own| takers.contains(&own)), origins.get(*key))
        {
            let takers: Vec<&str> = takers.iter().map(|handler| handler.name()).collect();
            let message = format!("`{key}` is for hooks of type {}", takers.join(" and "));
            return Err(Problem { origin: origin.clone(), message });
        }
    }
    Ok(())
}
