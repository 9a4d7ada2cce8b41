//! Does the environment keep hooks from running?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::runtime::overrides;

pub(super) const CHECKS: &[Check] = &[Check {
    id: "environment",
    about: "no variable keeps hooks from running",
    notice: "hooks that should run do not",
    run: variables,
}];

fn variables(facts: &Facts, findings: &mut Findings) {
    let hooks: Vec<&str> = facts.hooks().map(|hook| hook.name.as_str()).collect();
    for line in facts.overrides.lines(&hooks) {
        let level = if line.starts_with(overrides::DEBUG) { Level::Info } else { Level::Warning };
        findings.add(
            level,
            "this environment",
            format!("a client started from here has {line}"),
            format!(
                "run `unset {}`, unless it is meant",
                line.split('=').next().unwrap_or_default()
            ),
        );
    }
    for file in &facts.settings {
        for name in [overrides::OFF, overrides::SKIP, overrides::DEBUG] {
            let Some((_, place)) = file.value(&format!("/env/{name}")) else { continue };
            findings.add(
                if name == overrides::DEBUG { Level::Info } else { Level::Warning },
                place,
                format!("`env` gives {name} to every session that reads this file"),
                format!("delete `\"{name}\"` from `env` there, unless it is meant"),
            );
        }
    }
}
