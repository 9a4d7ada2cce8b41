//! Names of programs that nobody can read on the line.

use super::super::{Word, programs};
use super::state::{Place, Walk, base_name};
use super::variables::Variables;
use crate::syntax::suggestion;

/// The work that it takes to compare a pattern with the names of programs.
const COMPARED: usize = 4096;
/// So many programs that a pattern hits are tried.
const TRIED: usize = 8;

/// Returns whether a program's name is put together or decoded on the line itself, so that nobody can read
/// it there.
pub(super) fn is_made(word: &Word<'_>, variables: &Variables) -> bool {
    if !word.expanded {
        return false;
    }
    let cut = word.text.strip_prefix("${").and_then(|rest| rest.rsplit_once('}'));
    let cuts = cut.is_some_and(|(inside, after)| {
        let name = inside.trim_start_matches('!');
        let end = name.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        inside.contains(['%', '#', '^', ',', '!', '/', ':'])
            && !after.contains('/')
            && variables.get(&name[..end.unwrap_or(name.len())]).is_some()
    });
    let prints = ["echo", "printf", "base64", "base32", "xxd", "rev"];
    let is_output = word.text.contains("$(") || word.text.contains('`');
    let is_output = is_output && !is_choice(&word.text);
    cuts || (is_output && prints.iter().any(|program| word.text.contains(program)))
}

/// Returns whether a program's name is a pattern, which hits one that nobody can read there.
pub(super) fn is_pattern(word: &Word<'_>) -> bool {
    let name = base_name(&word.text);
    let is_short = name.len() < 4;
    // `/usr/bin/python3.1?`
    let is_version = name.split(['?', '[', '*']).next().is_some_and(|start| {
        start.ends_with(|last: char| last.is_ascii_digit() || last == '.')
            && programs::interpreter(start).is_some()
    });
    word.expanded
        && word.text.starts_with('/')
        && !is_version
        && (word.text.contains(['?', '[']) || is_short && word.text.contains('*'))
}

impl Walk<'_> {
    /// Shows a program whose name is a pattern, and what those run that it may hit.
    pub(super) fn by_pattern(&mut self, words: &[Word<'_>], place: Place<'_>) {
        let Some((first, arguments)) = words.split_first().filter(|_| self.spend(COMPARED)) else {
            return;
        };
        self.show("hidden-program", words, place);
        let pattern = base_name(&first.text);
        let hit = programs::runners().filter(|name| suggestion::may_hit(pattern, name));
        for name in hit.take(TRIED) {
            self.call_deeper(&[&[Word::literal(name)], arguments].concat(), place);
        }
    }
}

/// Returns whether a name is what one program finds, or else a word that the line gives.
fn is_choice(text: &str) -> bool {
    let plain = |text: &str| {
        text.chars()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, '/' | '.' | '_' | '-' | ' '))
    };
    let parts = text.strip_prefix("$(").and_then(|it| it.split_once("|| echo "));
    let Some((finds, rest)) = parts else { return false };
    let (word, after) = rest.split_once(')').unwrap_or_default();
    let is_found = !finds.contains("echo") && !finds.contains("printf");
    is_found
        && [&finds.replace("2>/dev/null", ""), word, after].into_iter().all(plain)
        && (after.is_empty() || after.starts_with('/'))
}
