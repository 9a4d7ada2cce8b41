//! Which program sends a payload, and its payload in the client's words.
//!
//! Other programs run the entries of the client's settings files, or copies of them. Sources: runs of
//! Codex 0.169, Copilot CLI 1.0.102, Qwen Code 0.24, Droid 0.215 and Gemini CLI 0.61; the
//! documentation of VS Code and of Cursor.

use serde_json::{Map, Value};

use super::answer::Decision;
use super::event::Event;
use super::output::Said;
use super::payload::Payload;

/// A program that calls hooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Host {
    /// Claude Code.
    #[default]
    Claude,
    /// Codex, which has the client's words and reads answers strictly.
    Codex,
    /// Copilot's CLI, with the client's words around inputs of its own.
    Copilot,
    /// Copilot's CLI in words of its own, as it asks for permissions.
    CopilotNative,
    /// VS Code.
    VsCode,
    /// One whose tools and answers are not known here, by its name.
    Other(&'static str),
}

/// Events of Gemini's.
const OF_GEMINI: &[&str] = &[
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

impl Host {
    /// The program that sent a payload. A field that the client does not send tells; what has none is
    /// the client's.
    pub fn of(payload: &Payload<'_>) -> Self {
        let is_timed = !payload.timestamp.is_empty();
        let is_named = |path: &str| payload.transcript_path.contains(path);
        match payload.permission_mode.as_bytes() {
            [b'o', b'f', ..] | [b'a', b'u', b't', b'o', b'-', ..] => return Self::Other("droid"),
            [b'y', ..] => return Self::Other("qwen"),
            _ => {}
        }
        if !payload.turn_id.is_empty() {
            Self::Codex
        } else if !payload.conversation_id.is_empty() {
            Self::Other("cursor")
        } else if !payload.tool_call_id.is_empty() {
            Self::Other("qwen")
        } else if !payload.hook_event.is_empty() {
            Self::VsCode
        } else if !payload.own_session.is_empty() {
            Self::CopilotNative
        } else if !is_timed {
            Self::of_name(payload)
        } else if OF_GEMINI.contains(&&*payload.hook_event_name) || is_named("/.gemini/") {
            Self::Other("gemini")
        } else if is_named("/.qwen/") {
            Self::Other("qwen")
        } else if payload.transcript_path.is_empty() {
            Self::Copilot
        } else if TOOLS.iter().any(|(theirs, _)| *theirs == payload.tool_name) {
            Self::VsCode
        } else {
            // The client may say the time as well one day; it always has a transcript.
            Self::Claude
        }
    }

    /// The program of that name, and with `own_words` in words of its own where it has both. One that is
    /// not known by its name is of those whose tools and answers are not known.
    pub fn named(name: &str, own_words: bool) -> Self {
        match name {
            "claude" => Self::Claude,
            "codex" => Self::Codex,
            "copilot" if own_words => Self::CopilotNative,
            "copilot" => Self::Copilot,
            "vscode" => Self::VsCode,
            _ => {
                let known =
                    ["cursor", "droid", "gemini", "qwen"].into_iter().find(|it| *it == name);
                Self::Other(known.unwrap_or("another program"))
            }
        }
    }

    /// As [`Host::of`], where only names are left to tell.
    fn of_name(payload: &Payload<'_>) -> Self {
        let name = payload.transcript_path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("rollout-") {
            Self::Codex
        } else if OF_GEMINI.contains(&&*payload.hook_event_name) {
            Self::Other("gemini")
        } else {
            Self::Claude
        }
    }

    /// The event that its payload names, in the client's word or in its own: an entry's arguments may
    /// be lost there.
    pub fn event(self, name: &str) -> Option<Event> {
        match name {
            "BeforeTool" | "preToolUse" if self.is_other() => Some(Event::PreToolUse),
            "BeforeAgent" | "beforeSubmitPrompt" if self.is_other() => {
                Some(Event::UserPromptSubmit)
            }
            _ => Event::from_name(name),
        }
    }

    fn is_other(self) -> bool {
        matches!(self, Self::Other(_))
    }

    /// Its name, for the journal; nothing for the client.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "",
            Self::Codex => "codex",
            Self::Copilot | Self::CopilotNative => "copilot",
            Self::VsCode => "vscode",
            Self::Other(name) => name,
        }
    }

    /// Its payload in the client's words; `None` where it has them already, or is not known here.
    pub fn translated(self, text: &str, event: Option<Event>) -> Option<String> {
        if !matches!(self, Self::Copilot | Self::CopilotNative | Self::VsCode) {
            return None;
        }
        let mut payload: Map<String, Value> = serde_json::from_str(text).ok()?;
        for (theirs, ours) in FIELDS {
            rename(&mut payload, theirs, ours);
        }
        if let (Some(event), false) = (event, payload.contains_key("hook_event_name")) {
            payload.insert("hook_event_name".to_owned(), event.name().into());
        }
        if let Some(Value::String(tool)) = payload.get_mut("tool_name")
            && let Some((_, ours)) = TOOLS.iter().find(|(theirs, _)| theirs == tool)
        {
            (*ours).clone_into(tool);
        }
        if let Some(Value::Object(input)) = payload.get_mut("tool_input") {
            for (theirs, ours) in INPUTS {
                rename(input, theirs, ours);
            }
            // Where a tool takes several files, hooks are asked about the first.
            let first = input.get("files").and_then(|files| files.get(0)).cloned();
            if let (Some(file), false) = (first, input.contains_key("file_path")) {
                input.insert("file_path".to_owned(), file);
            }
        }
        Some(Value::Object(payload).to_string())
    }
}

