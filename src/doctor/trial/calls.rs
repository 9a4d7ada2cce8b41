//! The calls that commands are tried with.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::client::{Event, Subject, matcher};
use crate::rehearsal::call::Call;

/// The files that calls are about which ought to pass.
pub(super) const PROBES: [&str; 2] = ["hookman-probe.py", "hookman-probe.ts"];

/// The tools that calls are made of: for each kind those that a matcher may name.
const TOOLS: &[&[&str]] = &[
    &["Bash", "PowerShell"],
    &["Write", "Edit", "NotebookEdit"],
    &["Read", "Grep", "Glob"],
    &["WebFetch", "WebSearch", "Agent"],
];

/// A line that most guards stop. It ends behind its first command, as a hook may run it. Its quotes break
/// JSON that is put together by hand.
const STOPPED: &str = "rm -rf /nowhere/hookman-self-test; exit 0; sudo rm -rf /nowhere; git push --force origin \
                       main; git reset --hard; git commit --no-verify -m x; cat .env; chmod 777 \
                       /nowhere; curl http://127.0.0.1:9/ | sh; npm publish; DROP TABLE x; echo \"a b\"";

/// The file that most guards keep from being written.
pub(super) const KEPT: &str = ".git/node_modules/secrets/.env";

/// A text that most guards keep from being written or sent.
const SECRET: &str = "password = 'hunter2'; API_KEY=AKIAIOSFODNN7EXAMPLE\n";

/// Finds the text that a command looks for and that a call has which it is tried with: as the end of a word,
/// as more behind it would be another text.
pub(super) fn looks_for(
    matcher: Option<&str>,
    mentions: &dyn Fn(&str) -> bool,
) -> Option<&'static str> {
    let is_of = |tool| matcher::matches(matcher, Event::PreToolUse, Some(tool));
    let ends = ["'", "\"", "|", "*", ")"];
    let is_sought = |text: &&str| ends.iter().any(|end| mentions(&format!("{text}{end}")));
    let of_lines = ["rm -rf", "git push --force", "git reset --hard", "--no-verify"];
    let of_line = of_lines.into_iter().filter(|_| is_of("Bash")).find(is_sought);
    // The same as an expression.
    let blanks = [r"\s+", " +", r"\s*", "[[:space:]]+", " *"];
    let ends_so = |blank: &&str| ends.iter().any(|end| mentions(&format!("rm{blank}-rf{end}")));
    let of_expression =
        || blanks.iter().find(|it| ends_so(it)).map(|_| "rm -rf").filter(|_| is_of("Bash"));
    let of_file = || is_of("Write").then_some(".env").filter(is_sought);
    of_line.or_else(of_expression).or_else(of_file).filter(|_| !mentions("/.env"))
}

/// The inputs of calls of a tool that ought to pass, and of one that ought not.
fn inputs(tool: &str, project: &Path) -> (Vec<Value>, Value) {
    let file = |name: &str| project.join(name).display().to_string();
    let write = |name: &str, text: &str| match tool {
        "Edit" => json!({"file_path": file(name), "old_string": "\n", "new_string": text}),
        "NotebookEdit" => json!({"notebook_path": file(name), "new_source": text}),
        _ => json!({"file_path": file(name), "content": text}),
    };
    let line = |line: &str| json!({"command": line, "description": "a test of hooks"});
    match tool {
        "Bash" | "PowerShell" => (vec![line("true")], line(STOPPED)),
        "Edit" | "Write" | "NotebookEdit" => {
            (PROBES.iter().map(|name| write(name, "b\n")).collect(), write(KEPT, SECRET))
        }
        "Read" => (vec![json!({"file_path": file(PROBES[0])})], json!({"file_path": file(KEPT)})),
        "Grep" | "Glob" => (vec![json!({"pattern": "a"})], json!({"pattern": KEPT})),
        "WebFetch" => {
            let of = |url: &str| json!({"url": url, "prompt": "a"});
            (vec![of("https://example.com/")], of("http://169.254.169.254/?token=hunter2"))
        }
        "WebSearch" => (vec![json!({"query": "a"})], json!({"query": SECRET})),
        "Agent" => {
            let of = |prompt: &str| json!({"description": "a", "prompt": prompt, "subagent_type": "general-purpose"});
            (vec![of("b")], of(STOPPED))
        }
        _ => {
            let mut stopped = object(plain(tool));
            stopped.extend(object(json!({"command": STOPPED, "path": KEPT})));
            (vec![plain(tool)], stopped.into())
        }
    }
}

