//! What Claude Code is, as tables and types.

pub mod answer;
pub mod event;
pub mod payload;
pub mod shell;
