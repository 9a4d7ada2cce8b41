//! Is hookman registered for exactly what the manifests ask?

use super::facts::{ChainFacts, SettingsFile};
use super::{Check, Facts, Findings, Level};
use crate::manifest::{Hook, Manifest, Problems};
use crate::settings::wanted::{Caller, Demand, Own, beyond, wanted};
use crate::settings::{Record, Registration, plan, run_words};

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
        for file in &facts.settings {
            let Ok(text) = &file.text else { continue };
            let Some((wanted, apply)) = entries(facts, chain, file) else { continue };
            // What cannot be planned cannot be read, and other checks say so.
            let Ok(plan) = plan(text.as_deref(), &wanted, &Record::default()) else { continue };
            for change in &plan.changes {
                findings.add(
                    Level::Error,
                    &file.shown,
                    format!("it is not what {} asks for: {change}", chain.shown),
                    format!("run `{apply}`"),
                );
            }
        }
    }
}

/// What a chain asks of a settings file, and the command that writes it.
fn entries(
    facts: &Facts,
    chain: &ChainFacts,
    file: &SettingsFile,
) -> Option<(Vec<Registration>, &'static str)> {
    let (all, committed) = (hooks(&chain.manifest)?, hooks(&chain.committed)?);
    let (all, committed) = (demands(all), demands(committed));
    match (chain.chain.scope, file.scope) {
        ("user", "user") => Some((wanted(&all, &Caller::Binary(called(file))), "hookman apply")),
        ("project", "project") => {
            Some((wanted(&committed, &Caller::Launcher), "hookman apply --project"))
        }
        ("project", "local") => {
            let project = facts.project.as_deref()?;
            let caller = if project.join(".claude/hookman").exists() {
                Caller::Launcher
            } else {
                Caller::BinaryFor { binary: called(file), project: project.to_str()?.to_owned() }
            };
            Some((beyond(&committed, &all, &caller), "hookman apply --local"))
        }
        _ => None,
    }
}

fn hooks(manifest: &Result<Option<Manifest>, Problems>) -> Option<&[Hook]> {
    let manifest = manifest.as_ref().ok()?;
    Some(manifest.as_ref().map(|manifest| manifest.hooks.as_slice()).unwrap_or_default())
}

// The path of the binary is taken from the file, so that this check is about events, matchers and
// time limits only; whether the binary is there is another's.
fn called(file: &SettingsFile) -> String {
    file.handlers()
        .iter()
        .filter(|handler| handler.ours)
        .find_map(|handler| Some(handler.value.get("command")?.as_str()?.to_owned()))
        .unwrap_or_else(|| "hookman".to_owned())
}

fn demands(hooks: &[Hook]) -> Vec<Demand<'_>> {
    hooks
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
        .collect()
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
