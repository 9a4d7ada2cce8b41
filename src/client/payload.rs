//! What the client writes to a hook's standard input.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::event::{Event, Subject};

/// The fields of a payload that selection and built-in hooks read; an absent field is empty.
///
/// Source: the client's hooks reference, common input fields and each event's own.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Payload<'a> {
    /// The session's id, also the stem of its transcript's name.
    #[serde(borrow)]
    pub session_id: Cow<'a, str>,
    /// Path of the session's transcript; the file may lag behind or be missing.
    #[serde(borrow)]
    pub transcript_path: Cow<'a, str>,
    /// The session's current directory.
    #[serde(borrow)]
    pub cwd: Cow<'a, str>,
    /// The event's name.
    #[serde(borrow)]
    pub hook_event_name: Cow<'a, str>,
    /// The prompt being processed (client 2.1.196 and later).
    #[serde(borrow)]
    pub prompt_id: Cow<'a, str>,
    /// `default`, `plan`, `acceptEdits`, `auto`, `dontAsk` or `bypassPermissions`.
    #[serde(borrow)]
    pub permission_mode: Cow<'a, str>,
    /// Set inside a subagent only.
    #[serde(borrow)]
    pub agent_id: Cow<'a, str>,
    /// The subagent's type, or the main thread's where it was started with one.
    #[serde(borrow)]
    pub agent_type: Cow<'a, str>,
    /// The tool's name, on the events of tools.
    #[serde(borrow)]
    pub tool_name: Cow<'a, str>,
    /// The tool's input, unparsed: most hooks never look at it.
    #[serde(borrow)]
    pub tool_input: Option<&'a RawValue>,
    /// The id of the tool call.
    #[serde(borrow)]
    pub tool_use_id: Cow<'a, str>,
    /// `SessionStart`, `ConfigChange`, `DirectoryAdded`: what caused it.
    #[serde(borrow)]
    pub source: Cow<'a, str>,
    /// `Setup`, `PreCompact`, `PostCompact`: what caused it.
    #[serde(borrow)]
    pub trigger: Cow<'a, str>,
    /// `SessionEnd`, `PermissionDenied`: why.
    #[serde(borrow)]
    pub reason: Cow<'a, str>,
    /// `UserPromptExpansion`: the command without its slash.
    #[serde(borrow)]
    pub command_name: Cow<'a, str>,
    /// `Notification`: its type.
    #[serde(borrow)]
    pub notification_type: Cow<'a, str>,
    /// `StopFailure`, `PostToolUseFailure`: the error.
    #[serde(borrow)]
    pub error: Cow<'a, str>,
    /// `InstructionsLoaded`: why the file was loaded.
    #[serde(borrow)]
    pub load_reason: Cow<'a, str>,
    /// `FileChanged`, `InstructionsLoaded`: the file.
    #[serde(borrow)]
    pub file_path: Cow<'a, str>,
    /// `PreModelSwitch`, `PostModelSwitch`: the model switched to.
    #[serde(borrow)]
    pub to_model: Cow<'a, str>,
    /// `Elicitation`, `ElicitationResult`: the server.
    #[serde(borrow)]
    pub mcp_server_name: Cow<'a, str>,
}

impl<'a> Payload<'a> {
    /// Reads a payload from its JSON text.
    ///
    /// # Errors
    ///
    /// When the text is not a JSON object, or a field read here has another type than the client
    /// gives it.
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// What a matcher of `event` is tested against; `None` or empty means that every group runs.
    pub fn subject(&self, event: Event) -> Option<&str> {
        let text: &str = match event.facts().subject {
            Subject::None => return None,
            Subject::Tool => &self.tool_name,
            Subject::Source => &self.source,
            Subject::Trigger => &self.trigger,
            Subject::Reason => &self.reason,
            Subject::CommandName => &self.command_name,
            Subject::NotificationType => &self.notification_type,
            Subject::AgentType => &self.agent_type,
            Subject::Error => &self.error,
            Subject::LoadReason => &self.load_reason,
            Subject::FileName => self.file_path.rsplit(['/', '\\']).next().unwrap_or_default(),
            Subject::Model => self.to_model.split('[').next().unwrap_or_default(),
            Subject::McpServer => &self.mcp_server_name,
        };
        (!text.is_empty()).then_some(text)
    }
}

/// The text with the control characters inside its strings written as escapes, as JSON demands;
/// `None` where there are none.
///
/// The client's own encoder escapes them; payloads that were put together by hand, for a test or
/// by another program that calls hooks, were seen with raw ones.
pub fn repaired(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut done = 0;
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            0..0x20 if in_string => {
                repaired.push_str(&text[done..at]);
                // Writing to a string cannot fail.
                let _ = write!(repaired, "\\u{byte:04x}");
                done = at + 1;
            }
            _ => {}
        }
    }
    (done > 0).then(|| repaired + &text[done..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_strings_become_escapes() {
        let raw = "{\n\t\"prompt_id\": \"a\tb\u{1}\\\"c\nd\"}\n";
        let repaired = repaired(raw).unwrap();
        assert_eq!(repaired, "{\n\t\"prompt_id\": \"a\\u0009b\\u0001\\\"c\\u000ad\"}\n");
        assert_eq!(Payload::parse(&repaired).unwrap().prompt_id, "a\tb\u{1}\"c\nd");
        assert_eq!(super::repaired("{\n\t\"a\": \"b\"\r\n}"), None);
    }
}
