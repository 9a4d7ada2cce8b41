//! The recursive reader behind [`super::Document::parse`].

use super::super::escaped::escaped as written_out;
use super::node::{BOM, Kind, MAX_DEPTH, Member, Node, Span, SyntaxError, position};

pub(super) fn read(text: &str) -> Result<Node, SyntaxError> {
    let at = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let mut reader = Reader { text, bytes: text.as_bytes(), at, depth: 0 };
    reader.blanks();
    let root = reader.value("a value")?;
    reader.blanks();
    match reader.peek() {
        None => Ok(root),
        Some(_) => Err(reader.unexpected("the end of the file")),
    }
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, expected: &str) -> Result<Node, SyntaxError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => {
                self.string()?;
                Kind::String
            }
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Kind::Number
            }
            _ if self.word("true") => Kind::Bool(true),
            _ if self.word("false") => Kind::Bool(false),
            _ if self.word("null") => Kind::Null,
            _ => return Err(self.unexpected(expected)),
        };
        Ok(Node { span: Span { start, end: self.at }, kind })
    }

    fn word(&mut self, word: &str) -> bool {
        let rest = &self.bytes[self.at..];
        let found = rest.starts_with(word.as_bytes())
            && !rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Kind, SyntaxError>,
    ) -> Result<Kind, SyntaxError> {
        if self.depth == MAX_DEPTH {
            let message =
                format!("values nest deeper than {MAX_DEPTH}, which is as far as hookman reads");
            return Err(SyntaxError { is_ours: true, ..self.error(self.at, message) });
        }
        self.depth += 1;
        self.at += 1;
        let kind = read(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn object(&mut self) -> Result<Kind, SyntaxError> {
        let mut members = Vec::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Kind::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            self.string()?;
            let key = Span { start, end: self.at };
            self.blanks();
            if !self.take(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.blanks();
            members.push(Member { key, value: self.value("a value")? });
            if !self.another(b'}')? {
                return Ok(Kind::Object(members));
            }
        }
    }

    fn array(&mut self) -> Result<Kind, SyntaxError> {
        let mut elements = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Ok(Kind::Array(elements));
        }
        loop {
            elements.push(self.value("a value")?);
            if !self.another(b']')? {
                return Ok(Kind::Array(elements));
            }
        }
    }

    /// Moves on to the next item of an object or array, or past its closing bracket.
    fn another(&mut self, close: u8) -> Result<bool, SyntaxError> {
        self.blanks();
        if self.take(close) {
            return Ok(false);
        }
        let comma = self.at;
        if !self.take(b',') {
            let close = char::from(close);
            return Err(self.unexpected(&format!("`,` or `{close}`")));
        }
        self.blanks();
        if matches!(self.peek(), Some(b'}' | b']')) {
            return Err(self.error(comma, "a trailing comma".to_owned()));
        }
        Ok(true)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn string(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(b'\n' | b'\r') | None => {
                    return Err(self.error(start, "a string that does not end".to_owned()));
                }
                Some(byte @ 0..0x20) => {
                    let message = format!("a raw control character, write `\\u{byte:04x}`");
                    return Err(self.error(self.at, message));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        let rest = &self.bytes[self.at + 1..];
        let length = match rest {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', digits @ ..]
                if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) =>
            {
                6
            }
            _ => {
                let escaped = self.text[self.at + 1..].chars().next().unwrap_or(' ');
                let message = format!(
                    "`\\{}` is no escape, a backslash itself is written `\\\\`",
                    written_out(&escaped.to_string())
                );
                return Err(self.error(self.at, message));
            }
        };
        self.at += length;
        Ok(())
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        self.take(b'-');
        let integer = self.digits();
        let leading_zero = integer > 1 && self.bytes[self.at - integer] == b'0';
        let mut complete = integer > 0 && !leading_zero;
        if self.take(b'.') {
            complete &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            complete &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'.' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z')) {
            complete = false;
        }
        if complete {
            return Ok(());
        }
        let word = self.text[start..].split([' ', '\t', '\r', '\n', ',', ']', '}']).next();
        let message = format!("`{}` is no JSON number", clip(word.unwrap_or_default()));
        Err(self.error(start, message))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn error(&self, offset: usize, message: String) -> SyntaxError {
        SyntaxError { offset, position: position(self.text, offset), message, is_ours: false }
    }

    /// The error for what is at the cursor where `expected` should be.
    fn unexpected(&self, expected: &str) -> SyntaxError {
        let rest = &self.text[self.at..];
        let item = expected.starts_with("`,`") && rest.starts_with(value_start);
        let message = match rest.chars().next() {
            None => format!("the file ends where {expected} was expected"),
            Some(_) if rest.starts_with("//") || rest.starts_with("/*") => {
                "a comment, which JSON does not have".to_owned()
            }
            Some('#') => "a comment, which JSON does not have".to_owned(),
            Some('\'') => "a single quote, JSON strings stand in double quotes".to_owned(),
            Some('\u{201c}' | '\u{201d}' | '\u{201e}') => {
                "a typographic quote, JSON strings stand in straight double quotes".to_owned()
            }
            Some(_) if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|m| rest.starts_with(m)) => {
                "a merge conflict marker".to_owned()
            }
            Some(',') => format!("a comma too many, {expected} was expected"),
            Some('=') if expected == "`:`" => "`=` between key and value, JSON has `:`".to_owned(),
            Some(_) if item => format!("a missing comma before `{}`", clip(word(rest))),
            Some(first) if first.is_ascii_alphabetic() => not_a_word(word(rest), expected),
            Some(first) => {
                format!("`{}` where {expected} was expected", written_out(&first.to_string()))
            }
        };
        self.error(self.at, message)
    }
}

fn value_start(first: char) -> bool {
    matches!(first, '"' | '{' | '[' | '-' | '0'..='9') || first.is_ascii_alphabetic()
}

fn not_a_word(word: &str, expected: &str) -> String {
    let word = clip(word);
    match word {
        "NaN" | "Infinity" | "undefined" => format!("`{word}`, which JSON does not have"),
        "None" | "nil" | "NULL" | "Null" => format!("`{word}`, JSON writes `null`"),
        "True" | "TRUE" => format!("`{word}`, JSON writes `true`"),
        "False" | "FALSE" => format!("`{word}`, JSON writes `false`"),
        _ => format!("`{word}` where {expected} was expected"),
    }
}

/// Gives the name of the thing that begins here, for a message.
fn word(rest: &str) -> &str {
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = quoted.find(['"', '\n']).map_or(rest.len(), |end| end + 2);
        return rest.get(..end).unwrap_or(rest).trim_end();
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    &rest[..end.max(rest.chars().next().map_or(0, char::len_utf8))]
}

fn clip(word: &str) -> &str {
    word.char_indices().nth(40).map_or(word, |(end, _)| &word[..end])
}
