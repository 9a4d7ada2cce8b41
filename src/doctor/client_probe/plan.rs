//! The events that can be caused in `claude -p`, and their causes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::model::Call;
use crate::client::permission_rule::Anchors;
use crate::client::{Event, Payload, Rule, matcher};
use crate::doctor::overlap::is_for_nothing;
use crate::settings::Handler;

/// The slash commands that are typed; hookman's own entry is for the second.
pub(super) const COMMANDS: [&str; 2] = ["hookman-asks", "hook:disable"];

/// The arguments of a client, and the lines of the model.
pub(super) struct Session {
    pub prompt: String,
    pub arguments: &'static [&'static str],
    /// True if tools may run without a question.
    pub may: bool,
    pub turns: Vec<Vec<Call>>,
}

/// A session for something that is typed, in which tools may run and the model says nothing.
fn typed(prompt: &str, arguments: &'static [&'static str]) -> Session {
    Session { prompt: prompt.to_owned(), arguments, may: true, turns: Vec::new() }
}

pub(super) fn sessions(handlers: &[&Handler], project: &str) -> Vec<Session> {
    let is_for = |event: Event| handlers.iter().any(|handler| handler.event == event.name());
    let text = include_str!("turns.json").replace("<project>", project);
    let mut turns: BTreeMap<String, Vec<Vec<Call>>> =
        serde_json::from_str(&text).unwrap_or_default();
    let mut turns = |name: &str| turns.remove(name).unwrap_or_default();
    let arguments: &[&str] = if is_for(Event::Setup) { &["--init"] } else { &[] };
    let first = with_rules(turns("free"), handlers, project);
    let mut sessions = vec![Session { turns: first, ..typed("go", arguments) }];
    if is_for(Event::PermissionRequest) {
        let mut asked = turns("asked");
        let calls =
            calls(handlers, Some(Event::PermissionRequest), project, "touch asked; true ||");
        asked.iter_mut().take(1).for_each(|turn| turn.extend_from_slice(&calls));
        sessions.push(Session { may: false, turns: asked, ..typed("go", &[]) });
    }
    if is_for(Event::UserPromptExpansion) {
        sessions.extend(COMMANDS.iter().map(|name| typed(&format!("/{name}"), &[])));
    }
    let start = Event::SessionStart;
    let resumes = handlers.iter().filter(|it| it.event == start.name()).any(|it| {
        let hits = |source| matcher::matches(it.matcher.as_deref(), start, Some(source));
        hits("resume") || hits("compact")
    });
    if is_for(Event::PreCompact) || is_for(Event::PostCompact) || resumes {
        sessions.push(typed("/compact", &["--continue"]));
    }
    sessions
}

/// The turns, with calls that the rules of handlers are for.
fn with_rules(mut turns: Vec<Vec<Call>>, handlers: &[&Handler], project: &str) -> Vec<Vec<Call>> {
    let of_all = calls(handlers, None, project, "true ||").into_iter();
    let (read, others): (Vec<Call>, Vec<Call>) = of_all.partition(|call| call.tool == "Read");
    let failing = calls(handlers, Some(Event::PostToolUseFailure), project, "false &&");
    if let [first, second, ..] = &mut turns[..] {
        first.extend(others);
        let failing = failing.into_iter().filter(|call| call.tool == "Bash");
        second.extend(read.into_iter().chain(failing));
    }
    turns
}

fn calls(handlers: &[&Handler], of: Option<Event>, project: &str, before: &str) -> Vec<Call> {
    let handlers = handlers.iter().filter(|it| of.is_none_or(|of| it.event == of.name()));
    let rules: BTreeSet<&str> = handlers.filter_map(|it| it.text("if")).collect();
    rules.into_iter().filter_map(|rule| meets(rule, project, before)).collect()
}

/// A call that a rule is for, where one can be made that does nothing. `before` is what keeps a command
/// from being run.
fn meets(rule: &str, project: &str, before: &str) -> Option<Call> {
    let (tool, pattern) = rule.split_once('(')?;
    let pattern = pattern.strip_suffix(')')?;
    let is_plain = |text: &str, more: &str| {
        text.chars().all(|it| it.is_ascii_alphanumeric() || more.contains(it))
    };
    let mut input = match tool {
        "Bash" => {
            let words = pattern.strip_suffix(":*").unwrap_or(pattern).replace('*', "x");
            // What comes behind that is looked at by the client and never run.
            let input = json!({"command": format!("{before} {words}"), "description": "asks"});
            return is_plain(&words, " _./:=@%+-").then(|| Call { tool: tool.to_owned(), input });
        }
        "Read" => json!({}),
        "Write" => json!({"content": "asked"}),
        // Of a file that is not there an edit without an old text makes one.
        "Edit" => json!({"old_string": "", "new_string": "asked"}),
        _ => return None,
    };
    let whole = pattern.strip_prefix("./").unwrap_or(pattern).replace("**/", "");
    let name = whole.replace("**", "x").replace(['*', '?'], "x");
    if name.starts_with(['/', '~']) || name.contains("..") || !is_plain(&name, "_./-") {
        return None;
    }
    input["file_path"] = format!("{project}/{name}").into();
    Some(Call { tool: tool.to_owned(), input })
}

/// Explains why nothing can be said of a handler that did not run, where that is so.
pub(super) fn unreached(handler: &Handler, seen: &Seen<'_>) -> Option<&'static str> {
    let Some(event) = Event::from_name(&handler.event) else {
        return Some("hookman does not know the event, and cannot cause it");
    };
    if handler.text("type") == Some("mcp_tool") {
        return Some("the copies have no MCP servers");
    }
    let is_reached = seen.has_for(handler, event) || is_for_nothing(handler, event);
    (!is_reached).then_some("no event for it came in this session")
}

/// The files that are only read.
pub(super) fn files_read(sessions: &[Session]) -> impl Iterator<Item = &str> {
    let paths = |tools: &'static [&str]| {
        let calls = sessions.iter().flat_map(|session| &session.turns).flatten();
        let calls = calls.filter(|call| tools.contains(&call.tool.as_str()));
        calls.filter_map(|call| call.input["file_path"].as_str())
    };
    let written: Vec<&str> = paths(&["Edit", "Write"]).collect();
    paths(&["Read"]).filter(move |path| !written.contains(path))
}

/// The settings that are given besides the copies: for each event of `handlers`, a hook that writes
/// what came to `file`.
pub(super) fn settings(handlers: &[&Handler], file: &str) -> Value {
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

    pub(super) fn has_for(&self, handler: &Handler, event: Event) -> bool {
        let rule = handler.text("if").filter(|rule| !rule.is_empty());
        let mut of_event = self.payloads.iter().filter(|it| it.hook_event_name == event.name());
        of_event.any(|payload| {
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
}
