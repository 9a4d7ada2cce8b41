//! The rows.

use super::row::{Heeds, Host, Layout};
use crate::client::event::Event;
use crate::syntax::named::listed;

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
    tools: listed!("CODEX_TOOLS"),
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
    tools: listed!("QWEN_TOOLS"),
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
    tools: listed!("GEMINI_TOOLS"),
    fields: listed!("GEMINI_FIELDS"),
    inputs: listed!("GEMINI_INPUTS"),
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
    tools: listed!("DROID_TOOLS"),
    inputs: listed!("DROID_INPUTS"),
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
    tools: listed!("OPENCODE_TOOLS"),
    inputs: listed!("OPENCODE_INPUTS"),
    directory: "workdir",
    heeds: Heeds { rewrite: true, ..NONE },
    ..PLAIN
};

/// VS Code, by its documentation.
pub(super) static VSCODE: Host = Host {
    name: "vscode",
    tools: listed!("VSCODE_TOOLS"),
    fields: listed!("VSCODE_FIELDS"),
    inputs: listed!("VSCODE_INPUTS"),
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
    tools: listed!("UNSERVED_TOOLS"),
    layout: Layout::Code,
    ..PLAIN
};

const OF_COPILOT: Host = Host {
    name: "copilot",
    session: "COPILOT_AGENT_SESSION_ID",
    tools: listed!("COPILOT_TOOLS"),
    fields: listed!("COPILOT_FIELDS"),
    inputs: listed!("COPILOT_INPUTS"),
    words: &[("source", "new", "startup")],
    heeds: Heeds { end: false, refuse_compaction: false, ..ALL },
    ..PLAIN
};
