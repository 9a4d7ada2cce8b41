//! Words: quotes, backslashes and expansions.

use std::borrow::Cow;

use super::Word;
use super::line::Parser;

/// So long an index such as that of `NAME[…]=` may be.
const INDEX: usize = 256;

/// A word's text: a slice of the line as long as nothing was left out or changed.
struct Text<'a> {
    line: &'a str,
    start: usize,
    /// The beginning of the part that is not in `changed` yet.
    pending: usize,
    changed: Option<String>,
    expanded: bool,
    quoted: bool,
    /// True if there was no room for what was changed.
    full: bool,
}

impl<'a> Text<'a> {
    fn new(line: &'a str, start: usize) -> Self {
        Self {
            line,
            start,
            pending: start,
            changed: None,
            expanded: false,
            quoted: false,
            full: false,
        }
    }

    fn finish(mut self, at: usize) -> Word<'a> {
        let text = match self.changed.take().filter(|_| !self.full) {
            None => Cow::Borrowed(&self.line[self.start..at]),
            Some(mut changed) => {
                changed.push_str(&self.line[self.pending..at]);
                Cow::Owned(changed)
            }
        };
        let written = Cow::Borrowed(&self.line[self.start..at]);
        Word { text, expanded: self.expanded, quoted: self.quoted, written }
    }
}

/// So short a text is copied sooner letter by letter than by a call.
const SHORT: usize = 8;

/// Adds a part to a text, which may be made of very many short ones.
pub(super) fn append(text: &mut String, part: &str) {
    if part.len() < SHORT {
        for letter in part.chars() {
            text.push(letter);
        }
    } else {
        text.push_str(part);
    }
}

impl<'a> Parser<'a> {
    /// Takes the line up to `at` as it is and puts `with` in place of what follows up to `to`.
    fn replace(&mut self, text: &mut Text<'a>, at: usize, to: usize, with: &str) {
        let rest = self.ahead.checked_sub(at - text.pending + with.len());
        self.ahead = rest.unwrap_or_default();
        if rest.is_none() || text.full {
            text.full = true;
            return self.complete = false;
        }
        let changed = text.changed.get_or_insert_default();
        append(changed, &text.line[text.pending..at]);
        append(changed, with);
        text.pending = to;
    }

    /// Reads the word that starts here; it is empty where none does.
    pub(super) fn word(&mut self) -> Word<'a> {
        let mut text = Text::new(self.text, self.at);
        let start = self.at;
        let mut has_value = false;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => break,
                b'<' | b'>' => {
                    if self.byte(1) != Some(b'(') || self.at > start {
                        break;
                    }
                    text.expanded = true;
                    self.at += 2;
                    self.commands_inside(true);
                }
                b'\\' => self.backslash(&mut text),
                b'\'' => self.single_quotes(&mut text),
                b'"' => self.double_quotes(&mut text),
                b'$' => {
                    has_value = true;
                    self.dollar(&mut text, false);
                }
                b'`' => {
                    text.expanded = true;
                    self.backticks();
                }
                b'[' if !has_value && self.is_one_letter() => {
                    text.expanded = true;
                    self.replace(&mut text, self.at, self.at + 1, "");
                    self.replace(&mut text, self.at + 2, self.at + 3, "");
                    self.at += 3;
                }
                b'[' if self.is_subscript(start) => {
                    let end = self.subscript_end(self.at + 1, INDEX).unwrap_or(self.end);
                    self.at += 1;
                    self.nested(|parser| parser.within(end, Self::data));
                }
                b'*' | b'?' | b'[' => {
                    text.expanded = true;
                    self.at += 1;
                }
                b'~' if self.at == start => {
                    text.expanded = true;
                    self.at += 1;
                }
                b'{' if self.is_brace_list() => {
                    text.expanded = true;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        if text.changed.is_some() && !self.spend(self.at - text.pending) {
            text.full = true;
        }
        let word = text.finish(self.at);
        // The commands of these names are no globs.
        let expanded = word.expanded && !matches!(&*word.text, "[" | "[[");
        Word { expanded, ..word }
    }

