//! The rows.

use super::row::{Heeds, Host, Layout};
use crate::client::event::Event;

const ALL: Heeds = Heeds {
    ask: true,
    allow: true,
    rewrite: true,
    advice_before: true,
    end: true,
    refuse_result: true,
    refuse_compaction: true,
    transcript: false,
    terminal: true,
};

const NONE: Heeds = Heeds {
    ask: false,
    allow: false,
    rewrite: false,
    advice_before: false,
    end: false,
    refuse_result: false,
    refuse_compaction: false,
    transcript: false,
    terminal: false,
};

const PLAIN: Host = Host {
    name: "",
    session: "",
    events: &[],
    tools: &[],
    fields: &[],
    inputs: &[],
    directory: "",
    words: &[],
    layout: Layout::Nested,
    heeds: ALL,
};

pub static CLAUDE: Host = Host {
    name: "claude",
    session: "CLAUDE_CODE_SESSION_ID",
    layout: Layout::Claude,
    heeds: Heeds { transcript: true, ..ALL },
    ..PLAIN
};

/// Every program with a name of its own.
pub static HOSTS: &[&Host] =
    &[&CLAUDE, &CODEX, &COPILOT, &QWEN, &GEMINI, &DROID, &OPENCODE, &VSCODE, &CURSOR];

/// Codex, which rejects an answer whole for one word that it does not know.
pub(super) static CODEX: Host = Host {
    name: "codex",
    session: "CODEX_SESSION_ID",
    tools: &[("collaborationspawn_agent", "Agent")],
    heeds: Heeds { ask: false, allow: false, terminal: false, ..ALL },
    ..PLAIN
};

/// Copilot's CLI where its entries have Claude Code's names of events.
pub(super) static COPILOT: Host = Host { layout: Layout::Root, ..OF_COPILOT };

/// Copilot's CLI where its entries have its own names of events.
pub(super) static COPILOT_OWN: Host = Host { layout: Layout::Flat, ..OF_COPILOT };

pub(super) static QWEN: Host = Host {
    name: "qwen",
    session: "QWEN_CODE_SESSION_ID",
    tools: &[
        ("run_shell_command", "Bash"),
        ("write_file", "Write"),
        ("edit", "Edit"),
        ("read_file", "Read"),
        ("agent", "Agent"),
        ("grep_search", "Grep"),
        ("glob", "Glob"),
        ("notebook_edit", "NotebookEdit"),
        ("web_fetch", "WebFetch"),
        ("web_search", "WebSearch"),
        ("todo_write", "TodoWrite"),
        ("list_directory", "LS"),
        ("ask_user_question", "AskUserQuestion"),
        ("skill", "Skill"),
        ("enter_plan_mode", "EnterPlanMode"),
        ("exit_plan_mode", "ExitPlanMode"),
        ("monitor", "Monitor"),
        ("cron_create", "CronCreate"),
        ("cron_list", "CronList"),
        ("cron_delete", "CronDelete"),
        ("enter_worktree", "EnterWorktree"),
        ("exit_worktree", "ExitWorktree"),
        ("list_agents", "ListAgents"),
        ("loop_wakeup", "ScheduleWakeup"),
        ("lsp", "LSP"),
        ("read_mcp_resource", "ReadMcpResourceTool"),
        ("report_findings", "ReportFindings"),
        ("send_message", "SendMessage"),
        ("structured_output", "StructuredOutput"),
        ("task_create", "TaskCreate"),
        ("task_list", "TaskList"),
        ("task_stop", "TaskStop"),
        ("task_update", "TaskUpdate"),
        ("team_create", "TeamCreate"),
        ("team_delete", "TeamDelete"),
        ("tool_search", "ToolSearch"),
        ("workflow", "Workflow"),
    ],
    directory: "directory",
    words: &[
        ("permission_mode", "yolo", "bypassPermissions"),
        ("permission_mode", "auto_edit", "acceptEdits"),
        ("permission_mode", "auto-edit", "acceptEdits"),
    ],
    heeds: Heeds { ask: true, allow: true, ..NONE },
    ..PLAIN
};

pub(super) static GEMINI: Host = Host {
    name: "gemini",
    events: &[
        ("BeforeTool", Event::PreToolUse),
        ("AfterTool", Event::PostToolUse),
        ("BeforeAgent", Event::UserPromptSubmit),
        ("AfterAgent", Event::Stop),
        ("PreCompress", Event::PreCompact),
    ],
    tools: &[
        ("run_shell_command", "Bash"),
        ("write_file", "Write"),
        ("replace", "Edit"),
        ("read_file", "Read"),
        ("grep_search", "Grep"),
        ("glob", "Glob"),
        ("invoke_agent", "Agent"),
        ("web_fetch", "WebFetch"),
        ("google_web_search", "WebSearch"),
        ("write_todos", "TodoWrite"),
        ("list_directory", "LS"),
        ("read_many_files", "Read"),
        ("ask_user", "AskUserQuestion"),
        ("activate_skill", "Skill"),
        ("enter_plan_mode", "EnterPlanMode"),
        ("exit_plan_mode", "ExitPlanMode"),
        ("list_mcp_resources", "ListMcpResourcesTool"),
        ("read_mcp_resource", "ReadMcpResourceTool"),
        ("tracker_create_task", "TaskCreate"),
        ("tracker_get_task", "TaskGet"),
        ("tracker_list_tasks", "TaskList"),
        ("tracker_update_task", "TaskUpdate"),
    ],
    fields: &[("prompt_response", "last_assistant_message")],
    inputs: &[("include_pattern", "glob"), ("dir_path", "path")],
    directory: "dir_path",
    words: &[("notification_type", "ToolPermission", "permission_prompt")],
    layout: Layout::Gemini,
    heeds: Heeds {
        ask: false,
        allow: false,
        advice_before: false,
        refuse_compaction: false,
        ..ALL
    },
    ..PLAIN
};

