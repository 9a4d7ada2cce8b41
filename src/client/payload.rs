//! The payload on a hook's standard input.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::str;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::value::RawValue;

use super::permission_rule::Input;
use super::{Event, Subject, model, tools};
use crate::syntax::glance::Glance;
use crate::syntax::json;
use crate::syntax::lent::Lent;

/// The fields of a payload that selection and built-in hooks read; an absent field is empty. Source: the
/// client's hooks reference, common input fields and each event's own.
#[derive(Debug, Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
pub struct Payload<'a> {
    /// The session's id, also the stem of its transcript's name.
    pub session_id: Lent<'a>,
    /// Path of the session's transcript; the file may lag behind or be missing.
    pub transcript_path: Lent<'a>,
    pub cwd: Lent<'a>,
    pub hook_event_name: Lent<'a>,
    /// The prompt being processed (client 2.1.196 and later).
    pub prompt_id: Lent<'a>,
    /// `default`, `plan`, `acceptEdits`, `auto`, `dontAsk` or `bypassPermissions`.
    pub permission_mode: Lent<'a>,
    /// Set inside a subagent only.
    pub agent_id: Lent<'a>,
    /// The subagent's type, or the main thread's where it was started with one.
    pub agent_type: Lent<'a>,
    pub tool_name: Lent<'a>,
    /// The tool's input, unparsed: most hooks never look at it.
    pub tool_input: Option<&'a RawValue>,
    pub tool_use_id: Lent<'a>,
    /// `SessionStart`, `ConfigChange`, `DirectoryAdded`: what caused it.
    pub source: Lent<'a>,
    /// `Setup`, `PreCompact`, `PostCompact`: what caused it.
    pub trigger: Lent<'a>,
    /// `SessionEnd`, `PermissionDenied`: why.
    pub reason: Lent<'a>,
    /// `UserPromptExpansion`: the command without its slash.
    pub command_name: Lent<'a>,
    pub notification_type: Lent<'a>,
    /// `StopFailure`, `PostToolUseFailure`: the error.
    pub error: Lent<'a>,
    /// `InstructionsLoaded`: why the file was loaded.
    pub load_reason: Lent<'a>,
    /// `FileChanged`, `InstructionsLoaded`: the file.
    pub file_path: Lent<'a>,
    /// `PreModelSwitch`, `PostModelSwitch`: the model switched to.
    pub to_model: Lent<'a>,
    /// `Elicitation`, `ElicitationResult`: the server.
    pub mcp_server_name: Lent<'a>,
    /// `UserPromptSubmit`, `UserPromptExpansion`: what was typed.
    pub prompt: Lent<'a>,
    /// `Notification`, `Elicitation`: the words for the user.
    pub message: Lent<'a>,
    /// `Notification`: the heading, which most have not.
    pub title: Lent<'a>,
    /// `UserPromptSubmit`, `SessionStart`: the session's title.
    pub session_title: Lent<'a>,
    /// `UserPromptExpansion`: what follows the command.
    pub command_args: Lent<'a>,
    /// `UserPromptExpansion`: where the command comes from.
    pub command_source: Lent<'a>,
    /// `PostToolUse`: what the tool gave back, unparsed.
    pub tool_response: Option<&'a RawValue>,
    /// `Stop`, `SubagentStop`, `StopFailure`: what the model said last.
    pub last_assistant_message: Lent<'a>,
    /// `SubagentStop`: path of the subagent's own transcript.
    pub agent_transcript_path: Lent<'a>,
    /// `Stop`, `SubagentStop`: whether the work goes on because an end was refused.
    pub stop_hook_active: bool,
    /// `PreCompact`: what a person wants kept; null where the client compacts by itself.
    pub custom_instructions: Option<Lent<'a>>,
    /// `PostCompact`: the summary.
    pub compact_summary: Lent<'a>,
    /// Another program's: the time of the call.
    pub timestamp: Lent<'a>,
    pub turn_id: Lent<'a>,
    /// Qwen Code: the id of the tool call, besides the client's own.
    pub tool_call_id: Lent<'a>,
    pub conversation_id: Lent<'a>,
    /// Copilot, in its own words, and VS Code: the session.
    #[serde(rename = "sessionId")]
    pub own_session: Lent<'a>,
    #[serde(rename = "hookEventName")]
    pub hook_event: Lent<'a>,
    #[serde(skip)]
    pub command: OnceLock<Result<Glance, String>>,
}

