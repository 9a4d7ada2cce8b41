//! Redirections and the documents behind them.

/// Returns whether the client reads a document with this text. Measured.
fn is_read(text: &str) -> bool {
    let mut before = '\n';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        match letter {
            '\\' if next.is_some_and(char::is_whitespace) => return false,
            '=' if next.is_some_and(|next| next.is_ascii_alphabetic() || next == '_')
                && (before.is_whitespace() || matches!(before, ';' | '|' | '&')) =>
            {
                return false;
            }
            _ => {}
        }
        before = letter;
    }
    true
}

fn has_quote_in_brace(text: &str) -> bool {
    text.split('{')
        .skip(1)
        .any(|rest| rest.split('}').next().is_some_and(|it| it.contains(['\'', '"'])))
}

/// Gives the text of a document behind its `<<'` and what follows its last line.
fn document(text: &str) -> Option<(&str, &str)> {
    let (delimiter, text) = text.split_once("'\n")?;
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        if bare == delimiter {
            let (body, rest) = text.split_at(length);
            return is_read(body).then_some((body, &rest[bare.len()..]));
        }
        length += line.len();
    }
    None
}

impl Reader<'_> {
    /// Goes behind redirections to and from files with bare names, and tells if there were any.
    pub(super) fn redirections(&mut self) -> Option<bool> {
        let is_bare = |letter: char| letter.is_ascii_alphanumeric() || "./_-+:@%~".contains(letter);
        let mut redirects = false;
        loop {
            self.blanks()?;
            let after = self.rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let signs = ["&>>", "&>", ">>", ">&", ">|", "<&", ">", "<"];
            let Some(sign) = signs.iter().find(|sign| after.starts_with(**sign)) else {
                return Some(redirects);
            };
            if after.starts_with("<<") || (sign.starts_with('&') && after != self.rest) {
                return Some(redirects);
            }
            self.rest = &after[sign.len()..];
            self.blanks()?;
            let rest = self.rest.trim_start_matches(is_bare);
            if matches!(&self.rest[..self.rest.len() - rest.len()], "" | "-") {
                return None;
            }
            self.rest = rest;
            (redirects, self.plain) = (true, false);
        }
    }

    /// Goes behind the document that begins here, if one does.
    pub(super) fn document(&mut self) -> Option<()> {
        let Some(text) = self.rest.strip_prefix("<<") else { return Some(()) };
        let (body, rest) = document(text.trim_start().strip_prefix('\'')?)?;
        (self.rest, self.plain) = (rest, false);
        (!has_quote_in_brace(body)).then_some(())
    }
}

/// Gives what follows a document in a substitution, whose text is as good as quoted.
pub(super) fn document_text(text: &str) -> Option<&str> {
    let (_, rest) = document(text)?;
    rest.trim_start_matches([' ', '\t', '\n']).strip_prefix(')')
}

/// A place in a line and what was found before it; methods give `None` to give up.
pub(super) struct Reader<'a> {
    pub(super) line: &'a str,
    pub(super) rest: &'a str,
    pub(super) home: &'a str,
    pub(super) open: bool,
    /// True behind an operator that needs a command.
    pub(super) joins: bool,
    pub(super) texts: Vec<String>,
    /// True if an argument was an expansion that the client cannot look through.
    pub(super) expanded: bool,
    /// True if there is one command, with words and nothing else, at every level.
    pub(super) plain: bool,
    /// True if the command being read has single quotes, backslashes, or `$HOME` in a string.
    pub(super) quoted: bool,
}

impl Reader<'_> {
    pub(super) fn takes(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub(super) fn blanks(&mut self) -> Option<()> {
        loop {
            let trimmed = self.rest.trim_start_matches([' ', '\t']);
            let skipped = trimmed.len() < self.rest.len();
            self.rest = trimmed;
            let before = &self.line[..self.line.len() - trimmed.len()];
            if self.takes("\\\n") {
                if !skipped || self.rest.starts_with("\\\n") {
                    return None;
                }
            } else if trimmed.starts_with('#')
                && (before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '|']))
            {
                self.rest = &trimmed[trimmed.find('\n').unwrap_or(trimmed.len())..];
            } else {
                return Some(());
            }
        }
    }
}
