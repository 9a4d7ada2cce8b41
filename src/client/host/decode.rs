//! A payload in hookman's words.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::table::{CODEX, COPILOT, DROID, GEMINI, QWEN};
use super::{Event, Host, Layout, Names, patch};
use crate::client::payload::Payload;

/// A payload in hookman's words.
#[derive(Debug, PartialEq)]
pub enum Decoded {
    /// It has them already.
    Same,
    Call(String),
    /// A call for each file of a patch, behind that of the shell where it applies the patch.
    Patch(Vec<String>),
    /// It is none that a hook has to hear of, for this reason.
    Nothing(&'static str),
}

/// The reasons why no hook has to hear of a call.
pub const UNHEARD: [&str; 4] = [
    "the result of a tool is no prompt",
    "the end of a subagent is not that of the turn",
    "the prompt of a subagent is not the user's",
    "the refusal of an end, which the model reads as a prompt, is not the user's",
];

const PATCHES: [&str; 3] = ["apply_patch", "ApplyPatch", "patch"];

impl Host {
    /// A payload in hookman's words, for `event` where it names none.
    pub fn decoded(&self, payload: &Payload<'_>, text: &str, event: Option<Event>) -> Decoded {
        let is_same = match self.layout {
            Layout::Claude | Layout::Code => true,
            _ if self.name == CODEX.name => {
                let is_own = PATCHES.contains(&&*payload.tool_name)
                    || self.like(&payload.tool_name).is_some();
                !is_own && !payload.tool_input.is_some_and(|input| patch::is_in(input.get()))
            }
            _ => false,
        };
        if is_same {
            return Decoded::Same;
        }
        let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(text) else {
            return Decoded::Same;
        };
        for (theirs, ours) in self.fields {
            rename(&mut object, theirs, ours);
        }
        let named = object.get("hook_event_name").and_then(Value::as_str);
        let event = named.and_then(|name| self.event(name)).or(event);
        if let Some(event) = event {
            object.insert("hook_event_name".to_owned(), event.name().into());
        }
        if let Some(why) = self.unheard(&mut object, event) {
            return Decoded::Nothing(why);
        }
        if self.layout == Layout::Gemini
            && let Some(Value::String(prompt)) = object.get_mut("prompt")
        {
            *prompt = typed(prompt).to_owned();
        }
        for (field, theirs, ours) in self.words {
            if let Some(Value::String(word)) = object.get_mut(*field)
                && word == theirs
            {
                (*ours).clone_into(word);
            }
        }
        // Copilot calls its tool for patches `Edit` in Claude Code's words.
        let is_patch = object.get("tool_name").and_then(Value::as_str).is_some_and(|tool| {
            PATCHES.contains(&tool)
                || tool == "Edit" && object.get("tool_input").is_some_and(Value::is_string)
        });
        if is_patch || self.name == CODEX.name && has_patch(&object) {
            return Decoded::Patch(patched(&object, is_patch));
        }
        if let Some(Value::String(tool)) = object.get_mut("tool_name")
            && let Some(ours) = self.tool(tool)
        {
            *tool = ours;
        }
        self.go_to_directory(&mut object);
        let tool = object.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
        // The arguments of an MCP tool are its server's own.
        if let Some(Value::Object(input)) = object.get_mut("tool_input")
            && !tool.starts_with("mcp__")
        {
            rename_inputs(input, self.inputs, &tool);
        }
        Decoded::Call(Value::Object(object).to_string())
    }

    fn go_to_directory(&self, object: &mut Map<String, Value>) {
        let input = object.get("tool_input").filter(|input| input.get("command").is_some());
        let to = input.and_then(|input| input.get(self.directory)).and_then(Value::as_str);
        let Some(to) = to.filter(|to| !to.is_empty()) else { return };
        let cwd = object.get("cwd").and_then(Value::as_str).unwrap_or_default();
        let cwd = patch::absolute(to, cwd);
        object.insert("cwd".to_owned(), cwd.into());
    }

    /// Its tool in hookman's words; `None` where that has the same name, or none.
    pub fn tool(&self, name: &str) -> Option<String> {
        let of_server = || {
            let (server, tool) = match self.name {
                it if it == GEMINI.name => name.strip_prefix("mcp_")?.split_once('_')?,
                it if it == DROID.name => name.split_once("___")?,
                // Names of servers have hyphens more often than names of tools.
                it if it == COPILOT.name => name.rsplit_once('-')?,
                _ => return None,
            };
            (!server.is_empty() && !name.starts_with("mcp__"))
                .then(|| format!("mcp__{server}__{tool}"))
        };
        self.like(name).map(str::to_owned).or_else(of_server)
    }

