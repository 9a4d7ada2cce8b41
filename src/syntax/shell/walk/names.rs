//! Names that a line gives to values and scripts: variables, aliases of the shell and of git.

use super::super::Word;
use super::super::assignment::is_assignment;
use super::super::line::Parser;
use super::state::{Place, SHOWN, Walk};
use super::variables::{Value, Values};

/// So many values of a loop's variable are tried.
const CHOICES: usize = 8;

impl Walk<'_> {
    pub(super) fn begin_loop(&mut self, words: &[Word<'_>]) {
        let words = self.expanded(words);
        let Some((name, values)) = words.split_first() else { return };
        let values = values.iter().skip(usize::from(values.len() > 1)).take(CHOICES);
        let values: Vec<Value> = values.map(value_of).collect();
        if !values.is_empty() {
            self.variables.set(&name.text, Values::OneOf(values));
        }
    }

    /// Keeps what `NAME=value` or `NAME=(…)` says, for now or for good.
    pub(super) fn assign(&mut self, written: &str, for_now: bool) {
        let Some((name, value)) = written.split_once('=') else { return };
        let (name, adds) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        let mut words = Vec::new();
        let list = value.strip_prefix('(');
        match list {
            Some(list) if self.spend(list.len()) => {
                let list = Parser::words_of(list.strip_suffix(')').unwrap_or(list));
                words = self.expanded(&list).iter().map(value_of).collect();
            }
            _ if value.contains(['$', '`']) => {
                let mut fields = Vec::new();
                self.expand(value, &mut fields);
                words.push(joined(&fields));
            }
            _ if self.spend(value.len()) => words.push(joined(&Parser::words_of(value))),
            _ => {}
        }
        if adds && self.spend(written.len()) {
            match self.variables.get(name) {
                Some(Values::All(known)) => {
                    words = [known.clone(), words].concat();
                }
                Some(Values::OneOf(known)) => {
                    if let (Some(known), Some(word)) = (known.last(), words.first_mut()) {
                        word.text.insert_str(0, &known.text);
                        word.expanded |= known.expanded;
                    }
                }
                None => {}
            }
            let length = words.iter().map(|word| word.text.len() + SHOWN).sum();
            if !self.spend(length) {
                return;
            }
        }
        match words.pop() {
            None => self.variables.set(name, Values::All(Vec::new())),
            Some(word) if list.is_some() => {
                words.push(word);
                self.variables.set(name, Values::All(words));
            }
            Some(value) if for_now => self.variables.push(name, Values::OneOf(vec![value])),
            Some(value) if self.has_else => self.variables.add(name, value),
            Some(value) => self.variables.set(name, Values::OneOf(vec![value])),
        }
    }

    /// Keeps what builtins say of variables, and what git and the shell are told to run by a name.
    pub(super) fn remember(&mut self, program: &str, arguments: &[Word<'_>], place: Place<'_>) {
        match program {
            "local" if self.in_function => {
                for word in arguments.iter().filter(|word| is_assignment(&word.written)) {
                    self.assign(&word.written, true);
                }
            }
            "export" | "declare" | "typeset" | "readonly" => {
                // The name of another variable, whose value nobody follows.
                self.complete &= !arguments.iter().any(|word| word.text == "-n");
                for word in arguments.iter().filter(|word| is_assignment(&word.written)) {
                    self.assign(&word.written, false);
                }
            }
            "set" => {
                if let Some(at) = arguments.iter().position(|word| word.text == "--") {
                    let values = arguments[at + 1..].iter().map(value_of).collect();
                    self.variables.set("@", Values::All(values));
                }
            }
            "shift" => {
                let Some(Values::All(values)) = self.variables.get("@") else { return };
                let count = arguments.first().and_then(|word| word.text.parse().ok()).unwrap_or(1);
                let rest: Vec<Value> = values.iter().skip(count).cloned().collect();
                if self.spend(rest.iter().map(|value| value.text.len() + SHOWN).sum()) {
                    self.variables.set("@", Values::All(rest));
                }
            }
            "read" => {
                let name = arguments.last().filter(|word| !word.text.starts_with('-'));
                if let Some((name, input)) = name.zip(self.input(place)) {
                    let text = input.lines().next().unwrap_or_default().to_owned();
                    let value = Value { text, expanded: false };
                    self.variables.set(&name.text, Values::OneOf(vec![value]));
                }
            }
            "alias" => {
                for (name, text) in arguments.iter().filter_map(|word| word.text.split_once('=')) {
                    self.name_script(&format!("alias {name}"), text);
                }
            }
            "git" => {
                let at = arguments.iter().position(|word| word.text.starts_with("alias."));
                if let Some(at) = at
                    && arguments[..at].iter().any(|word| word.text == "config")
                    && let Some(text) = arguments.get(at + 1)
                {
                    self.name_script(&format!("git {}", &arguments[at].text[6..]), &text.text);
                }
            }
            // The name of another program, or none that can be told.
            "hash" if arguments.iter().any(|word| word.text == "-p") => self.complete = false,
            "printf" if arguments.first().is_some_and(|word| word.text == "-v") => {
                if let Some(name) = arguments.get(1) {
                    let text = "$(printf)".to_owned();
                    let value = Value { text, expanded: true };
                    self.variables.set(&name.text, Values::OneOf(vec![value]));
                }
            }
            _ => {}
        }
    }

    pub(super) fn name_script(&mut self, name: &str, text: &str) {
        if self.spend(text.len()) {
            let value = Value { text: text.to_owned(), expanded: false };
            if self.has_else {
                self.variables.add(name, value);
            } else {
                self.variables.set(name, Values::OneOf(vec![value]));
            }
            self.complete &= self.variables.get(name).is_some();
        }
    }

    /// The script that a name is for, with the words after the name.
    pub(super) fn named_script(&self, name: &str, rest: &[Word<'_>]) -> Option<String> {
        let Values::OneOf(values) = self.variables.get(name)? else { return None };
        let texts = rest.iter().map(|word| &*word.written);
        let texts: Vec<&str> =
            values.last().map(|value| &*value.text).into_iter().chain(texts).collect();
        Some(texts.join(" "))
    }
}

pub(super) fn value_of(word: &Word<'_>) -> Value {
    Value { text: word.text.clone().into_owned(), expanded: word.expanded && holds_expansion(word) }
}

fn joined(words: &[Word<'_>]) -> Value {
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    Value {
        text: texts.join(" "),
        expanded: words.iter().any(|it| it.expanded && holds_expansion(it)),
    }
}

fn holds_expansion(word: &Word<'_>) -> bool {
    word.text.contains(['$', '`'])
}
