//! What Claude Code is, as tables and types.

pub mod json;
