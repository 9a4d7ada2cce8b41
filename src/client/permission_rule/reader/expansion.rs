//! Strings and expansions.

use super::word::{Place, Word};
use super::{End, Reader};

/// What is taken for a sum and for a usual variable, which no rule spells out.
const KNOWN: char = '\0';

/// Variables that every shell has, of which the client minds only where they stand alone.
const USUAL: &[&str] = &[
    "BASHPID",
    "BASH_VERSION",
    "EUID",
    "HOSTNAME",
    "IFS",
    "LINENO",
    "LOGNAME",
    "OLDPWD",
    "PATH",
    "PPID",
    "PWD",
    "RANDOM",
    "SECONDS",
    "SHELL",
    "SHLVL",
    "TMPDIR",
    "UID",
    "USER",
];

impl Reader<'_> {
    /// `"…"`. What an expansion next to a text comes to makes no difference; one that has no text
    /// next to it is as good as bare.
    pub(super) fn double(&mut self, word: &mut Word, place: Place) -> Option<()> {
        self.at += 1;
        let inside = self.rest();
        let mut has_text = None;
        let mut blind = false;
        loop {
            let rest = self.rest();
            let letter = rest.chars().next()?;
            let expands = letter == '`' || letter == '$';
            let beside_text = expands && *has_text.get_or_insert_with(|| is_texty(inside));
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
                    self.push_home(word);
                    self.at += 5;
                }
                '$' if rest.starts_with("$((") => return None,
                '$' | '`' if letter == '`' || rest.starts_with("$(") => {
                    if matches!(place, Place::File | Place::Text) {
                        return None;
                    }
                    if rest.starts_with("$(cat <<'") && place != Place::Test {
                        self.document_text()?;
                        continue;
                    }
                    if !beside_text && place != Place::Argument {
                        return None;
                    }
                    blind |= !beside_text;
                    if letter == '`' {
                        self.backticked(!beside_text)?;
                    } else {
                        self.substitution(!beside_text)?;
                    }
                }
                '$' => {
                    let next = rest[1..].chars().next()?;
                    if let Some(length) = usual(rest) {
                        let is_changed =
                            rest[length..].starts_with('[') || is_modified(rest, length);
                        if !beside_text || place == Place::File || is_changed {
                            return None;
                        }
                        self.plain = false;
                        word.text.push(KNOWN);
                        self.at += length;
                        continue;
                    }
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
        word.starts_expanded |= blind;
        Some(())
    }

    /// The client puts the value in.
    fn push_home(&self, word: &mut Word) {
        match self.home {
            "" => word.text.push(KNOWN),
            home => word.text.push_str(home),
        }
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
            self.push_home(word);
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
        if let Some(length) = usual(rest)
            && place == Place::Assignment
            && word.text.ends_with('=')
        {
            word.text.push(KNOWN);
            self.at += length;
            return self.rest_is_free().then_some(());
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
            let inside = std::mem::replace(&mut self.inside, true);
            self.plain = true;
            self.statements(End::Substitution)?;
            if !self.plain {
                return None;
            }
            (self.plain, self.inside) = (outer, inside);
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
            home: self.home,
            inside: self.inside || plainly,
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

/// The length of `$NAME` or `$?` at the start of a text, if it is one of the usual variables.
fn usual(text: &str) -> Option<usize> {
    let rest = &text[1..];
    if rest.starts_with(['?', '!', '#', '$', '-']) {
        return Some(2);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    USUAL.contains(&&rest[..end]).then_some(end + 1)
}

/// Returns whether `:x` follows a variable, which means something to some shells.
fn is_modified(text: &str, length: usize) -> bool {
    let rest = text[length..].strip_prefix(':');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Returns whether a string has text next to its expansions, up to its closing quote. The client does not see
/// a single character.
fn is_texty(inside: &str) -> bool {
    let (mut letters, mut blank) = (0, true);
    let mut at = 0;
    while let Some(letter) = inside[at..].chars().next() {
        let rest = &inside[at..];
        at += match letter {
            '"' => break,
            '$' | '`' => match expansion_length(rest) {
                Some(length) => length,
                None => break,
            },
            letter => {
                let escaped = rest[letter.len_utf8()..].chars().next().filter(|_| letter == '\\');
                letters += 1;
                blank &= letter.is_whitespace();
                letter.len_utf8() + escaped.map_or(0, char::len_utf8)
            }
        };
    }
    letters > 1 && !blank
}

/// Finds the closing quote of a string.
pub(super) fn string_end(inside: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &inside[at..];
        at += match rest.chars().next()? {
            '"' => return Some(at),
            '$' | '`' => expansion_length(rest)?,
            '\\' => 1 + rest[1..].chars().next()?.len_utf8(),
            letter => letter.len_utf8(),
        };
    }
}

/// Tells how long an expansion in a string is, from its `$` or backtick; `None` where it does not end.
fn expansion_length(text: &str) -> Option<usize> {
    let rest = &text[1..];
    if text.starts_with('`') {
        return Some(rest.find('`')? + 2);
    }
    if rest.starts_with('(') {
        return Some(bracket_end(rest)? + 2);
    }
    if rest.starts_with('{') {
        return Some(rest.find('}')? + 2);
    }
    let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let is_sign = name == 0 && rest.starts_with(['?', '!', '#', '$', '-', '@', '*']);
    Some(1 + name + usize::from(is_sign))
}

/// Finds the bracket that closes the one a text begins with.
fn bracket_end(text: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0);
    loop {
        let rest = &text[at..];
        at += match rest.chars().next()? {
            '\'' => rest[1..].find('\'')? + 2,
            '"' => string_end(&rest[1..])? + 2,
            '\\' => 1 + rest[1..].chars().next()?.len_utf8(),
            '(' => {
                depth += 1;
                1
            }
            ')' if depth == 1 => return Some(at),
            ')' => {
                depth -= 1;
                1
            }
            letter => letter.len_utf8(),
        };
    }
}
