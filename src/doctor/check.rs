//! What a check is, and what it came to.

use super::facts::Facts;
use super::finding::{Finding, Findings};

/// Looks at one thing.
pub struct Check {
    /// The id that findings carry.
    pub id: &'static str,
    /// What it holds, in one line.
    pub about: &'static str,
    /// What a user would notice where that does not hold.
    pub notice: &'static str,
    /// From facts to what is wrong with them.
    pub run: fn(&Facts, &mut Findings),
}

/// Checks of one subject, which can be asked for by its name.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What its checks are about.
    pub about: &'static str,
    /// The checks, a list for each file.
    pub lists: &'static [&'static [Check]],
}

impl Family {
    /// The checks, in order.
    pub fn checks(&self) -> impl Iterator<Item = &'static Check> {
        self.lists.iter().copied().flatten()
    }
}

/// What a check came to.
pub struct Examined {
    /// The check.
    pub check: &'static Check,
    /// What it found; nothing is good.
    pub findings: Vec<Finding>,
}
