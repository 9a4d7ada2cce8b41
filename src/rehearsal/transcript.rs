//! The tool calls of past sessions, from the client's transcripts.
//!
//! Source: the transcripts of client 2.1.329: a JSON object a line; those of type `assistant` hold the
//! message of the model, whose content has a `tool_use` for each call.

use serde::Deserialize;
use serde_json::Value;

/// A call that the model made.
#[derive(Debug)]
pub struct Made {
    /// The session's id.
    pub session: String,
    /// The time, as the transcript has it.
    pub time: String,
    /// The session's directory then.
    pub cwd: String,
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// The call's id.
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
