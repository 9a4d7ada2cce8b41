//! The client's events, one row each.
//!
//! Source: the client's hooks reference, and runs of the clients 2.1.197 and 2.1.329.

use std::fmt;

/// What a matcher of an event is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The event has no subject: a `matcher` is accepted and has no effect.
    None,
    /// `tool_name`.
    Tool,
    /// `source`.
    Source,
    /// `trigger`.
    Trigger,
    /// `reason`.
    Reason,
    /// `command_name`.
    CommandName,
    /// `notification_type`.
    NotificationType,
    /// `agent_type`.
    AgentType,
    /// `error`.
    Error,
    /// `load_reason`.
    LoadReason,
    /// The last component of `file_path`.
    FileName,
    /// The canonical name of `to_model`.
    Model,
    /// `mcp_server_name`.
    McpServer,
}

impl Subject {
    /// The payload field in the client's words, or `None` where a matcher has no effect.
    pub fn field(self) -> Option<&'static str> {
        Some(match self {
            Self::None => return None,
            Self::Tool => "tool_name",
            Self::Source => "source",
            Self::Trigger => "trigger",
            Self::Reason => "reason",
            Self::CommandName => "command_name",
            Self::NotificationType => "notification_type",
            Self::AgentType => "agent_type",
            Self::Error => "error",
            Self::LoadReason => "load_reason",
            Self::FileName => "file_path",
            Self::Model => "to_model",
            Self::McpServer => "mcp_server_name",
        })
    }
}

/// How a hook says no to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Nothing a hook answers stops what is going on.
    Never,
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// `hookSpecificOutput.decision`, an object with a `behavior`.
    Request,
    /// Top-level `decision: "block"` with a `reason`.
    Decision,
    /// Exit code 2 only.
    ExitCode,
    /// `hookSpecificOutput.action`.
    Action,
}

/// What the client makes of plain text on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainText {
    /// It ends in the debug log.
    Ignored,
    /// The model reads it.
    Context,
    /// The user sees it.
    User,
    /// It steers the client: compaction instructions, the path of a worktree.
    Steers,
}

/// One row of the table: what the client does with an event.
#[derive(Debug)]
pub struct Facts {
    /// The key in `settings.json`; case matters.
    pub name: &'static str,
    /// First client version that knows the event.
    pub since: &'static str,
    /// What a matcher is tested against.
    pub subject: Subject,
    /// How a hook says no.
    pub block: Block,
    /// Whether `hookSpecificOutput.additionalContext` reaches the model.
    pub context: bool,
    /// What becomes of plain text on standard output.
    pub plain_text: PlainText,
    /// The client's own time limit for a command, in milliseconds.
    pub timeout_ms: u64,
    /// Why an entry must not be registered unless a manifest names the event.
    pub catch_all_risk: Option<&'static str>,
}

macro_rules! events {
    ($($name:ident $since:literal $subject:ident $block:ident $context:literal $text:ident $timeout:literal $risk:expr;)*) => {
        /// An event of the client.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names are the client's own and the table says the rest")]
        pub enum Event { $($name),* }

        static TABLE: &[Facts] = &[$(Facts {
            name: stringify!($name),
            since: $since,
            subject: Subject::$subject,
            block: Block::$block,
            context: $context,
            plain_text: PlainText::$text,
            timeout_ms: $timeout,
            catch_all_risk: $risk,
        }),*];

        impl Event {
            /// Every event, in the order in which registrations are written.
            pub const ALL: &[Event] = &[$(Event::$name),*];
        }
    };
}

events! {
    SessionStart        "1.0.62"  Source           Never      true  Context 600_000 None;
    Setup               "2.1.10"  Trigger          Never      true  Ignored 600_000 None;
    SessionEnd          "1.0.85"  Reason           Never      false Ignored 1_500   None;
    UserPromptSubmit    "1.0.54"  None             Decision   true  Context 30_000  None;
    UserPromptExpansion "2.1.197" CommandName      Decision   true  Context 600_000 None;
    PreToolUse          "1.0.38"  Tool             Permission true  Ignored 600_000 None;
    PermissionRequest   "2.0.45"  Tool             Request    false Ignored 600_000 None;
    PermissionDenied    "2.1.88"  Tool             Never      false Ignored 600_000 None;
    PostToolUse         "1.0.38"  Tool             Decision   true  Ignored 600_000 None;
    PostToolUseFailure  "2.1.17"  Tool             Decision   true  Ignored 600_000 None;
    PostToolBatch       "2.1.197" None             Decision   true  Ignored 600_000 None;
    Notification        "1.0.38"  NotificationType Never      false Ignored 600_000 None;
    MessageDisplay      "2.1.152" None             Never      false Ignored 10_000
        Some("the display of every message waits for it");
    SubagentStart       "2.0.43"  AgentType        Never      true  Ignored 600_000 None;
    SubagentStop        "1.0.41"  AgentType        Decision   true  Ignored 600_000 None;
    TaskCreated         "2.1.84"  None             Decision   false Ignored 600_000 None;
    TaskCompleted       "2.1.33"  None             ExitCode   false Ignored 600_000 None;
    Stop                "1.0.38"  None             Decision   true  Ignored 600_000 None;
    StopFailure         "2.1.78"  Error            Never      false Ignored 600_000 None;
    TeammateIdle        "2.1.33"  None             ExitCode   false Ignored 600_000 None;
    InstructionsLoaded  "2.1.69"  LoadReason       Never      false Ignored 600_000 None;
    ConfigChange        "2.1.49"  Source           Decision   false Ignored 600_000 None;
    CwdChanged          "2.1.83"  None             Never      false Ignored 600_000 None;
    DirectoryAdded      "2.1.219" Source           Never      false Ignored 600_000 None;
    FileChanged         "2.1.83"  FileName         Never      false Ignored 600_000 None;
    WorktreeCreate      "2.1.50"  None             ExitCode   false Steers  600_000
        Some("an entry replaces git's own creation of worktrees, and one that names no path makes it fail");
    WorktreeRemove      "2.1.50"  None             ExitCode   false Ignored 600_000
        Some("an entry replaces git's own removal of worktrees");
    PreCompact          "1.0.48"  Trigger          Decision   false Steers  600_000
        Some("whatever is printed becomes instructions for the compaction");
    PostCompact         "2.1.76"  Trigger          Never      false User    600_000 None;
    PreModelSwitch      "2.1.251" Model            Permission false Ignored 30_000  None;
    PostModelSwitch     "2.1.251" Model            Never      true  Context 30_000  None;
    Elicitation         "2.1.76"  McpServer        Action     false Ignored 600_000 None;
    ElicitationResult   "2.1.76"  McpServer        Action     false Ignored 600_000 None;
}

impl Event {
    /// The event of this exact name, as the client compares it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// The event's row.
    pub fn facts(self) -> &'static Facts {
        &TABLE[self as usize]
    }

    /// The event's key in `settings.json`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_finds_its_own_row() {
        assert_eq!(Event::ALL.len(), 33);
        for event in Event::ALL {
            assert_eq!(Event::from_name(event.name()), Some(*event));
        }
        assert_eq!(Event::from_name("pretooluse"), None);
    }
}
