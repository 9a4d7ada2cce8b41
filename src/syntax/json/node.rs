//! The values of a text, and their places in it.

use std::fmt;

/// The byte order mark that the client strips from the start of a file.
pub const BOM: char = '\u{feff}';

/// The depth to which values nest. The client has no limit of its own that a file would meet.
pub const MAX_DEPTH: usize = 512;

/// A stretch of the text, in bytes, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// A place in the text as an editor shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub span: Span,
    pub kind: Kind,
}

/// The kind of a [`Node`]. Strings and numbers stay text until they are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool(bool),
    /// A number, see [`Document::number`].
    Number,
    /// A string, see [`Document::string`].
    String,
    Array(Vec<Node>),
    /// An object with its members in written order, duplicates included.
    Object(Vec<Member>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub key: Span,
    pub value: Node,
}

impl Member {
    /// From the first byte of the key to the last of the value.
    pub fn span(&self) -> Span {
        Span { start: self.key.start, end: self.value.span.end }
    }
}

impl Node {
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    pub fn elements(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The kind in words with its article, for messages: `an object`, `a string`.
    pub fn describe(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }
}

/// The reason why a text is no JSON. The client ignores the whole file then, permissions and environment
/// included; 2.1.329 says so on stderr, 2.1.197 in `-p` says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}{}", if *is_ours { "" } else { "; the client ignores the whole file" })]
pub struct SyntaxError {
    pub offset: usize,
    /// The same place as line and column.
    pub position: Position,
    /// The text that was found there, and what it probably is.
    pub message: String,
    /// True if it is only hookman that does not read on, and the client does.
    pub is_ours: bool,
}

/// The text without the byte order mark at its start.
pub fn strip_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// Line and column of a byte offset; an offset beyond the end gives the end. The byte order mark
/// is no column.
pub fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let before = strip_bom(before);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
