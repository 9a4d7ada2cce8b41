//! Strings and expansions.

use super::word::{Place, Word};
use super::{End, Reader};

/// What stands for the home and for a sum, which no rule spells out.
const KNOWN: char = '\0';

impl Reader<'_> {
    pub(super) fn double(&mut self, word: &mut Word, place: Place, parts: usize) -> Option<()> {
        self.at += 1;
        let before = word.text.len();
        let mut blind = false;
        loop {
            let rest = self.rest();
            let letter = rest.chars().next()?;
            match letter {
                '"' => break self.at += 1,
                '\\' => {
                    let next = rest[1..].chars().next().filter(|next| *next != '\n')?;
                    if !matches!(next, '"' | '\\' | '$' | '`') {
                        word.text.push('\\');
                    }
                    word.text.push(next);
                    self.at += 1 + next.len_utf8();
                }
                '$' if is_home(rest) => {
                    self.quoted = true;
                    word.text.push(KNOWN);
                    self.at += 5;
                }
                '$' if rest.starts_with("$((") => return None,
                '$' if rest.starts_with("$(") => {
                    let is_document = rest.starts_with("$(cat <<'");
                    if matches!(place, Place::Test | Place::File | Place::Text) {
                        return None;
                    }
                    let first = word.text[before..].trim().is_empty() && !is_document;
                    // A text before a substitution is only seen in a string that stands alone.
                    if !first
                        && !is_document
                        && (parts > 0 || before > 0)
                        && place == Place::Argument
                    {
                        return None;
                    }
                    blind |= first;
                    if is_document { self.document_text()? } else { self.substitution(first)? }
                }
                '`' => {
                    let first = word.text[before..].trim().is_empty();
                    if matches!(place, Place::Test | Place::File | Place::Text) {
                        return None;
                    }
                    blind |= first;
                    self.backticked(first)?;
                }
                '$' => {
                    let next = rest[1..].chars().next()?;
                    if next.is_ascii_alphanumeric() || "_{([?@*#!-$".contains(next) {
                        return None;
                    }
                    word.text.push('$');
                    self.at += 1;
                }
                letter => {
                    word.text.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
        if blind && place == Place::Argument {
            word.starts_expanded = true;
        }
        Some(())
    }

    pub(super) fn dollar(
        &mut self,
        word: &mut Word,
        place: Place,
        start: usize,
        dangling: &mut bool,
    ) -> Option<()> {
        let rest = self.rest();
        if is_home(rest) && place != Place::File {
            word.text.push(KNOWN);
            self.at += 5;
            return Some(());
        }
        if rest.starts_with("$((") {
            return self.arithmetic(word);
        }
        if rest.starts_with("$(") {
            return match place {
                Place::Argument => {
                    if word.text.is_empty() && self.at > start && !word.starts_expanded {
                        return None;
                    }
                    let quoted = self.text[start..self.at].contains('\'');
                    word.starts_expanded = true;
                    if quoted { None } else { self.substitution(true) }
                }
                Place::Assignment if word.text.ends_with('=') => self.substitution(false),
                Place::List if self.at == start => self.substitution(false),
                _ => None,
            };
        }
        let next = rest[1..].chars().next()?;
        if place == Place::Test && next == ' ' {
            word.text.push('$');
            self.at += 1;
            return Some(());
        }
        let length = if next.is_ascii_alphabetic() || next == '_' {
            rest[1..]
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len() - 1)
        } else if next.is_ascii_digit() || "?@$#*!-".contains(next) {
            1
        } else {
            return None;
        };
        if place != Place::Argument || self.at != start {
            return None;
        }
        self.at += 1 + length;
        *dangling = true;
        word.starts_expanded = true;
        Some(())
    }

    /// `$(( … ))` of numbers.
    fn arithmetic(&mut self, word: &mut Word) -> Option<()> {
        let inside = &self.rest()[3..];
        let end = inside.find("))")?;
        // `((1+2) )` closes its inner bracket first.
        let end = end + inside[end..].find(|c| c != ')').unwrap_or(inside.len() - end) - 2;
        let mut numbers = inside[..end].split(|c: char| !c.is_ascii_alphanumeric() && c != '#');
        let is_number =
            |text: &str| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit());
        if !numbers.all(is_number) || inside[..end].contains(['$', '.', '`', '"', '\'', '\n']) {
            return None;
        }
        self.quoted = true;
        word.text.push(KNOWN);
        self.at += end + 5;
        Some(())
    }

    /// `$( … )`; `plainly` where only a lone command can be looked into.
    fn substitution(&mut self, plainly: bool) -> Option<()> {
        self.at += 2;
        let outer = self.plain;
        if plainly {
            self.plain = true;
            self.statements(End::Substitution)?;
            if !self.plain {
                return None;
            }
            self.plain = outer;
        } else {
            let expanded = std::mem::replace(&mut self.expanded, false);
            self.statements(End::Bracket)?;
            self.plain &= outer;
            self.expanded |= expanded;
        }
        Some(())
    }

    pub(super) fn backticks(&mut self, word: &mut Word, place: Place, parts: usize) -> Option<()> {
        match place {
            Place::Argument => {
                word.starts_expanded = true;
                self.backticked(true)
            }
            Place::Assignment if word.text.ends_with('=') => self.backticked(false),
            Place::List if parts == 0 => self.backticked(false),
            _ => None,
        }
    }

    fn backticked(&mut self, plainly: bool) -> Option<()> {
        let inside = &self.rest()[1..];
        let end = inside.find('`').filter(|end| !inside[..*end].contains('\\'))?;
        let mut inner = Reader {
            text: &inside[..end],
            at: 0,
            depth: self.depth,
            texts: Vec::new(),
            expanded: false,
            plain: true,
            quoted: false,
        };
        inner.statements(End::Line)?;
        if inner.texts.is_empty() || ((plainly || inner.expanded) && !inner.plain) {
            return None;
        }
        self.texts.append(&mut inner.texts);
        self.expanded |= inner.expanded;
        self.at += end + 2;
        Some(())
    }
}

fn is_home(text: &str) -> bool {
    text.strip_prefix("$HOME")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}
