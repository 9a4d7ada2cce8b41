//! The payload of a call that is made up.

use serde_json::{Map, Value, json};

use crate::client::event::{Event, Subject};
use crate::client::host::{CLAUDE, Host};
use crate::client::payload::Payload;

/// The session that a made-up payload is of.
pub const SESSION: &str = "hookman-rehearsal";

/// A call as a person or a case names it.
#[derive(Clone, Debug)]
pub struct Call {
    pub event: Event,
    /// The fields of the payload besides those that each payload has.
    pub fields: Map<String, Value>,
    /// The program in whose words they are.
    pub host: &'static Host,
}

/// The place of a call: its session and its directories.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub session: &'a str,
    /// The transcript's path; empty where there is none.
    pub transcript: &'a str,
    pub cwd: &'a str,
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

impl Call {
    /// Makes a call of Claude Code.
    pub fn of(event: Event, fields: Map<String, Value>) -> Self {
        Self { event, fields, host: &CLAUDE }
    }

    pub fn of_tool(event: Event, tool: &str, input: &Value) -> Self {
        let call = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": SESSION });
        Self::of(event, fields(call))
    }

    /// Makes a shell line of the tool Bash.
    pub fn of_line(event: Event, line: &str) -> Self {
        Self::of_tool(event, "Bash", &json!({ "command": line }))
    }

    /// Makes a call of a file tool. The texts that it writes are empty.
    pub fn of_file(event: Event, tool: &str, file: &str) -> Self {
        let input = match tool {
            "Write" => json!({ "file_path": file, "content": "" }),
            "Edit" => json!({ "file_path": file, "old_string": "", "new_string": "" }),
            "NotebookEdit" => json!({ "notebook_path": file, "new_source": "" }),
            "Grep" | "Glob" => json!({ "pattern": "", "path": file }),
            _ => json!({ "file_path": file }),
        };
        Self::of_tool(event, tool, &input)
    }

    pub fn of_prompt(text: &str) -> Self {
        Self::of(Event::UserPromptSubmit, fields(json!({ "prompt": text })))
    }

