//! The tables and types of Claude Code.

pub mod answer;
pub(crate) mod call;
pub mod event;
pub(crate) mod fields;
pub mod host;
pub mod matcher;
pub mod messages;
pub(crate) mod model;
pub(crate) mod noise;
pub(crate) mod off_switch;
pub(crate) mod output;
pub mod payload;
pub(crate) mod permission_rule;
pub(crate) mod settings_schema;
pub(crate) mod tools;
pub(crate) mod unheard;
pub(crate) mod version;
mod wording;

pub use answer::{Answer, Decision};
pub use event::{Block, Event, ExitTwo, PlainText, Subject};
pub use payload::Payload;
pub use permission_rule::Rule;
pub use version::Version;
