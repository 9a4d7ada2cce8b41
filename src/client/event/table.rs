//! The rows.

use super::column::{Block, ExitTwo, PlainText, Subject, Takes};
use crate::syntax::named::listed;

#[derive(Debug)]
pub struct Facts {
    /// The key in `settings.json`; case matters.
    pub name: &'static str,
    /// A few words that say when the event fires.
    pub occasion: &'static str,
    /// First client version that knows the event.
    pub since: &'static str,
    pub subject: Subject,
    pub block: Block,
    /// True if `hookSpecificOutput.additionalContext` reaches the model.
    pub context: bool,
    pub plain_text: PlainText,
    /// The client's own time limit for a command, in milliseconds.
    pub timeout_ms: u64,
    pub exit_two: ExitTwo,
    /// True if a hook that takes too long stops what is going on.
    pub late_blocks: bool,
    pub takes: Takes,
    /// True if the client heeds a handler's `onFailure` (2.1.295 and later).
    pub heeds_on_failure: bool,
    /// The fields at the top of an answer that have an effect.
    pub top: &'static [&'static str],
    /// The fields inside `hookSpecificOutput` that have an effect.
    pub specific: &'static [&'static str],
    /// The risk of an entry for the whole event, whatever its hooks do.
    pub catch_all_risk: Option<&'static str>,
    /// A remark that no other column holds.
    pub note: Option<&'static str>,
}

macro_rules! events {
    ($($name:ident)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Event { $($name),* }

        impl Event {
            /// Every event, in the order in which registrations are written.
            pub const ALL: &[Event] = &[$(Event::$name),*];
        }
    };
}

events! {
    SessionStart Setup SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse
    PermissionRequest PermissionDenied PostToolUse PostToolUseFailure PostToolBatch Notification
    MessageDisplay SubagentStart SubagentStop TaskCreated TaskCompleted Stop StopFailure
    TeammateIdle InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged
    WorktreeCreate WorktreeRemove PreCompact PostCompact PreModelSwitch PostModelSwitch
    Elicitation ElicitationResult
}

#[expect(clippy::unreadable_literal, reason = "build.rs writes them without underscores")]
pub(super) static TABLE: &[Facts] = listed!("Facts");

impl Event {
    pub fn occasion(self) -> &'static str {
        self.facts().occasion
    }
}
