//! Compound commands: conditions, loops and tests.

use super::word::{self, Place};
use super::{End, Reader};

impl<'a> Reader<'a> {
    /// Statements up to one of the words, which is taken.
    pub(super) fn part(&mut self, words: &'static [&'static str]) -> Option<&'a str> {
        self.statements(End::Word(words))?;
        let word = self.bare_word();
        self.at += word.len();
        Some(word)
    }

    pub(super) fn condition(&mut self) -> Option<()> {
        loop {
            self.part(&["then"])?;
            match self.part(&["elif", "else", "fi"])? {
                "elif" => {}
                "else" => return self.part(&["fi"]).map(drop),
                _ => return Some(()),
            }
        }
    }

    pub(super) fn counted(&mut self) -> Option<()> {
        self.blanks()?;
        let name = self.bare_word();
        if !word::is_name(name) {
            return None;
        }
        self.at += name.len();
        self.blanks()?;
        if self.bare_word() == "in" {
            self.at += 2;
            loop {
                self.blanks()?;
                if matches!(self.peek(), None | Some(b';' | b'\n')) {
                    break;
                }
                self.word(Place::List)?;
            }
        }
        self.takes(";");
        self.lines()?;
        if self.bare_word() != "do" {
            return None;
        }
        self.at += 2;
        self.part(&["done"]).map(drop)
    }

    /// What is in `[ … ]` or `[[ … ]]`, which counts as one command.
    pub(super) fn test(&mut self, single: bool) -> Option<()> {
        let mut words = vec!["[[".to_owned()];
        // Where the operands of the part that is being read begin.
        let mut part = 1;
        loop {
            self.blanks()?;
            match self.bare_word() {
                "]" if single => break self.at += 1,
                "]]" if !single => break self.at += 2,
                "-a" | "-o" if single => return None,
                "" => {
                    let operators: &[&str] = &["&&", "||", "(", ")", "<", ">"];
                    let operator = operators.iter().find(|operator| self.takes(operator));
                    match operator {
                        Some(operator @ (&"<" | &">")) if !single => {
                            words.push((*operator).to_owned());
                        }
                        Some(operator) if !single => {
                            if !is_test(&words[part..]) {
                                return None;
                            }
                            words.push((*operator).to_owned());
                            part = words.len();
                        }
                        _ => return None,
                    }
                }
                _ => words.push(self.word(Place::Test)?.text),
            }
        }
        let is_test = is_test(&words[part..]);
        self.texts.push(words.join(" "));
        is_test.then_some(())
    }

    /// A redirection of a compound command is not read.
    pub(super) fn ends_compound(&mut self) -> Option<()> {
        self.blanks()?;
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let redirects = rest[digits..].starts_with(['<', '>']) || rest.starts_with("&>");
        let ends = matches!(self.peek(), None | Some(b'\n' | b';' | b'&' | b'|' | b')'));
        (ends && !redirects).then_some(())
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
            is_option(operator) || ["=", "==", "!=", "=~", "<", ">"].contains(&operator.as_str())
        }
        _ => false,
    }
}
