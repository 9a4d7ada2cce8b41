//! The types of the columns.

use std::fmt;

use crate::syntax::named::named;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The event has no subject: a `matcher` is accepted and has no effect.
    None,
    /// `tool_name`.
    Tool,
    Source,
    Trigger,
    Reason,
    CommandName,
    NotificationType,
    AgentType,
    Error,
    LoadReason,
    /// The last component of `file_path`.
    FileName,
    /// The canonical name of `to_model`.
    Model,
    /// `mcp_server_name`.
    McpServer,
}

/// The way in which a hook says no to an event.
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
    ExitCode,
    /// `hookSpecificOutput.action`, or top-level `decision: "block"`.
    Action,
}

/// The client's use of plain text on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainText {
    /// It ends in the debug log.
    Ignored,
    Context,
    User,
    /// It steers the client: compaction instructions, the path of a worktree.
    Steers,
}

/// The client's use of exit code 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitTwo {
    /// It stops what is going on; standard error is the reason, and the model reads it.
    BlocksForModel,
    /// It stops what is going on; standard error is the reason, and the user reads it.
    BlocksForUser,
    /// It stops what is going on, and nobody is told why.
    BlocksSilently,
    /// It stops nothing; the model reads standard error.
    TellsModel,
    /// It stops nothing; the user reads standard error.
    TellsUser,
    Ignored,
    /// A failure: every other code but 0 means the same.
    Fails,
}

impl fmt::Display for ExitTwo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::BlocksForModel => "blocks; the model reads standard error",
            Self::BlocksForUser => "blocks; the user reads standard error",
            Self::BlocksSilently => "blocks; nobody reads standard error",
            Self::TellsModel => "does not block; the model reads standard error",
            Self::TellsUser => "does not block; the user reads standard error",
            Self::Ignored => "is ignored",
            Self::Fails => "fails it, as does every code but 0",
        })
    }
}

named! {
/// A type of handler in `settings.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Handler {
    Command = "command",
    Http = "http",
    McpTool = "mcp_tool",
    Prompt = "prompt",
    /// A question to a model that has tools.
    Agent = "agent",
}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    All,
    NoModel,
    CommandAndTool,
    Command,
}

impl Takes {
    pub fn includes(self, handler: Handler) -> bool {
        match self {
            Self::All => true,
            Self::NoModel => !matches!(handler, Handler::Prompt | Handler::Agent),
            Self::CommandAndTool => matches!(handler, Handler::Command | Handler::McpTool),
            Self::Command => handler == Handler::Command,
        }
    }
}
