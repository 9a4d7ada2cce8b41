//! The tokens of programs in Python, JavaScript, Perl, Ruby and the like, read by one rough rule.

use super::super::programs::Language;

/// So many tokens of a program are read.
pub(super) const MOST: usize = 16_384;
/// So many tokens of a call's arguments are read.
pub(super) const READ: usize = 256;

/// One token; blanks and comments are none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Name(&'t str),
    Text(String),
    /// A text in backticks that is run.
    Shell(String),
    Sign(char),
}

pub(super) fn tokens(text: &str, language: Language) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, language, words: Vec::new() };
    let mut tokens = Vec::new();
    while tokens.len() < MOST
        && let Some(token) = lexer.next()
    {
        // Texts that are joined are one.
        let signs =
            tokens.iter().rev().take_while(|it| matches!(it, Token::Sign('+' | '.'))).count();
        let before = tokens.len() - signs;
        match (token, tokens[..before].last_mut()) {
            (Token::Text(text), Some(Token::Text(first))) if (1..=2).contains(&signs) => {
                first.push_str(&text);
                tokens.truncate(before);
            }
            // What awk joins to a text is not known.
            (Token::Sign('$'), Some(Token::Text(first)))
                if language == Language::Awk && signs == 0 =>
            {
                first.push_str("{}");
                lexer.next();
            }
            (Token::Name(name), Some(Token::Text(first)))
                if language == Language::Awk && signs == 0 && name != "in" =>
            {
                first.push_str("{}");
            }
            (token, _) => tokens.push(token),
        }
    }
    tokens
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    language: Language,
    /// The tokens that are left of a list of words, the last one first.
    words: Vec<Token<'t>>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_past(&mut self, end: &str) {
        let rest = self.rest();
        self.at += rest.find(end).map_or(rest.len(), |at| at + end.len());
    }

    fn next(&mut self) -> Option<Token<'t>> {
        if let Some(token) = self.words.pop() {
            return Some(token);
        }
        self.comments();
        let rest = self.rest();
        let first = rest.chars().next()?;
        if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            self.at += name.len();
            return Some(self.after_name(name));
        }
        Some(match first {
            '"' | '\'' => Token::Text(self.quoted(first, true)),
            '`' if self.language == Language::JavaScript && !self.is_tagged() => {
                Token::Text(self.quoted('`', true))
            }
            '`' => Token::Shell(self.quoted('`', true)),
            '[' if self.language == Language::Lua && rest.starts_with("[[") => {
                self.at += 2;
                let start = self.at;
                self.skip_past("]]");
                Token::Text(self.text[start..self.at].trim_end_matches("]]").to_owned())
            }
            '%' if self.language == Language::Ruby && rest.starts_with("%x") && rest.len() > 2 => {
                self.at += 2;
                Token::Shell(self.bracketed())
            }
            '%' if self.language == Language::Ruby && rest.starts_with("%w") && rest.len() > 2 => {
                self.at += 2;
                self.list()
            }
            _ => {
                self.at += first.len_utf8();
                Token::Sign(first)
            }
        })
    }

    /// Returns whether a shell runs the text that begins here, as in ``$`ls` ``.
    fn is_tagged(&self) -> bool {
        let before = &self.text[..self.at];
        before.ends_with('$') || before.ends_with("})") && before.contains("$({")
    }

    /// The first sign of the list that `%w[…]` and `qw(…)` mean.
    fn list(&mut self) -> Token<'t> {
        let words = self.bracketed();
        self.words = vec![Token::Sign(']')];
        for word in words.split_whitespace().rev() {
            self.words.extend([Token::Sign(','), Token::Text(word.to_owned())]);
        }
        Token::Sign('[')
    }

    /// A name, or the text that it is the prefix of: `f"…"`, `r'…'`, `qx{…}`.
    fn after_name(&mut self, name: &'t str) -> Token<'t> {
        let next = self.rest().chars().next();
        let is_quote = matches!(next, Some('"' | '\''));
        let prefix = name.len() <= 2 && name.chars().all(|it| "bBfFrRuU".contains(it));
        if self.language == Language::Python && prefix && is_quote {
            return Token::Text(self.quoted(next.unwrap_or('"'), !name.contains(['r', 'R'])));
        }
        let brackets = matches!(next, Some('{' | '(' | '[' | '/' | '|' | '!'));
        if matches!(self.language, Language::Perl) && brackets {
            match name {
                "qx" => return Token::Shell(self.bracketed()),
                "qw" => return self.list(),
                "q" | "qq" => return Token::Text(self.bracketed()),
                _ => {}
            }
        }
        Token::Name(name)
    }

    fn comments(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            let slashes = matches!(self.language, Language::JavaScript | Language::Php);
            let hash = !matches!(self.language, Language::JavaScript | Language::Lua);
            if slashes && rest.starts_with("/*") {
                self.skip_past("*/");
            } else if self.language == Language::Lua && rest.starts_with("--[[") {
                self.skip_past("]]");
            } else if (slashes && rest.starts_with("//"))
                || (hash && rest.starts_with('#'))
                || (self.language == Language::Lua && rest.starts_with("--"))
            {
                self.skip_past("\n");
            } else {
                return;
            }
        }
    }

    /// The text in brackets or other marks that begins here.
    fn bracketed(&mut self) -> String {
        let open = self.rest().chars().next().unwrap_or('{');
        let close = match open {
            '{' => '}',
            '(' => ')',
            '[' => ']',
            other => other,
        };
        self.at += open.len_utf8();
        let rest = self.rest();
        let length = rest.find(close).unwrap_or(rest.len());
        self.at = (self.at + length + close.len_utf8()).min(self.text.len());
        rest[..length].to_owned()
    }

    fn quoted(&mut self, quote: char, escapes: bool) -> String {
        let mut text = String::new();
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let is_triple = self.language == Language::Python && self.rest().starts_with(&triple);
        let end = &triple[..if is_triple { 3 } else { 1 }];
        self.at += end.len();
        while let Some(letter) = self.rest().chars().next() {
            if self.rest().starts_with(end) {
                self.at += end.len();
                break;
            }
            self.at += letter.len_utf8();
            if letter == '\\' && escapes {
                self.escape(&mut text);
            } else {
                text.push(letter);
            }
        }
        text
    }

    fn escape(&mut self, text: &mut String) {
        let Some(letter) = self.rest().chars().next() else { return };
        let decimal = self.language == Language::Lua;
        let (skip, radix, most) = match letter {
            'x' => (1, 16, 2),
            'u' if self.rest().starts_with("u{") => (2, 16, 6),
            'u' => (1, 16, 4),
            '0'..='9' => (0, if decimal { 10 } else { 8 }, 3),
            _ => (1, 0, 0),
        };
        self.at += if skip == 0 { 0 } else { letter.len_utf8() + skip - 1 };
        if radix == 0 {
            match letter {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                other => text.push(other),
            }
            return;
        }
        let rest = self.rest();
        let digits = rest.chars().take(most).take_while(|it| it.is_digit(radix)).count();
        text.extend(u32::from_str_radix(&rest[..digits], radix).ok().and_then(char::from_u32));
        // What is no number after all is skipped, so that reading goes on.
        self.at += if digits == 0 && skip == 0 { 1 } else { digits };
        if skip == 2 && self.rest().starts_with('}') {
            self.at += 1;
        }
    }
}

