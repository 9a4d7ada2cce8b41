//! Past sessions, from the client's transcripts.
//!
//! Source: the transcripts of client 2.1.329: a JSON object a line. Lines of type `user` hold a prompt
//! or the result of a call, lines of type `assistant` a part of the model's message, and a subagent has
//! a file of its own in `<session>/subagents`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::builtin::transcript::text_of;
use crate::client::event::Event;
use crate::machine::folders;
use crate::syntax::lent::Lent;

#[derive(Debug)]
pub struct Past {
    pub session: String,
    pub time: String,
    /// The session's directory then.
    pub cwd: String,
    pub event: Event,
    /// The id of the call or the line, which a fork keeps; empty for other events.
    pub id: String,
    /// The payload's further fields as the text of an object, as that takes less memory.
    fields: String,
}

/// A line, of which the long parts are read where a hook wants them.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct Line<'a> {
    r#type: Lent<'a>,
    subtype: Lent<'a>,
    session_id: Lent<'a>,
    timestamp: Lent<'a>,
    cwd: Lent<'a>,
    agent_id: Lent<'a>,
    attribution_agent: Lent<'a>,
    uuid: Lent<'a>,
    is_meta: bool,
    is_compact_summary: bool,
    permission_mode: Option<String>,
    prompt_id: Option<String>,
    tool_use_result: Option<&'a RawValue>,
    message: Message<'a>,
    attachment: Attachment<'a>,
}

/// A line between the parts of a turn: of `queued_command`, a prompt that came while the model worked.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound = "'de: 'a")]
struct Attachment<'a> {
    r#type: Lent<'a>,
    prompt: Option<&'a RawValue>,
    command_mode: Lent<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
struct Message<'a> {
    id: Lent<'a>,
    content: Option<&'a RawValue>,
    stop_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
struct Part<'a> {
    r#type: Lent<'a>,
    id: Lent<'a>,
    name: Value,
    input: Option<&'a RawValue>,
    tool_use_id: Lent<'a>,
    is_error: Value,
    content: Option<&'a RawValue>,
}

fn value(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

impl<'a> Message<'a> {
    /// Gives the parts; none where it is a plain text.
    fn parts(&self) -> Vec<Part<'a>> {
        let raw = self.content.filter(|raw| raw.get().starts_with('['));
        raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    fn text(&self) -> Option<String> {
        text_of(&value(self.content))
    }
}

impl Past {
    fn at(line: &Line<'_>) -> Self {
        Self {
            session: line.session_id.to_string(),
            time: line.timestamp.to_string(),
            cwd: line.cwd.to_string(),
            event: Event::SessionStart,
            id: String::new(),
            fields: String::new(),
        }
    }

    pub fn payload(&self, transcript: &str) -> String {
        let place = json!({
            "session_id": self.session,
            "transcript_path": transcript,
            "cwd": self.cwd,
            "hook_event_name": self.event.name(),
        });
        // Both are objects with at least one field.
        place.to_string().trim_end_matches('}').to_owned() + "," + &self.fields[1..]
    }

    pub fn fields(&self) -> Value {
        serde_json::from_str(&self.fields).unwrap_or_default()
    }

    pub fn line(&self, most: usize) -> String {
        let fields = self.fields();
        let input = &fields["tool_input"];
        let keys = ["command", "file_path", "notebook_path", "pattern", "url"];
        let text = keys.iter().find_map(|key| input[*key].as_str()).or(fields["prompt"].as_str());
        let text = text.unwrap_or_default();
        let line: String = text.lines().next().unwrap_or_default().chars().take(most).collect();
        let more = if line.len() < text.trim_end().len() { "…" } else { "" };
        let name = fields["tool_name"].as_str().unwrap_or(self.event.name());
        format!("{name}: {line}{more}")
    }
}

/// Lists all transcripts below the client's directory, by the session's name, subagents' too.
pub fn files(config: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let inside = |folder: &PathBuf| folders::entries(folder).unwrap_or_default();
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in inside(&config.join("projects")).iter().flat_map(inside) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut files = inside(&path.join("subagents"));
        files.push(path);
        files.retain(|it| it.extension().is_some_and(|it| it == "jsonl"));
        if !files.is_empty() {
            found.entry(name).or_default().append(&mut files);
        }
    }
    for files in found.values_mut() {
        files.sort();
    }
    found
}

pub fn of_subagents(transcript: &Path) -> Vec<PathBuf> {
    folders::entries(&transcript.with_extension("").join("subagents")).unwrap_or_default()
}

