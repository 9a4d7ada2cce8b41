//! Past sessions, from the client's transcripts.
//!
//! Source: the transcripts of client 2.1.329: a JSON object a line. Lines of type `user` hold a prompt
//! or the result of a call, lines of type `assistant` a part of the model's message, and a subagent has
//! a file of its own in `<session>/subagents`.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Call;
use crate::client::event::Event;
use crate::machine::folders;

/// The events among which a call is looked for that is written down again, or has its result.
const NEAR: usize = 256;

/// An event of a past session.
#[derive(Debug)]
pub struct Past {
    /// The session's id.
    pub session: String,
    pub time: String,
    /// The session's directory then.
    pub cwd: String,
    pub call: Call,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Line {
    r#type: String,
    subtype: String,
    session_id: String,
    timestamp: String,
    cwd: String,
    agent_id: String,
    attribution_agent: String,
    is_meta: bool,
    permission_mode: Option<String>,
    prompt_id: Option<String>,
    tool_use_result: Value,
    message: Message,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    id: String,
    content: Value,
    stop_reason: Option<String>,
}

impl Past {
    /// Gives the id of the tool call.
    pub fn id(&self) -> &str {
        self.call.fields.get("tool_use_id").and_then(Value::as_str).unwrap_or_default()
    }

    /// Gives the call in a line of so many characters.
    pub fn line(&self, most: usize) -> String {
        let fields = Value::Object(self.call.fields.clone());
        let input = &fields["tool_input"];
        let keys = ["command", "file_path", "notebook_path", "pattern", "url"];
        let text = keys.iter().find_map(|key| input[*key].as_str()).or(fields["prompt"].as_str());
        let text = text.unwrap_or_default();
        let line: String = text.lines().next().unwrap_or_default().chars().take(most).collect();
        let more = if line.len() < text.trim_end().len() { "…" } else { "" };
        let name = fields["tool_name"].as_str().unwrap_or(self.call.event.name());
        format!("{name}: {line}{more}")
    }
}

/// Lists all transcripts below the client's directory.
pub fn files(config: &Path) -> Vec<PathBuf> {
    let inside = |folder: &PathBuf| folders::entries(folder).unwrap_or_default();
    let of_projects = inside(&config.join("projects"));
    let mut found: Vec<PathBuf> = of_projects.iter().flat_map(inside).collect();
    let of_agents: Vec<PathBuf> =
        found.iter().flat_map(|session| inside(&session.join("subagents"))).collect();
    found.extend(of_agents);
    found.retain(|it| it.extension().is_some_and(|it| it == "jsonl"));
    found.sort();
    found
}

/// Lists the transcripts of the subagents of a session.
pub fn of_subagents(transcript: &Path) -> Vec<PathBuf> {
    folders::entries(&transcript.with_extension("").join("subagents")).unwrap_or_default()
}

/// Finds a call by its id, and what the model got for it: the tool's output, or the words of a denial.
pub fn find(text: &str, id: &str) -> (Option<Past>, Option<String>) {
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(id)).collect();
    let is_it = |past: &Past| past.call.event == Event::PreToolUse && past.id() == id;
    let made = events(&lines.join("\n")).into_iter().find(is_it);
    let result = |line: &&str| {
        let line: Line = serde_json::from_str(line).ok()?;
        let mut parts = line.message.content.as_array()?.iter();
        let part = parts.find(|part| part["tool_use_id"].as_str() == Some(id))?;
        match &part["content"] {
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(|it| it["text"].as_str()).collect();
                Some(texts.join("\n"))
            }
            content => content.as_str().map(str::to_owned),
        }
    };
    (made, lines.iter().find_map(result))
}

/// Lists the events of a transcript in their order: the session's start, prompts, tool calls, results of
/// those that succeeded, compactions, ends of turns. Lines that are none, and those that a crash cut
/// short, are passed over; a call that a resumed session repeats is listed once.
pub fn events(text: &str) -> Vec<Past> {
    const PARTS: [&str; 3] =
        ["\"type\":\"user\"", "\"type\":\"assistant\"", "\"compact_boundary\""];
    let mut events = Events { mode: "default".to_owned(), ..Events::default() };
    for line in text.lines().filter(|line| PARTS.iter().any(|part| line.contains(part))) {
        if let Ok(line) = serde_json::from_str(line) {
            events.read(&line);
        }
    }
    events.found
}

/// The events of the lines that were read.
#[derive(Default)]
struct Events {
    found: Vec<Past>,
    /// The permission mode of the last prompt.
    mode: String,
    /// The id of the last prompt.
    prompt: String,
    /// The id of the message that ended a turn last.
    ended: String,
}

