//! Rules about shell commands.

use super::command_pattern::Pattern;
use super::reader::{self, Reading};

/// Whether a pattern hits one of the commands of a line.
///
/// A line that the client cannot read lets every pattern through. Where a lone command has an
/// expansion for an argument, only a pattern that asks for nothing but the program, without a blank
/// around it, can be told apart, and every other is let through.
pub(super) fn matches(pattern: &str, line: &str, home: &str) -> bool {
    let Reading::Commands { texts, expanded } = reader::read(line, home) else { return true };
    let is_bare = pattern == pattern.trim();
    let pattern = Pattern::of(pattern);
    if expanded && !(is_bare && pattern.is_program()) {
        return true;
    }
    texts.iter().any(|text| {
        // What xargs runs is looked at as well, where no option stands before it.
        let behind = text.strip_prefix("xargs ").filter(|rest| !rest.starts_with('-'));
        pattern.hits(text) || behind.is_some_and(|rest| pattern.hits(rest))
    })
}