impl<'a> Payload<'a> {
    /// Reads a payload as [`Payload::strict`] does, or as far as it goes: a text of another type is absent,
    /// and of doubles the last counts. Fails when the text is not a JSON object, or a string in it is none
    /// of JSON's.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        Self::strict(text).or_else(|_| {
            let is_usable = |(name, value): &(String, &RawValue)| match name.as_str() {
                "tool_input" | "tool_response" => true,
                "stop_hook_active" => matches!(value.get(), "true" | "false"),
                _ => value.get().starts_with('"'),
            };
            Self::deserialize(MapDeserializer::new(fields(text)?.into_iter().filter(is_usable)))
        })
    }

    /// Reads a payload as the client writes it, and refuses any field of another type.
    pub fn strict(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The id of the prompt that is worked on, which Codex calls the turn; empty where none is named.
    pub fn turn(&self) -> &Lent<'a> {
        if self.prompt_id.is_empty() { &self.turn_id } else { &self.prompt_id }
    }

    /// Gives the subject of a matcher of `event`; `None` or empty means that every group runs.
    pub fn subject(&self, event: Event) -> Option<&str> {
        let text: &str = match event.facts().subject {
            Subject::None => return None,
            Subject::Tool => &self.tool_name,
            Subject::Source => &self.source,
            Subject::Trigger => &self.trigger,
            Subject::Reason => &self.reason,
            Subject::CommandName => &self.command_name,
            Subject::NotificationType => &self.notification_type,
            // Agents of the client's own have none, and only what is for all agents is for them.
            Subject::AgentType => return Some(&self.agent_type),
            Subject::Error => &self.error,
            Subject::LoadReason => &self.load_reason,
            Subject::FileName => self.file_path.rsplit(['/', '\\']).next().unwrap_or_default(),
            Subject::Model => return model::canonical(&self.to_model),
            Subject::McpServer => &self.mcp_server_name,
        };
        (!text.is_empty()).then_some(text)
    }

    /// The command of a shell tool's input, read once, or its fault; `None` without an input.
    pub fn command(&self) -> Option<&Result<Glance, String>> {
        #[derive(Deserialize)]
        struct Input {
            #[serde(default)]
            command: String,
        }
        let input = self.tool_input.filter(|input| input.get() != "null")?;
        Some(self.command.get_or_init(|| match serde_json::from_str(input.get()) {
            Ok(Input { command }) => Ok(Glance::new(command)),
            Err(_) => match odd_text(input, "command") {
                Ok(command) => Ok(Glance::new(command.unwrap_or_default())),
                Err(error) => Err(wrong(&error)),
            },
        }))
    }

    /// The tool whose hooks see the call too, as if it were one of that tool.
    pub fn stand_in(&self) -> Option<&'static str> {
        let tool = tools::stand_in(&self.tool_name)?;
        let in_time = matches!(&*self.hook_event_name, "" | "PermissionRequest" | "PreToolUse");
        let names_command =
            || Input::read(self.tool_input).is_none_or(|input| input.command.is_some());
        (in_time && names_command()).then_some(tool)
    }

    /// The payload's text with the name of another tool, as the hooks of that tool read it.
    pub fn renamed<'t>(&self, text: &'t str, tool: &str) -> Cow<'t, str> {
        let Cow::Borrowed(name) = self.tool_name.0 else { return text.into() };
        let start = (name.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        let end = start.wrapping_add(name.len());
        match (text.get(..start), text.get(end..)) {
            (Some(before), Some(behind)) => [before, tool, behind].concat().into(),
            _ => text.into(),
        }
    }
}

/// A text field that the usual reading does not understand, mended as by [`repaired`]; the last counts.
/// Fails when the input is no object, or the field no string.
pub fn odd_text(input: &RawValue, field: &str) -> serde_json::Result<Option<String>> {
    let mended = repaired(input.get());
    fields(&mended)?.get(field).map(|value| serde_json::from_str(value.get())).transpose()
}

/// Names the mistake in a payload, in the words of JSON, without what it quotes.
pub fn wrong(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = match (text.find('"'), text.rfind('"')) {
        (Some(from), Some(to)) if from < to => [text[..from].trim_end(), &text[to + 1..]].concat(),
        _ => text,
    };
    let Some((found, expected)) = text.split_once(", expected ") else { return text };
    let (expected, place) = expected.split_once(" at line ").unwrap_or((expected, ""));
    let expected = match expected {
        "a map" => "an object",
        "a sequence" => "an array",
        "a borrowed string" => "a string",
        text if text.starts_with("struct ") => "an object",
        text => text,
    };
    let found = match found {
        "invalid type: map" => "an object",
        "invalid type: sequence" => "an array",
        found => found.split_once(": ").map_or(found, |(_, found)| found),
    };
    format!("found {found} where {expected} is expected, at line {place}")
}

fn fields(text: &str) -> serde_json::Result<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text)
}

