//! Can the manifests be read?

use std::collections::BTreeMap;

use super::check::Check;
use super::facts::ChainFacts;
use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::chain::plan::Header;
use crate::machine::{clock, files};
use crate::manifest::{Observe, OnError, Origin};
use crate::state::chains;
use crate::state::lost::Lost;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "manifest-parse",
        about: "manifests can be read",
        notice: "edits of the manifest have no effect, or none of its hooks runs",
        run: parses,
    },
    Check {
        id: "manifest-present",
        about: "there is a manifest",
        notice: "hookman runs no hook",
        run: present,
    },
    Check {
        id: "observe",
        about: "no hook only watches",
        notice: "the hook's denials and advice are in the journal alone",
        run: watching,
    },
];

fn parses(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let Err(problems) = &chain.manifest else { continue };
        let meanwhile = meanwhile(facts, chain);
        for problem in &problems.0 {
            let origin = &problem.origin;
            let is_local = chain.chain.scope == "project" && origin.file.ends_with(".local.toml");
            let flag = if is_local { " --local" } else { chain.chain.flag() };
            let fix = if problem.message.starts_with("it cannot be read") {
                "put a text file in its place".to_owned()
            } else {
                format!("run `hookman edit{flag}`, which checks what you save")
            };
            let finding = findings.add(Level::Error, origin.place(), &problem.message, fix);
            finding.notice(meanwhile);
        }
    }
}

fn watching(facts: &Facts, findings: &mut Findings) {
    let mut watching: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for hook in facts.hooks().filter(|hook| hook.enabled) {
        let (name, observe) = (&hook.name, &hook.manner.observe);
        let place = |key| hook.origins.get(key).map(Origin::place).unwrap_or_default();
        if let Some(words) = observe.words(clock::today) {
            watching.entry((place("mode"), words)).or_default().push(name);
        } else if let Observe::Until(day) = observe {
            let told = format!("`{name}` decides since {day} is over");
            let fix = "leave `mode` and `observe_until` out";
            let finding = findings.add(Level::Info, place("observe_until"), told, fix);
            finding.notice("nothing: the keys have no effect any more");
        }
    }
    for ((place, words), hooks) in watching {
        let fix = "look at `hookman log --outcome would-deny`, and leave `mode` out where a hook is to decide";
        findings.add(Level::Info, place, format!("{words}: {}", hooks.join(", ")), fix);
    }
}

/// Names the plan that runs go by as long as a manifest cannot be read.
fn meanwhile(facts: &Facts, chain: &ChainFacts) -> &'static str {
    let plan = files::read_text(&chain.chain.plan_file(&facts.paths)).ok().flatten();
    if plan.is_some_and(|plan| Header::parse(&plan).is_some()) {
        return "edits of the manifest have no effect: its last good version is used";
    }
    match chains::strictest(&facts.paths, &chain.chain) {
        OnError::Closed => {
            "each call that can be blocked is blocked, as there is no good version and it may have a \
             hook that must hold"
        }
        OnError::Ask => {
            "you are asked about each call that can be blocked, as there is no good version and it \
             may have a hook that must hold"
        }
        OnError::Open => "none of its hooks runs, as there is no good version",
    }
}

fn present(facts: &Facts, findings: &mut Findings) {
    let mut is_lost = false;
    for chain in facts.chains.iter().filter(|chain| matches!(chain.manifest, Ok(None))) {
        let Some(lost) = Lost::of(&facts.paths, &chain.chain) else { continue };
        is_lost = true;
        let callers = lost.callers.join(" and ");
        let told = format!("there is no manifest, and {callers} still {} hookman", lost.calls());
        findings.add(Level::Error, &chain.shown, told, &lost.way_out).notice(lost.fate);
    }
    if is_lost {
        return;
    }
    // Of one scope alone nobody says that it has to have one.
    if facts.is_whole && facts.chains.iter().all(|chain| matches!(chain.manifest, Ok(None))) {
        let place = facts.chains.first().map(|chain| chain.shown.clone()).unwrap_or_default();
        findings.add(Level::Info, place, "there is no manifest", "run `hookman install`");
    }
}
