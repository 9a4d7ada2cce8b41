//! JSON as the client reads it, with the place of every value in the text.
//!
//! The client strips one byte order mark and hands the rest to `JSON.parse`: no comments, no
//! trailing commas, of duplicate keys the last wins, and lone surrogate escapes are allowed (seen
//! on 2.1.197 and 2.1.329). Spans are byte offsets into the text as it was given, mark included,
//! so an editor can splice by them.

mod member;
mod node;
mod reader;

use std::{borrow::Cow, sync::OnceLock};

use serde_json::{Map, Number, Value};

pub use member::with_member;
use node::position;
pub(crate) use node::strip_bom;
pub use node::{BOM, Kind, MAX_DEPTH, Member, Node, Position, Span, SyntaxError};

#[derive(Debug, Clone)]
pub struct Document<'t> {
    text: &'t str,
    root: Node,
    /// The beginnings of its lines, once they were asked for.
    lines: OnceLock<Vec<usize>>,
}

/// The text with a blank for each byte of its comments, so that every other byte keeps its place. Line
/// breaks stay.
pub fn without_comments(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut spans: Vec<Span> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &text.as_bytes()[at..];
        let length = match (byte, rest.get(1)) {
            (b'"', _) => {
                let mut end = 1;
                while rest.get(end).is_some_and(|byte| *byte != b'"') {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                end + 1
            }
            (b'/', Some(b'/')) => {
                let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                spans.push(Span { start: at, end: at + end });
                end
            }
            (b'/', Some(b'*')) => {
                let Some(end) = rest[2..].windows(2).position(|it| it == b"*/") else { break };
                spans.push(Span { start: at, end: at + end + 4 });
                end + 4
            }
            _ => 1,
        };
        at += length;
    }
    if spans.is_empty() {
        return text.into();
    }
    let mut blank = String::with_capacity(text.len());
    let mut at = 0;
    for Span { start, end } in spans {
        blank.push_str(&text[at..start]);
        let bytes = text[start..end].bytes();
        blank
            .extend(bytes.map(|it| if matches!(it, b'\n' | b'\r') { char::from(it) } else { ' ' }));
        at = end;
    }
    blank.push_str(&text[at..]);
    blank.into()
}

impl<'t> Document<'t> {
    /// Parses `text`, which may begin with a byte order mark. It fails where `JSON.parse` would throw,
    /// where values nest deeper than [`MAX_DEPTH`], and for a text of blanks only (see [`is_blank`],
    /// which callers ask first).
    pub fn parse(text: &'t str) -> Result<Self, SyntaxError> {
        let root = reader::read(text)?;
        Ok(Self { text, root, lines: OnceLock::new() })
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    pub fn root(&self) -> &Node {
        &self.root
    }

    pub fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    pub fn position(&self, offset: usize) -> Position {
        let lines = self.lines.get_or_init(|| {
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        let offset = offset.min(self.text.len());
        let line = lines.partition_point(|start| *start <= offset).max(1);
        let before = self.text.get(lines[line - 1]..offset).unwrap_or_default();
        let before = if line == 1 { strip_bom(before) } else { before };
        Position { line, column: before.chars().count() + 1 }
    }

    /// Line and column of `offset`, given those of an earlier offset, so that many places cost one
    /// pass over the text.
    pub fn position_from(&self, place: Position, earlier: usize, offset: usize) -> Position {
        let between = self.text.get(earlier..offset).unwrap_or_default();
        let relative = position(between, between.len());
        match relative.line {
            1 => Position { line: place.line, column: place.column + relative.column - 1 },
            lines => Position { line: place.line + lines - 1, column: relative.column },
        }
    }

    /// The key of a member, decoded. A lone surrogate becomes U+FFFD.
    pub fn key(&self, member: &Member) -> Cow<'t, str> {
        decode(self.slice(member.key))
    }

    /// The content of a string node, decoded. A lone surrogate becomes U+FFFD, which is what a
    /// program that the client starts is given for it.
    pub fn string(&self, node: &Node) -> Option<Cow<'t, str>> {
        matches!(node.kind, Kind::String).then(|| decode(self.slice(node.span)))
    }

    /// A number as the client holds it, a double; `1E400` is infinite.
    pub fn number(&self, node: &Node) -> Option<f64> {
        matches!(node.kind, Kind::Number).then(|| self.slice(node.span).parse().unwrap_or(f64::NAN))
    }

    /// The value under `key` in an object, of duplicates the last, as the client reads it.
    pub fn get<'n>(&self, object: &'n Node, key: &str) -> Option<&'n Node> {
        let members = object.members()?;
        members.iter().rev().find(|member| self.key(member) == key).map(|member| &member.value)
    }

    /// The node at a JSON Pointer (RFC 6901), of duplicate keys the last.
    pub fn lookup(&self, pointer: &str) -> Option<&Node> {
        if pointer.is_empty() {
            return Some(&self.root);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(&self.root, |node, token| {
            let token = token.replace("~1", "/").replace("~0", "~");
            match &node.kind {
                Kind::Object(_) => self.get(node, &token),
                Kind::Array(elements) => elements.get(index(&token)?),
                _ => None,
            }
        })
    }

    /// A node as a `serde_json` value.
    ///
    /// Of duplicate keys the last wins. A number is an integer where it is written as one and fits
    /// 64 bits, else a double; one that no double holds becomes null, as `JSON.stringify` writes
    /// it. Lone surrogates become U+FFFD.
    pub fn value(&self, node: &Node) -> Value {
        match &node.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number => number(self.slice(node.span)),
            Kind::String => Value::String(decode(self.slice(node.span)).into_owned()),
            Kind::Array(elements) => elements.iter().map(|node| self.value(node)).collect(),
            Kind::Object(members) => {
                let mut map = Map::with_capacity(members.len());
                for member in members {
                    map.insert(self.key(member).into_owned(), self.value(&member.value));
                }
                Value::Object(map)
            }
        }
    }
}

