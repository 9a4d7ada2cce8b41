//! The payload of a call that is made up.

use serde_json::{Map, Value, json};

use crate::client::event::{Event, Subject};
use crate::client::host::{CLAUDE, Host};
use crate::client::payload::Payload;

pub const SESSION: &str = "hookman-rehearsal";

#[derive(Clone, Debug)]
pub struct Call {
    pub event: Event,
    /// The fields of the payload besides those that each payload has.
    pub fields: Map<String, Value>,
    /// The program in whose words they are.
    pub host: &'static Host,
    /// The payload as it was recorded; empty where there is none.
    pub text: String,
}

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
    pub fn of(event: Event, fields: Map<String, Value>) -> Self {
        Self { event, fields, host: &CLAUDE, text: String::new() }
    }

    pub fn of_tool(event: Event, tool: &str, input: &Value) -> Self {
        let mut call = Self::sample(event);
        call.fields.extend(fields(json!({ "tool_name": tool, "tool_input": input })));
        call
    }

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

    /// Makes the call that Claude Code asks about before this one: of a prompt that is a slash command.
    pub fn expansion(&self) -> Option<Self> {
        let prompt = self.fields.get("prompt").filter(|_| self.event == Event::UserPromptSubmit);
        let prompt = prompt.and_then(Value::as_str).filter(|_| self.host.is_claude())?;
        let line = prompt.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_in_name = |c: char| c.is_alphanumeric() || "-_:.".contains(c);
        let mut call = Self::sample(Event::UserPromptExpansion);
        call.fields.extend(fields(json!({
            "command_name": name, "command_args": rest.trim(), "prompt": prompt,
        })));
        (!name.is_empty() && name.chars().all(is_in_name)).then_some(call)
    }

    /// Makes a call of the usual kind for an event, as a payload to start from.
    pub fn sample(event: Event) -> Self {
        const SAMPLES: &str = include_str!("../../templates/payloads.json");
        let samples: Map<String, Value> = serde_json::from_str(SAMPLES).unwrap_or_default();
        Self::of(event, fields(samples.get(event.name()).cloned().unwrap_or_default()))
    }

    /// Takes a call from a payload, which tells which program wrote it where `host` does not.
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
        let named = ["hook_event_name", "hookEventName", "hookName"]
            .iter()
            .find_map(|key| fields.get(*key));
        let event = match (event, named.and_then(Value::as_str)) {
            (Some(event), _) => event,
            (None, Some(name)) => host.event(name).ok_or_else(|| {
                format!("no event is called `{name}`; `--event EVENT` names another")
            })?,
            (None, None) => return Err("it names no event; add `--event EVENT`".to_owned()),
        };
        Ok(Self { event, fields, host, text: text.to_owned() })
    }

    /// Refuses a tool, or a prompt, where the event has none.
    pub fn checked(self) -> Result<Self, String> {
        let has = |key| self.fields.contains_key(key);
        let is_of_tool = self.event.facts().subject == Subject::Tool;
        if has("tool_name") && !is_of_tool {
            return Err(format!("{} is about no tool", self.event));
        }
        if has("prompt") && self.event != Event::UserPromptSubmit {
            return Err(format!("a prompt is of UserPromptSubmit, and not of {}", self.event));
        }
        Ok(self)
    }

    /// Writes the payload; fields of the call win over the place's.
    pub fn payload(&self, place: Place<'_>) -> String {
        if !self.host.is_claude() {
            return Value::Object(self.fields.clone()).to_string();
        }
        // A hook may quote its input, so one that lacks nothing stays as it is.
        let has = |key: &&str| self.fields.contains_key(*key);
        let is_whole = ["session_id", "transcript_path", "cwd"].iter().all(has);
        let named = self.fields.get("hook_event_name").and_then(Value::as_str);
        if is_whole && named == Some(self.event.name()) && !self.text.is_empty() {
            return self.text.clone();
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
