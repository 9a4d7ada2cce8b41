//! The rules as the runtime reads them, and what they match.
//!
//! A list is one text with blanks between its items, and alternatives have `|` between them, so
//! reading the rules of a hook costs one allocation.

use std::borrow::Cow;

use serde::Deserialize;

use crate::client::shell::{Invocation, Word};

/// What a matching rule does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    Warn,
    Ask,
    OneStrike,
    Block,
}

#[derive(Deserialize)]
pub(super) struct Options<'a> {
    pub(super) level: Level,
    pub(super) forget_after: u64,
    #[serde(default)]
    pub(super) per_agent: bool,
    /// For each program with such options: its name, then those that take the next word.
    #[serde(borrow, default)]
    pub(super) globals: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(super) rules: Vec<Rule<'a>>,
}

/// A text that borrows inside a list, too, where a plain `Cow` would not.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

#[derive(Deserialize)]
pub(super) struct Rule<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow)]
    program: Cow<'a, str>,
    #[serde(borrow, default)]
    subcommand: Cow<'a, str>,
    #[serde(borrow, default)]
    flags: Cow<'a, str>,
    #[serde(borrow, default)]
    all_flags: Cow<'a, str>,
    #[serde(borrow, default)]
    operands: Cow<'a, str>,
    #[serde(borrow, default)]
    values: Cow<'a, str>,
    #[serde(borrow, default)]
    except_flags: Cow<'a, str>,
    #[serde(borrow, default)]
    except_subcommands: Cow<'a, str>,
    #[serde(borrow, default)]
    except_operands: Cow<'a, str>,
    pub(super) level: Option<Level>,
    #[serde(borrow)]
    pub(super) what: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) instead: Cow<'a, str>,
}

