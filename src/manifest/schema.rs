//! The manifest as a JSON schema, for editors, and as the table of its keys, for people.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::client::event::Event;
use crate::client::host::HOSTS;

/// A key of a `[[hook]]`.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    /// The values that it takes, in Markdown.
    pub about: &'static str,
    /// The value without it, in Markdown.
    pub default: &'static str,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Text,
    Texts,
    OneOrMore,
    Hosts,
    Events,
    Seconds,
    Flag,
    Whole,
    Words(&'static [&'static str]),
    Tool,
    Conditions,
    Headers,
    Table,
}

use Shape::{
    Conditions, Events, Flag, Headers, Hosts, OneOrMore, Seconds, Table, Text, Texts, Tool, Whole,
    Words,
};

const fn key(name: &'static str, shape: Shape, about: &'static str, default: &'static str) -> Key {
    Key { name, about, default, shape }
}

/// The keys of `[[hook]]`, in the order in which documentation gives them.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("name", Text, "unique in the file; what switches, reports and messages call it", "the name of the `builtin`, else required"),
    key("builtin", Text, "the name of a ready-made hook", ""),
    key("command", Text, "a line for `sh -c`", ""),
    key("argv", Texts, "a program and its arguments, without a shell; `{file}` is the file of the call", ""),
    key("prompt", Text, "a question that the client asks a model, see [Hooks that the client runs](#hooks-that-the-client-runs)", ""),
    key("agent", Text, "a task that the client gives to an agent", ""),
    key("http", Text, "the URL that the client posts the event to", ""),
    key("mcp_tool", Tool, "`{ server = \"…\", tool = \"…\", input = { … } }`, a tool that the client calls", ""),
    key("event", Events, "an event of the client, or a list of them", "the built-in's, else required"),
    key("matcher", Text, "the client's matcher: names joined by `\\|`, or a JavaScript regular expression", "the built-in's, else everything"),
    key("enabled", Flag, "`false` switches it off for good", "`true`"),
    key("timeout", Seconds, "seconds, 0.001 to 600", "`[defaults]`, else 10"),
    key("on_error", Words(&["open", "ask", "closed"]), "`\"open\"`, `\"ask\"` or `\"closed\"`, see below", "`[defaults]`, else `\"open\"`"),
    key("mode", Words(&["enforce", "observe"]), "`\"observe\"`: it runs and is journalled, and nothing of its answer reaches the client, see [Watching first](#watching-first)", "`[defaults]`, else `\"enforce\"`"),
    key("observe_until", Text, "the last day on which `mode = \"observe\"` holds, such as `2026-12-31`", "`[defaults]`, else no end"),
    key("parallel", Flag, "`true`: it runs at the same time as its neighbours that are marked so too", "`false`"),
    key("always", Flag, "`true`: it also runs after a denial ended the chain", "`false`"),
    key("after", OneOrMore, "hooks that it is to come after; the file's order stays the order, and `hookman doctor` says where the two differ", "none"),
    key("cwd", Words(&["session", "project"]), "where a command runs: `\"session\"`, the session's current directory, or `\"project\"`, the directory the session was started in", "`\"session\"`"),
    key("path", OneOrMore, "directories added to the end of a command's `PATH`; `~/` and paths relative to the manifest work", "`[defaults]`, else none"),
    key("if", Text, "a permission rule of the client such as `Edit(*.py)`, see [Conditions](#conditions)", ""),
    key("async", Flag, "`true`: the client goes on without waiting; an entry of its own", "`false`"),
    key("status_message", Text, "what the client shows while the hook runs; an entry of its own", ""),
    key("when", Conditions, "further conditions such as `{ branch = \"main\" }`, see [Conditions](#conditions)", "always"),
    key("switch", Words(&["anyone", "user"]), "`\"user\"`: an agent's tools may not switch it off, see [Switches](switches.md)", "`\"anyone\"`"),
    key("hosts", Hosts, "the programs that it runs in, such as `[\"claude\", \"codex\"]`, see [Other agents](hosts.md)", "every one that calls the manifest's hooks"),
    key("context_priority", Whole, "a whole number; the lower it is, the sooner the hook gets room in the [context budget](#context-budget)", "0"),
    key("adopted", Flag, "`true`: it came from `settings.json`, and `hookman release` puts it back there", "`false`"),
    key("model", Text, "the model of a `prompt` or `agent`", "the client's"),
    key("continue_on_block", Flag, "`true`: a `prompt` that says no lets the turn go on with its reason", "`false`"),
    key("headers", Headers, "a table of headers for `http`; `$NAME` means a variable that `allowed_env_vars` names", "none"),
    key("allowed_env_vars", OneOrMore, "the variables that `headers` may name", "none"),
    key("on_failure", Words(&["block", "continue"]), "of `http`: `\"block\"` blocks where the request fails, `\"continue\"` does not; clients before 2.1.295 do not know it", "`\"continue\"`"),
    key("options", Table, "a table of options of the built-in; `hookman show HOOK` explains and lists them", "the built-in's"),
];

/// The keys of `[defaults]`.
const DEFAULTS: &[&str] = &["timeout", "on_error", "path", "mode", "observe_until"];

