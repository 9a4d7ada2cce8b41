//! The events that can be caused in `claude -p`, and their causes.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::model::Call;
use crate::client::permission_rule::Anchors;
use crate::client::{Event, Payload, Rule, matcher};
use crate::doctor::overlap::is_for_nothing;
use crate::settings::Handler;
use crate::syntax::named::words;

/// The tools that are called, where the client has them.
const TOOLS: &[&str] = &words::<14>(
    "Agent Bash Edit Glob Grep NotebookEdit Read Skill TaskCreate TaskList TaskUpdate TodoWrite \
     WebFetch Write",
);

const COMMAND: &str = "hookman-asks";

/// The slash commands that are typed; hookman's own entry is for the second.
pub(super) const COMMANDS: [&str; 2] = [COMMAND, "hook:disable"];

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
            Call { tool: "Bash", input: json!({"command": "touch asked", "description": "asks"}) },
            Call { tool: "Write", input: json!({"file_path": file, "content": "asked"}) },
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
    let call = |tool, input| Call { tool, input };
    let bash = |command: &str| call("Bash", json!({"command": command, "description": "asks"}));
    let file = |name: &str| format!("{project}/{name}");
    let mut first = vec![
        bash("true"),
        call("Read", json!({"file_path": file("probe.txt")})),
        call("Write", json!({"file_path": file("new.txt"), "content": "new"})),
        call("Glob", json!({"pattern": "*.txt"})),
        call("Grep", json!({"pattern": "probe"})),
        call("WebFetch", json!({"url": "https://hookman.invalid/", "prompt": "nothing"})),
        call("Skill", json!({"skill": COMMAND})),
        call("TaskCreate", json!({"subject": "asks", "description": "asks"})),
        call(
            "TodoWrite",
            json!({"todos": [{"content": "asks", "status": "pending", "activeForm": "asking"}]}),
        ),
    ];
    let rules: BTreeSet<&str> = handlers.iter().filter_map(condition).collect();
    let (read, others): (Vec<Call>, Vec<Call>) = rules
        .iter()
        .filter_map(|rule| meets(rule, project, "true ||"))
        .partition(|call| call.tool == "Read");
    first.extend(others);
    let fails = |handler: &&Handler| handler.event == Event::PostToolUseFailure.name();
    let failing = handlers.iter().filter(fails).filter_map(condition);
    let failing = failing.filter_map(|rule| meets(rule, project, "false &&"));
    let mut second = vec![
        call(
            "Edit",
            json!({"file_path": file("probe.txt"), "old_string": "probe", "new_string": "asked"}),
        ),
        bash("false"),
        call("TaskUpdate", json!({"taskId": "1", "status": "completed"})),
        call("TaskList", json!({})),
    ];
    second.extend(read);
    second.extend(failing.filter(|call| call.tool == "Bash"));
    let agent = json!({
        "description": "asks", "prompt": "look", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    vec![first, second, vec![bash("cd below")], vec![call("Agent", agent)]]
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
            words.chars().all(is_plain).then_some(Call { tool: "Bash", input })
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
                "Read" => Call { tool: "Read", input: json!({"file_path": path}) },
                "Write" => {
                    Call { tool: "Write", input: json!({"file_path": path, "content": "asked"}) }
                }
                // Of a file that is not there an edit without an old text makes one.
                _ => Call {
                    tool: "Edit",
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
        let calls = calls.filter(|call| tools.contains(&call.tool));
        calls.filter_map(|call| Some(call.input["file_path"].as_str()?.to_owned())).collect()
    };
    let written = paths(&["Edit", "Write"]);
    paths(&["Read"]).into_iter().filter(|path| !written.contains(path)).collect()
}

pub(super) fn tools_called(called: &[String]) -> String {
    let mut names: Vec<&str> =
        TOOLS.iter().copied().filter(|it| called.iter().any(|c| c == it)).collect();
    names.dedup();
    names.join(", ")
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
