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
        // `print | "sh"` and `"ls" | getline`, and no `/a|b/`.
        let is_run = |rest: &str| rest.trim_start().starts_with(['"', '&', 'c', 'g']);
        if !runs && !text.split('|').skip(1).any(is_run) {
            return;
        }
        let others = arguments.iter().filter(|word| *word.text != *text);
        let values: Vec<(&str, &str)> =
            others.filter_map(|word| word.text.trim_start_matches("-v").split_once('=')).collect();
        let mut scripts = vec![String::new()];
        for token in tokens(text, Language::Awk) {
            let Some(last) = scripts.last_mut() else { return };
            match &token {
                Token::Text(text) => last.push_str(text),
                Token::Name(name) => match values.iter().find(|it| it.0 == *name) {
                    Some((_, value)) => last.push_str(value),
                    None => last.push_str(if last.is_empty() { "" } else { "{}" }),
                },
                Token::Sign('$') => {}
                _ => scripts.push(String::new()),
            }
        }
        scripts.extend(self.input(place).filter(|_| runs));
        for script in scripts.iter().filter(|script| script.contains(' ')) {
            self.script(script, place.depth + 1);
        }
    }
}
