//! Is hookman registered for exactly what the manifests ask?

use super::facts::{ChainFacts, SettingsFile};
use super::{Check, Facts, Findings, Level};
use crate::settings::wanted::{Caller, Demand, Own, for_switches, wanted};
use crate::settings::{Record, plan, run_words};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "registration",
        about: "settings.json holds the entries that the manifest asks for",
        run: registered,
    },
    Check {
        id: "registration-scope",
        about: "no chain is registered in a file of another scope",
        run: scope,
    },
];

fn registered(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let Some(file) = facts.settings.iter().find(|file| file.scope == chain.chain.scope) else {
            continue;
        };
        let Ok(text) = &file.text else { continue };
        let Some(wanted) = entries(chain, file) else { continue };
        // What cannot be planned cannot be read, and other checks say so.
        let Ok(plan) = plan(text.as_deref(), &wanted, &Record::default()) else { continue };
        for change in &plan.changes {
            findings.add(
                Level::Error,
                &file.shown,
                format!("it is not what {} asks for: {change}", chain.shown),
                match chain.chain.scope {
                    "project" => "run `hookman apply --project`",
                    _ => "run `hookman apply`",
                },
            );
        }
    }
}

// The path of the binary is taken from the file, so that this check is about events, matchers and
// time limits only; whether the binary is there is another's.
fn entries(chain: &ChainFacts, file: &SettingsFile) -> Option<Vec<crate::settings::Registration>> {
    let manifest = chain.manifest.as_ref().ok()?;
    let caller = match chain.chain.scope {
        "project" => Caller::Launcher,
        _ => Caller::Binary(
            file.handlers()
                .iter()
                .filter(|handler| handler.ours)
                .find_map(|handler| Some(handler.value.get("command")?.as_str()?.to_owned()))
                .unwrap_or_else(|| "hookman".to_owned()),
        ),
    };
    let hooks = manifest.as_ref().map(|manifest| manifest.hooks.as_slice()).unwrap_or_default();
    let mut demands: Vec<Demand<'_>> = hooks
        .iter()
        .filter(|hook| hook.enabled)
        .flat_map(|hook| {
            hook.events.iter().map(|event| Demand {
                event: *event,
                matcher: hook.matcher.as_deref(),
                timeout_ms: hook.timeout_ms,
                parallel: hook.manner.parallel,
                own: hook.manner.own_entry().map(|keys| Own { hook: &hook.name, keys }),
            })
        })
        .collect();
    if chain.chain.scope == "user" && !hooks.is_empty() {
        demands.extend(for_switches());
    }
    Some(wanted(&demands, &caller))
}

fn scope(facts: &Facts, findings: &mut Findings) {
    for file in facts.settings.iter().filter(|file| file.scope != "user") {
        for handler in file.handlers().iter().filter(|handler| handler.ours) {
            let shell = handler.value.get("args").is_none();
            if shell || run_words(&handler.value).is_none() {
                continue;
            }
            findings.add(
                Level::Warning,
                format!("{}:{}", file.shown, handler.position.line),
                format!("the entry for {} names a path of this machine", handler.event),
                "run `hookman apply --project`, which registers the launcher instead",
            );
        }
    }
}