/// The text without a byte order mark, with raw control characters in strings escaped, as payloads made by
/// hand have, and U+FFFD for the halves of characters that JavaScript leaves.
pub fn repaired(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bytes = text.as_bytes();
    let mut repaired = String::new();
    let (mut done, mut at) = (0, 0);
    let mut in_string = false;
    while let Some(byte) = bytes.get(at) {
        let mut length = 1;
        match byte {
            b'\\' if in_string => {
                length = 2;
                if let Some((character, escaped)) = json::unicode(bytes, at) {
                    length = escaped;
                    if character == char::REPLACEMENT_CHARACTER {
                        repaired.push_str(&text[done..at]);
                        repaired.push_str("\\ufffd");
                        done = at + length;
                    }
                }
            }
            b'"' => in_string = !in_string,
            0..0x20 if in_string => {
                repaired.push_str(&text[done..at]);
                // Writing to a string cannot fail.
                let _ = write!(repaired, "\\u{byte:04x}");
                done = at + 1;
            }
            _ => {}
        }
        at += length;
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(repaired + &text[done..]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_strings_become_escapes() {
        let raw = "{\n\t\"prompt_id\": \"a\tb\u{1}\\\"c\nd\"}\n";
        let repaired = repaired(raw);
        assert_eq!(repaired, "{\n\t\"prompt_id\": \"a\\u0009b\\u0001\\\"c\\u000ad\"}\n");
        assert_eq!(Payload::parse(&repaired).unwrap().prompt_id, "a\tb\u{1}\"c\nd");
        let clean = "{\n\t\"a\": \"b\\\\ud83d \\ud83d\\ude00\"\r\n}";
        assert!(matches!(super::repaired(clean), Cow::Borrowed(same) if same == clean));
    }

    #[test]
    fn an_odd_field_does_not_hide_the_others() {
        let rows = [
            r#"{"tool_name":"Bash","agent_type":null,"tool_input":{"a":1}}"#,
            r#"{"tool_name":"Bash","agent_id":5,"tool_input":{"a":1}}"#,
            r#"{"tool_name":"Read","cwd":{},"tool_name":"Bash","tool_input":{"a":1}}"#,
            "\u{feff}{\"tool_name\":\"Bash\",\"tool_input\":{\"a\":1}}",
            r#"{"tool_name":"Bash","error":"cut \ud83d","tool_input":{"a":1}}"#,
            r#"{"tool_name":"Bash","error":"\ude00\ud83d","tool_input":{"a":1}}"#,
        ];
        for row in rows {
            let text = repaired(row);
            let payload = Payload::parse(&text).unwrap();
            assert_eq!(payload.tool_name, "Bash", "{row}");
            assert_eq!(payload.tool_input.unwrap().get(), r#"{"a":1}"#, "{row}");
            assert!(payload.agent_id.is_empty() && payload.agent_type.is_empty(), "{row}");
        }
        let text = repaired(r#"{"error":"a\ud83d\n\ude00\ud83d\ude00"}"#);
        assert_eq!(Payload::parse(&text).unwrap().error, "a\u{fffd}\n\u{fffd}\u{1f600}");
        assert!(Payload::parse("5").is_err() && Payload::parse("{").is_err());
    }

    #[test]
    fn what_is_wrong_is_said_in_the_words_of_json() {
        #[derive(Debug, Deserialize)]
        struct Edits {
            #[expect(dead_code, reason = "only its shape is read")]
            edits: Vec<String>,
        }
        let rows = [
            ("\"secret\"", "found string where an object is expected, at line 1 column 8"),
            (r#"{"edits":{}}"#, "found an object where an array is expected, at line 1 column 9"),
            (r#"{"edits":[[]]}"#, "found an array where a string is expected, at line 1 column 10"),
            (r#"{"edits":[null]}"#, "found null where a string is expected, at line 1 column 14"),
            (
                r#"{"edits":[5]}"#,
                "found integer `5` where a string is expected, at line 1 column 11",
            ),
            ("{}", "missing field `edits` at line 1 column 2"),
        ];
        for (text, expected) in rows {
            let error = serde_json::from_str::<Edits>(text).unwrap_err();
            assert_eq!(wrong(&error), expected, "{text}");
        }
    }

    #[test]
    fn an_odd_text_of_a_tool_s_input_is_still_found() {
        let odd = |input| odd_text(serde_json::from_str(input).unwrap(), "command");
        assert_eq!(odd(r#"{"command":"a \ud83d"}"#).unwrap().unwrap(), "a \u{fffd}");
        assert_eq!(odd(r#"{"command":"a","command":"b"}"#).unwrap().unwrap(), "b");
        assert_eq!(odd("{}").unwrap(), None);
        assert!(odd(r#"{"command":5}"#).is_err() && odd("5").is_err());
    }
}