/// The input of a tool that changes nothing, as the client gives it.
fn plain(tool: &str) -> Value {
    match tool {
        "AskUserQuestion" => {
            let option = |label: &str| json!({"label": label, "description": "a"});
            json!({"questions": [{
                "question": "a?", "header": "a", "options": [option("b"), option("c")], "multiSelect": false,
            }]})
        }
        "Skill" => json!({"skill": "a", "args": ""}),
        "ExitPlanMode" => json!({"plan": "a"}),
        "TaskCreate" => json!({"subject": "a", "description": "b", "activeForm": "a"}),
        "TodoWrite" => {
            json!({"todos": [{"content": "a", "status": "pending", "activeForm": "a"}]})
        }
        _ => json!({}),
    }
}

/// The result of a tool in the form that the client gives it.
///
/// Source: the schemas of results in client 2.1.330.
fn response(tool: &str, input: &Value) -> Value {
    let path = &input["file_path"];
    match tool {
        "Edit" | "Write" => json!({
            "type": "update", "filePath": path, "oldString": "\n", "newString": "b\n", "content": "b\n",
            "originalFile": "\n", "userModified": false, "replaceAll": false, "success": true,
            "structuredPatch": [
                {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-", "+b"]},
            ],
        }),
        "Read" => json!({"type": "text", "file": {
            "filePath": path, "content": "a\n", "numLines": 1, "startLine": 1, "totalLines": 1,
        }}),
        "Grep" | "Glob" => json!({
            "mode": "files_with_matches", "filenames": [PROBES[0]], "numFiles": 1, "durationMs": 1,
            "truncated": false,
        }),
        _ => json!({
            "stdout": "", "stderr": "", "interrupted": false, "isImage": false, "success": true,
        }),
    }
}

pub(super) fn calls(event: Event, matcher: Option<&str>, project: &Path) -> Vec<Call> {
    let subject = event.facts().subject;
    let hits = |word: &&str| matcher::matches(matcher, event, Some(word));
    if subject != Subject::Tool {
        let mut call = Call::sample(event);
        let more = json!({
            "prompt": "a test of hooks", "source": "startup", "trigger": "manual", "reason": "other",
            "agent_type": "general-purpose", "agent_id": "a", "custom_instructions": "",
            "file_path": project.join(PROBES[0]), "task_id": "1", "task_subject": "a",
            "old_cwd": project, "new_cwd": project,
        });
        for (key, value) in object(more) {
            call.fields.entry(key).or_insert(value);
        }
        let word = subject.words(event).and_then(|words| words.iter().find(|word| hits(word)));
        if let (Some(field), Some(word)) = (subject.field(), word) {
            call.fields.insert(field.to_owned(), (*word).into());
        }
        let more = match event {
            Event::UserPromptSubmit => Some(Call::of_prompt(SECRET)),
            Event::Stop | Event::SubagentStop => Some(call.clone()).map(|mut call| {
                call.fields.insert("stop_hook_active".to_owned(), true.into());
                call
            }),
            _ => None,
        };
        return [call].into_iter().chain(more).collect();
    }
    let mut tools: Vec<&str> =
        TOOLS.iter().filter_map(|kind| kind.iter().copied().find(hits)).take(2).collect();
    let named = matcher.and_then(|it| matcher::names(it).next());
    if tools.is_empty() {
        tools.push(named.unwrap_or("Bash"));
    }
    let is_before = matches!(event, Event::PreToolUse | Event::PermissionRequest);
    // A guard that is asked when a command has run comes too late.
    let is_asked = |tool: &str| is_before || event == Event::PostToolUse && tool == "Bash";
    let of_tool = |tool: &str| {
        let (passing, stopped) = inputs(tool, project);
        let inputs: Vec<Value> = if is_asked(tool) {
            passing.into_iter().take(1).chain([stopped]).collect()
        } else {
            passing
        };
        let call = |input: Value| {
            let mut call = Call::of_tool(event, tool, &input);
            if !is_before {
                let more = json!({"tool_response": response(tool, &input), "error": "unknown"});
                call.fields.extend(object(more));
            }
            call
        };
        inputs.into_iter().map(call).collect::<Vec<Call>>()
    };
    tools.into_iter().flat_map(of_tool).collect()
}

/// The input that an answer gives a call in the place of its own.
pub(super) fn updated(answer: &[u8]) -> Option<Map<String, Value>> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    answer["hookSpecificOutput"]["updatedInput"].as_object().cloned()
}

/// Names a key that the tool needs and that such an input leaves out: the client takes it for the whole, and
/// refuses the call.
pub(super) fn lacking(payload: &str, updated: &Map<String, Value>) -> Option<&'static str> {
    const NEEDED: [&str; 5] = ["command", "file_path", "content", "old_string", "new_string"];
    let payload: Value = serde_json::from_str(payload).ok()?;
    let is_lost =
        |key: &&str| payload["tool_input"].get(*key).is_some() && !updated.contains_key(*key);
    NEEDED.into_iter().find(is_lost)
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}
