//! The events that can be caused in `claude -p`, and their causes.

use std::collections::BTreeSet;

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

pub(super) fn sessions(handlers: &[Handler], project: &str) -> Vec<Session> {
    let is_for = |events: &[Event]| {
        handlers.iter().any(|handler| events.iter().any(|event| event.name() == handler.event))
    };
    let mut sessions = vec![Session {
        prompt: "go".to_owned(),
        arguments: if is_for(&[Event::Setup]) { &["--init"] } else { &[] },
        may: true,
        turns: turns(handlers, project),
    }];
    if is_for(&[Event::PermissionRequest]) {
        let file = format!("{project}/asked.txt");
        let asks = |handler: &&Handler| handler.event == Event::PermissionRequest.name();
        let rules = handlers.iter().filter(asks).filter_map(condition);
        let mut calls = vec![
            Call {
                tool: "Bash".to_owned(),
                input: json!({"command": "touch asked", "description": "asks"}),
            },
            Call {
                tool: "Write".to_owned(),
                input: json!({"file_path": file, "content": "asked"}),
            },
        ];
        calls.extend(rules.filter_map(|rule| meets(rule, project, "touch asked; true ||")));
        let prompt = "go".to_owned();
        sessions.push(Session { prompt, arguments: &[], may: false, turns: vec![calls] });
    }
    if is_for(&[Event::UserPromptExpansion]) {
        for name in COMMANDS {
            let prompt = format!("/{name}");
            sessions.push(Session { prompt, arguments: &[], may: true, turns: Vec::new() });
        }
    }
    let again = [Event::PreCompact, Event::PostCompact];
    let resumes = handlers.iter().any(|handler| {
        let hit = |source| {
            matcher::matches(handler.matcher.as_deref(), Event::SessionStart, Some(source))
        };
        handler.event == Event::SessionStart.name() && (hit("resume") || hit("compact"))
    });
    if is_for(&again) || resumes {
        let prompt = "/compact".to_owned();
        sessions.push(Session { prompt, arguments: &["--continue"], may: true, turns: Vec::new() });
    }
    sessions
}

fn turns(handlers: &[Handler], project: &str) -> Vec<Vec<Call>> {
    let text = include_str!("turns.json").replace("<project>", project);
    let mut turns: Vec<Vec<Call>> = serde_json::from_str(&text).unwrap_or_default();
    let rules: BTreeSet<&str> = handlers.iter().filter_map(condition).collect();
    let calls = rules.iter().filter_map(|rule| meets(rule, project, "true ||"));
    let (read, others): (Vec<Call>, Vec<Call>) = calls.partition(|call| call.tool == "Read");
    let fails = |handler: &&Handler| handler.event == Event::PostToolUseFailure.name();
    let failing = handlers.iter().filter(fails).filter_map(condition);
    let failing = failing.filter_map(|rule| meets(rule, project, "false &&"));
    if let [first, second, ..] = &mut turns[..] {
        first.extend(others);
        second.extend(read.into_iter().chain(failing.filter(|call| call.tool == "Bash")));
    }
    turns
}

/// A call that a rule is for, where one can be made that does nothing.
///
/// `before` is what keeps a command from being run.
fn meets(rule: &str, project: &str, before: &str) -> Option<Call> {
    let (tool, pattern) = rule.split_once('(')?;
    let pattern = pattern.strip_suffix(')')?;
    match tool {
        "Bash" => {
            let words = pattern.strip_suffix(":*").unwrap_or(pattern).replace('*', "x");
            // What comes behind that is looked at by the client and never run.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || " _./:=@%+-".contains(c);
            let input = json!({"command": format!("{before} {words}"), "description": "asks"});
            words.chars().all(is_plain).then_some(Call { tool: "Bash".to_owned(), input })
        }
        "Edit" | "Write" | "Read" => {
            let whole = pattern.strip_prefix("./").unwrap_or(pattern).replace("**/", "");
            let name = whole.replace("**", "x").replace(['*', '?'], "x");
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
            if name.starts_with(['/', '~']) || name.contains("..") || !name.chars().all(is_plain) {
                return None;
            }
            let path = format!("{project}/{name}");
            Some(match tool {
                "Read" => Call { tool: "Read".to_owned(), input: json!({"file_path": path}) },
                "Write" => Call {
                    tool: "Write".to_owned(),
                    input: json!({"file_path": path, "content": "asked"}),
                },
                // Of a file that is not there an edit without an old text makes one.
                _ => Call {
                    tool: "Edit".to_owned(),
                    input: json!({"file_path": path, "old_string": "", "new_string": "asked"}),
                },
            })
        }
        _ => None,
    }
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

pub(super) fn files_read(handlers: &[Handler]) -> Vec<String> {
    let paths = |tools: &[&str]| -> Vec<String> {
        let rules = handlers.iter().filter_map(condition);
        let calls = rules.filter_map(|rule| meets(rule, "project", "true ||"));
        let calls = calls.filter(|call| tools.contains(&call.tool.as_str()));
        calls.filter_map(|call| Some(call.input["file_path"].as_str()?.to_owned())).collect()
    };
    let written = paths(&["Edit", "Write"]);
    paths(&["Read"]).into_iter().filter(|path| !written.contains(path)).collect()
}

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
