//! What a shell makes of a word: braces, variables and command substitutions that are known.
//!
//! What is not known is in the result as it was written.

use super::super::Word;
use super::super::line::Parser;
use super::braces;
use super::variables::Variables;

/// What words are expanded with.
pub(super) struct Scope<'s> {
    pub(super) variables: &'s Variables,
    /// The output of a command substitution, where that can be told.
    pub(super) substitute: &'s mut dyn FnMut(&str) -> Option<String>,
}

pub(super) fn fields(written: &str, scope: &mut Scope<'_>) -> Vec<Word<'static>> {
    let mut fields = Vec::new();
    for text in braces::alternatives(written) {
        let mut field = Field::default();
        let mut reader = Reader { text: &text, at: 0, scope, fields: &mut fields };
        reader.word(&mut field);
        field.finish(&mut fields);
    }
    fields
}

/// The one text that a word becomes where no fields are made, as in an assignment.
pub(super) fn text(written: &str, scope: &mut Scope<'_>) -> String {
    let mut fields = Vec::new();
    let mut field = Field { whole: true, ..Field::default() };
    Reader { text: written, at: 0, scope, fields: &mut fields }.word(&mut field);
    field.text
}

/// A here-document's body or an expanded word's inside, in which quotes mean nothing.
pub(super) fn body(written: &str, scope: &mut Scope<'_>) -> String {
    let mut fields = Vec::new();
    let mut field = Field { whole: true, ..Field::default() };
    let mut reader = Reader { text: written, at: 0, scope, fields: &mut fields };
    while let Some(byte) = reader.peek() {
        match byte {
            b'$' => reader.dollar(&mut field, true),
            b'`' => reader.backticks(&mut field, true),
            b'\\' if reader.text[reader.at + 1..].starts_with(['$', '`', '\\']) => {
                reader.at += 1;
                reader.letter(&mut field);
            }
            _ => reader.letter(&mut field),
        }
    }
    field.text
}

/// A field that is being put together.
#[derive(Default)]
struct Field {
    text: String,
    expanded: bool,
    quoted: bool,
    /// Whether unquoted blanks leave it whole.
    whole: bool,
}

impl Field {
    fn finish(self, fields: &mut Vec<Word<'static>>) {
        if self.text.is_empty() && !self.quoted {
            return;
        }
        let mut word = Word::literal(self.text);
        word.expanded = self.expanded;
        word.quoted = self.quoted;
        fields.push(word);
    }
}

struct Reader<'r, 's> {
    text: &'r str,
    at: usize,
    scope: &'r mut Scope<'s>,
    fields: &'r mut Vec<Word<'static>>,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn letter(&mut self, field: &mut Field) {
        if let Some(letter) = self.text[self.at..].chars().next() {
            field.text.push(letter);
            self.at += letter.len_utf8();
        }
    }

    fn word(&mut self, field: &mut Field) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => {
                    field.quoted = true;
                    let rest = &self.text[self.at + 1..];
                    let length = rest.find('\'').unwrap_or(rest.len());
                    field.text.push_str(&rest[..length]);
                    self.at = (self.at + length + 2).min(self.text.len());
                }
                b'"' => self.double_quotes(field),
                b'\\' => {
                    self.at += 1;
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    } else {
                        field.quoted = true;
                        self.letter(field);
                    }
                }
                b'$' => self.dollar(field, false),
                b'`' => self.backticks(field, false),
                b'<' | b'>' if self.text[self.at + 1..].starts_with('(') => {
                    let end = self.end_of_word();
                    self.as_written(field, end);
                }
                b'*' | b'?' | b'[' => {
                    field.expanded = true;
                    self.letter(field);
                }
                b'~' if self.at == 0 => {
                    field.expanded = true;
                    self.letter(field);
                }
                _ => self.letter(field),
            }
        }
    }

    fn double_quotes(&mut self, field: &mut Field) {
        field.quoted = true;
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n') => self.at += 1,
                        Some(b'$' | b'`' | b'"' | b'\\') => self.letter(field),
                        _ => field.text.push('\\'),
                    }
                }
                b'$' => self.dollar(field, true),
                b'`' => self.backticks(field, true),
                _ => self.letter(field),
            }
        }
    }

    fn parser(&self) -> Parser<'_> {
        let mut parser = Parser::new(self.text, 0);
        parser.at = self.at;
        parser
    }

    /// Where the word ends that begins here.
    fn end_of_word(&self) -> usize {
        let mut parser = self.parser();
        parser.word();
        parser.at.clamp(self.at + 1, self.text.len())
    }

    /// Where what starts with the `$` here ends.
    fn end_of_expansion(&self) -> usize {
        let mut parser = self.parser();
        parser.quoted_part();
        parser.at.clamp(self.at + 1, self.text.len())
    }

    fn as_written(&mut self, field: &mut Field, end: usize) {
        field.expanded = true;
        field.text.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn dollar(&mut self, field: &mut Field, in_quotes: bool) {
        let rest = &self.text[self.at + 1..];
        match rest.bytes().next() {
            Some(b'\'') if !in_quotes => {
                field.quoted = true;
                let end = self.end_of_expansion();
                let mut parser = Parser::new(&self.text[self.at..end], 0);
                field.text.push_str(&parser.word().text);
                self.at = end;
            }
            Some(b'"') if !in_quotes => self.at += 1,
            Some(b'(') => {
                let end = self.end_of_expansion();
                let is_command = !rest.starts_with("((") || !self.text[..end].ends_with("))");
                let inside = self.text.get(self.at + 2..end.saturating_sub(1)).unwrap_or_default();
                let output = is_command.then(|| (self.scope.substitute)(inside)).flatten();
                self.output(output, field, in_quotes, end);
            }
            Some(b'{') => {
                let end = self.end_of_expansion();
                let inside = self.text.get(self.at + 2..end.saturating_sub(1)).unwrap_or_default();
                match self.parameter(inside) {
                    Some(values) => {
                        self.at = end;
                        let each = inside.contains("[@]") || inside.starts_with('@');
                        self.insert(&values, field, in_quotes, each);
                    }
                    None => self.as_written(field, end),
                }
            }
            Some(b'[') => {
                let end = self.end_of_expansion();
                self.as_written(field, end);
            }
            _ => self.variable(field, in_quotes),
        }
    }

    /// `$NAME`, `$1`, `$@`, or a dollar that is one.
    fn variable(&mut self, field: &mut Field, in_quotes: bool) {
        let rest = &self.text[self.at + 1..];
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let length = match rest.chars().next() {
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!' | '0'..='9') => 1,
            _ => rest.len() - rest.trim_start_matches(is_name).len(),
        };
        if length == 0 {
            return self.letter(field);
        }
        let name = &rest[..length];
        let end = self.at + 1 + length;
        match self.value(name) {
            Some(values) => {
                self.at = end;
                self.insert(&values, field, in_quotes, name == "@");
            }
            None => self.as_written(field, end),
        }
    }

    fn backticks(&mut self, field: &mut Field, in_quotes: bool) {
        let mut inside = String::new();
        let mut letters = self.text[self.at + 1..].char_indices();
        let mut end = self.text.len();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '`' => {
                    end = self.at + at + 2;
                    break;
                }
                '\\' => match letters.next() {
                    Some((_, next @ ('`' | '\\' | '$'))) => inside.push(next),
                    Some((_, next)) => inside.extend(['\\', next]),
                    None => {}
                },
                _ => inside.push(letter),
            }
        }
        let output = (self.scope.substitute)(&inside);
        self.output(output, field, in_quotes, end);
    }

    /// Puts in what a command writes that ends at `end`; what it is written as, where that is unknown.
    fn output(&mut self, output: Option<String>, field: &mut Field, in_quotes: bool, end: usize) {
        let Some(output) = output else { return self.as_written(field, end) };
        self.at = end;
        self.insert(&[output], field, in_quotes, false);
    }

    /// Puts values in: each as a field of its own for `"$@"`, split at blanks outside of quotes.
    fn insert(&mut self, values: &[String], field: &mut Field, in_quotes: bool, each: bool) {
        let marks = ['$', '`'];
        if field.whole {
            return field.text.push_str(&values.join(" "));
        }
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                if each || !in_quotes {
                    std::mem::take(field).finish(self.fields);
                    field.quoted = in_quotes;
                } else {
                    field.text.push(' ');
                }
            }
            field.expanded |= value.contains(marks);
            if in_quotes || value.contains(marks) {
                field.text.push_str(value);
                continue;
            }
            field.expanded |= value.contains(['*', '?', '[']);
            let separators = self.scope.variables.get("IFS").and_then(<[String]>::first);
            let separates = |letter: char| match separators {
                Some(separators) => separators.contains(letter),
                None => letter.is_ascii_whitespace(),
            };
            let mut parts = value.split(separates).filter(|part| !part.is_empty());
            if value.starts_with(separates) {
                std::mem::take(field).finish(self.fields);
            }
            field.text.push_str(parts.next().unwrap_or_default());
            for part in parts {
                std::mem::take(field).finish(self.fields);
                field.text.push_str(part);
            }
            if value.ends_with(separates) {
                std::mem::take(field).finish(self.fields);
            }
        }
    }

    fn value(&self, name: &str) -> Option<Vec<String>> {
        let position = match name {
            "@" | "*" => return self.scope.variables.get("@").map(<[String]>::to_vec),
            _ => name.parse::<usize>().ok(),
        };
        match position {
            Some(0) | None => self.scope.variables.get(name).map(<[String]>::to_vec),
            Some(position) => {
                let values = self.scope.variables.get("@")?;
                Some(values.get(position - 1).cloned().into_iter().collect())
            }
        }
    }

    /// What is inside `${…}`.
    fn parameter(&mut self, inside: &str) -> Option<Vec<String>> {
        let (indirect, inside) = match inside.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, inside),
        };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let length = match inside.chars().next()? {
            '@' | '*' => 1,
            _ => inside.len() - inside.trim_start_matches(is_name).len(),
        };
        let (name, mut rest) = inside.split_at(length);
        let mut values = self.value(name);
        if indirect {
            values = values.and_then(|values| self.value(values.first()?));
        }
        if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            rest = after;
            values = match (index, values) {
                ("@" | "*", values) => values,
                (index, Some(values)) => {
                    let index = index.parse::<usize>().ok()?;
                    Some(values.get(index).cloned().into_iter().collect())
                }
                (_, None) => None,
            };
        }
        if name.is_empty() { None } else { self.operator(values, rest) }
    }

    fn operator(&mut self, values: Option<Vec<String>>, rest: &str) -> Option<Vec<String>> {
        let is_set = |empty_counts: bool| {
            let is_empty = |values: &Vec<String>| values.iter().all(String::is_empty);
            values.as_ref().is_some_and(|values| {
                if empty_counts { !values.is_empty() } else { !is_empty(values) }
            })
        };
        let (operator, word) =
            ["", ":-", ":=", ":+", ":?", "-", "=", "+", "?"]
                .into_iter()
                .rev()
                .find_map(|operator| Some((operator, rest.strip_prefix(operator)?)))?;
        let empty_counts = !operator.starts_with(':');
        match operator {
            "-" | ":-" | "=" | ":=" if is_set(empty_counts) => values,
            "-" | ":-" | "=" | ":=" => Some(vec![text(word, self.scope)]),
            "+" | ":+" if is_set(empty_counts) => Some(vec![text(word, self.scope)]),
            "+" | ":+" => Some(Vec::new()),
            "?" | ":?" => values,
            _ if rest.is_empty() => values,
            _ => {
                let value = values?.join(" ");
                cut(&value, rest, |word| text(word, self.scope)).map(|value| vec![value])
            }
        }
    }
}