/// What to say so that a program obeys, in the place of what the client would be told.
///
/// A denial by exit code, with one line on standard error and nothing on standard output, is the one
/// that all of them obey.
pub fn obeyed(host: Host, decision: Option<Decision>, said: Said) -> Said {
    let holds = matches!(decision, Some(Decision::Deny | Decision::Ask | Decision::Defer));
    match host {
        Host::CopilotNative | Host::Other(_) if holds => denial(&reason(&said)),
        // None of the client's answers is one of its own.
        Host::CopilotNative | Host::Other(_) => Said::default(),
        // Nobody is asked there, and the call would go on.
        Host::Codex if decision == Some(Decision::Ask) => denial(&reason(&said)),
        Host::Claude | Host::Codex | Host::Copilot | Host::VsCode => said,
    }
}

/// A denial that every program obeys.
pub fn denial(reason: &str) -> Said {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    Said { stderr: format!("{line}\n"), code: 2, ..Said::default() }
}

/// The tool of the client that does what a tool of another program does; `None` where that is not
/// known, so that it may be any.
pub fn like(tool: &str) -> Option<&'static str> {
    TOOLS.iter().chain(OF_OTHERS).find(|(theirs, _)| *theirs == tool).map(|(_, ours)| *ours)
}

fn reason(said: &Said) -> String {
    let told = || {
        let answer: Value = serde_json::from_str(&said.stdout).ok()?;
        let places = [
            "/hookSpecificOutput/permissionDecisionReason",
            "/reason",
            "/hookSpecificOutput/decision/message",
        ];
        let text = places.iter().find_map(|place| answer.pointer(place)?.as_str());
        text.map(str::to_owned)
    };
    let blank = said.stderr.trim().is_empty();
    let text = if blank { told() } else { Some(said.stderr.clone()) };
    text.unwrap_or_else(|| "a hook denied it".to_owned())
}

fn rename(object: &mut Map<String, Value>, theirs: &str, ours: &str) {
    if !object.contains_key(ours)
        && let Some(value) = object.shift_remove(theirs)
    {
        object.insert(ours.to_owned(), value);
    }
}

/// Fields of payloads, and the client's names for them.
const FIELDS: &[(&str, &str)] = &[
    ("sessionId", "session_id"),
    ("hookEventName", "hook_event_name"),
    ("toolName", "tool_name"),
    ("toolArgs", "tool_input"),
    ("toolInput", "tool_input"),
    ("tool_result", "tool_response"),
];

/// Tools, and the client's names for them.
const TOOLS: &[(&str, &str)] = &[
    ("bash", "Bash"),
    ("create", "Write"),
    ("edit", "Edit"),
    ("view", "Read"),
    ("run_in_terminal", "Bash"),
    ("runInTerminal", "Bash"),
    ("runTerminalCommand", "Bash"),
    ("create_file", "Write"),
    ("createFile", "Write"),
    ("replace_string_in_file", "Edit"),
    ("multi_replace_string_in_file", "Edit"),
    ("insert_edit_into_file", "Edit"),
    ("editFiles", "Edit"),
    ("apply_patch", "Edit"),
    ("edit_notebook_file", "NotebookEdit"),
    ("read_file", "Read"),
    ("readFile", "Read"),
];

/// Fields of tools' inputs, and the client's names for them.
const INPUTS: &[(&str, &str)] = &[
    ("path", "file_path"),
    ("filePath", "file_path"),
    ("file_text", "content"),
    ("old_str", "old_string"),
    ("oldString", "old_string"),
    ("new_str", "new_string"),
    ("newString", "new_string"),
];

/// As [`TOOLS`], for programs whose calls are only let through or denied.
const OF_OTHERS: &[(&str, &str)] = &[
    ("run_shell_command", "Bash"),
    ("Execute", "Bash"),
    ("Shell", "Bash"),
    ("Bash", "Bash"),
    ("write_file", "Write"),
    ("Create", "Write"),
    ("Write", "Write"),
    ("replace", "Edit"),
    ("Edit", "Edit"),
    ("Read", "Read"),
    ("Grep", "Grep"),
    ("Glob", "Glob"),
];
