//! Readers of languages: JSON text, YAML at the head of Markdown, and shell lines.

pub mod escaped;
pub mod frontmatter;
pub mod json;
pub mod quoting;
pub mod shell;
pub mod suggestion;
pub mod wildcard;
