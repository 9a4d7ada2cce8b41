//! Words and redirections.

use super::Reader;

/// The place of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Argument,
    /// `NAME=value`.
    Assignment,
    /// The words of a loop.
    List,
    /// In `[ … ]`.
    Test,
    File,
    /// The text after `<<<`.
    Text,
}

#[derive(Debug)]
pub(super) struct Word {
    /// Its text with quotes resolved; what means `$HOME` fits only a star.
    pub(super) text: String,
    /// True if it begins with, or is, an expansion that nobody can look through.
    pub(super) starts_expanded: bool,
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl<'a> Reader<'a> {
    /// The name in `NAME=` or `NAME+=` at this place.
    pub(super) fn assigned_name(&self) -> Option<&'a str> {
        let (name, _) = self.bare_word().split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        is_name(name).then_some(name)
    }

    /// Returns whether `NAME[…]=` is at this place.
    pub(super) fn assigns_element(&self) -> bool {
        let parts = self.bare_word().split_once('[');
        parts.is_some_and(|(name, rest)| is_name(name) && rest.contains("]="))
    }

    pub(super) fn word(&mut self, place: Place) -> Option<Word> {
        let start = self.at;
        let mut word = Word { text: String::new(), starts_expanded: false };
        let (mut braces, mut parts, mut dangling) = (false, 0, false);
        while let Some(byte) = self.peek() {
            let rest = self.rest();
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' => break,
                b')' if place != Place::Test || !rest.starts_with(")]") => break,
                b'(' => return None,
                b'\'' => self.single(&mut word)?,
                b'"' => self.double(&mut word, place)?,
                b'`' => self.backticks(&mut word, place, parts)?,
                b'$' => self.dollar(&mut word, place, start, &mut dangling)?,
                b'\\' => {
                    let next = rest[1..].chars().next().filter(|next| !next.is_whitespace())?;
                    self.quoted = true;
                    braces |= next == '{';
                    if next == ',' && braces {
                        return None;
                    }
                    word.text.push(next);
                    self.at += 1 + next.len_utf8();
                }
                _ => {
                    let letter = rest.chars().next()?;
                    match letter {
                        '=' if self.at == start && place == Place::Argument => return None,
                        '~' if place == Place::Assignment => return None,
                        '{' => braces = true,
                        ',' if braces => return None,
                        '.' if braces && rest.starts_with("..") => return None,
                        _ => {}
                    }
                    word.text.push(letter);
                    self.at += letter.len_utf8();
                }
            }
            parts += 1;
        }
        let is_descriptor = word.text.starts_with('{') && word.text.ends_with('}');
        if self.at == start || (is_descriptor && self.rest().starts_with(['<', '>'])) {
            return None;
        }
        // A parameter or a lone dollar can be part of nothing.
        let alone = word.text.is_empty() || place == Place::Text;
        (!dangling || (alone && self.rest_is_free())).then_some(word)
    }

    pub(super) fn rest_is_free(&self) -> bool {
        matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')'))
    }

    /// `'…'`; one that is left open loses its last character, as it does in the client.
    fn single(&mut self, word: &mut Word) -> Option<()> {
        let inside = &self.rest()[1..];
        self.quoted = true;
        let end = inside.find('\'');
        let text = match end {
            Some(end) => &inside[..end],
            None => &inside[..inside.char_indices().next_back().map_or(0, |(at, _)| at)],
        };
        if word.starts_expanded && word.text.is_empty() {
            return None;
        }
        word.text.push_str(text);
        self.at += 1 + end.map_or(inside.len(), |end| end + 1);
        Some(())
    }
}
