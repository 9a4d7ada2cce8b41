//! What a line has said of its variables so far.

use super::super::Word;

/// A variable's values, more than one for an array.
struct Variable {
    name: String,
    values: Vec<String>,
    /// Whether it has one of the values at a time, as the variable of a `for` has.
    one_of: bool,
}

/// The variables that a line has set, the latest last. The positional parameters are `@`.
#[derive(Default)]
pub(super) struct Variables {
    known: Vec<Variable>,
}

impl Variables {
    /// The values of a variable, or `None` where the line has not set it.
    pub(super) fn get(&self, name: &str) -> Option<&[String]> {
        let variable = self.known.iter().rev().find(|variable| variable.name == name)?;
        Some(&variable.values)
    }

    pub(super) fn set(&mut self, name: &str, values: Vec<String>) {
        self.known.push(Variable { name: name.to_owned(), values, one_of: false });
    }

    /// Sets a variable that may have kept the values that it had.
    pub(super) fn set_or_keep(&mut self, name: &str, mut values: Vec<String>) {
        match self.get(name) {
            Some(known) if values.len() == 1 && known != values => {
                values.splice(0..0, known.to_vec());
                self.set_one_of(name, values);
            }
            _ => self.set(name, values),
        }
    }

    /// Sets the variable of a loop.
    pub(super) fn set_one_of(&mut self, name: &str, values: Vec<String>) {
        self.known.push(Variable { name: name.to_owned(), values, one_of: true });
    }

    /// The name and the values of a loop's variable that one of these words has.
    pub(super) fn choice(&self, words: &[Word<'_>]) -> Option<(String, Vec<String>)> {
        let variable = self.known.iter().rev().find(|variable| {
            let is_named = || {
                let mut expanded = words.iter().filter(|word| word.expanded);
                expanded.any(|word| names(&word.written, &variable.name))
            };
            variable.one_of && is_named()
        })?;
        // The latest of the name counts, which may be no loop's.
        let latest = self.known.iter().rev().find(|known| known.name == variable.name)?;
        latest.one_of.then(|| (latest.name.clone(), latest.values.clone()))
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Forgets the `count` variables that were set after the first `length`.
    pub(super) fn forget(&mut self, length: usize, count: usize) {
        let end = (length + count).min(self.known.len());
        self.known.drain(length.min(end)..end);
    }
}

fn names(written: &str, name: &str) -> bool {
    written.match_indices('$').any(|(at, _)| {
        let rest = &written[at + 1..];
        rest.strip_prefix('{').unwrap_or(rest).starts_with(name)
    })
}
