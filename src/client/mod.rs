//! The tables and types of Claude Code.

pub mod answer;
pub mod call;
pub mod event;
pub mod host;
pub mod matcher;
pub mod misplaced;
pub mod model;
pub mod noise;
pub mod output;
pub mod payload;
pub mod permission_rule;
pub mod settings_schema;
pub mod tools;
pub mod version;
mod wording;