    /// Makes a call of the usual kind for an event, as a payload to start from.
    pub fn sample(event: Event) -> Self {
        let subject = event.facts().subject;
        let mut made = match subject {
            Subject::Tool => Self::of_line(event, "git status").fields,
            _ => Map::new(),
        };
        if let (Some(field), true) = (subject.field(), subject != Subject::Tool) {
            let words = subject.words(event).unwrap_or_default();
            let word = match subject {
                Subject::FileName => "CLAUDE.md",
                Subject::Model => "claude-opus-4-5",
                Subject::McpServer => "github",
                Subject::AgentType => "Explore",
                Subject::CommandName => "commit",
                _ => words.first().copied().unwrap_or("other"),
            };
            made.insert(field.to_owned(), word.into());
        }
        let done = json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false });
        let more = match event {
            Event::UserPromptSubmit => json!({ "prompt": "fix the tests" }),
            Event::UserPromptExpansion => json!({
                "prompt": "/commit", "command_args": "", "expansion_type": "slash_command",
            }),
            Event::PermissionDenied => json!({ "reason": "the classifier denied it" }),
            Event::PostToolUse => json!({ "tool_response": done }),
            Event::PostToolUseFailure => json!({ "error": "Exit code 1" }),
            Event::PostToolBatch => {
                let mut call = Self::of_line(event, "git status").fields;
                call.insert("tool_response".to_owned(), "nothing to commit".into());
                json!({ "tool_calls": [call] })
            }
            Event::Notification => json!({ "message": "Claude is waiting for your input" }),
            Event::MessageDisplay => json!({
                "turn_id": "turn", "message_id": "message", "index": 0, "final": true, "delta": "Done.",
            }),
            Event::SubagentStart => json!({ "agent_id": "agent" }),
            Event::Stop => json!({ "stop_hook_active": false, "last_assistant_message": "Done." }),
            Event::SubagentStop => json!({
                "agent_id": "agent", "agent_transcript_path": "", "stop_hook_active": false,
                "last_assistant_message": "Done.",
            }),
            Event::StopFailure => json!({ "last_assistant_message": "API Error: 429" }),
            Event::TaskCreated | Event::TaskCompleted => {
                json!({ "task_id": "1", "task_subject": "Fix the tests" })
            }
            Event::TeammateIdle => json!({ "teammate_name": "tester", "team_name": "team" }),
            Event::InstructionsLoaded => {
                json!({ "file_path": "CLAUDE.md", "memory_type": "Project" })
            }
            Event::CwdChanged => json!({ "old_cwd": "/", "new_cwd": "/tmp" }),
            Event::DirectoryAdded => json!({ "directory": "/tmp", "source": "slash_command" }),
            Event::FileChanged => json!({ "event": "change" }),
            Event::WorktreeCreate => json!({ "name": "feature" }),
            Event::WorktreeRemove => json!({ "worktree_path": "/tmp/feature" }),
            Event::PreCompact => json!({ "custom_instructions": "" }),
            Event::PostCompact => json!({ "compact_summary": "The tests were fixed." }),
            Event::PreModelSwitch | Event::PostModelSwitch => json!({
                "from_model": "claude-sonnet-4-5", "requested_model": "opus", "source": "command",
                "context_tokens": 1000,
            }),
            Event::Elicitation => json!({ "message": "Which repository?" }),
            Event::ElicitationResult => json!({ "action": "accept" }),
            Event::PreToolUse
            | Event::PermissionRequest
            | Event::SessionStart
            | Event::SessionEnd
            | Event::Setup
            | Event::ConfigChange => json!({}),
        };
        if event == Event::PermissionRequest {
            made.shift_remove("tool_use_id");
        }
        made.extend(fields(more));
        Self::of(event, made)
    }

    /// Takes a call from a payload, such as one that was recorded.
    ///
    /// Without `host` the payload tells which program wrote it.
    pub fn of_payload(
        event: Option<Event>,
        host: Option<&str>,
        text: &str,
    ) -> Result<Self, String> {
        let read = Payload::parse(text).ok();
        let told = read.as_ref().map_or(&CLAUDE, Host::of);
        let host = host.map_or(told, |name| Host::named(name, false));
        let value: Value =
            serde_json::from_str(text).map_err(|it| format!("it is not JSON: {it}"))?;
        let Value::Object(fields) = value else {
            return Err("it is not a JSON object".to_owned());
        };
        let named = fields.get("hook_event_name").or_else(|| fields.get("hookEventName"));
        let event = event.or_else(|| host.event(named?.as_str()?));
        let event = event.ok_or("it names no event; add `--event EVENT`")?;
        Ok(Self { event, fields, host })
    }

    /// Writes the payload. Fields of the call win over those of the place. One of another program stays
    /// in the words of that.
    pub fn payload(&self, place: Place<'_>) -> String {
        if !self.host.is_claude() {
            return Value::Object(self.fields.clone()).to_string();
        }
        let mut payload = fields(json!({
            "session_id": place.session,
            "transcript_path": place.transcript,
            "cwd": place.cwd,
            "permission_mode": "default",
        }));
        payload.extend(self.fields.clone());
        payload.insert("hook_event_name".to_owned(), self.event.name().into());
        Value::Object(payload).to_string()
    }

    /// Gives the text that matchers are tested on, for people.
    pub fn subject(&self) -> String {
        let field = self.event.facts().subject.field().and_then(|field| self.fields.get(field));
        field.and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_has_a_payload_to_start_from_with_the_subject_of_its_matchers() {
        let place = Place { session: "s", transcript: "/t", cwd: "/p" };
        for &event in Event::ALL {
            let text = Call::sample(event).payload(place);
            let payload = Payload::strict(&text).unwrap();
            assert_eq!(payload.hook_event_name, event.name());
            let has_subject = event.facts().subject != Subject::None;
            assert_eq!(payload.subject(event).is_some(), has_subject, "{event}: {text}");
        }
    }
}
