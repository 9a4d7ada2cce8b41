//! The programs that call hooks: each one's names, its payload in hookman's words, and an answer in its
//! own.
//!
//! hookman's words are those of Claude Code. Other programs run the entries of its settings files, or
//! copies of them. Sources: runs of Codex 0.169, Copilot CLI 1.0.102, Qwen Code 0.24.4, Droid 0.225
//! and Gemini CLI 0.61; the documentation of VS Code and of Cursor.

pub mod commands;
mod decode;
mod encode;
pub mod files;
mod patch;
mod row;
mod table;

use super::event::{Block, Event};
use super::payload::Payload;
pub use decode::{Decoded, UNHEARD};
pub use encode::Encoded;
pub use row::{Heeds, Host, Layout, Names};
use table::{ANOTHER, CODEX, COPILOT, COPILOT_OWN, CURSOR, DROID, GEMINI, QWEN, VSCODE};
pub use table::{CLAUDE, HOSTS};

impl Host {
    /// The program that sent a payload, by a field that Claude Code does not send.
    pub fn of(payload: &Payload<'_>) -> &'static Self {
        let is_timed = !payload.timestamp.is_empty();
        let is_named = |path: &str| payload.transcript_path.contains(path);
        match payload.permission_mode.as_bytes() {
            [b'o', b'f', ..] | [b'a', b'u', b't', b'o', b'-', ..] => return &DROID,
            [b'y', ..] => return &QWEN,
            _ => {}
        }
        // Claude Code names a turn where it shows a message, which Codex has no event for.
        if !payload.turn_id.is_empty() && payload.hook_event_name != "MessageDisplay" {
            &CODEX
        } else if !payload.conversation_id.is_empty() {
            &CURSOR
        } else if !payload.tool_call_id.is_empty() {
            &QWEN
        } else if !payload.hook_event.is_empty() {
            &VSCODE
        } else if !payload.own_session.is_empty() {
            &COPILOT_OWN
        } else if !is_timed {
            Self::of_name(payload)
        } else if GEMINI.knows(&payload.hook_event_name) || is_named("/.gemini/") {
            &GEMINI
        } else if is_named("/.qwen/") {
            &QWEN
        } else if is_named("/.copilot/") || payload.transcript_path.is_empty() {
            &COPILOT
        } else if VSCODE.tools.iter().any(|(theirs, _)| *theirs == &*payload.tool_name) {
            &VSCODE
        } else {
            // Claude Code may say the time as well one day; it always has a transcript.
            &CLAUDE
        }
    }

    /// As [`Host::of`], where only names are left to tell.
    fn of_name(payload: &Payload<'_>) -> &'static Self {
        let name = payload.transcript_path.rsplit('/').next().unwrap_or_default();
        if name.starts_with("rollout-") {
            &CODEX
        } else if GEMINI.knows(&payload.hook_event_name) {
            &GEMINI
        } else {
            &CLAUDE
        }
    }

    /// The program of that name, and with `own_words` in words of its own where it has both.
    pub fn named(name: &str, own_words: bool) -> &'static Self {
        if name == COPILOT.name && own_words {
            return &COPILOT_OWN;
        }
        HOSTS.iter().copied().find(|host| host.name == name).unwrap_or(&ANOTHER)
    }

    pub fn is_claude(&self) -> bool {
        self.layout == Layout::Claude
    }

    /// Returns whether hookman knows its answers, so that hooks can be asked for it.
    pub fn is_served(&self) -> bool {
        self.layout != Layout::Code
    }

    /// Its name for the journal; nothing for Claude Code.
    pub fn noted(&self) -> &'static str {
        if self.is_claude() { "" } else { self.name }
    }

    /// The event that its payload names: an entry's arguments may be lost there.
    pub fn event(&self, name: &str) -> Option<Event> {
        let own = self.events.iter().find(|(theirs, _)| *theirs == name);
        own.map(|(_, event)| *event).or_else(|| Event::from_name(name))
    }

    /// Claude Code's tool for one of this agent's; `None` if unknown, so that it may be any.
    pub fn like(&self, tool: &str) -> Option<&'static str> {
        let others = HOSTS.iter().filter(|_| !self.is_served()).flat_map(|host| host.tools);
        let mut all = self.tools.iter().chain(others);
        all.find(|(theirs, _)| *theirs == tool).map(|(_, ours)| *ours)
    }

    pub fn lets_stop(&self, event: Event) -> bool {
        event.facts().block != Block::Never
            && (event != Event::PreCompact || self.heeds.refuse_compaction)
    }

    fn knows(&self, event: &str) -> bool {
        self.events.iter().any(|(theirs, _)| *theirs == event)
    }

    pub fn event_name(&self, event: Event) -> &'static str {
        let own = self.events.iter().find(|(_, ours)| *ours == event);
        own.map_or(event.name(), |(theirs, _)| theirs)
    }
}
