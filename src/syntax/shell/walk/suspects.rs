//! The cautious look at a line that could not be read to its end.

use super::super::Word;
use super::can_run;
use super::state::{Invocation, base_name};

/// So many words of a part are looked at.
const WORDS: usize = 64;
/// So many words of a line are.
const MOST: usize = 2048;

/// Shows each word of a line as a program with the words after it, whatever is quoted.
///
/// Meant for what [`super::each_invocation`] could not read: it finds too much rather than too
/// little.
pub fn each_suspect(line: &str, visit: &mut dyn FnMut(&Invocation<'_>)) {
    suspects(can_run(line), &[], visit);
}

/// The last part of an expression of `sed`, such as `rm` in `s#^#rm`; any other word as it is.
fn behind_mark(word: &str) -> &str {
    let mark = word.strip_prefix('s').and_then(|rest| rest.chars().next());
    let mark = mark.filter(|mark| !mark.is_alphanumeric());
    mark.and_then(|mark| word.rsplit(mark).next()).unwrap_or(word)
}

/// The same, with words that come behind those of each part that has an option, and behind each word that is
/// a part of its own.
pub(super) fn suspects(line: &str, more: &[Word<'_>], visit: &mut dyn FnMut(&Invocation<'_>)) {
    let parts =
        line.split([';', '|', '&', '\n', '(', ')', '{', '}', '<', '>', '`', '$', '\'', '"']);
    let mut shown = 0;
    for part in parts {
        let words = part.split_whitespace().take(WORDS).map(Word::literal);
        let words: Vec<Word<'_>> = words.chain(more.iter().cloned()).collect();
        for (at, word) in words[..words.len() - more.len()].iter().enumerate() {
            shown += 1;
            if shown > MOST {
                return;
            }
            visit(&Invocation {
                program: base_name(behind_mark(&word.text)),
                called: None,
                arguments: &words[at + 1..],
                source: part.trim(),
                redirections: &[],
                folder: "",
                input: None,
            });
        }
    }
}
