//! The end of a session's transcript, as far as hooks need it.
//!
//! The format is the client's own and has no version (client reference, transcripts), so a line that
//! is not understood is passed over, and never more than the last mebibyte is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Context, Failure};

/// The bytes of the end that are read first, and at the most.
const STEPS: [u64; 2] = [64 * 1024, 1024 * 1024];

/// The line that the client writes where it compacted the context.
const BOUNDARY: &str = "compact_boundary";

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: bool,
    #[serde(default)]
    subtype: Option<String>,
    /// True if the client wrote it by itself.
    #[serde(rename = "isMeta", default)]
    is_meta: bool,
    #[serde(default)]
    message: Option<Message>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    usage: Option<Usage>,
    content: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(rename = "input_tokens")]
    plain: u64,
    #[serde(rename = "cache_creation_input_tokens")]
    written: u64,
    #[serde(rename = "cache_read_input_tokens")]
    cached: u64,
}

/// The tokens in the main agent's context at its last answer, if a line since the compaction tells.
pub(super) fn tokens(context: &Context<'_>) -> Result<Option<u64>, Failure> {
    let found = newest(context, |line| {
        if line.subtype.as_deref() == Some(BOUNDARY) {
            return Some(0);
        }
        let usage = line.message?.usage?;
        let tokens = usage.plain.saturating_add(usage.written).saturating_add(usage.cached);
        Some(tokens).filter(|tokens| *tokens > 0)
    })?;
    Ok(found.filter(|tokens| *tokens > 0))
}

