//! The values that a line has given to its variables so far.

/// So many variables are kept.
const MOST: usize = 256;
/// So many values of one variable are kept that it may have at a time.
const CHOICES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: String,
    /// True if it holds an expansion, which is in it as it was written.
    pub(super) expanded: bool,
}

pub(super) enum Values {
    /// One of these: what a `for` goes over, or what only one branch sets.
    OneOf(Vec<Value>),
    /// All of these: an array, or the positional parameters.
    All(Vec<Value>),
}

/// The variables that a line has set. The positional parameters are `@`.
#[derive(Default)]
pub(super) struct Variables {
    known: Vec<(String, Values)>,
}

impl Variables {
    /// The values of a variable, or `None` where the line has not set it.
    pub(super) fn get(&self, name: &str) -> Option<&Values> {
        self.known.iter().rev().find(|(known, _)| known == name).map(|(_, values)| values)
    }

    /// Keeps the values of a variable in place of those that it had.
    pub(super) fn set(&mut self, name: &str, values: Values) {
        match self.known.iter_mut().rev().find(|(known, _)| known == name) {
            Some((_, known)) => *known = values,
            None => self.push(name, values),
        }
    }

    /// Keeps a value, and those that the variable had as well.
    pub(super) fn add(&mut self, name: &str, value: Value) {
        match self.known.iter_mut().rev().find(|(known, _)| known == name) {
            Some((_, Values::OneOf(known))) => {
                if !known.contains(&value) && known.len() < CHOICES {
                    known.push(value);
                }
            }
            _ => self.set(name, Values::OneOf(vec![value])),
        }
    }

    /// Keeps values until the variables are [cut](Self::truncate).
    pub(super) fn push(&mut self, name: &str, values: Values) {
        if self.known.len() < MOST {
            self.known.push((name.to_owned(), values));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.known.truncate(length);
    }
}
