//! A shell line as the client reads it for a rule: simple commands, or given up.
//!
//! [`crate::syntax::shell`] finds every program in whatever it is given. This reader has another
//! duty: it must give up exactly where the client does, because there every rule is let through. So
//! it knows few constructs, and what it does not know it gives up. The list of both was measured on
//! the clients 2.1.197 and 2.1.329, which differ in nothing but unfinished lines.

mod compound;
mod declaration;
mod expansion;
mod redirection;
mod simple;
mod word;

/// The part of a line that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Commands {
        /// Each as its words with one blank between them, quotes resolved, without assignments and
        /// redirections; those inside substitutions come before the command around them.
        texts: Vec<String>,
        /// True if an argument of the one command is an expansion.
        expanded: bool,
    },
    /// A construct that the client does not read.
    GivenUp,
}

/// A longer line is not read; in units of UTF-16.
const LONGEST: usize = 10_000;

/// The depth to which subshells, compound commands and substitutions nest.
const DEPTH: usize = 16;

/// Reads a line for a user whose home is at `home`.
pub(super) fn read(line: &str, home: &str) -> Reading {
    let has_odd = |letter: char| {
        (letter.is_control() && !matches!(letter, '\n' | '\t'))
            || (letter.is_whitespace() && !letter.is_ascii())
            || matches!(letter, '\u{200b}'..='\u{200d}' | '\u{feff}')
    };
    let is_long = line.len() > LONGEST && line.encode_utf16().count() > LONGEST;
    // Even between quotes.
    let is_odd = ["~[", "\\ ", "\\\t"].iter().any(|it| line.contains(it));
    if is_long || is_odd || line.contains(has_odd) {
        return Reading::GivenUp;
    }
    let mut reader = Reader {
        text: line,
        home,
        inside: false,
        at: 0,
        depth: 0,
        texts: Vec::new(),
        expanded: false,
        plain: true,
        quoted: false,
    };
    match reader.statements(End::Line) {
        // An expansion is only looked at where the line has one command and nothing else.
        Some(()) if !reader.expanded || reader.plain => {
            Reading::Commands { texts: reader.texts, expanded: reader.expanded }
        }
        _ => Reading::GivenUp,
    }
}

/// A place in a line and what was found before it; methods give `None` to give up.
#[expect(clippy::struct_excessive_bools, reason = "each is a place in which the line is read")]
struct Reader<'a> {
    text: &'a str,
    home: &'a str,
    /// True if this is in a substitution that the client looks into only where it is plain.
    inside: bool,
    at: usize,
    depth: usize,
    texts: Vec<String>,
    /// True if an argument was an expansion that the client cannot look through.
    expanded: bool,
    /// True if there are only lone simple commands, with words and nothing else, at every level.
    plain: bool,
    /// True if the command being read has single quotes, backslashes, or `$HOME` in a string.
    quoted: bool,
}

/// The end of a list of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Line,
    /// The bracket of a subshell, where only line ends separate statements.
    Bracket,
    /// The bracket of a substitution, which may hold one command and a semicolon.
    Substitution,
    Word(&'static [&'static str]),
}

/// Words that mean something where a command begins, and that this reader does not know.
const RESERVED: &[&str] =
    &["then", "do", "done", "fi", "esac", "else", "elif", "{", "}", "case", "select", "function"];

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, prefix: &str) -> bool {
        let takes = self.rest().starts_with(prefix);
        if takes {
            self.at += prefix.len();
        }
        takes
    }

    /// Skips blanks, lines that go on, and a comment.
    fn blanks(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t']);
            let skipped = rest.len() - trimmed.len();
            self.at += skipped;
            let starts_word = skipped > 0 || self.at == 0 || self.text[..self.at].ends_with('\n');
            if trimmed.starts_with("\\\n") {
                if skipped == 0 {
                    return None;
                }
                self.at += 2;
                if self.rest().starts_with("\\\n") {
                    return None;
                }
            } else if trimmed.starts_with('#')
                && (starts_word || self.text[..self.at].ends_with([';', '&', '|']))
            {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return Some(());
            }
        }
    }

    fn lines(&mut self) -> Option<()> {
        self.blanks()?;
        while self.takes("\n") {
            self.blanks()?;
        }
        Some(())
    }

    /// The word at this place, if it means itself, without going past it.
    fn bare_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>']);
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Statements up to `end`, which is taken as well.
    fn statements(&mut self, end: End) -> Option<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        self.lines()?;
        let mut count = 0;
        while !self.is_at(end) {
            self.list(end)?;
            count += 1;
            self.blanks()?;
            match self.peek() {
                Some(b'\n') => self.lines()?,
                Some(b';') if end != End::Bracket => {
                    let _ = self.takes(";;") || self.takes(";");
                    self.lines()?;
                }
                Some(b'&') if end == End::Line => {
                    self.at += 1;
                    self.lines()?;
                }
                _ if self.is_at(end) => {}
                _ => return None,
            }
        }
        self.plain &= count == 1;
        self.depth -= 1;
        if let End::Word(words) = end {
            // The words of a compound command need something before them.
            return (count > 0 && words.iter().any(|word| *word == self.bare_word())).then_some(());
        }
        if end != End::Line {
            self.at += 1;
            if end == End::Substitution && count != 1 {
                return None;
            }
        }
        Some(())
    }

    fn is_at(&self, end: End) -> bool {
        match end {
            End::Line => self.rest().is_empty(),
            End::Bracket | End::Substitution => self.peek() == Some(b')'),
            End::Word(words) => words.contains(&self.bare_word()),
        }
    }

    /// Pipelines with `&&` and `||` between them.
    fn list(&mut self, end: End) -> Option<()> {
        let (mut alone, mut nests) = (true, false);
        loop {
            nests |= self.peek() == Some(b'(');
            self.pipeline()?;
            self.blanks()?;
            if !self.takes("&&") && !self.takes("||") {
                // A subshell in a list in a subshell is more than the client reads.
                return (alone || !nests || end != End::Bracket).then_some(());
            }
            alone = false;
            self.plain = false;
            let start = self.at;
            self.lines()?;
            if self.text[start..self.at].contains('#') {
                return None;
            }
        }
    }

    fn pipeline(&mut self) -> Option<()> {
        loop {
            while self.bare_word() == "!" {
                self.at += 1;
                self.plain = false;
                self.lines()?;
                if self.rest().is_empty() {
                    return Some(());
                }
            }
            self.command()?;
            self.blanks()?;
            if self.rest().starts_with("||") || !self.takes("|") {
                return Some(());
            }
            self.takes("&");
            self.plain = false;
            if self.rest().starts_with("\\\n") {
                return None;
            }
            self.lines()?;
            if self.rest().is_empty() {
                return Some(());
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        if self.takes("(") {
            self.plain = false;
            if self.rest().starts_with(['(', '#']) {
                return None;
            }
            self.statements(End::Bracket)?;
            return self.ends_compound();
        }
        let word = self.bare_word();
        match word {
            "if" | "while" | "until" | "for" | "[" | "[[" => {
                self.plain = false;
                self.at += word.len();
                match word {
                    "if" => self.condition()?,
                    "while" | "until" => {
                        self.part(&["do"])?;
                        self.part(&["done"])?;
                    }
                    "for" => self.counted()?,
                    test => self.test(test == "[")?,
                }
                self.ends_compound()
            }
            word if RESERVED.contains(&word) => None,
            _ => self.simple(),
        }
    }
}