    /// Returns whether the `[` here is that of a pattern which only one letter hits: `d[i]st` is `dist`.
    fn is_one_letter(&self) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        self.byte(1).is_some_and(is_plain)
            && self.byte(2) == Some(b']')
            && !matches!(self.byte(3), Some(b'=' | b'+'))
    }

    /// Returns whether the `[` here, in the word that began at `start`, is that of `NAME[…]=`.
    fn is_subscript(&self, start: usize) -> bool {
        let bytes = self.text.as_bytes();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let name = &bytes[start..self.at];
        if name.is_empty() || name.len() > INDEX || !name.iter().all(is_name) {
            return false;
        }
        let Some(end) = self.subscript_end(self.at + 1, INDEX) else { return false };
        !self.text[self.at..end].contains(['\n', ';'])
            && self.text[end + 1..].starts_with(['=', '+'])
    }

    /// The place of the `]` that closes what is open at `start`.
    fn subscript_end(&self, start: usize, most: usize) -> Option<usize> {
        let mut open = 0_usize;
        let bytes = self.text.as_bytes()[..self.end].iter().enumerate();
        for (at, byte) in bytes.skip(start).take(most) {
            match byte {
                b'[' => open += 1,
                b']' if open == 0 => return Some(at),
                b']' => open -= 1,
                _ => {}
            }
        }
        None
    }

    /// Goes behind what starts with the `$` or the backtick here.
    pub(super) fn expansion(&mut self) {
        if self.peek() == Some(b'`') {
            return self.backticks();
        }
        let mut text = Text::new(self.text, self.at);
        self.dollar(&mut text, false);
    }

    /// Returns whether the `{` here begins a list or a range, within a few bytes.
    ///
    /// There may be many in a row, so what one was looked for in is not looked at again.
    fn is_brace_list(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        if !self.no_list.contains(&self.at) {
            self.no_list = self.at..self.at;
        }
        while self.no_list.end < self.end.min(self.at + 64) {
            let byte = bytes[self.no_list.end];
            if byte.is_ascii_whitespace() || byte == b'}' {
                return false;
            }
            if byte == b',' || (byte == b'.' && bytes[self.no_list.end - 1] == b'.') {
                return true;
            }
            self.no_list.end += 1;
        }
        false
    }

    fn char_len(&self, at: usize) -> usize {
        self.text[at..].chars().next().map_or(0, char::len_utf8)
    }

    fn backslash(&mut self, text: &mut Text<'a>) {
        let next = self.at + 1;
        match self.byte(1) {
            None => self.at = next,
            Some(b'\n') => {
                self.replace(text, self.at, next + 1, "");
                self.at = next + 1;
            }
            Some(_) => {
                text.quoted = true;
                self.replace(text, self.at, next, "");
                self.at = next + self.char_len(next);
            }
        }
    }

    fn single_quotes(&mut self, text: &mut Text<'a>) {
        text.quoted = true;
        let start = self.at + 1;
        self.replace(text, self.at, start, "");
        if let Some(length) = self.text[start..self.end].find('\'') {
            self.at = start + length;
            self.replace(text, self.at, self.at + 1, "");
            self.at += 1;
        } else {
            self.give_up();
        }
    }

    fn double_quotes(&mut self, text: &mut Text<'a>) {
        text.quoted = true;
        self.replace(text, self.at, self.at + 1, "");
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.complete = false;
                    return;
                }
                Some(b'"') => {
                    self.replace(text, self.at, self.at + 1, "");
                    self.at += 1;
                    return;
                }
                Some(b'\\') => match self.byte(1) {
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.replace(text, self.at, self.at + 1, "");
                        self.at += 2;
                    }
                    Some(b'\n') => {
                        self.replace(text, self.at, self.at + 2, "");
                        self.at += 2;
                    }
                    _ => self.at += 1,
                },
                Some(b'$') => self.dollar(text, true),
                Some(b'`') => {
                    text.expanded = true;
                    self.backticks();
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Reads what starts with `$`; inside double quotes `$'` and `$"` mean nothing.
    fn dollar(&mut self, text: &mut Text<'a>, in_quotes: bool) {
        match self.byte(1) {
            Some(b'\'') if !in_quotes => self.ansi_quotes(text),
            Some(b'"') if !in_quotes => {
                self.replace(text, self.at, self.at + 1, "");
                self.at += 1;
            }
            Some(b'(' | b'{') => {
                text.expanded = true;
                self.substitution(in_quotes);
            }
            Some(b'[') => {
                text.expanded = true;
                self.at += 2;
                let end = self.subscript_end(self.at, usize::MAX).unwrap_or(self.end);
                self.complete &= end < self.end;
                self.nested(|parser| parser.within(end, Self::data));
                self.at = (end + 1).min(self.end);
            }
            Some(byte) if byte.is_ascii_alphanumeric() || b"_@*#?-$!".contains(&byte) => {
                text.expanded = true;
                self.at += 2;
            }
            _ => self.at += 1,
        }
    }

    fn substitution(&mut self, in_quotes: bool) {
        if self.starts_with("${") {
            self.at += 2;
            return self.nested(|parser| parser.braces(in_quotes));
        }
        if self.starts_with("$((")
            && let Some(end) = self.arithmetic_end(self.at + 3)
        {
            self.at += 3;
            self.nested(|parser| parser.within(end, Self::data));
            self.at = (self.at + 2).min(self.end);
            return;
        }
        self.at = (self.at + 2).min(self.end);
        self.commands_inside(true);
    }

    fn braces(&mut self, in_quotes: bool) {
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.at += 1;
                    return;
                }
                b'\\' => self.skip_escaped(),
                b'"' => {
                    let mut text = Text::new(self.text, self.at);
                    self.double_quotes(&mut text);
                }
                b'\'' if !in_quotes => {
                    let mut text = Text::new(self.text, self.at);
                    self.single_quotes(&mut text);
                }
                b'$' if matches!(self.byte(1), Some(b'(' | b'{')) => self.substitution(in_quotes),
                b'$' if !in_quotes && self.byte(1) == Some(b'\'') => {
                    let mut text = Text::new(self.text, self.at);
                    self.ansi_quotes(&mut text);
                }
                b'<' | b'>' if !in_quotes && self.byte(1) == Some(b'(') => {
                    self.at += 2;
                    self.commands_inside(true);
                }
                b'`' => self.backticks(),
                _ => self.at += 1,
            }
        }
        self.complete = false;
    }

    fn skip_escaped(&mut self) {
        self.at = (self.at + 1).min(self.end);
        if self.at < self.end {
            self.at += self.char_len(self.at);
        }
    }

    /// Text that is no command but may hold substitutions, up to the end.
    pub(super) fn data(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.skip_escaped(),
                b'$' if matches!(self.byte(1), Some(b'(' | b'{')) => self.substitution(true),
                b'`' => self.backticks(),
                _ => self.at += 1,
            }
        }
    }

    /// The place of the `))` that ends an arithmetic expression, if the text is one.
    pub(super) fn arithmetic_end(&mut self, start: usize) -> Option<usize> {
        if self.ahead == 0 {
            return None;
        }
        let (end, read) = self.find_arithmetic_end(start);
        if self.spend(read) { end } else { None }
    }

    /// That place, and how many bytes were read to find it.
    fn find_arithmetic_end(&self, start: usize) -> (Option<usize>, usize) {
        let bytes = &self.text.as_bytes()[..self.end];
        let mut open = 0_usize;
        let mut at = start;
        while at < bytes.len() {
            match bytes[at] {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => {
                    let end = (bytes.get(at + 1) == Some(&b')')).then_some(at);
                    return (end, at - start);
                }
                b'\'' | b'"' => match bytes[at + 1..].iter().position(|byte| *byte == bytes[at]) {
                    Some(length) => at += length + 1,
                    None => break,
                },
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        (None, bytes.len().saturating_sub(start))
    }

    fn backticks(&mut self) {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut close = start;
        let mut escapes = false;
        while close < self.end && bytes[close] != b'`' {
            if bytes[close] == b'\\' {
                close += 1;
                escapes |= matches!(bytes.get(close), Some(b'`' | b'$' | b'\\'));
            }
            close += 1;
        }
        let close = close.min(self.end);
        self.at = start.min(self.end);
        if close == self.end {
            self.complete = false;
        }
        // What is escaped for the commands inside is not read.
        self.complete &= !escapes;
        self.within(close, |parser| parser.commands_inside(false));
        self.at = (close + 1).min(self.end);
    }

    /// `$'…'`, with the escapes of C.
    fn ansi_quotes(&mut self, text: &mut Text<'a>) {
        text.quoted = true;
        self.replace(text, self.at, self.at + 2, "");
        self.at += 2;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => {
                    self.replace(text, self.at, self.at + 1, "");
                    self.at += 1;
                    return;
                }
                b'\\' => {
                    let start = self.at;
                    let decoded = self.ansi_escape();
                    self.replace(text, start, self.at, decoded.encode_utf8(&mut [0; 4]));
                }
                _ => self.at += 1,
            }
        }
        self.complete = false;
    }

    fn ansi_escape(&mut self) -> char {
        self.at += 1;
        let Some(letter) = self.text[self.at..self.end].chars().next() else {
            return '\\';
        };
        self.at += letter.len_utf8();
        match letter {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            other => other,
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> char {
        let rest = &self.text.as_bytes()[self.at..self.end];
        let digits = rest.iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix));
        let digits = &self.text[self.at..self.at + digits.count()];
        self.at += digits.len();
        let code = u32::from_str_radix(digits, radix).ok();
        // Of three octal digits a byte is made.
        let code = code.map(|code| if radix == 8 { code & 0xff } else { code });
        let code = code.and_then(char::from_u32);
        code.unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}
