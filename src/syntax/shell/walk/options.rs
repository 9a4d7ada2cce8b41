//! Options and operands as most programs read them.

use std::borrow::Cow;

use super::super::Word;

/// A longer cluster of letters is one option.
const CLUSTER: usize = 256;

/// One argument, or an option with the argument that is its value.
pub(super) enum Argument<'w> {
    /// An option such as `-x` or `--long`, one for each letter of a cluster.
    Option {
        name: Cow<'w, str>,
        value: Option<Cow<'w, str>>,
    },
    Operand(&'w Word<'w>),
    End,
}

/// Reads arguments in their order. `values` names the options that take the next word, with
/// blanks between them.
pub(super) struct Options<'w> {
    words: &'w [Word<'w>],
    values: &'static str,
    /// The letters of a cluster that are still to be read.
    letters: &'w str,
}

impl<'w> Options<'w> {
    pub(super) fn new(words: &'w [Word<'w>], values: &'static str) -> Self {
        Self { words, values, letters: "" }
    }

    /// The words that were not read yet.
    pub(super) fn rest(&self) -> &'w [Word<'w>] {
        self.words
    }

    fn takes_value(&self, name: &str) -> bool {
        self.values.split(' ').any(|value| value == name)
    }

    fn value(&mut self) -> Option<Cow<'w, str>> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(Cow::Borrowed(&*first.text))
    }

    fn letter(&mut self) -> Option<Argument<'w>> {
        let letter = self.letters.chars().next()?;
        self.letters = &self.letters[letter.len_utf8()..];
        let name = format!("-{letter}");
        if !self.takes_value(&name) {
            return Some(Argument::Option { name: name.into(), value: None });
        }
        let attached = std::mem::take(&mut self.letters);
        let value = if attached.is_empty() { self.value() } else { Some(Cow::Borrowed(attached)) };
        Some(Argument::Option { name: name.into(), value })
    }
}

impl<'w> Iterator for Options<'w> {
    type Item = Argument<'w>;

    fn next(&mut self) -> Option<Argument<'w>> {
        if !self.letters.is_empty() {
            return self.letter();
        }
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        let text = &*first.text;
        if text == "--" {
            return Some(Argument::End);
        }
        if text.starts_with("--") || (text.starts_with('-') && self.takes_value(text)) {
            return Some(match text.split_once('=') {
                Some((name, value)) => {
                    Argument::Option { name: name.into(), value: Some(value.into()) }
                }
                None if self.takes_value(text) => {
                    Argument::Option { name: text.into(), value: self.value() }
                }
                None => Argument::Option { name: text.into(), value: None },
            });
        }
        match text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            Some(letters) if letters.len() > CLUSTER => {
                Some(Argument::Option { name: text.into(), value: None })
            }
            Some(letters) => {
                self.letters = letters;
                self.letter()
            }
            None => Some(Argument::Operand(first)),
        }
    }
}
