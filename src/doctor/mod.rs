//! Checks that turn facts into findings.
//!
//! A check is a value: an id that stays the same for ever, one line on what it looks at, and a
//! function from [`Facts`] to findings. A family of checks is a file with a list of them; the
//! families are listed in [`FAMILIES`], in the order in which a user should read the findings.

mod adoption;
mod binary;
mod conditions;
mod environment;
pub mod facts;
mod journal;
mod manifests;
mod matchers;
mod order;
mod registration;
mod rules;
mod settings;

use serde::Serialize;

pub use adoption::{declared, own_hooks};
pub use facts::Facts;
pub use registration::demands;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Something does not do what was meant, or will not for long.
    Warning,
    /// Hooks do not fire, or gates do not hold.
    Error,
}

impl Level {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check's id.
    pub check: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Where: a file, with line and column where there are any.
    pub place: String,
    /// What.
    pub message: String,
    /// The way out.
    pub fix: String,
}

/// Looks at one thing.
pub struct Check {
    /// The id that findings carry.
    pub id: &'static str,
    /// What it looks at, in one line.
    pub about: &'static str,
    /// From facts to what is wrong with them.
    pub run: fn(&Facts, &mut Findings),
}

/// Collects what one check finds.
pub struct Findings {
    check: &'static str,
    found: Vec<Finding>,
}

impl Findings {
    /// Adds a finding.
    pub fn add(
        &mut self,
        level: Level,
        place: impl Into<String>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.found.push(Finding {
            check: self.check,
            level,
            place: place.into(),
            message: message.into(),
            fix: fix.into(),
        });
    }
}

/// The checks, by family.
pub const FAMILIES: &[&[Check]] = &[
    settings::CHECKS,
    manifests::CHECKS,
    registration::CHECKS,
    adoption::CHECKS,
    binary::CHECKS,
    matchers::CHECKS,
    rules::CHECKS,
    conditions::CHECKS,
    order::CHECKS,
    environment::CHECKS,
    journal::CHECKS,
];

/// What a check came to.
pub struct Examined {
    /// The check.
    pub check: &'static Check,
    /// What it found; nothing is good.
    pub findings: Vec<Finding>,
}

/// Runs every check.
pub fn examine(facts: &Facts) -> Vec<Examined> {
    FAMILIES
        .iter()
        .copied()
        .flatten()
        .map(|check| {
            let mut findings = Findings { check: check.id, found: Vec::new() };
            (check.run)(facts, &mut findings);
            Examined { check, findings: findings.found }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_an_id_of_its_own() {
        let mut ids: Vec<&str> = FAMILIES.iter().copied().flatten().map(|check| check.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
