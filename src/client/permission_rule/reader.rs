//! A shell line as the client reads it for a rule: simple commands, or given up.
//!
//! Where the client gives up, every rule is let through, so this reader may give up more often but
//! never less. It reads simple commands in lists and pipelines, and gives up the rest.

mod redirection;
mod word;

use crate::syntax::shell::{self, Command, Word};
use redirection::Reader;
use word::{is_opaque, is_reserved};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Commands {
        /// Each as its words with one blank between them, quotes resolved, without assignments and
        /// redirections; those inside substitutions come before the command around them.
        texts: Vec<String>,
        /// True if an argument of the one command is an expansion.
        expanded: bool,
    },
    GivenUp,
}

/// A longer line is not read; in units of UTF-16.
const LONGEST: usize = 10_000;

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
        line,
        rest: line,
        home,
        open: false,
        joins: false,
        texts: Vec::new(),
        expanded: false,
        plain: true,
        quoted: false,
    };
    match reader.commands() {
        // An expansion is only looked at where the line has one command and nothing else.
        Some(()) if !reader.expanded || reader.plain => {
            Reading::Commands { texts: reader.texts, expanded: reader.expanded }
        }
        _ => Reading::GivenUp,
    }
}

impl Reader<'_> {
    fn lines(&mut self) -> Option<()> {
        self.blanks()?;
        while self.takes("\n") {
            self.blanks()?;
        }
        Some(())
    }

    fn commands(&mut self) -> Option<()> {
        let split = shell::split(self.line);
        if !split.complete || split.has_condition {
            return None;
        }
        let mut commands = split.commands.iter().filter(|command| command.nesting == 0);
        self.lines()?;
        while !self.rest.is_empty() {
            while self.takes("! ") {
                self.plain = false;
                self.blanks()?;
            }
            if self.takes("(") {
                self.plain = false;
                if std::mem::replace(&mut self.open, true) || self.rest.starts_with('#') {
                    return None;
                }
                self.lines()?;
            }
            let expanded = std::mem::take(&mut self.expanded);
            self.quoted = false;
            self.command(commands.next()?)?;
            self.expanded |= expanded;
            self.separator()?;
            self.plain &= self.rest.is_empty();
        }
        (!self.open && !self.joins && commands.next().is_none()).then_some(())
    }

    /// Takes what is between two commands, or behind the last.
    fn separator(&mut self) -> Option<()> {
        self.blanks()?;
        if self.open {
            let here = self.rest;
            self.lines()?;
            if self.takes(")") {
                self.open = false;
                self.blanks()?;
            } else {
                self.rest = here;
            }
        }
        let here = self.rest;
        self.joins = ["&&", "||", "|&", "|"].iter().any(|operator| self.takes(operator));
        // In a subshell only line ends separate.
        let ends = |it: &mut Self| it.takes("\n") || (!it.open && (it.takes(";") || it.takes("&")));
        if !self.joins && !ends(self) && !here.is_empty() {
            return None;
        }
        self.lines()?;
        let taken = &here[..here.len() - self.rest.len()];
        (!self.joins || !taken.contains('#')).then_some(())
    }

    fn command(&mut self, command: &Command<'_>) -> Option<()> {
        if self.redirections()? && !command.assignments.is_empty() {
            return None;
        }
        for assignment in &command.assignments {
            self.passes(assignment)?;
            self.assignment(&assignment.written)?;
        }
        let mut words = Vec::with_capacity(command.words.len());
        if self.takes("time ") {
            words.push("time".to_owned());
        }
        for word in &command.words {
            self.passes(word)?;
            let text = match words.first().map(String::as_str) {
                None if word.written.contains(['$', '`']) => return None,
                first if first != Some("[") && word.written.starts_with('=') => return None,
                Some("export") => self.assignment(&word.written)?,
                _ => self.word(&word.written)?,
            };
            words.push(text);
        }
        self.redirections()?;
        self.document()?;
        let Some(program) = words.first() else {
            let own = ["PATH=", "HOME="];
            let is_own = |value: &str| own.iter().any(|own| value.starts_with(own));
            let [value] = &*command.assignments else { return None };
            return (command.redirections.is_empty() && !is_own(&value.written)).then_some(());
        };
        if program == "[" {
            return self.test(words, command);
        }
        // Next to an expansion the client reads words and plain quotes and nothing else.
        let hides = self.expanded && (self.quoted || is_opaque(program));
        if hides || (is_reserved(program) && program != "export") {
            return None;
        }
        self.texts.push(words.join(" "));
        Some(())
    }

    /// Goes behind a word, which is the next thing in the line.
    fn passes(&mut self, word: &Word<'_>) -> Option<()> {
        self.blanks()?;
        // `{fd}>` names a descriptor.
        let names = |rest: &str| word.text.starts_with('{') && rest.starts_with(['<', '>']);
        (self.takes(&word.written) && !names(self.rest)).then_some(())
    }

    fn test(&mut self, mut words: Vec<String>, command: &Command<'_>) -> Option<()> {
        let is_bare = command.assignments.is_empty()
            && command.redirections.is_empty()
            && command.input.is_none();
        let is_closed = words.pop().is_some_and(|last| last == "]");
        let is_joined = words.iter().any(|word| matches!(&**word, "-a" | "-o"));
        let expands = command.words[1..].iter().any(|word| word.expanded);
        if !is_bare || !is_closed || is_joined || expands || !is_test(words.get(1..)?) {
            return None;
        }
        self.plain = false;
        "[[".clone_into(&mut words[0]);
        self.texts.push(words.join(" "));
        Some(())
    }
}

/// Returns whether words are operands with an operator where the client expects one.
fn is_test(words: &[String]) -> bool {
    let is_option = |word: &str| {
        word.strip_prefix('-')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_alphabetic()))
    };
    match words {
        [] | [_] => true,
        [not, rest @ ..] if not == "!" => is_test(rest),
        [operator, _] => is_option(operator),
        [_, operator, _] => {
            is_option(operator) || ["=", "==", "!=", "=~"].contains(&operator.as_str())
        }
        _ => false,
    }
}