/// The parts of a hook that need the transcript; `None` where it needs none. A state file may say the same.
pub fn needed(kind: &str, options: &Map<String, Value>) -> Option<Needed> {
    let source = &options.get("state").unwrap_or(&Value::Null);
    let has_file = ["file", "layout"].iter().any(|key| source.get(*key).is_some());
    let lists = ["rules", "extra_rules"].iter().filter_map(|list| options.get(*list)?.as_array());
    let asks = |rule: &Value| rule["when"].get("context_from").is_some();
    match kind {
        "todo-gate" => Some(Needed::Decision),
        "rules" if !has_file && lists.flatten().any(asks) => Some(Needed::Decision),
        "compaction-guard" | "decision-log" => Some(Needed::Text),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    Decision,
    Text,
}

/// The last text that the assistant wrote; `None` where there is none.
pub(super) fn last_text(context: &Context<'_>) -> Result<Option<String>, Failure> {
    newest(context, |line| text_of(&line.message?.content))
}

#[derive(Debug, Default)]
pub(super) struct Story {
    /// The user's prompts, oldest first.
    pub prompts: Vec<String>,
    /// The files that were written, the latest last.
    pub written: Vec<String>,
    /// The files that were read, the latest last.
    pub read: Vec<String>,
    pub todos: Vec<String>,
}

/// Reads the story of the main agent's work from the last mebibyte of the transcript.
pub(super) fn story(context: &Context<'_>) -> Result<Story, Failure> {
    let path = Path::new(&*context.payload.transcript_path);
    let tail = context.host.tail(path, STEPS[1]).map_err(Failure::of("read the transcript"))?;
    let lines = tail.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let lines: Vec<Line> = lines.filter(|line| !line.is_sidechain).collect();
    let refused = refused(&lines);
    let mut story = Story::default();
    let mut tasks = Tasks::default();
    for line in &lines {
        let Some(Message { content, .. }) = &line.message else { continue };
        match &*line.kind {
            "user" if !line.is_meta => {
                let results = content.as_array().into_iter().flatten();
                results.for_each(|result| tasks.named(result));
                let prompt = text_of(content).filter(|text| !text.trim_start().starts_with('<'));
                story.prompts.extend(prompt);
            }
            "assistant" => {
                let parts = content.as_array().into_iter().flatten();
                let is_refused =
                    |part: &&Value| part["id"].as_str().is_some_and(|id| refused.contains(id));
                for part in parts.filter(|part| !is_refused(part)) {
                    story.called(part, &mut tasks);
                }
            }
            _ => {}
        }
    }
    story.todos.extend(tasks.open());
    Ok(story)
}

/// The calls that were denied or failed, by their results.
fn refused(lines: &[Line]) -> BTreeSet<&str> {
    let messages = lines.iter().filter_map(|line| line.message.as_ref());
    let parts = messages.flat_map(|message| message.content.as_array().into_iter().flatten());
    let errors = parts.filter(|part| part["is_error"] == true);
    errors.filter_map(|part| part["tool_use_id"].as_str()).collect()
}

impl Story {
    fn called(&mut self, part: &Value, tasks: &mut Tasks) {
        let input = &part["input"];
        let list = match part["name"].as_str().unwrap_or_default() {
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => &mut self.written,
            "Read" => &mut self.read,
            "TodoWrite" => {
                let items = input["todos"].as_array().into_iter().flatten();
                self.todos = items.filter_map(open_todo).collect();
                return;
            }
            _ => return tasks.called(part),
        };
        let path = input["file_path"].as_str().or(input["notebook_path"].as_str());
        if let Some(path) = path {
            list.retain(|known| known != path);
            list.push(path.to_owned());
        }
    }
}

/// The tasks of the tools `TaskCreate` and `TaskUpdate`, which took the place of `TodoWrite`.
#[derive(Default)]
struct Tasks {
    /// The todos and their states, by the call that wrote them.
    made: Vec<(String, String, String)>,
    /// The call that made a task, by the number that its result gave it.
    calls: BTreeMap<String, String>,
}

impl Tasks {
    fn called(&mut self, part: &Value) {
        let input = &part["input"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match part["name"].as_str().unwrap_or_default() {
            "TaskCreate" => {
                self.made.push((text(&part["id"]), text(&input["subject"]), String::new()));
            }
            "TaskUpdate" => {
                let call = self.calls.get(&text(&input["taskId"]));
                let task = self.made.iter_mut().find(|(made, ..)| call == Some(made));
                if let (Some((_, _, state)), Some(new)) = (task, input["status"].as_str()) {
                    new.clone_into(state);
                }
            }
            _ => {}
        }
    }

    /// Notes the number that a result such as `Task #2 created successfully` gives.
    fn named(&mut self, result: &Value) {
        let said = text_of(&result["content"]).unwrap_or_default();
        let Some((number, _)) = said.strip_prefix("Task #").and_then(|rest| rest.split_once(' '))
        else {
            return;
        };
        if let Some(call) = result["tool_use_id"].as_str() {
            self.calls.insert(number.to_owned(), call.to_owned());
        }
    }

    fn open(self) -> impl Iterator<Item = String> {
        // A task without a number was refused.
        let is_made = move |call: &String| self.calls.values().any(|known| known == call);
        let made = self.made.into_iter().filter(move |(call, ..)| is_made(call));
        made.filter_map(|(_, subject, state)| in_words(&subject, &state))
    }
}

/// An item of a todo list that is not done, with its state in brackets where work on it has begun.
pub(super) fn open_todo(item: &Value) -> Option<String> {
    in_words(item["content"].as_str()?, item["status"].as_str()?)
}

fn in_words(text: &str, state: &str) -> Option<String> {
    match state {
        "completed" | "cancelled" | "deleted" => None,
        "in_progress" => Some(format!("{text} (begun)")),
        _ => Some(text.to_owned()),
    }
}

/// The text of a message, or the texts of its parts; `None` where it has none, as of results alone.
pub fn text_of(content: &Value) -> Option<String> {
    if let Value::String(text) = content {
        return Some(text.clone());
    }
    let parts = content.as_array()?.iter();
    let texts: Vec<&str> = parts.filter_map(|part| part.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The last line of the main agent or of a compaction from which `find` takes something.
fn newest<T>(
    context: &Context<'_>,
    find: impl Fn(Line) -> Option<T>,
) -> Result<Option<T>, Failure> {
    let path = Path::new(&*context.payload.transcript_path);
    for most in STEPS {
        let tail = context.host.tail(path, most).map_err(Failure::of("read the transcript"))?;
        let is_like = |line: &&str| ["assistant", BOUNDARY].iter().any(|it| line.contains(it));
        let lines = tail.lines().rev().filter(is_like);
        let lines = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let is_meant =
            |line: &Line| line.kind == "assistant" || line.subtype.as_deref() == Some(BOUNDARY);
        let mut of_main = lines.filter(|line| is_meant(line) && !line.is_sidechain);
        if let Some(found) = of_main.find_map(&find) {
            return Ok(Some(found));
        }
        // A line may be longer than what is read first.
        if context.host.look(path).is_none_or(|facts| facts.size <= most) {
            break;
        }
    }
    Ok(None)
}