/// The place behind the bracket that closes the one at a place.
pub(super) fn end(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0_i32;
    let closes = tokens[start..].iter().take(READ).position(|token| {
        depth += match token {
            Token::Sign('(' | '[' | '{') => 1,
            Token::Sign(')' | ']' | '}') => -1,
            _ => 0,
        };
        depth == 0
    });
    start + closes.map_or(READ.min(tokens.len() - start), |at| at + 1)
}

/// Returns whether what has no brackets around it ends before a text or a name.
pub(super) fn ends_before(tokens: &[Token<'_>], at: usize, start: usize) -> bool {
    let is_word = |it: &Token<'_>| matches!(it, Token::Text(_) | Token::Name(_));
    match (at.checked_sub(1).filter(|it| *it >= start).map(|it| &tokens[it]), &tokens[at]) {
        (Some(Token::Text(_)), it) => is_word(it),
        (Some(Token::Name(_)), Token::Name(_)) => true,
        _ => false,
    }
}

/// The folder that a whole argument is, the user's home or the one that the program works in, or what runs it.
pub(super) fn known_folder(tokens: &[Token<'_>], at: usize) -> Option<&'static str> {
    let before: Vec<_> = tokens[..at].iter().rev().take(2).collect();
    let (folder, ends) = match (&tokens[at], &before[..]) {
        (Token::Name("HOME"), [Token::Sign('.'), Token::Name("env")]) => ("~", ""),
        (Token::Name("HOME"), [Token::Sign('{'), Token::Name("ENV")]) => ("~", "}"),
        (Token::Name("home" | "homedir"), [Token::Sign('.'), ..]) => ("~", "()"),
        (Token::Name("executable"), [Token::Sign('.'), Token::Name("sys")]) => ("python3", ""),
        (Token::Name("execPath"), _) => ("node", ""),
        (Token::Name("cwd" | "getcwd" | "pwd"), [Token::Sign('.'), ..]) => (".", "()"),
        (Token::Name("tmpdir" | "gettempdir"), _) => ("/tmp", "()"),
        _ => return None,
    };
    let mut after = tokens[at + 1..].iter().peekable();
    for end in ends.chars() {
        after.next_if(|token| **token == Token::Sign(end));
    }
    matches!(after.next(), Some(Token::Sign(')' | ',' | '/' | '+' | ';')) | None).then_some(folder)
}

/// So many of the next tokens are looked at for names.
const NAMES: usize = 12;

/// The names in the next tokens of a place.
pub(super) fn names_from<'t>(tokens: &'t [Token<'t>], at: usize) -> impl Iterator<Item = &'t str> {
    tokens[at.min(tokens.len())..].iter().take(NAMES).filter_map(|token| match token {
        Token::Name(name) => Some(*name),
        _ => None,
    })
}
