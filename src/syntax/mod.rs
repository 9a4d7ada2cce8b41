//! Readers of languages: JSON text and objects, YAML at the head of Markdown, and shell lines; and diffs of texts.

pub(crate) mod diff;
pub(crate) mod escaped;
pub(crate) mod frontmatter;
pub mod glance;
pub mod json;
pub mod lent;
pub(crate) mod named;
pub mod object;
pub mod shell;
pub(crate) mod suggestion;
