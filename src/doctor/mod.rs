//! Checks that turn facts into findings.
//!
//! A check is a value: a lasting id, a line on what it holds and one on what a user would notice, and a
//! function from [`Facts`] to findings. [`FAMILIES`] has them in the order in which findings are read.

mod answers;
mod check;
mod client;
pub mod client_probe;
mod commands;
mod cost;
pub mod facts;
mod foreign;
mod host_file;
mod hosts;
pub mod installed;
mod journal;
mod manifests;
mod marks;
mod matchers;
mod mods;
mod modules;
mod order;
mod overlap;
pub mod plugin;
mod plugins;
mod repository;
mod rewriting;
mod rules;
pub mod self_test;
mod servers;
mod settings;
pub mod settings_file;
mod state;
pub mod trial;

pub use crate::install::command_faults::Layer;
pub use check::{Check, Examined, Family, Finding, Findings, Level, Mend};
pub use facts::Facts;
pub use foreign::remember;
pub use host_file::dropped;
pub use matchers::{hits_none, of_matcher};
pub use plugins::doubled;
pub use rules::of_hook;

/// All families, in the order in which findings are read.
pub const FAMILIES: &[Family] = &[
    Family { name: "settings", lists: &[settings::CHECKS] },
    Family { name: "manifest", lists: &[manifests::CHECKS] },
    Family { name: "commands", lists: &[commands::CHECKS] },
    Family { name: "matchers", lists: &[matchers::CHECKS, servers::CHECKS, rules::CHECKS] },
    Family { name: "order", lists: &[order::CHECKS, rewriting::CHECKS] },
    Family { name: "session", lists: &[journal::CHECKS, state::CHECKS] },
    Family { name: "client", lists: &[client::CHECKS] },
    Family { name: "plugins", lists: &[plugins::CHECKS] },
    Family { name: "mods", lists: &[mods::CHECKS] },
    Family { name: "cost", lists: &[cost::CHECKS] },
    Family { name: "git", lists: &[repository::CHECKS] },
    Family { name: "readers", lists: &[hosts::CHECKS] },
];

pub fn checks() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(Family::checks)
}

pub fn examine(facts: &Facts, is_asked: impl Fn(&Check) -> bool) -> Vec<Examined> {
    let examined = |check: &'static Check| {
        let mut findings = Findings::of(check.id, check.notice());
        (check.run)(facts, &mut findings);
        Examined { check, findings: findings.into_found() }
    };
    checks().filter(|check| is_asked(check)).map(examined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_and_family_has_a_name_of_its_own() {
        let families = FAMILIES.iter().map(|family| family.name);
        let mut names: Vec<&str> = checks().map(|check| check.id).chain(families).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
