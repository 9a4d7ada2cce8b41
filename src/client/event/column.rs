//! The types of the columns.

use crate::syntax::named::named;

named! {
/// The subject of matchers: a field of the payload, or its last component or canonical name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The event has no subject: a `matcher` is accepted and has no effect.
    None = "",
    Tool = "tool_name",
    Source = "source",
    Trigger = "trigger",
    Reason = "reason",
    CommandName = "command_name",
    NotificationType = "notification_type",
    AgentType = "agent_type",
    Error = "error",
    LoadReason = "load_reason",
    FileName = "file_path",
    Model = "to_model",
    McpServer = "mcp_server_name",
}
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

named! {
/// The client's use of exit code 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitTwo {
    BlocksForModel = "blocks; the model reads standard error",
    BlocksForUser = "blocks; the user reads standard error",
    BlocksSilently = "blocks; nobody reads standard error",
    TellsModel = "does not block; the model reads standard error",
    TellsUser = "does not block; the user reads standard error",
    Ignored = "is ignored",
    Fails = "fails it, as does every code but 0",
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
