//! What Claude Code is, as tables and types.

pub mod answer;
pub mod event;
pub mod matcher;
pub mod output;
pub mod payload;
pub mod shell;
