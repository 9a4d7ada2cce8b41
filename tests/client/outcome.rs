//! What happened, as lines a person can read and a case can expect.

use std::collections::VecDeque;

use anyhow::{Context, Result};
use regress::Regex;
use serde_json::Value;

use crate::api::Request;

/// The order in which hooks of one turn are listed; the client runs some of them at once.
const EVENTS: [&str; 12] = [
    "SessionStart",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "Stop",
];

/// What a hook told the model, inside a text of the client's own.
const NOTE: &str = r"(?:^|\n\n|<system-reminder>\n)([A-Z]\w+(?::\S+)? hook (?:additional context|success|blocking error|stopped)[^]*?)(?=\n\n# Environment|\n\nAvailable agent types|\n\nToday's date is|\n\nThe following (?:deferred tools|skills) are |\n\n[A-Z]\w+(?::\S+)? hook |\n<\/system-reminder>|$)";

/// The lines of one answer: calls, hooks, what the model was told, what it said.
pub(crate) fn lines(events: &[Value], requests: Vec<Request>, prompt: &str) -> Result<Vec<String>> {
    let note = Regex::new(NOTE).context("failed to compile the pattern of notes")?;
    // Requests whose answers the client does not show, an agent's last for one, come up with the
    // next one that it does show.
    let mut told: VecDeque<_> = requests
        .into_iter()
        .map(|request| (request.id, hear(&request.body, prompt, &note)))
        .collect();
    let mut lines = Vec::new();
    let mut group = Group::default();
    let mut message = String::new();
    for event in events {
        match event["type"].as_str().unwrap_or_default() {
            "system" => group.system(event),
            "user" => group.local(event),
            "assistant" => {
                let id = event["message"]["id"].as_str().unwrap_or_default();
                if id != message {
                    group.flush(&mut lines);
                    id.clone_into(&mut message);
                    if let Some(at) = told.iter().position(|(answered, _)| answered == id) {
                        lines.extend(told.drain(..=at).flat_map(|(_, lines)| lines));
                    }
                }
                group.assistant(event);
            }
            "result" => {
                let text = &event["result"];
                if group.said.last().is_some_and(|last| *last == format!("says {text}")) {
                    group.said.pop();
                }
                group.flush(&mut lines);
                lines.extend(told.drain(..).flat_map(|(_, lines)| lines));
                let kind = if event["is_error"] == true { "final error" } else { "final" };
                lines.push(format!("{kind} {text}"));
            }
            "unreadable" => group.said.push(format!("unreadable {}", event["line"])),
            _ => {}
        }
    }
    group.flush(&mut lines);
    Ok(lines)
}

/// What happened between two answers of the model.
#[derive(Default)]
struct Group {
    said: Vec<String>,
    hooks: Vec<(usize, String)>,
    notices: Vec<String>,
}

impl Group {
    fn system(&mut self, event: &Value) {
        match event["subtype"].as_str().unwrap_or_default() {
            // It comes in the background, before or behind the answer.
            "hook_response" if event["hook_event"] == "PostModelSwitch" => {}
            "hook_response" => {
                let name = event["hook_event"].as_str().unwrap_or_default();
                let rank = EVENTS.iter().position(|event| *event == name).unwrap_or(EVENTS.len());
                self.hooks.push((rank, hook(event)));
            }
            "informational" => self.notices.push(format!("notice {}", event["content"])),
            _ => {}
        }
    }

    /// What a command of the client itself printed.
    fn local(&mut self, event: &Value) {
        let text = &event["message"]["content"];
        if text.as_str().is_some_and(|text| text.starts_with("<local-command-std")) {
            self.said.push(format!("local {text}"));
        }
    }

    fn assistant(&mut self, event: &Value) {
        let who = if event["parent_tool_use_id"].is_string() { "agent " } else { "" };
        for block in event["message"]["content"].as_array().into_iter().flatten() {
            self.said.push(match block["type"].as_str() {
                Some("tool_use") => {
                    let tool = block["name"].as_str().unwrap_or_default();
                    format!("{who}call {tool} {}", block["input"])
                }
                _ => format!("{who}says {}", block["text"]),
            });
        }
    }

    fn flush(&mut self, lines: &mut Vec<String>) {
        self.hooks.sort();
        lines.append(&mut self.said);
        lines.extend(self.hooks.drain(..).map(|(_, line)| line));
        lines.append(&mut self.notices);
    }
}

/// One hook as the client saw it: its exit code where it is not 0, its answer, its error output.
fn hook(event: &Value) -> String {
    let text = |name: &str| event[name].as_str().unwrap_or_default().trim_end();
    let mut parts = Vec::new();
    if event["outcome"] == "cancelled" {
        parts.push("cancelled".to_owned());
    } else if event["exit_code"] != 0 {
        parts.push(format!("exit {}", event["exit_code"]));
    }
    match serde_json::from_str(text("stdout")) {
        Ok(Value::Object(answer)) => {
            for (name, value) in answer {
                match value {
                    Value::Object(mut inner) if name == "hookSpecificOutput" => {
                        inner.shift_remove("hookEventName");
                        parts.extend(inner.iter().map(|(name, value)| format!("{name}={value}")));
                    }
                    value => parts.push(format!("{name}={value}")),
                }
            }
        }
        _ if text("stdout").is_empty() => {}
        _ => parts.push(format!("stdout {}", Value::from(text("stdout")))),
    }
    if !text("stderr").is_empty() {
        parts.push(format!("stderr {}", Value::from(text("stderr"))));
    }
    if parts.is_empty() {
        parts.push("silent".to_owned());
    }
    format!("hook {} {}", text("hook_name"), parts.join(" "))
}

/// What a request tells the model beyond what the model said and the user typed.
fn hear(body: &Value, prompt: &str, note: &Regex) -> Vec<String> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let last = messages.iter().rposition(|message| message["role"] == "assistant");
    let mut lines = Vec::new();
    for message in &messages[last.map_or(0, |last| last + 1)..] {
        match &message["content"] {
            Value::String(text) => lines.extend(words(text, &message["role"], prompt, note)),
            content => {
                for block in content.as_array().into_iter().flatten() {
                    if block["type"] == "tool_result" {
                        let kind = if block["is_error"] == true { "error" } else { "ok" };
                        lines.push(format!("result {kind} {}", flat(&block["content"])));
                    } else if let Some(text) = block["text"].as_str() {
                        lines.extend(words(text, &message["role"], prompt, note));
                    }
                }
            }
        }
    }
    lines
}

fn words(text: &str, role: &Value, prompt: &str, note: &Regex) -> Vec<String> {
    let own = role == "user" && !text.starts_with("<system-reminder>");
    if own {
        let known = text.trim() == prompt.trim()
            || ["<command-", "<local-command-"].iter().any(|tag| text.starts_with(tag));
        return if known { Vec::new() } else { vec![format!("told {}", Value::from(text))] };
    }
    note.find_iter(text)
        .filter_map(|found| found.group(1))
        .map(|range| format!("told {}", Value::from(text[range].trim_end())))
        .collect()
}

fn flat(content: &Value) -> Value {
    let Some(blocks) = content.as_array() else { return content.clone() };
    let texts: Vec<_> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    Value::from(texts.join("\n"))
}
