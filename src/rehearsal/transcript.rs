//! The tool calls of past sessions, from the client's transcripts.
//!
//! Source: the transcripts of client 2.1.329: a JSON object a line; those of type `assistant` hold the
//! message of the model, whose content has a `tool_use` for each call.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug)]
pub struct Made {
    pub session: String,
    pub time: String,
    pub cwd: String,
    pub tool: String,
    pub input: Value,
    pub id: String,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default, rename = "sessionId")]
    session: String,
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    cwd: String,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

impl Made {
    /// Gives the call in a line of so many characters.
    pub fn line(&self, most: usize) -> String {
        let text = ["command", "file_path", "notebook_path", "pattern", "url"];
        let text = text.iter().find_map(|key| self.input[*key].as_str()).unwrap_or_default();
        let line: String = text.lines().next().unwrap_or_default().chars().take(most).collect();
        let more = if line.len() < text.trim_end().len() { "…" } else { "" };
        format!("{}: {line}{more}", self.tool)
    }
}

/// Finds a call by its id, and what the model got for it: the tool's output, or the words of a denial.
pub fn find(text: &str, id: &str) -> (Option<Made>, Option<String>) {
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(id)).collect();
    let made = calls(&lines.join("\n")).into_iter().find(|made| made.id == id);
    let result = |line: &&str| {
        let line: Line = serde_json::from_str(line).ok()?;
        let parts = line.message.content.as_array()?.iter();
        let part = parts.clone().find(|part| part["tool_use_id"].as_str() == Some(id))?;
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

/// Lists the tool calls of a transcript in their order. Lines that are none, and those that a crash cut
/// short, are passed over; a call that a resumed session repeats is listed once.
pub fn calls(text: &str) -> Vec<Made> {
    let mut made: Vec<Made> = Vec::new();
    for line in text.lines().filter(|line| line.contains("\"tool_use\"")) {
        let Ok(line) = serde_json::from_str::<Line>(line) else { continue };
        let Value::Array(parts) = line.message.content else { continue };
        for part in parts {
            let text = |key: &str| part[key].as_str().unwrap_or_default().to_owned();
            if text("type") != "tool_use" {
                continue;
            }
            let id = text("id");
            if made.iter().rev().take(64).any(|it| it.id == id && !id.is_empty()) {
                continue;
            }
            made.push(Made {
                session: line.session.clone(),
                time: line.timestamp.clone(),
                cwd: line.cwd.clone(),
                tool: text("name"),
                input: part["input"].clone(),
                id,
            });
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_once_and_other_lines_are_passed_over() {
        let call = |id: &str| {
            format!(
                r#"{{"type":"assistant","sessionId":"s","cwd":"/p","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"assistant","content":[{{"type":"text","text":"x"}},{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"ls"}}}}]}}}}"#
            )
        };
        let cut = &call("toolu_3")[..80];
        let text = [
            &*call("toolu_1"),
            r#"{"type":"user","message":{"content":"tell me of \"tool_use\""}}"#,
            &*call("toolu_1"),
            &*call("toolu_2"),
            cut,
        ]
        .join("\n");
        let ids: Vec<String> = calls(&text).into_iter().map(|it| it.id).collect();
        assert_eq!(ids, ["toolu_1", "toolu_2"]);
    }
}
