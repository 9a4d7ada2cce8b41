//! Shell command lines, as far as one must read them to know what they run.
//!
//! Not a shell: nothing is expanded and no syntax is refused. What a shell would run, also inside
//! substitutions, compound commands and wrappers, is found; quoted text, comments and the bodies of
//! here-documents are data. After the POSIX shell language and the manual of bash; `PowerShell` is
//! read by the same rules, which fits its simple commands.

mod line;
mod redirection;
mod word;
mod wrapper;

use std::borrow::Cow;

pub use wrapper::{Invocation, each_invocation};

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word<'a> {
    /// The text with quotes and backslashes resolved; an expansion stands as it was written.
    pub text: Cow<'a, str>,
    /// Whether the shell would put other text in the place of some part: `$x`, `$(…)`, a glob.
    pub expanded: bool,
    /// Whether any part was quoted, which keeps the shell from reading a keyword.
    pub quoted: bool,
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command<'a> {
    /// The leading `NAME=value` words.
    pub assignments: Vec<Word<'a>>,
    /// The program and its arguments, without redirections.
    pub words: Vec<Word<'a>>,
    /// The command as it was written, from its first word to its last.
    pub source: Cow<'a, str>,
    /// What a here-document or here-string feeds to it.
    pub input: Option<Cow<'a, str>>,
}

/// The simple commands of a line, those inside a word before the command of the word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split<'a> {
    /// The commands.
    pub commands: Vec<Command<'a>>,
    /// Whether the line was read to its end without an open quote or bracket, or too deep nesting.
    pub complete: bool,
}

/// Splits a command line, which may be a script of many lines.
///
/// Takes time in proportion to the line's length.
pub fn split(line: &str) -> Split<'_> {
    line::split(line, 0)
}

impl Command<'_> {
    fn into_owned(self) -> Command<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let words = |words: Vec<Word<'_>>| {
            let own = |word: Word<'_>| Word {
                text: owned(word.text),
                expanded: word.expanded,
                quoted: word.quoted,
            };
            words.into_iter().map(own).collect()
        };
        Command {
            assignments: words(self.assignments),
            words: words(self.words),
            source: owned(self.source),
            input: self.input.map(owned),
        }
    }
}

#[cfg(test)]
mod tests;
