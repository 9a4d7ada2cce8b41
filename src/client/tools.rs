//! The client's own tools.

/// The names as the client spells them today, and those it still understands.
///
/// Source: the client's tools reference, and the client 2.1.329.
pub const KNOWN: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillShell",
    "LSP",
    "ListMcpResourcesTool",
    "MultiEdit",
    "NotebookEdit",
    "PowerShell",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// The tool that a name differs from in nothing but case; `None` for every other name.
pub fn misspelled(name: &str) -> Option<&'static str> {
    if KNOWN.contains(&name) {
        return None;
    }
    KNOWN.iter().copied().find(|tool| tool.eq_ignore_ascii_case(name))
}
