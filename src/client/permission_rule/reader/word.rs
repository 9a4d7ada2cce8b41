//! Words and redirections.

use super::{End, Reader};

/// Commands whose arguments may be assignments.
pub(super) const DECLARES: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// What stands for the home and for a sum, which no rule spells out.
const KNOWN: char = '\0';

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A program or its argument.
    Argument,
    /// `NAME=value`.
    Assignment,
    /// What a loop runs over.
    List,
    /// In `[ … ]`.
    Test,
    /// The file of a redirection.
    File,
    /// The text after `<<<`.
    Text,
}

/// One word.
#[derive(Debug)]
pub(super) struct Word {
    /// Its text with quotes resolved; what stands for `$HOME` fits only a star.
    pub(super) text: String,
    /// Whether it begins with, or is, an expansion that nobody can look through.
    pub(super) starts_expanded: bool,
}

/// What a redirection was.
pub(super) enum Redirected {
    /// None.
    Not,
    /// To or from a file or descriptor.
    File,
    /// `<<<`.
    FromText,
    /// `<<'END'`, its document included.
    FromDocument,
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether an option of a declaration changes what its value means.
pub(super) fn is_odd_option(command: &str, option: &str) -> bool {
    matches!(command, "declare" | "typeset" | "local")
        && option.starts_with('-')
        && option.contains(['a', 'A', 'i', 'n'])
}

impl<'a> Reader<'a> {
    /// The name in `NAME=` or `NAME+=` at this place.
    pub(super) fn assigned_name(&self) -> Option<&'a str> {
        let (name, _) = self.bare_word().split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        is_name(name).then_some(name)
    }

    /// Whether `NAME[…]=` stands at this place.
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
                b'"' => self.double(&mut word, place, parts)?,
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

    fn rest_is_free(&self) -> bool {
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

    fn double(&mut self, word: &mut Word, place: Place, parts: usize) -> Option<()> {
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

    fn dollar(
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

    fn backticks(&mut self, word: &mut Word, place: Place, parts: usize) -> Option<()> {
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

    /// `$(cat <<'END' … END )`, whose text is as good as quoted.
    fn document_text(&mut self) -> Option<()> {
        self.at += "$(cat ".len();
        match self.redirection()? {
            Redirected::FromDocument => {}
            _ => return None,
        }
        self.lines()?;
        self.takes(")").then_some(())
    }

    pub(super) fn redirection(&mut self) -> Option<Redirected> {
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = &rest[digits..];
        if after.starts_with("<(") || after.starts_with(">(") || after.starts_with("<>") {
            return None;
        }
        let operators: &[&str] =
            &["<<<", "<<-", "<<", "&>>", "&>", "<&", ">>", ">&", ">|", "<", ">"];
        let operator = operators.iter().copied().find(|operator| after.starts_with(operator));
        let Some(operator) = operator.filter(|it| digits == 0 || !it.starts_with('&')) else {
            return Some(Redirected::Not);
        };
        self.at += digits + operator.len();
        match operator {
            "<<" | "<<-" => self.document(operator == "<<-").map(|()| Redirected::FromDocument),
            "<<<" => {
                self.blanks()?;
                self.word(Place::Text).map(|_| Redirected::FromText)
            }
            _ => {
                self.blanks()?;
                let word = self.word(Place::File)?;
                (word.text != "-").then_some(Redirected::File)
            }
        }
    }

    /// A document whose delimiter is quoted and ends its line.
    fn document(&mut self, strips: bool) -> Option<()> {
        self.blanks()?;
        let start = self.at;
        let delimiter = self.word(Place::File)?.text;
        if !self.text[start..self.at].contains(['\'', '"', '\\']) {
            return None;
        }
        let Some(body) = self.rest().strip_prefix('\n') else {
            return self.rest().is_empty().then_some(());
        };
        let mut length = 1;
        for line in body.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = if strips { bare.trim_start_matches('\t') } else { bare };
            if bare == delimiter {
                // The line's end separates statements, so it stays.
                self.at += length + line.trim_end_matches('\n').len();
                return Some(());
            }
            length += line.len();
        }
        self.at = self.text.len();
        Some(())
    }
}

fn is_home(text: &str) -> bool {
    text.strip_prefix("$HOME")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}
