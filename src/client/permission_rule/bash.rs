//! Rules about shell commands.

use std::cell::RefCell;

use super::command_pattern::Pattern;
use super::reader::{self, Reading};

/// Returns whether a pattern hits one of the commands of a line.
///
/// A line that the client cannot read lets every pattern through. Where a lone command has an
/// expansion for an argument, only a pattern that asks for nothing but the program, without a blank
/// around it, can be told apart, and every other is let through.
pub(super) fn matches(pattern: &str, line: &str, home: &str) -> bool {
    thread_local! {
        // The hooks of a chain ask for one line with many patterns.
        static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| {
        let known = last.take().filter(|last| last.line == line && last.home == home);
        let last = last.insert(known.unwrap_or_else(|| Last::of(line, home)));
        is_hit(pattern, &last.reading)
    })
}

/// The line that was read last.
struct Last {
    line: String,
    home: String,
    reading: Reading,
}

impl Last {
    fn of(line: &str, home: &str) -> Self {
        let reading = reader::read(line, home);
        Self { line: line.to_owned(), home: home.to_owned(), reading }
    }
}

fn is_hit(pattern: &str, reading: &Reading) -> bool {
    let Reading::Commands { texts, expanded } = reading else { return true };
    let is_bare = pattern == pattern.trim();
    let pattern = Pattern::of(pattern);
    if *expanded && !(is_bare && pattern.is_program()) {
        return true;
    }
    texts.iter().any(|text| {
        // What xargs runs is looked at as well, where no option comes before it.
        let behind = text.strip_prefix("xargs ").filter(|rest| !rest.starts_with('-'));
        pattern.hits(text) || behind.is_some_and(|rest| pattern.hits(rest))
    })
}
