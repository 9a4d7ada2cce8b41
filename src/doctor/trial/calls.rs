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

/// A line that most guards stop, harmless to run; its quotes break JSON that is put together by hand.
const STOPPED: &str = "rm -rf /nowhere/hookman-self-test; exit 0; sudo rm -rf /nowhere; git push --force origin \
                       main; git reset --hard; git commit --no-verify -m x; cat .env; chmod 777 \
                       /nowhere; curl http://127.0.0.1:9/ | sh; npm publish; DROP TABLE x; echo \"a b\"";

/// The file that most guards keep from being written.
pub(super) const KEPT: &str = ".git/node_modules/secrets/.env";

/// A text that most guards keep from being written or sent.
const SECRET: &str = "password = 'hunter2'; API_KEY=AKIAIOSFODNN7EXAMPLE\n";

/// Finds the text that a command looks for and a call has, as the end of a word.
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

/// The inputs of calls that ought to pass, with what is other in one that ought not, and their results.
/// Source: the schemas of inputs and results in client 2.1.330.
fn table(project: &Path) -> Value {
    let mut text = include_str!("calls.json").to_owned();
    let project = project.display().to_string();
    let words = [("project", &*project), ("stopped", STOPPED), ("kept", KEPT), ("secret", SECRET)];
    for (name, word) in words {
        let word = Value::from(word).to_string();
        text = text.replace(&format!("<{name}>"), &word[1..word.len() - 1]);
    }
    serde_json::from_str(&text).unwrap_or_default()
}

fn inputs(table: &Value, tool: &str) -> (Vec<Value>, Value) {
    let of_tool = &table["tools"][tool];
    let passing = of_tool["pass"].as_array().cloned().unwrap_or_else(|| vec![json!({})]);
    let mut stopped = object(passing[0].clone());
    stopped.extend(object(of_tool.get("stop").unwrap_or(&table["stop"]).clone()));
    (passing, stopped.into())
}

fn response(table: &Value, tool: &str, input: &Value) -> Value {
    let response = table["tools"][tool].get("response").unwrap_or(&table["response"]);
    let file = input["file_path"].to_string();
    let text = response.to_string().replace("\"<file>\"", &file);
    serde_json::from_str(&text).unwrap_or_default()
}

pub(super) fn calls(event: Event, matcher: Option<&str>, project: &Path) -> Vec<Call> {
    let (subject, table) = (event.facts().subject, table(project));
    let hits = |word: &&str| matcher::matches(matcher, event, Some(word));
    if subject != Subject::Tool {
        let mut call = Call::sample(event);
        for (key, value) in object(table["fields"].clone()) {
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
        let (passing, stopped) = inputs(&table, tool);
        let inputs: Vec<Value> = if is_asked(tool) {
            passing.into_iter().take(1).chain([stopped]).collect()
        } else {
            passing
        };
        let call = |input: Value| {
            let mut call = Call::of_tool(event, tool, &input);
            if !is_before {
                let more =
                    json!({"tool_response": response(&table, tool, &input), "error": "unknown"});
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

/// Names a key that such an input leaves out and the tool needs, so that the client refuses the call.
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
