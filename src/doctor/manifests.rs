//! Can the manifests be read?

use super::{Check, Facts, Findings, Level};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "manifest-parse",
        about: "manifests can be read",
        notice: "edits of the manifest have no effect",
        run: parses,
    },
    Check {
        id: "manifest-present",
        about: "there is a manifest",
        notice: "hookman runs no hook",
        run: present,
    },
];

fn parses(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let Err(problems) = &chain.manifest else { continue };
        for problem in &problems.0 {
            let origin = &problem.origin;
            findings.add(
                Level::Error,
                origin.place(),
                &problem.message,
                "correct it; until then its last good version is used, where there was one",
            );
        }
    }
}

fn present(facts: &Facts, findings: &mut Findings) {
    // Of one scope alone nobody says that it has to have one.
    if facts.is_whole && facts.chains.iter().all(|chain| matches!(chain.manifest, Ok(None))) {
        let place = facts.chains.first().map(|chain| chain.shown.clone()).unwrap_or_default();
        findings.add(Level::Warning, place, "there is no manifest", "run `hookman install`");
    }
}
