//! Commands within the programs of `sed` and `awk`, which a shell runs.

use super::super::Word;
use super::super::programs::Language;
use super::state::{Place, Walk};
use super::tokens::{Token, tokens};

impl Walk<'_> {
    /// The commands that an expression of `sed` has a shell run.
    pub(super) fn sed(&mut self, arguments: &[Word<'_>], place: Place<'_>) {
        for text in arguments.iter().map(|word| &*word.text) {
            let address = |it: char| it.is_ascii_digit() || "$,~ ".contains(it);
            let command = text.trim_start_matches(address);
            if let Some(script) = command.strip_prefix("e ") {
                self.script(script, place.depth + 1);
                continue;
            }
            // `s/…/…/e`
            let rest = command.strip_prefix('s').unwrap_or_default();
            let parts = rest.chars().next().map_or(Vec::new(), |mark| rest.split(mark).collect());
            let flags = parts.get(3).and_then(|flags| flags.split([';', '}', ' ']).next());
            if command == "e" || flags.is_some_and(|flags| flags.contains('e')) {
                let input = self.input(place).unwrap_or_default();
                for script in [parts.get(2).copied().unwrap_or_default(), &input] {
                    self.script(script, place.depth + 1);
                }
            }
        }
    }

    /// Reads the texts that a program of `awk` pipes somewhere, and what it runs of what it is given.
    pub(super) fn awk(&mut self, text: &str, arguments: &[Word<'_>], place: Place<'_>) {
        let runs = text.contains("system(");
        if !runs && !text.contains('|') {
            return;
        }
        let texts = tokens(text, Language::Awk).into_iter().filter_map(|token| match token {
            Token::Text(text) => Some(text),
            _ => None,
        });
        let others = arguments.iter().filter(|word| *word.text != *text);
        let values = others.filter_map(|word| Some(word.text.split_once('=')?.1.to_owned()));
        let input = self.input(place).filter(|_| runs);
        let given: Vec<String> = texts.chain(values.filter(|_| runs)).chain(input).collect();
        for script in given.iter().filter(|script| script.contains(' ')) {
            self.script(script, place.depth + 1);
        }
    }
}
