//! Functions and aliases, whose commands count where they are called, and what is run at a script's end.

use std::borrow::Cow;

use super::super::{Command, Function, Word, split};
use super::names::value_of;
use super::simulated::only_prints;
use super::state::{Place, Walk};
use super::variables::Values;

/// The head of a function is less than so much longer than its name.
const HEAD: usize = 8;

impl Walk<'_> {
    pub(super) fn define(&mut self, function: &Function<'_>, text: &str, depth: usize) {
        let Function { name, body, .. } = function;
        let command = &Command { source: Cow::Borrowed(text), ..Command::default() };
        self.fork_bomb(name, &text[body.start..], Place { list: &[], command, depth });
        if !body.is_empty() {
            let inside = &text[body.clone()];
            let prints = |it: &Command<'_>| {
                it.words.first().is_some_and(|it| matches!(&*it.text, "echo" | "printf" | ":"))
            };
            let head = text[..body.start].trim_start();
            let is_first =
                depth == 0 && head.len() < name.len() + HEAD && head.starts_with(&**name);
            let after = text[body.end..].trim_start_matches([' ', '\n', ';', '}']);
            let is_first = is_first && !after.starts_with(['|', '&']);
            if is_first && !text.contains("unset") && split(inside).commands.iter().all(prints) {
                self.variables.set(&format!("prints {name}"), Values::All(Vec::new()));
            }
            self.name_script(&format!("() {name}"), inside);
        }
    }

    /// Returns whether a function that only prints is called in the place of a program: one with which the
    /// line begins, by a command of its own.
    pub(super) fn is_shadowed(&self, program: &str, place: Place<'_>) -> bool {
        let is_own = place.depth == 0
            && place.command.words.first().is_some_and(|word| word.text == program);
        is_own && self.variables.get(&format!("prints {program}")).is_some()
    }

    /// Walks what an alias or a function of the line runs with the words of a call. Neither is followed
    /// into itself.
    pub(super) fn named(
        &mut self,
        program: &str,
        arguments: &[Word<'_>],
        place: Place<'_>,
    ) -> bool {
        let name = format!("alias {program}");
        if let Some(text) = self.named_script(&name, arguments) {
            let own = self.named_script(&name, &[]);
            self.variables.set(&name, Values::All(Vec::new()));
            self.script(&text, place.depth + 1);
            self.name_script(&name, &own.unwrap_or_default());
            return true;
        }
        let name = format!("() {program}");
        let Some(Values::OneOf(bodies)) = self.variables.get(&name) else { return false };
        let bodies = bodies.clone();
        let length = self.variables.len();
        let outer = std::mem::replace(&mut self.in_function, true);
        self.variables.push(&name, Values::All(Vec::new()));
        self.variables.push("@", Values::All(arguments.iter().map(value_of).collect()));
        for body in bodies {
            let says = self.spend(body.text.len())
                && only_prints(&body.text, |name| match self.variables.get(name)? {
                    Values::OneOf(values) if values.len() == 1 => Some(values[0].text.clone()),
                    _ => None,
                });
            if !says {
                self.script_with_input(&body.text, place);
            }
        }
        self.variables.leave(length);
        self.in_function = outer;
        true
    }

    /// Reads what a trap runs: at its place, or where the script ends, at which variables have values
    /// that they may not have yet.
    pub(super) fn trap(&mut self, text: &str, arguments: &[Word<'_>], depth: usize) {
        let ends = |word: &Word<'_>| matches!(&*word.text, "EXIT" | "0");
        if !self.in_function && arguments.iter().any(ends) {
            self.traps.push(text.to_owned());
        } else {
            self.script(text, depth);
        }
    }

    /// Reads what is to be run at the end of a script, of those from this number on.
    pub(super) fn end(&mut self, from: usize, depth: usize) {
        while self.traps.len() > from
            && let Some(text) = self.traps.pop()
        {
            self.script(&text, depth);
        }
    }
}