impl Rule<'_> {
    /// Whether the rule speaks about this call; `globals` as in [`Options`].
    pub(super) fn matches(&self, invocation: &Invocation<'_>, globals: &[Text<'_>]) -> bool {
        if !self.program.split('|').any(|name| name.eq_ignore_ascii_case(invocation.program)) {
            return false;
        }
        let globals = globals.iter().find_map(|entry| {
            let (program, options) = entry.0.split_once(' ')?;
            program.eq_ignore_ascii_case(invocation.program).then_some(options)
        });
        let Some(words) =
            after_subcommand(invocation.arguments, &self.subcommand, globals.unwrap_or_default())
        else {
            return false;
        };
        self.wants_flags(words) && self.wants_operands(words) && !self.spares(words)
    }

    fn wants_flags(&self, words: &[Word<'_>]) -> bool {
        (self.flags.is_empty() || self.has_flag(words, &self.flags))
            && self.all_flags.split_whitespace().all(|spellings| self.has_flag(words, spellings))
    }

    fn wants_operands(&self, words: &[Word<'_>]) -> bool {
        self.operands.is_empty()
            || self.operands(words).any(|word| {
                self.operands.split_whitespace().any(|wanted| match wanted.strip_suffix('*') {
                    Some(prefix) => word.text.starts_with(prefix),
                    None => word.text == wanted,
                })
            })
    }

    fn spares(&self, words: &[Word<'_>]) -> bool {
        let first_is_spared = || {
            let first = self.operands(words).next();
            let mut spared = self.except_subcommands.split_whitespace();
            first.is_some_and(|first| spared.any(|name| first.text == name))
        };
        let all_are_spared = || {
            let mut operands = self.operands(words).peekable();
            operands.peek().is_some()
                && operands.all(|word| is_within(&word.text, &self.except_operands))
        };
        (!self.except_flags.is_empty() && self.has_flag(words, &self.except_flags))
            || (!self.except_subcommands.is_empty() && first_is_spared())
            || (!self.except_operands.is_empty() && all_are_spared())
    }

    fn has_flag(&self, words: &[Word<'_>], wanted: &str) -> bool {
        self.arguments(words).any(|argument| match argument {
            Argument::Flag(flag) => {
                wanted.split([' ', '|']).any(|wanted| flag_has(flag, wanted, &self.values))
            }
            Argument::Operand(_) => false,
        })
    }

    fn operands<'w, 'c>(&'w self, words: &'w [Word<'c>]) -> impl Iterator<Item = &'w Word<'c>> {
        self.arguments(words).filter_map(|argument| match argument {
            Argument::Operand(word) => Some(word),
            Argument::Flag(_) => None,
        })
    }

    fn arguments<'w, 'c>(&'w self, words: &'w [Word<'c>]) -> Arguments<'w, 'c> {
        Arguments { words: words.iter(), values: &self.values, flags_ended: false }
    }
}

enum Argument<'w, 'c> {
    Flag(&'w str),
    Operand(&'w Word<'c>),
}

/// Tells flags from operands, and leaves out the values that flags take from the next word.
struct Arguments<'w, 'c> {
    words: std::slice::Iter<'w, Word<'c>>,
    values: &'w str,
    flags_ended: bool,
}

impl<'w, 'c> Iterator for Arguments<'w, 'c> {
    type Item = Argument<'w, 'c>;

    fn next(&mut self) -> Option<Self::Item> {
        let word = self.words.next()?;
        if self.flags_ended || !word.text.starts_with('-') || word.text.len() == 1 {
            return Some(Argument::Operand(word));
        }
        if word.text == "--" {
            self.flags_ended = true;
            return self.next();
        }
        if takes_next_word(&word.text, self.values) {
            self.words.next();
        }
        Some(Argument::Flag(&word.text))
    }
}

/// The words after the options of the program itself and the words of its subcommand.
fn after_subcommand<'w, 'c>(
    mut words: &'w [Word<'c>],
    subcommand: &str,
    globals: &str,
) -> Option<&'w [Word<'c>]> {
    for wanted in subcommand.split_whitespace() {
        loop {
            let (word, rest) = words.split_first()?;
            words = rest;
            if !word.text.starts_with('-') {
                if word.text != wanted {
                    return None;
                }
                break;
            }
            if takes_next_word(&word.text, globals) {
                words = words.split_first()?.1;
            }
        }
    }
    Some(words)
}

/// The letters of a cluster such as `-rf` that are flags: up to the first that takes a value.
fn letters<'f>(flag: &'f str, values: &str) -> &'f str {
    let Some(cluster) = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return "";
    };
    let end = cluster.char_indices().find(|(_, letter)| is_value_letter(*letter, values));
    end.map_or(cluster, |(at, letter)| &cluster[..at + letter.len_utf8()])
}

fn is_value_letter(letter: char, values: &str) -> bool {
    values.split_whitespace().any(|value| short(value) == Some(letter))
}

/// The letter of a short flag such as `-r`.
fn short(flag: &str) -> Option<char> {
    let mut letters = flag.strip_prefix('-')?.chars();
    letters.next().filter(|letter| *letter != '-' && letters.next().is_none())
}

fn takes_next_word(flag: &str, values: &str) -> bool {
    if values.is_empty() {
        return false;
    }
    let letters = letters(flag, values);
    let by_letter = letters.len() + 1 == flag.len()
        && letters.chars().next_back().is_some_and(|letter| is_value_letter(letter, values));
    by_letter || values.split_whitespace().any(|value| value == flag)
}

/// Whether a word such as `-rf`, `--force=x` or `-delete` holds the wanted flag.
///
/// A wanted `-x` is looked for in clusters, `--word` is compared whole so that `--force` is not
/// `--force-with-lease`, and `-word` whole and without case, for `find` and `PowerShell`.
fn flag_has(flag: &str, wanted: &str, values: &str) -> bool {
    if let Some(letter) = short(wanted) {
        return letters(flag, values).contains(letter);
    }
    if wanted.starts_with("--") {
        return flag.split('=').next() == Some(wanted);
    }
    flag.eq_ignore_ascii_case(wanted)
}

/// Whether a path ends in one of these names, without a way up that could lead out of it.
fn is_within(path: &str, names: &str) -> bool {
    let path = path.trim_end_matches(['/', '*']);
    let last = path.rsplit('/').next().unwrap_or_default();
    !path.split('/').any(|part| part == "..") && names.split_whitespace().any(|name| name == last)
}

/// Whether a command line may make one of these calls: a test without splitting it.
///
/// `programs` are names with `|` between them; after a blank a name may have the first word of its
/// subcommand, which then must stand somewhere in the line. A quote or backslash inside a word
/// hides what is called, so such a line counts as well.
pub(super) fn may_call(line: &str, programs: &str) -> bool {
    let bytes = line.as_bytes();
    if hides_a_name(bytes) {
        return true;
    }
    // Most words are told from all programs by their first letter alone, and taking the programs
    // apart as bytes costs a fifth of searching a text for a `|`.
    let calls = || programs.as_bytes().split(|byte| *byte == b'|');
    let letters =
        calls().fold(0, |letters, call| letters | call.first().map_or(0, |first| letter(*first)));
    starts(bytes)
        .filter(|at| letters & letter(bytes[*at]) != 0)
        .any(|at| calls().any(|call| may_start(bytes, at, call)))
}

/// One bit of 64 for a byte, the same for both cases of a letter.
fn letter(byte: u8) -> u64 {
    1 << (byte.to_ascii_lowercase() & 63)
}

/// Where names begin.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let begins =
        |at: &usize| is_name_byte(bytes[*at]) && (*at == 0 || !is_name_byte(bytes[at - 1]));
    (0..bytes.len()).filter(begins)
}

/// Whether a quote or backslash stands inside a word, or a quote after a dollar.
fn hides_a_name(bytes: &[u8]) -> bool {
    let is_quote = |byte: u8| matches!(byte, b'\'' | b'"' | b'\\');
    bytes.iter().enumerate().filter(|(_, byte)| is_quote(**byte)).any(|(at, _)| {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        let before = at.checked_sub(1).map(|before| bytes[before]).unwrap_or_default();
        let joins = is_name_byte(next) || is_quote(next) || next == b'\n';
        (is_name_byte(before) && joins) || before == b'$'
    })
}

fn may_start(line: &[u8], at: usize, call: &[u8]) -> bool {
    let mut words = call.splitn(2, |byte| *byte == b' ');
    let name = words.next().unwrap_or_default();
    let has_word = |word: &[u8]| {
        starts(line).any(|at| Some(&line[at]) == word.first() && line[at..].starts_with(word))
    };
    starts_with_name(&line[at..], name) && words.next().is_none_or(has_word)
}

fn starts_with_name(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && !text.get(name.len()).copied().is_some_and(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii()
}