/// Finds a call by its id, and what the model got for it: the tool's output, or the words of a denial.
pub fn find(text: &str, id: &str) -> (Option<Past>, Option<String>) {
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(id)).collect();
    let is_it = |past: &Past| past.event == Event::PreToolUse && past.id == id;
    let made = events(&lines.join("\n"), |_, _| true).into_iter().find(is_it);
    let result = |line: &&str| {
        let line: Line<'_> = serde_json::from_str(line).ok()?;
        let part = line.message.parts().into_iter().find(|part| part.tool_use_id == id)?;
        match &value(part.content) {
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(|it| it["text"].as_str()).collect();
                Some(texts.join("\n"))
            }
            content => content.as_str().map(str::to_owned),
        }
    };
    (made, lines.iter().find_map(result))
}

/// Lists the events of a transcript in order, without lines that are invalid or cut short and calls that a
/// resumed session repeats; results where `wants` accepts the event and the directory.
pub fn events(text: &str, wants: impl FnMut(Event, &str) -> bool) -> Vec<Past> {
    const PARTS: [&str; 4] = [
        "\"type\":\"user\"",
        "\"type\":\"assistant\"",
        "\"compact_boundary\"",
        "\"queued_command\"",
    ];
    let mut events = Events {
        found: Vec::new(),
        calls: BTreeMap::new(),
        mode: "default".to_owned(),
        prompt: String::new(),
        ended: String::new(),
        goes_on: false,
        wants,
    };
    let mut refused = BTreeSet::new();
    for line in text.lines().filter(|line| PARTS.iter().any(|part| line.contains(part))) {
        let Ok(read) = serde_json::from_str(line) else { continue };
        events.read(&read);
        if line.contains(REFUSED) {
            refused.extend(refused_calls(&read));
        }
    }
    events.found.retain(|it| !refused.contains(&it.id));
    events.found
}

/// The words in front of the result of a call that the client refuses.
const REFUSED: &str = "<tool_use_error>";

/// Gives the ids of calls that the client refuses without asking a hook, as of no known tool (2.1.330).
fn refused_calls(line: &Line<'_>) -> Vec<String> {
    let is_refused = |part: &Part<'_>| {
        let text = value(part.content);
        let text = text.as_str().and_then(|text| text.strip_prefix(REFUSED));
        text.is_some_and(|text| !text.starts_with("Cancelled"))
    };
    let parts = line.message.parts().into_iter();
    parts.filter(is_refused).map(|part| part.tool_use_id.to_string()).collect()
}

struct Events<W> {
    found: Vec<Past>,
    /// The places of the calls among them, by their ids.
    calls: BTreeMap<String, usize>,
    /// The permission mode of the last prompt.
    mode: String,
    prompt: String,
    /// The id of the message that ended a turn last.
    ended: String,
    /// True if an end was refused since the last prompt.
    goes_on: bool,
    wants: W,
}

