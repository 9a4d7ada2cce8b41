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
    known: Vec<Variable>,
}

struct Variable {
    name: String,
    values: Values,
    /// True if it goes with the function that has it.
    is_local: bool,
}

impl Variables {
    /// The values of a variable, or `None` where the line has not set it.
    pub(super) fn get(&self, name: &str) -> Option<&Values> {
        self.known.iter().rev().find(|known| known.name == name).map(|known| &known.values)
    }

    pub(super) fn set(&mut self, name: &str, values: Values) {
        match self.find(name) {
            Some(known) => known.values = values,
            None => self.keep(name, values, false),
        }
    }

    /// Keeps a value, and those that the variable had as well.
    pub(super) fn add(&mut self, name: &str, value: Value) {
        match self.find(name) {
            Some(Variable { values: Values::OneOf(known), .. }) => {
                if !known.contains(&value) && known.len() < CHOICES {
                    known.push(value);
                }
            }
            _ => self.set(name, Values::OneOf(vec![value])),
        }
    }

    /// Keeps values until the variables are [cut](Self::truncate), or the function that has them is
    /// [left](Self::leave).
    pub(super) fn push(&mut self, name: &str, values: Values) {
        self.keep(name, values, true);
    }

    fn keep(&mut self, name: &str, values: Values, is_local: bool) {
        if self.known.len() < MOST {
            self.known.push(Variable { name: name.to_owned(), values, is_local });
        }
    }

    fn find(&mut self, name: &str) -> Option<&mut Variable> {
        self.known.iter_mut().rev().find(|known| known.name == name)
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.known.truncate(length);
    }

    /// Cuts the variables as well, but for those that a function has set for all.
    pub(super) fn leave(&mut self, length: usize) {
        let mut at = 0;
        self.known.retain(|known| {
            at += 1;
            at <= length || !known.is_local
        });
    }
}
