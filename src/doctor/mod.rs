//! Checks that turn facts into findings.
//!
//! A check is a value: an id that stays the same for ever, one line on what it holds, what a user
//! would notice where it does not, and a function from [`Facts`] to findings. A file has a list of
//! checks, and a family some such lists; [`FAMILIES`] has the families in the order in which a user
//! should read the findings.

mod addresses;
mod adoption;
mod after;
mod answers;
mod binary;
mod check;
mod client;
pub mod client_probe;
mod commands;
mod conditions;
mod cost;
mod elsewhere;
mod environment;
pub mod facts;
mod finding;
mod frontmatter;
mod guard_mod;
mod host_file;
mod hosts;
pub mod installed;
mod journal;
mod liveness;
mod manifests;
mod matchers;
mod mods;
mod modules;
mod order;
mod overlap;
pub mod plugin;
mod plugins;
mod pointless;
mod races;
mod readers;
mod registration;
mod repository;
mod rules;
pub mod self_test;
mod server_names;
mod servers;
mod settings;
pub mod settings_file;
mod skills;
mod state;
mod subjects;
mod switched_off;
pub mod trial;

pub use crate::install::command_faults::Layer;
pub use check::{Check, Examined, Family};
pub use conditions::of_file;
pub use facts::Facts;
pub use finding::{Finding, Findings, Level, Mend};
pub use hosts::remember;
pub use plugins::doubled;
pub use subjects::of_matcher;

/// All families, in the order in which findings are read.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "settings",
        about: "settings files load, by the client's own rules",
        lists: &[settings::CHECKS, elsewhere::CHECKS],
    },
    Family {
        name: "manifest",
        about: "manifests load, and the settings say what they ask for",
        lists: &[manifests::CHECKS, registration::CHECKS, adoption::CHECKS],
    },
    Family {
        name: "commands",
        about: "what is to be run is there",
        lists: &[binary::CHECKS, commands::CHECKS, addresses::CHECKS],
    },
    Family {
        name: "matchers",
        about: "matchers and conditions hit what they were meant for",
        lists: &[
            matchers::CHECKS,
            subjects::CHECKS,
            servers::CHECKS,
            rules::CHECKS,
            conditions::CHECKS,
        ],
    },
    Family {
        name: "order",
        about: "hooks run in an order in which gates hold",
        lists: &[order::CHECKS, after::CHECKS, races::CHECKS],
    },
    Family {
        name: "session",
        about: "the client calls hookman, with a usable session, and hooks do their work",
        lists: &[environment::CHECKS, journal::CHECKS, state::CHECKS, liveness::CHECKS],
    },
    Family {
        name: "client",
        about: "the installed client knows what the manifests use",
        lists: &[client::CHECKS],
    },
    Family {
        name: "plugins",
        about: "what plugins, skills and administrators add is known, and leaves hooks alone",
        lists: &[plugins::CHECKS, skills::CHECKS],
    },
    Family {
        name: "mods",
        about: "no mod opens a gate",
        lists: &[mods::CHECKS, guard_mod::CHECKS],
    },
    Family { name: "cost", about: "hooks take no more than they may", lists: &[cost::CHECKS] },
    Family {
        name: "git",
        about: "git keeps what others need, and nothing of this machine",
        lists: &[repository::CHECKS],
    },
    Family {
        name: "readers",
        about: "other programs run the hooks as they were meant, and no others",
        lists: &[readers::CHECKS, hosts::CHECKS],
    },
];

/// All checks, in order.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(Family::checks)
}

/// Runs the checks that `is_asked` for.
pub fn examine(facts: &Facts, is_asked: impl Fn(&Check) -> bool) -> Vec<Examined> {
    checks()
        .filter(|check| is_asked(check))
        .map(|check| {
            let mut findings = Findings::of(check.id, check.notice);
            (check.run)(facts, &mut findings);
            Examined { check, findings: findings.into_found() }
        })
        .collect()
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
