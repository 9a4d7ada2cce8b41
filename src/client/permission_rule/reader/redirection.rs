//! Redirections and the documents behind them.

use super::Reader;
use super::word::Place;

pub(super) enum Redirected {
    Not,
    File,
    /// `<<<`.
    FromText,
    /// `<<'END'`, its document included.
    FromDocument(Body),
}

/// What of a document the client minds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Plain,
    /// A quote behind a brace that is open, which it does not mind inside of a string.
    Braced,
}

/// Looks at the text of a document; `None` to give up. Measured.
fn body(text: &str) -> Option<Body> {
    let mut before = '\n';
    let mut letters = text.chars().peekable();
    let (mut open, mut body) = (false, Body::Plain);
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        match letter {
            '\\' if next.is_some_and(char::is_whitespace) => return None,
            '=' if next.is_some_and(|next| next.is_ascii_alphabetic() || next == '_')
                && (before.is_whitespace() || matches!(before, ';' | '|' | '&')) =>
            {
                return None;
            }
            '{' => open = true,
            '}' => open = false,
            '\'' | '"' if open => body = Body::Braced,
            _ => {}
        }
        before = letter;
    }
    Some(body)
}

impl Reader<'_> {
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
            "<<" | "<<-" => self.document(operator == "<<-").map(Redirected::FromDocument),
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
    fn document(&mut self, strips: bool) -> Option<Body> {
        self.blanks()?;
        let start = self.at;
        let delimiter = self.word(Place::File)?.text;
        if !self.text[start..self.at].contains(['\'', '"', '\\']) {
            return None;
        }
        let Some(text) = self.rest().strip_prefix('\n') else {
            return self.rest().is_empty().then_some(Body::Plain);
        };
        let mut length = 1;
        for line in text.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = if strips { bare.trim_start_matches('\t') } else { bare };
            if bare == delimiter {
                // The line's end separates statements, so it stays.
                self.at += length + line.trim_end_matches('\n').len();
                return body(&text[..length - 1]);
            }
            length += line.len();
        }
        self.at = self.text.len();
        body(text)
    }

    /// `$(cat <<'END' … END )`, whose text is as good as quoted.
    pub(super) fn document_text(&mut self) -> Option<()> {
        self.at += "$(cat ".len();
        match self.redirection()? {
            Redirected::FromDocument(_) => {}
            _ => return None,
        }
        self.lines()?;
        self.takes(")").then_some(())
    }
}
