//! The three forms of a pattern for commands.

use std::borrow::Cow;

/// The pattern in the brackets of a `Bash` rule.
#[derive(Debug)]
pub(super) enum Pattern<'a> {
    /// `git push:*`: these words, alone or with more behind them.
    Prefix(&'a str),
    /// `git * main`: a star is any text; the pieces between the stars. A blank before a
    /// last star may be missing, with the star's text.
    Wildcard(Vec<String>),
    Exact(String),
}

impl<'a> Pattern<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        if let Some(prefix) = text.strip_suffix(":*").filter(|prefix| !prefix.is_empty()) {
            return Self::Prefix(prefix);
        }
        let pieces = pieces(text.trim());
        match pieces.as_slice() {
            [whole] => Self::Exact(squeezed(whole).into_owned()),
            _ => Self::Wildcard(pieces),
        }
    }

    /// Returns whether the pattern asks for one word at the start and nothing else.
    pub(super) fn is_program(&self) -> bool {
        let is_word = |text: &str| !text.contains(char::is_whitespace);
        match self {
            Self::Prefix(prefix) => is_word(prefix),
            Self::Wildcard(pieces) => match pieces.as_slice() {
                [word, rest] => rest.is_empty() && is_word(word.strip_suffix(' ').unwrap_or(word)),
                _ => false,
            },
            Self::Exact(_) => false,
        }
    }

    /// Returns whether it hits the words of a command with blanks between them. Only a prefix minds blanks
    /// inside the words.
    pub(super) fn hits(&self, command: &str) -> bool {
        match self {
            Self::Exact(text) => squeezed(command) == *text,
            Self::Prefix(prefix) => command
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Self::Wildcard(pieces) => {
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let command = squeezed(command);
                is_like(&pieces, &command)
                    || match pieces.as_slice() {
                        [start, ""] => start.strip_suffix(' ') == Some(&*command),
                        _ => false,
                    }
            }
        }
    }
}

/// The pieces between the stars, where a backslash makes a star a letter.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = pieces.len() - 1;
        match letter {
            '\\' if matches!(letters.peek(), Some('*' | '\\')) => {
                pieces[last].extend(letters.next());
            }
            '*' => pieces.push(String::new()),
            _ => pieces[last].push(letter),
        }
    }
    pieces
}

/// Returns whether a pattern in which a star is any text is the whole of a text.
pub(super) fn is_whole(pattern: &str, text: &str) -> bool {
    let pieces = pieces(pattern.trim());
    is_like(&pieces.iter().map(String::as_str).collect::<Vec<_>>(), text)
}

/// A text with one blank in the place of several.
fn squeezed(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') && !text.contains("  ") {
        return text.into();
    }
    let mut squeezed = String::with_capacity(text.len());
    for letter in text.chars() {
        let letter = if letter == '\t' { ' ' } else { letter };
        if letter != ' ' || !squeezed.ends_with(' ') {
            squeezed.push(letter);
        }
    }
    squeezed.into()
}

/// Returns whether `text` is the pieces in order with any text between them.
fn is_like(pieces: &[&str], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_none_or(|only| *only == text);
    };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
