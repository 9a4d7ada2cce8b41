//! The three forms of a pattern for commands.

use std::borrow::Cow;
use std::cell::RefCell;

use super::reader::{self, Reading};

/// The pattern in the brackets of a `Bash` rule.
#[derive(Debug)]
pub(super) enum Pattern<'a> {
    /// `git push:*`: these words, alone or with more behind them.
    Prefix(&'a str),
    /// `git * main`: a star is any text; the pieces between. A blank before a last star may be missing.
    Wildcard(Vec<String>),
    Exact(String),
}

impl<'a> Pattern<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if let Some(prefix) = text.strip_suffix(":*").filter(|prefix| !prefix.is_empty()) {
            return Self::Prefix(prefix);
        }
        let pieces = pieces(text.trim());
        match pieces.as_slice() {
            [whole] => Self::Exact(squeezed(whole).into_owned()),
            _ => Self::Wildcard(pieces),
        }
    }

    /// Returns whether the pattern asks for one word at the start and nothing else.
    pub(super) fn is_program(&self) -> bool {
        let is_word = |text: &str| !text.contains(char::is_whitespace);
        match self {
            Self::Prefix(prefix) => is_word(prefix),
            Self::Wildcard(pieces) => match pieces.as_slice() {
                [word, rest] => rest.is_empty() && is_word(word.strip_suffix(' ').unwrap_or(word)),
                _ => false,
            },
            Self::Exact(_) => false,
        }
    }

    /// Returns whether it hits a command's words with blanks between; only a prefix minds blanks in them.
    pub(super) fn hits(&self, command: &str) -> bool {
        match self {
            Self::Exact(text) => squeezed(command) == *text,
            Self::Prefix(prefix) => command
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Self::Wildcard(pieces) => {
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let command = squeezed(command);
                is_like(&pieces, &command)
                    || match pieces.as_slice() {
                        [start, ""] => start.strip_suffix(' ') == Some(&*command),
                        _ => false,
                    }
            }
        }
    }
}

/// The pieces between the stars, where a backslash makes a star a letter.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = pieces.len() - 1;
        match letter {
            '\\' if matches!(letters.peek(), Some('*' | '\\')) => {
                pieces[last].extend(letters.next());
            }
            '*' => pieces.push(String::new()),
            _ => pieces[last].push(letter),
        }
    }
    pieces
}

pub(super) fn is_whole(pattern: &str, text: &str) -> bool {
    let pieces = pieces(pattern.trim());
    is_like(&pieces.iter().map(String::as_str).collect::<Vec<_>>(), text)
}

fn squeezed(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') && !text.contains("  ") {
        return text.into();
    }
    let mut squeezed = String::with_capacity(text.len());
    for letter in text.chars() {
        let letter = if letter == '\t' { ' ' } else { letter };
        if letter != ' ' || !squeezed.ends_with(' ') {
            squeezed.push(letter);
        }
    }
    squeezed.into()
}

/// Returns whether `text` is the pieces in order with any text between them.
fn is_like(pieces: &[&str], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_none_or(|only| *only == text);
    };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns whether a pattern hits one of the commands of a line, or the line cannot be read. With an
/// expansion in a lone command only a pattern for the program alone can be told apart.
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