/// The operators of `${…}` that cut or replace, with patterns that are plain text.
fn cut(value: &str, rest: &str, mut text: impl FnMut(&str) -> String) -> Option<String> {
    let mut plain = |pattern: &str| {
        let pattern = text(pattern);
        (!pattern.contains(['*', '?', '['])).then_some(pattern)
    };
    if let Some(pattern) = rest.strip_prefix("%%").or_else(|| rest.strip_prefix('%')) {
        let pattern = plain(pattern)?;
        return Some(value.strip_suffix(&*pattern).unwrap_or(value).to_owned());
    }
    if let Some(pattern) = rest.strip_prefix("##").or_else(|| rest.strip_prefix('#')) {
        let pattern = plain(pattern)?;
        return Some(value.strip_prefix(&*pattern).unwrap_or(value).to_owned());
    }
    if let Some(rest) = rest.strip_prefix('/') {
        let (all, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
        let (pattern, with) = rest.split_once('/').unwrap_or((rest, ""));
        let (pattern, with) = (plain(pattern)?, text(with));
        let count = if all { usize::MAX } else { 1 };
        return Some(value.replacen(&*pattern, &with, count));
    }
    match rest {
        ",," | "," => return Some(value.to_lowercase()),
        "^^" | "^" => return Some(value.to_uppercase()),
        _ => {}
    }
    let (start, length) = match rest.strip_prefix(':')?.split_once(':') {
        Some((start, length)) => (start, length.parse().ok()?),
        None => (&rest[1..], usize::MAX),
    };
    Some(value.chars().skip(start.trim().parse().ok()?).take(length).collect())
}