/// Returns whether the client takes the text for an empty file, which counts as `{}`.
pub fn is_blank(text: &str) -> bool {
    strip_bom(text).bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The JSON Pointer of `token` below `pointer`, escaped as RFC 6901 asks.
pub fn child(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with(['0', '+']);
    canonical.then(|| token.parse().ok())?
}

fn number(text: &str) -> Value {
    // `-0` is a negative zero to the client; as an integer the sign would be lost.
    if text != "-0" {
        if let Ok(integer) = text.parse::<i64>() {
            return integer.into();
        }
        if let Ok(integer) = text.parse::<u64>() {
            return integer.into();
        }
    }
    text.parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}

/// Decodes a string literal that the reader has accepted, quotes included.
fn decode(literal: &str) -> Cow<'_, str> {
    let inner = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut decoded = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(slash) = rest.find('\\') {
        decoded.push_str(&rest[..slash]);
        rest = &rest[slash + 1..];
        let mut chars = rest.chars();
        match chars.next() {
            Some('b') => decoded.push('\u{8}'),
            Some('f') => decoded.push('\u{c}'),
            Some('n') => decoded.push('\n'),
            Some('r') => decoded.push('\r'),
            Some('t') => decoded.push('\t'),
            Some('u') => {
                // The reader has seen that these are digits.
                let (character, length) = unicode(inner.as_bytes(), inner.len() - rest.len() - 1)
                    .unwrap_or((char::REPLACEMENT_CHARACTER, 1));
                decoded.push(character);
                rest = rest.get(length - 1..).unwrap_or_default();
                continue;
            }
            Some(other) => decoded.push(other),
            None => {}
        }
        rest = chars.as_str();
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// Decodes the `\u` escape at a place, or the pair of them, to a character and the number of its bytes in
/// the text; half of a pair is U+FFFD.
pub fn unicode(text: &[u8], at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(at)?;
    let pair = char::decode_utf16([first].into_iter().chain(unit(at + 6))).next();
    let character = pair.and_then(Result::ok);
    let length = if character.is_some_and(|it| it > '\u{ffff}') { 12 } else { 6 };
    Some((character.unwrap_or(char::REPLACEMENT_CHARACTER), length))
}

#[cfg(test)]
mod tests;