pub(super) static DROID: Host = Host {
    name: "droid",
    tools: &[("Execute", "Bash"), ("Create", "Write"), ("Task", "Agent"), ("FetchUrl", "WebFetch")],
    inputs: &[("old_str", "old_string"), ("new_str", "new_string")],
    words: &[
        ("permission_mode", "off", "default"),
        ("permission_mode", "auto-low", "acceptEdits"),
        ("permission_mode", "auto-medium", "acceptEdits"),
        ("permission_mode", "auto-high", "bypassPermissions"),
    ],
    heeds: Heeds {
        ask: false,
        advice_before: false,
        refuse_result: false,
        refuse_compaction: false,
        ..ALL
    },
    ..PLAIN
};

/// `OpenCode`, for which a plugin asks.
pub(super) static OPENCODE: Host = Host {
    name: "opencode",
    tools: &[
        ("bash", "Bash"),
        ("write", "Write"),
        ("edit", "Edit"),
        ("read", "Read"),
        ("grep", "Grep"),
        ("glob", "Glob"),
        ("webfetch", "WebFetch"),
        ("task", "Agent"),
        ("multiedit", "Edit"),
        ("websearch", "WebSearch"),
        ("todowrite", "TodoWrite"),
        ("todoread", "TodoRead"),
        ("list", "LS"),
        ("skill", "Skill"),
        ("question", "AskUserQuestion"),
    ],
    inputs: &[
        ("filePath", "file_path"),
        ("oldString", "old_string"),
        ("newString", "new_string"),
        ("include", "glob"),
    ],
    directory: "workdir",
    heeds: Heeds { rewrite: true, ..NONE },
    ..PLAIN
};

/// VS Code, by its documentation.
pub(super) static VSCODE: Host = Host {
    name: "vscode",
    tools: &[
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
        ("bash", "Bash"),
        ("create", "Write"),
        ("edit", "Edit"),
        ("view", "Read"),
    ],
    fields: &[
        ("sessionId", "session_id"),
        ("hookEventName", "hook_event_name"),
        ("toolName", "tool_name"),
        ("toolInput", "tool_input"),
        ("tool_result", "tool_response"),
    ],
    inputs: &[("filePath", "file_path"), ("oldString", "old_string"), ("newString", "new_string")],
    ..PLAIN
};

/// Cursor, of which only denials are known here.
pub(super) static CURSOR: Host = Host { name: "cursor", ..UNSERVED };

/// A program that is not known by its name.
pub(super) static ANOTHER: Host = Host { name: "another program", ..UNSERVED };

/// A program that may have any of the names of the others.
const UNSERVED: Host = Host {
    events: &[
        ("BeforeTool", Event::PreToolUse),
        ("preToolUse", Event::PreToolUse),
        ("BeforeAgent", Event::UserPromptSubmit),
        ("beforeSubmitPrompt", Event::UserPromptSubmit),
    ],
    tools: &[
        ("Shell", "Bash"),
        ("Bash", "Bash"),
        ("Write", "Write"),
        ("Edit", "Edit"),
        ("Read", "Read"),
        ("Grep", "Grep"),
        ("Glob", "Glob"),
    ],
    layout: Layout::Code,
    ..PLAIN
};

const OF_COPILOT: Host = Host {
    name: "copilot",
    session: "COPILOT_AGENT_SESSION_ID",
    tools: &[
        ("bash", "Bash"),
        ("create", "Write"),
        ("edit", "Edit"),
        ("view", "Read"),
        ("task", "Agent"),
        ("grep", "Grep"),
        ("glob", "Glob"),
        ("web_fetch", "WebFetch"),
        ("ask_user", "AskUserQuestion"),
        ("update_todo", "TodoWrite"),
        ("skill", "Skill"),
        ("list_agents", "ListAgents"),
    ],
    fields: &[
        ("sessionId", "session_id"),
        ("transcriptPath", "transcript_path"),
        ("agentName", "agent_type"),
        ("toolName", "tool_name"),
        ("toolArgs", "tool_input"),
        ("toolInput", "tool_input"),
        ("tool_result", "tool_response"),
        ("toolResult", "tool_response"),
    ],
    inputs: &[
        ("path", "file_path"),
        ("file_text", "content"),
        ("old_str", "old_string"),
        ("new_str", "new_string"),
        ("agent_type", "subagent_type"),
    ],
    words: &[("source", "new", "startup")],
    heeds: Heeds { end: false, refuse_compaction: false, ..ALL },
    ..PLAIN
};