/// The keys of `when`, and whether each is true or false.
const WHEN: &[(&str, bool)] = &[
    ("agent", false),
    ("agent_not", false),
    ("branch", false),
    ("ci", true),
    ("headless", true),
    ("paths", false),
    ("permission_mode", false),
];

/// A ready-made hook, as far as a schema says something of it.
#[derive(Clone, Debug)]
pub struct ReadyMade {
    pub name: String,
    /// Its kind, which decides what options it takes.
    pub kind: String,
    pub options: Value,
}

/// The schema of a manifest, draft 7, which is what plugins of editors know; `hooks` are the ready-made
/// ones, whose options it has too.
pub fn schema(hooks: &[ReadyMade]) -> Value {
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let mut properties: Map<String, Value> =
        KEYS.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    properties["builtin"]["enum"] = json!(names);
    let mut kinds: BTreeMap<&str, Vec<&ReadyMade>> = BTreeMap::new();
    for hook in hooks {
        kinds.entry(&hook.kind).or_default().push(hook);
    }
    let options = kinds.iter().map(|(kind, hooks)| {
        let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        json!({
            "if": {"properties": {"builtin": {"enum": names}}, "required": ["builtin"]},
            "then": {"properties": {"options": {"$ref": format!("#/definitions/{kind}")}}},
        })
    });
    let definitions = kinds.iter().map(|(kind, hooks)| {
        let mut options = hooks[0].options.clone();
        if let Some(options) = options.as_object_mut() {
            options.remove("$schema");
        }
        ((*kind).to_owned(), options)
    });
    let mut defaults: Map<String, Value> = KEYS
        .iter()
        .filter(|key| DEFAULTS.contains(&key.name))
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    defaults.insert("context_budget".to_owned(), context_budget());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "The hooks of hookman, in the order they run in",
        "type": "object",
        "additionalProperties": false,
        "definitions": definitions.collect::<Map<_, _>>(),
        "properties": {
            "defaults": table("What holds for every hook that does not say otherwise", &defaults),
            "hook": {
                "description": "The hooks; they run in this order",
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": properties,
                    "allOf": options.collect::<Vec<_>>(),
                },
            },
            "hosts": hosts(),
            "journal": table("What the journal keeps", json!({
                "reasons": {"type": "boolean", "description": "false keeps the reasons of denials out of it"},
            }).as_object().unwrap_or(&Map::new())),
            "profiles": {
                "type": "object",
                "description": "Hooks that are switched off together, by the name of the profile",
                "additionalProperties": table("A profile", json!({
                    "disable": {"description": "The hooks, by name or pattern", "anyOf": one_or_more()},
                }).as_object().unwrap_or(&Map::new())),
            },
            "sessions": table("What is kept of sessions; only in your own manifest", json!({
                "keep_days": {"type": "integer", "minimum": 1, "maximum": 3650},
            }).as_object().unwrap_or(&Map::new())),
        },
    })
}

fn table(about: &str, properties: &Map<String, Value>) -> Value {
    json!({
        "type": "object",
        "description": about,
        "additionalProperties": false,
        "properties": properties,
    })
}

fn context_budget() -> Value {
    let tokens = json!({"type": "integer", "minimum": 1});
    json!({
        "type": "object",
        "description": "How many tokens all hooks together may add to the model's context",
        "additionalProperties": false,
        "properties": {"call": tokens, "session": tokens},
    })
}

fn one_or_more() -> Value {
    json!([{"type": "string"}, {"type": "array", "items": {"type": "string"}}])
}

fn hosts() -> Value {
    let names: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
    json!({"anyOf": [
        {"type": "string", "enum": names},
        {"type": "array", "items": {"type": "string", "enum": names}},
    ]})
}

fn property(key: &Key) -> Value {
    let events = Event::names(Event::ALL);
    let mut property = match key.shape {
        Text => json!({"type": "string"}),
        Texts => json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        OneOrMore => json!({"anyOf": one_or_more()}),
        Hosts => hosts(),
        Events => {
            let one = json!({"type": "string", "enum": events});
            json!({"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]})
        }
        Seconds => json!({"type": "number", "minimum": 0.001, "maximum": 600}),
        Flag => json!({"type": "boolean"}),
        Whole => json!({"type": "integer"}),
        Words(words) => json!({"type": "string", "enum": words}),
        Tool => json!({
            "type": "object",
            "required": ["server", "tool"],
            "properties": {
                "server": {"type": "string"},
                "tool": {"type": "string"},
                "input": {"type": "object"},
            },
        }),
        Conditions => {
            let keys = WHEN.iter().map(|(name, is_flag)| {
                let shape = if *is_flag {
                    json!({"type": "boolean"})
                } else {
                    json!({"anyOf": one_or_more()})
                };
                ((*name).to_owned(), shape)
            });
            let keys: Map<String, Value> = keys.collect();
            json!({"type": "object", "additionalProperties": false, "properties": keys})
        }
        Headers => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Table => json!({"type": "object"}),
    };
    property["description"] = json!(plain(key.about));
    property
}

/// Markdown as an editor shows it in a line.
fn plain(markdown: &str) -> String {
    let mut text = markdown.replace("\\|", "|");
    while let Some((before, link)) = text.split_once('[')
        && let Some((words, rest)) = link.split_once("](")
        && let Some((_, after)) = rest.split_once(')')
    {
        text = format!("{before}{words}{after}");
    }
    text
}
