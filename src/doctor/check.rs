//! A check, and its result.

use super::facts::Facts;
use super::finding::{Finding, Findings};

pub struct Check {
    pub id: &'static str,
    pub about: &'static str,
    /// The effect that a user would notice where it does not hold.
    pub notice: &'static str,
    /// From facts to what is wrong with them.
    pub run: fn(&Facts, &mut Findings),
}

/// Checks of one subject, which can be asked for by its name.
pub struct Family {
    pub name: &'static str,
    pub about: &'static str,
    pub lists: &'static [&'static [Check]],
}

impl Family {
    /// The checks, in order.
    pub fn checks(&self) -> impl Iterator<Item = &'static Check> {
        self.lists.iter().copied().flatten()
    }
}

pub struct Examined {
    pub check: &'static Check,
    /// Its findings; none is good.
    pub findings: Vec<Finding>,
}
