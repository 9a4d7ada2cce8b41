//! What Claude Code is, as tables and types.

pub mod json;
pub mod settings_schema;
