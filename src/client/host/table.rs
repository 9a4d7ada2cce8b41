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

const ROWS: &[Host] = listed!("Host");

pub static CLAUDE: Host = ROWS[0];

/// Codex, which rejects an answer whole for one word that it does not know.
pub(super) static CODEX: Host = ROWS[1];

/// Copilot's CLI where its entries have Claude Code's names of events.
pub(super) static COPILOT: Host = ROWS[2];

/// Copilot's CLI where its entries have its own names of events.
pub(super) static COPILOT_OWN: Host = Host { layout: Layout::Flat, ..ROWS[2] };

pub(super) static QWEN: Host = ROWS[3];
pub(super) static GEMINI: Host = ROWS[4];
pub(super) static DROID: Host = ROWS[5];

/// `OpenCode`, for which a plugin asks.
pub(super) static OPENCODE: Host = ROWS[6];

/// VS Code, by its documentation.
pub(super) static VSCODE: Host = ROWS[7];

/// Cursor, of which only denials are known here.
pub(super) static CURSOR: Host = ROWS[8];

/// A program that is not known by its name, and may have any of the names of the others.
pub(super) static ANOTHER: Host = ROWS[9];

/// Every program with a name of its own.
pub static HOSTS: &[&Host] =
    &[&CLAUDE, &CODEX, &COPILOT, &QWEN, &GEMINI, &DROID, &OPENCODE, &VSCODE, &CURSOR];
