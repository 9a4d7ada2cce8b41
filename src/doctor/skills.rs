//! Hooks of skills, agents and commands, which hookman neither orders nor switches.

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::plugins::counted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "skill-loads",
        about: "the client would load every hook of skills, agents and commands",
        notice: "hooks of the skill, agent or command do not run",
        run: loads,
    },
    Check {
        id: "skill-hooks",
        about: "no skill, agent or command has hooks that run next to the chains",
        notice: "they run at the same time as hookman's chain, in no order",
        run: listed,
    },
];

fn loads(facts: &Facts, findings: &mut Findings) {
    for file in &facts.frontmatters {
        if let Err(why) = &file.text {
            let message = format!("its hooks are no YAML: {why}");
            findings.add(Level::Warning, &file.shown, message, "correct it by hand");
        }
        for (defect, place) in file.dropped() {
            let message = format!(
                "{}, and the client may run no hook of this {}",
                defect.message, file.scope
            );
            findings.add(Level::Warning, place, message, defect.hint);
        }
    }
}

fn listed(facts: &Facts, findings: &mut Findings) {
    for file in &facts.frontmatters {
        if let Some(count) = counted(&file.handlers()) {
            findings.add(
                Level::Info,
                &file.shown,
                format!("the {} has {count}, which only the client runs", file.scope),
                "nothing",
            );
        }
    }
}
