//! Readers of languages: JSON text and shell lines.

pub mod json;
pub mod quoting;
pub mod shell;
pub mod suggestion;
