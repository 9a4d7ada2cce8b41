//! Flags and operands of a call.

use crate::syntax::named::listed;
use crate::syntax::shell::Word;
use crate::syntax::shell::programs::before_subcommand;

pub(in crate::builtin) enum Argument<'w, 'c> {
    Flag(&'w str),
    Operand(&'w Word<'c>),
}

/// Tells flags from operands, and leaves out the values that flags take from the next word.
pub(in crate::builtin) struct Arguments<'w, 'c> {
    words: std::slice::Iter<'w, Word<'c>>,
    values: &'w str,
    flags_ended: bool,
}

impl<'w, 'c> Arguments<'w, 'c> {
    /// `values` names the flags that take the next word.
    pub(in crate::builtin) fn new(words: &'w [Word<'c>], values: &'w str) -> Self {
        Self { words: words.iter(), values, flags_ended: false }
    }
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
pub(in crate::builtin) fn after_subcommand<'w, 'c>(
    mut words: &'w [Word<'c>],
    subcommand: &str,
    globals: &str,
) -> Option<&'w [Word<'c>]> {
    for wanted in subcommand.split_whitespace() {
        loop {
            let (word, rest) = words.split_first()?;
            words = rest;
            if !word.text.starts_with('-') {
                if !wanted.split('|').any(|wanted| word.text.eq_ignore_ascii_case(wanted)) {
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

/// Counts how many words are options before the subcommand of a program that takes such.
pub(in crate::builtin) fn leading(program: &str, words: &[Word<'_>]) -> usize {
    let Some(values) = before_subcommand(program) else { return 0 };
    let mut at = 0;
    // Cargo's toolchain is chosen by a word such as `+nightly`.
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
        at += 1 + usize::from(takes_next_word(&word.text, values));
    }
    at.min(words.len())
}

pub(in crate::builtin) struct Flags<'f> {
    pub(in crate::builtin) program: &'f str,
    pub(in crate::builtin) subcommand: &'f str,
    pub(in crate::builtin) values: &'f str,
}

impl Flags<'_> {
    /// Returns whether a word such as `-rf`, `--force=x` or `-delete` holds the wanted flag.
    ///
    /// A wanted `-x` is looked for in clusters; `--word` is compared whole, so that `--force` is
    /// not `--force-with-lease`, or cut short where the program takes it so; `-Word` is a
    /// parameter of `PowerShell`, `=-x` is the word itself, `-word=` is one with any value, and any
    /// other `-word` is compared whole and without case.
    pub(in crate::builtin) fn has(&self, flag: &str, wanted: &str) -> bool {
        if let Some(whole) = wanted.strip_prefix('=') {
            return flag == whole;
        }
        if let Some(letter) = short(wanted) {
            return letters(flag, self.values).contains(letter);
        }
        if wanted.starts_with("--") {
            let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
            // What is switched off is not there.
            if matches!(value, "false" | "none") {
                return false;
            }
            return name == wanted || self.is_cut_short(name, wanted);
        }
        if wanted.as_bytes().get(1).is_some_and(u8::is_ascii_uppercase) {
            return is_parameter(flag, wanted);
        }
        if wanted.ends_with('=') {
            return flag.starts_with(wanted);
        }
        flag.eq_ignore_ascii_case(wanted)
    }

    fn is_cut_short(&self, name: &str, wanted: &str) -> bool {
        if name.len() < 3 || !wanted.starts_with(name) {
            return false;
        }
        let subcommand = self.subcommand.split_whitespace().next().unwrap_or_default();
        let is_it =
            |it: &&CutShort| it.name == self.program && (it.of.is_empty() || it.of == subcommand);
        let Some(known) = CUT_SHORT.iter().find(is_it) else { return false };
        !known.flags.split(' ').any(|other| other != wanted && other.starts_with(name))
    }
}

/// A program that takes a long flag cut short, with the subcommand and the other flags that a short form could
/// also mean. A form that means several is an error of its, which runs nothing.
struct CutShort {
    name: &'static str,
    of: &'static str,
    flags: &'static str,
}

static CUT_SHORT: &[CutShort] = listed!("CutShort");

/// Returns whether a flag is a parameter, which may be cut short and is off with `:$false`.
fn is_parameter(flag: &str, wanted: &str) -> bool {
    let (name, value) = flag.split_once(':').unwrap_or((flag, ""));
    let is_off = matches!(value, "$false" | "$False" | "0" | "$FALSE");
    let beginning = wanted.get(..name.len()).unwrap_or_default();
    name.len() > 1 && beginning.eq_ignore_ascii_case(name) && !is_off
}

/// A longer cluster is none.
const CLUSTER: usize = 256;

/// The letters of a cluster such as `-rf` that are flags: up to the first that takes a value.
fn letters<'f>(flag: &'f str, values: &str) -> &'f str {
    let cluster = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let Some(cluster) = cluster.filter(|rest| rest.len() <= CLUSTER) else { return "" };
    let end = cluster.char_indices().find(|(_, letter)| is_value_letter(*letter, values));
    end.map_or(cluster, |(at, letter)| &cluster[..at + letter.len_utf8()])
}

fn is_value_letter(letter: char, values: &str) -> bool {
    values.split(' ').any(|value| value.len() < 6 && short(value) == Some(letter))
}

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
    let is_long = flag.starts_with("--") && !flag.starts_with("--no-") && !flag.contains('=');
    by_letter || values.split(' ').any(|value| value == flag || is_long && value == "--*")
}
