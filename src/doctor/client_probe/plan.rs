//! What can be caused in `claude -p`, and by what.

use serde_json::{Value, json};

use super::model::Call;
use crate::client::event::{Event, Subject};
use crate::client::matcher::{self, Kind};
use crate::client::tools;
use crate::settings::Handler;

/// The tools that are called, where the client has them.
const TOOLS: &[&str] = &[
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "NotebookEdit",
    "Read",
    "Skill",
    "TaskCreate",
    "TaskList",
    "TaskUpdate",
    "TodoWrite",
    "WebFetch",
    "Write",
];

/// The name of the command that is typed.
const COMMAND: &str = "hookman-asks";

/// How the client is started, and what the model says then.
pub(super) struct Session {
    /// What is typed.
    pub prompt: String,
    /// Arguments besides the usual ones.
    pub arguments: &'static [&'static str],
    /// Whether tools may run without a question.
    pub may: bool,
    /// What the model calls, turn by turn.
    pub turns: Vec<Vec<Call>>,
}

/// The sessions that reach what is registered.
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
        let calls = vec![
            Call { tool: "Bash", input: json!({"command": "touch asked", "description": "asks"}) },
            Call { tool: "Write", input: json!({"file_path": file, "content": "asked"}) },
        ];
        let prompt = "go".to_owned();
        sessions.push(Session { prompt, arguments: &[], may: false, turns: vec![calls] });
    }
    if is_for(&[Event::UserPromptExpansion]) {
        for name in commands(handlers) {
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
    first.extend(handlers.iter().filter_map(condition).filter_map(|rule| meets(rule, project)));
    let second = vec![
        call(
            "Edit",
            json!({"file_path": file("probe.txt"), "old_string": "probe", "new_string": "asked"}),
        ),
        bash("false"),
        call("TaskUpdate", json!({"taskId": "1", "status": "completed"})),
        call("TaskList", json!({})),
    ];
    let agent = json!({
        "description": "asks", "prompt": "look", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    vec![first, second, vec![bash("cd below")], vec![call("Agent", agent)]]
}

fn condition(handler: &Handler) -> Option<&str> {
    handler.value.get("if").and_then(Value::as_str)
}

/// A call that a rule is for, where one can be made that does nothing.
fn meets(rule: &str, project: &str) -> Option<Call> {
    let (tool, pattern) = rule.split_once('(')?;
    let pattern = pattern.strip_suffix(')')?;
    match tool {
        "Bash" => {
            let words = pattern.strip_suffix(":*").unwrap_or(pattern).replace('*', "x");
            // What comes behind the bars is looked at by the client and never run.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || " _./:=@%+-".contains(c);
            let input = json!({"command": format!("true || {words}"), "description": "asks"});
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

/// The slash commands that are typed: those that matchers name, or one that any matcher may hit.
pub(super) fn commands(handlers: &[Handler]) -> Vec<String> {
    let of_prompts = |handler: &&Handler| handler.event == Event::UserPromptExpansion.name();
    let matchers = handlers.iter().filter(of_prompts).filter_map(|it| it.matcher.as_deref());
    // A command in a folder has a colon in its name.
    let is_name = |name: &&str| {
        !name.starts_with(':')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
    };
    let commands = matchers.flat_map(matcher::names).filter(is_name);
    let mut names: Vec<String> = commands.take(4).map(str::to_owned).collect();
    names.push(COMMAND.to_owned());
    names.sort();
    names.dedup();
    names
}

/// Why a handler cannot be reached by what is caused, where that is so; `called` are the tools that
/// were called.
pub(super) fn unreached(handler: &Handler, called: &[String]) -> Option<String> {
    let Some(event) = Event::from_name(&handler.event) else {
        return Some("hookman does not know the event, and cannot cause it".to_owned());
    };
    let kind = handler.value.get("type").and_then(Value::as_str).unwrap_or_default();
    if matches!(kind, "mcp_tool") {
        return Some("the copies have no MCP servers".to_owned());
    }
    let matcher = handler.matcher.as_deref();
    let hits = |subjects: &[&str]| {
        subjects.iter().any(|subject| matcher::matches(matcher, event, Some(subject)))
    };
    let only = |subjects: &[&str], what: &str| {
        // A name that only differs in case was tried all the same.
        let lower = matcher.unwrap_or_default().to_lowercase();
        let was_tried =
            hits(subjects) || subjects.iter().any(|it| lower.contains(&it.to_lowercase()));
        (!was_tried).then(|| what.to_owned())
    };
    match event {
        Event::PreToolUse | Event::PostToolUse => of_tools(handler, event, called),
        Event::PostToolUseFailure => only(&["Bash"], "only Bash is made to fail"),
        Event::PermissionRequest => only(&["Bash", "Write"], "only Bash and Write are asked for"),
        Event::SessionStart => only(
            &["startup", "resume", "compact"],
            "a session can only be started, resumed and compacted here",
        ),
        Event::Setup => only(&["init"], "only `--init` is asked for"),
        Event::SessionEnd => {
            only(&["other", "prompt_input_exit"], "`claude -p` ends for other reasons")
        }
        Event::PreCompact | Event::PostCompact => only(&["manual"], "it is compacted by hand only"),
        Event::SubagentStart | Event::SubagentStop => {
            only(&["general-purpose"], "only the agent general-purpose is started")
        }
        Event::InstructionsLoaded => only(&["session_start"], "only a session's start loads any"),
        Event::UserPromptExpansion => None,
        Event::CwdChanged
        | Event::MessageDisplay
        | Event::PostToolBatch
        | Event::Stop
        | Event::TaskCompleted
        | Event::TaskCreated
        | Event::UserPromptSubmit => {
            let tool = match event {
                Event::TaskCompleted | Event::TaskCreated => "TaskCreate",
                _ => return None,
            };
            let has = called.iter().any(|name| name == tool);
            (!has).then(|| format!("this client offers no {tool} in `-p`"))
        }
        _ => Some("`claude -p` has no way to cause it".to_owned()),
    }
}

fn of_tools(handler: &Handler, event: Event, called: &[String]) -> Option<String> {
    let matcher = handler.matcher.as_deref();
    let tried = |tool: &&String| {
        let names = matcher.unwrap_or_default().to_lowercase();
        matcher::matches(matcher, event, Some(tool)) || names.contains(&tool.to_lowercase())
    };
    let rule = condition(handler).unwrap_or_default();
    if let Some((tool, _)) = rule.split_once('(')
        && tools::KNOWN.contains(&tool)
        && meets(rule, "").is_none()
    {
        return Some(format!("no call of {tool} could be made up that its `if` is for"));
    }
    if event.facts().subject != Subject::Tool || called.iter().any(|tool| tried(&tool)) {
        return None;
    }
    // A misspelt name is asked about; one of a tool that is not called is not.
    let named: Vec<&str> = matcher.into_iter().flat_map(matcher::names).collect();
    let is_real = |name: &&str| name.starts_with("mcp__") || tools::KNOWN.contains(name);
    let is_list = matcher::kind(matcher, event) == Kind::List;
    let other =
        named.iter().find(|name| is_list && is_real(name) && !called.iter().any(|it| it == **name));
    let is_mcp = !is_list && matcher.is_some_and(|it| it.contains("mcp__"));
    match other {
        Some(name) => Some(format!("{name} is not called here")),
        None if is_mcp => Some("tools of MCP servers are not called here".to_owned()),
        None => None,
    }
}

/// The tools that are called where they are offered, in words.
pub(super) fn tools_called(called: &[String]) -> String {
    let mut names: Vec<&str> =
        TOOLS.iter().copied().filter(|it| called.iter().any(|c| c == it)).collect();
    names.dedup();
    names.join(", ")
}
