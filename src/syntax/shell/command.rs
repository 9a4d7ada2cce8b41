//! The parts of a line.

use std::borrow::Cow;
use std::ops::Range;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word<'a> {
    /// The text with quotes and backslashes resolved; an expansion stays as it was written.
    pub text: Cow<'a, str>,
    /// True if the shell would put other text in the place of some part: `$x`, `$(…)`, a glob.
    pub expanded: bool,
    /// True if any part was quoted, which keeps the shell from reading a keyword.
    pub quoted: bool,
    pub written: Cow<'a, str>,
}

/// The source of a command's input or the target of its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirection<'a> {
    /// `>`, `>>`, `<` and the like; not those of here-documents.
    pub operator: &'static str,
    /// The file, or the number of a descriptor.
    pub target: Word<'a>,
}

/// The variable of a `for` and its values in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop<'a> {
    /// The variable and then its values.
    pub words: Vec<Word<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command<'a> {
    /// The leading `NAME=value` words.
    pub assignments: Vec<Word<'a>>,
    /// The program and its arguments, without redirections.
    pub words: Vec<Word<'a>>,
    /// The command as it was written, from its first word to its last.
    pub source: Cow<'a, str>,
    /// The text of a here-document or here-string; `expanded` where the shell expands it.
    pub input: Option<Word<'a>>,
    /// Its other redirections, in their order.
    pub redirections: Vec<Redirection<'a>>,
    /// The commands of the list whose output it reads through a pipe.
    pub feed: Range<usize>,
    /// The number of substitutions that it is in.
    pub nesting: usize,
    /// The head of a `for`, which has no words.
    pub each: Option<Loop<'a>>,
    /// True for the redirections behind a compound command, which has no words here.
    pub closes: bool,
}

/// The simple commands of a line, those inside a word before the command of the word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split<'a> {
    pub commands: Vec<Command<'a>>,
    /// True if the line was read to its end without an open quote or bracket, or too deep nesting.
    pub complete: bool,
    /// True if it has a `[[`, which is read and is none of the commands.
    pub has_condition: bool,
    pub functions: Vec<Function<'a>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function<'a> {
    pub name: Cow<'a, str>,
    /// The place of its body, which ends where it begins if that is not read.
    pub body: Range<usize>,
    pub commands: Range<usize>,
}

impl Word<'_> {
    pub(super) fn into_owned(self) -> Word<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Word {
            text: owned(self.text),
            expanded: self.expanded,
            quoted: self.quoted,
            written: owned(self.written),
        }
    }
}

impl<'a> Word<'a> {
    /// A word that nothing is to be expanded in.
    pub fn literal(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        Self { written: text.clone(), text, expanded: false, quoted: true }
    }
}