impl Events {
    fn read(&mut self, line: &Line) {
        let is_main = line.agent_id.is_empty();
        if let Some(mode) = &line.permission_mode {
            self.mode.clone_from(mode);
        }
        if let Some(prompt) = &line.prompt_id {
            self.prompt.clone_from(prompt);
        }
        if self.found.is_empty() && is_main {
            self.add(line, Event::SessionStart, json!({ "source": "startup" }));
        }
        match (&*line.r#type, &line.message.content) {
            ("system", _) if is_main && line.subtype == "compact_boundary" => {
                self.add(line, Event::SessionStart, json!({ "source": "compact" }));
            }
            ("user", Value::String(text)) if is_main && !line.is_meta => {
                if let Some(prompt) = typed(text) {
                    self.add(line, Event::UserPromptSubmit, json!({ "prompt": prompt }));
                }
            }
            ("user", Value::Array(parts)) => {
                let has_come = |it: &&Value| it["type"] == "tool_result" && it["is_error"] != true;
                for part in parts.iter().filter(has_come) {
                    let id = part["tool_use_id"].as_str().unwrap_or_default();
                    let Some(made) = self.made(id) else { continue };
                    let mut fields = made.call.fields.clone();
                    fields.insert("tool_response".to_owned(), line.tool_use_result.clone());
                    self.add(line, Event::PostToolUse, fields.into());
                }
            }
            ("assistant", Value::Array(parts)) => {
                for part in parts.iter().filter(|part| part["type"] == "tool_use") {
                    let id = part["id"].as_str().unwrap_or_default();
                    if id.is_empty() || self.made(id).is_none() {
                        let call = json!({
                            "tool_name": part["name"], "tool_input": part["input"], "tool_use_id": id,
                        });
                        self.add(line, Event::PreToolUse, call);
                    }
                }
                // Each part of a message has a line, and all say how it ended.
                if line.message.stop_reason.as_deref() == Some("end_turn")
                    && self.ended != line.message.id
                {
                    self.ended.clone_from(&line.message.id);
                    let event = if is_main { Event::Stop } else { Event::SubagentStop };
                    self.add(line, event, json!({ "stop_hook_active": false }));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, line: &Line, event: Event, mut fields: Value) {
        fields["permission_mode"] = (*self.mode).into();
        fields["prompt_id"] = (*self.prompt).into();
        if !line.agent_id.is_empty() {
            fields["agent_id"] = (*line.agent_id).into();
            fields["agent_type"] = (*line.attribution_agent).into();
        }
        let Value::Object(fields) = fields else { return };
        self.found.push(Past {
            session: line.session_id.clone(),
            time: line.timestamp.clone(),
            cwd: line.cwd.clone(),
            call: Call { event, fields },
        });
    }

    /// Finds a call among the last ones by its id.
    fn made(&self, id: &str) -> Option<&Past> {
        let is_it = |past: &&Past| past.call.event == Event::PreToolUse && past.id() == id;
        self.found.iter().rev().take(NEAR).find(is_it)
    }
}

/// Gives what a person typed, of a prompt as the client writes it down.
fn typed(text: &str) -> Option<String> {
    let within = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once("</")?.0)
    };
    if let Some(name) = within("command-name").filter(|_| text.starts_with("<command-")) {
        let arguments = within("command-args").unwrap_or_default();
        return Some(format!("{name} {arguments}").trim_end().to_owned());
    }
    (!text.starts_with("<local-command-")).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_once_and_other_lines_are_passed_over() {
        let line = |kind: &str, more: &str| {
            format!(
                r#"{{"type":"{kind}","sessionId":"s","cwd":"/p","timestamp":"2026-01-01T00:00:00Z",{more}}}"#
            )
        };
        let call = |id: &str| {
            let part = format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
            line(
                "assistant",
                &format!(r#""message":{{"content":[{{"type":"text","text":"x"}},{part}]}}"#),
            )
        };
        let result = |id: &str, is_error: bool| {
            let part =
                format!(r#"{{"type":"tool_result","tool_use_id":"{id}","is_error":{is_error}}}"#);
            line("user", &format!(r#""message":{{"content":[{part}]}},"toolUseResult":1"#))
        };
        let prompt = |text: &str| line("user", &format!(r#""message":{{"content":"{text}"}}"#));
        let end =
            line("assistant", r#""message":{"id":"m","content":[],"stop_reason":"end_turn"}"#);
        let text = [
            &*prompt(r#"tell me of \"tool_use\""#),
            &call("toolu_1"),
            &result("toolu_1", false),
            &call("toolu_1"),
            &line("user", r#""isMeta":true,"message":{"content":"noted"}"#),
            &call("toolu_2"),
            &result("toolu_2", true),
            &call("toolu_3")[..80],
            &end,
            &end,
            &line("system", r#""subtype":"compact_boundary""#),
            &prompt("<command-name>/fix</command-name><command-args>it</command-args>"),
            &prompt("<local-command-stdout>x</local-command-stdout>"),
            r#"{"type":"summary","message":{"content":[{"type":"tool_use","id":"toolu_4"}]}}"#,
        ]
        .join("\n");
        let shown = |it: &Past| {
            let more = it.call.fields.get("prompt").and_then(Value::as_str).unwrap_or(it.id());
            format!("{} {more}", it.call.event)
        };
        assert_eq!(
            events(&text).iter().map(shown).collect::<Vec<_>>(),
            [
                "SessionStart ",
                "UserPromptSubmit tell me of \"tool_use\"",
                "PreToolUse toolu_1",
                "PostToolUse toolu_1",
                "PreToolUse toolu_2",
                "Stop ",
                "SessionStart ",
                "UserPromptSubmit /fix it",
            ]
        );
    }
}