impl<W: FnMut(Event, &str) -> bool> Events<W> {
    fn read(&mut self, line: &Line<'_>) {
        let is_main = line.agent_id.is_empty();
        if let Some(mode) = &line.permission_mode {
            self.mode.clone_from(mode);
        }
        if let Some(prompt) = &line.prompt_id {
            self.prompt.clone_from(prompt);
        }
        if self.found.is_empty() && is_main {
            self.add(line, Event::SessionStart, "", "\"source\":\"startup\"");
        }
        match &*line.r#type {
            "system" if is_main && line.subtype == "compact_boundary" => {
                self.add(line, Event::SessionStart, "", "\"source\":\"compact\"");
            }
            "user" => {
                let text = || line.message.text().filter(|_| is_main && line.is_meta);
                self.goes_on |= text().is_some_and(|text| text.starts_with("Stop hook feedback"));
                let is_prompt = is_main && !line.is_meta && !line.is_compact_summary;
                if is_prompt {
                    self.prompted(line, line.message.text());
                }
                if (self.wants)(Event::PostToolUse, &line.cwd) {
                    self.results(line);
                }
            }
            // The client asks about these as about any prompt, those of background tasks too (2.1.330).
            "attachment" if is_main && line.attachment.r#type == "queued_command" => {
                let is_shell = line.attachment.command_mode == "bash";
                self.prompted(line, text_of(&value(line.attachment.prompt)).filter(|_| !is_shell));
            }
            "assistant" => {
                let is_call = |part: &&Part<'_>| part.r#type == "tool_use" && part.name.is_string();
                for part in line.message.parts().iter().filter(is_call) {
                    let id = &*part.id;
                    if id.is_empty() || !self.calls.contains_key(id) {
                        self.calls.insert(id.to_owned(), self.found.len());
                        let (name, input) = (&part.name, part.input.map_or("null", RawValue::get));
                        let call = format!(
                            "\"tool_name\":{name},\"tool_input\":{input},\"tool_use_id\":{}",
                            quoted(id)
                        );
                        self.add(line, Event::PreToolUse, id, &call);
                    }
                }
                // Each part of a message has a line, and all say how it ended.
                if line.message.stop_reason.as_deref() == Some("end_turn")
                    && self.ended != *line.message.id
                {
                    (*line.message.id).clone_into(&mut self.ended);
                    let event = if is_main { Event::Stop } else { Event::SubagentStop };
                    let active = format!("\"stop_hook_active\":{}", is_main && self.goes_on);
                    self.add(line, event, &line.uuid, &active);
                }
            }
            _ => {}
        }
    }

    fn prompted(&mut self, line: &Line<'_>, text: Option<String>) {
        if let Some(prompt) = text.and_then(|text| typed(&text)) {
            self.goes_on = false;
            let prompt = format!("\"prompt\":{}", quoted(&prompt));
            self.add(line, Event::UserPromptSubmit, &line.uuid, &prompt);
        }
    }

    fn results(&mut self, line: &Line<'_>) {
        let has_come = |it: &&Part<'_>| it.r#type == "tool_result" && it.is_error != true;
        for part in line.message.parts().iter().filter(has_come) {
            let Some(&made) = self.calls.get(&*part.tool_use_id) else { continue };
            let call = &self.found[made];
            let response = line.tool_use_result.map_or("null", RawValue::get);
            let fields = ["{\"tool_response\":", response, ",", &call.fields[1..]].concat();
            let (event, id) = (Event::PostToolUse, call.id.clone());
            self.found.push(Past { event, id, fields, ..Past::at(line) });
        }
    }

    /// Adds an event with fields of its own, which are members of an object.
    fn add(&mut self, line: &Line<'_>, event: Event, id: &str, own: &str) {
        let (mode, prompt) = (quoted(&self.mode), quoted(&self.prompt));
        let mut fields = format!("{{{own},\"permission_mode\":{mode},\"prompt_id\":{prompt}}}");
        if !line.agent_id.is_empty() {
            let (id, kind) = (quoted(&line.agent_id), quoted(&line.attribution_agent));
            fields.truncate(fields.len() - 1);
            fields.extend([",\"agent_id\":", &id, ",\"agent_type\":", &kind, "}"]);
        }
        fields.shrink_to_fit();
        self.found.push(Past { event, id: id.to_owned(), fields, ..Past::at(line) });
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Gives what a person typed, of a prompt in the transcript; `None` for a command or the client's remark.
fn typed(text: &str) -> Option<String> {
    let within = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once("</")?.0)
    };
    if text.starts_with("<command-message>") {
        let (name, arguments) = (within("command-name")?, within("command-args"));
        return Some(format!("{name} {}", arguments.unwrap_or_default()).trim_end().to_owned());
    }
    let own = ["<command-name>", "<local-command-", "[Request interrupted by user"];
    let is_own = own.iter().any(|it| text.starts_with(it));
    (!is_own).then(|| text.to_owned())
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
        let refused = line(
            "user",
            r#""message":{"content":[{"type":"tool_result","tool_use_id":"toolu_5","is_error":true,"content":"<tool_use_error>String to replace not found"}]}"#,
        );
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
            &line("attachment", r#""attachment":{"type":"queued_command","prompt":"go on","commandMode":"prompt"}"#),
            &line("attachment", r#""attachment":{"type":"queued_command","prompt":"ls","commandMode":"bash"}"#),
            &line("user", r#""message":{"content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}"#),
            &call("toolu_5"),
            &refused,
            &call("toolu_3")[..80],
            &end,
            &end,
            &line("user", r#""isMeta":true,"message":{"content":"Stop hook feedback:\nnot yet"}"#),
            &end.replace("\"m\"", "\"n\""),
            &line("system", r#""subtype":"compact_boundary""#),
            &prompt(
                "<command-message>fix</command-message><command-name>/fix</command-name><command-args>it\
                 </command-args>",
            ),
            &prompt("<command-name>/compact</command-name><command-args></command-args>"),
            &line("user", r#""isCompactSummary":true,"message":{"content":"summed up"}"#),
            &prompt("<local-command-stdout>x</local-command-stdout>"),
            r#"{"type":"summary","message":{"content":[{"type":"tool_use","id":"toolu_4"}]}}"#,
        ]
        .join("\n");
        let shown = |it: &Past| {
            let fields = it.fields();
            let again = if fields["stop_hook_active"] == true { "again" } else { &it.id };
            format!("{} {}", it.event, fields["prompt"].as_str().unwrap_or(again))
        };
        assert_eq!(
            events(&text, |_, _| true).iter().map(shown).collect::<Vec<_>>(),
            [
                "SessionStart ",
                "UserPromptSubmit tell me of \"tool_use\"",
                "PreToolUse toolu_1",
                "PostToolUse toolu_1",
                "PreToolUse toolu_2",
                "UserPromptSubmit go on",
                "Stop ",
                "Stop again",
                "SessionStart ",
                "UserPromptSubmit /fix it",
            ]
        );
    }
}