    /// A hook's output in hookman's words, where it is an answer in the program's own.
    pub fn heard<'t>(&self, event: Event, stdout: &'t str) -> Cow<'t, str> {
        let is_own = matches!(self.layout, Layout::Gemini | Layout::Root)
            && stdout.trim_start().starts_with('{');
        let object = is_own.then(|| serde_json::from_str::<Map<String, Value>>(stdout).ok());
        let Some(mut object) = object.flatten() else { return Cow::Borrowed(stdout) };
        if self.layout == Layout::Root {
            nest(&mut object, event);
            return Cow::Owned(Value::Object(object).to_string());
        }
        if let Some(Value::String(decision)) = object.get_mut("decision") {
            match decision.as_str() {
                "deny" => "block".clone_into(decision),
                "allow" => "approve".clone_into(decision),
                _ => {}
            }
        }
        if let Some(Value::Object(nested)) = object.get_mut("hookSpecificOutput") {
            rename(nested, "tool_input", "updatedInput");
            let name = nested.get("hookEventName").and_then(Value::as_str);
            if name.is_none_or(|name| name == self.event_name(event)) {
                nested.insert("hookEventName".to_owned(), event.name().into());
            }
        }
        Cow::Owned(Value::Object(object).to_string())
    }

    /// Explains why no hook has to hear of a payload; a subagent's one gets the id of its session.
    fn unheard(
        &self,
        object: &mut Map<String, Value>,
        event: Option<Event>,
    ) -> Option<&'static str> {
        if self.name == QWEN.name && event == Some(Event::UserPromptSubmit) {
            let is_empty = object.get("prompt").and_then(Value::as_str) == Some("");
            return is_empty.then_some(UNHEARD[0]);
        }
        if self.name != COPILOT.name {
            return None;
        }
        let parent = object.get("parent_agent_id").filter(|it| it.as_str() != Some(""))?.clone();
        object.insert("session_id".to_owned(), parent);
        match event {
            Some(Event::Stop) => Some(UNHEARD[1]),
            Some(Event::UserPromptSubmit) => Some(UNHEARD[2]),
            _ => None,
        }
    }
}

/// Puts what Copilot reads at the root of an answer where hookman reads it.
fn nest(object: &mut Map<String, Value>, event: Event) {
    const KEYS: [&str; 4] =
        ["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"];
    object.shift_remove("updatedInput");
    rename(object, "modifiedArgs", "updatedInput");
    let at_root = KEYS.iter().filter_map(|key| Some((*key, object.shift_remove(*key)?)));
    let at_root: Vec<(&str, Value)> = at_root.collect();
    if !at_root.is_empty() {
        object.entry("hookSpecificOutput").or_insert_with(|| Map::new().into());
    }
    if let Some(Value::Object(nested)) = object.get_mut("hookSpecificOutput") {
        nested.entry("hookEventName").or_insert_with(|| event.name().into());
        for (key, value) in at_root {
            nested.entry(key).or_insert(value);
        }
    }
}

/// A prompt without the advice of `SessionStart` hooks, which Gemini puts before the first of a process.
fn typed(prompt: &str) -> &str {
    let advice = prompt.strip_prefix("<hook_context>");
    advice.and_then(|it| it.split_once("</hook_context>\n\n")).map_or(prompt, |(_, typed)| typed)
}

/// Returns whether a shell line holds a patch, which Codex applies in the shell's place.
fn has_patch(object: &Map<String, Value>) -> bool {
    let line = object.get("tool_input").and_then(|it| it.get("command")).and_then(Value::as_str);
    line.is_some_and(patch::is_in)
}

/// A call for each file of a patch; one whose files cannot be read is one edit of nobody knows which.
fn patched(object: &Map<String, Value>, is_tool: bool) -> Vec<String> {
    let text = |place: &str| object.get(place).and_then(Value::as_str).unwrap_or_default();
    let input = object.get("tool_input");
    let key = ["command", "input", "patchText", "patch"];
    let patch = input.and_then(|it| key.iter().find_map(|key| it.get(key))).or(input);
    let patch = patch.and_then(Value::as_str).unwrap_or_default();
    let folder = if is_tool { text("cwd").to_owned() } else { patch::folder(patch, text("cwd")) };
    let edits = patch::edits(patch, &folder);
    let call = |tool: &str, input: Option<Map<String, Value>>| {
        let mut call = object.clone();
        call.insert("tool_name".to_owned(), tool.into());
        if let Some(input) = input {
            call.insert("tool_input".to_owned(), Value::Object(input));
        }
        Value::Object(call).to_string()
    };
    if is_tool && edits.is_empty() {
        return vec![call("Edit", None)];
    }
    let shell = (!is_tool).then(|| call("Bash", None));
    shell
        .into_iter()
        .chain(edits.into_iter().map(|edit| call(edit.tool, Some(edit.input))))
        .collect()
}

fn rename_inputs(input: &mut Map<String, Value>, names: Names, tool: &str) {
    // A search has a `path` in Claude Code's words, too.
    let searches = matches!(tool, "Grep" | "Glob" | "LS");
    for (theirs, ours) in names.iter().filter(|(theirs, _)| !searches || *theirs != "path") {
        rename(input, theirs, ours);
    }
    // Where a tool takes several files, hooks are asked about the first.
    let first = input.get("files").and_then(|files| files.get(0)).cloned();
    if let (Some(file), false) = (first, input.contains_key("file_path")) {
        input.insert("file_path".to_owned(), file);
    }
}

fn rename(object: &mut Map<String, Value>, theirs: &str, ours: &str) {
    if !object.contains_key(ours)
        && let Some(value) = object.shift_remove(theirs)
    {
        object.insert(ours.to_owned(), value);
    }
}
