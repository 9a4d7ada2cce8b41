//! Does what is adopted run once?

use std::collections::HashSet;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::settings_file::SettingsFile;
use crate::adoption::{Adopted, Adoption, Declared, Rebuilt};
use crate::install::registration::entries::{declared, own_hooks};
use crate::syntax::json::is_blank;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "adopted-twice",
        about: "no handler that is adopted is in the settings again, or equal in another file",
        notice: "it runs twice for each call",
        run: twice,
    },
    Check {
        id: "adopted-nowhere",
        about: "each handler that is adopted is in the manifest or in the settings",
        notice: "it does not run any more",
        run: nowhere,
    },
];

fn twice(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Some(Known { text, adoption, .. }) = known(facts, file) else { continue };
        let (flag, handlers, kept) = (file.flag(), file.handlers(), adoption.handlers());
        let standing = adoption.standing(text).unwrap_or_default();
        for (adopted, kept) in kept.iter().filter(|(adopted, _)| standing.contains(adopted)) {
            let hook = &adopted.hook;
            let found = handlers.iter().find(|it| !it.ours && it.value == kept.handler);
            findings.add(
                Level::Warning,
                match found {
                    Some(found) => file.at_key(found, "command"),
                    None => file.shown.clone(),
                },
                format!("`{hook}` is adopted, but is here for the client to run as well"),
                format!(
                    "run `hookman apply{flag}`, which takes it out here, or \
                     `hookman release {hook}{flag}`, which leaves it to the client"
                ),
            );
        }
    }
    across(facts, findings);
}

/// Of equal handlers of several files the client runs one, but not of one that hookman runs.
fn across(facts: &Facts, findings: &mut Findings) {
    let known: Vec<_> = facts.settings.iter().map(|file| known(facts, file)).collect();
    let run: Vec<_> =
        known.iter().map(|it| it.as_ref().map(Known::run).unwrap_or_default()).collect();
    let foreign: Vec<Vec<Rebuilt>> = facts.settings.iter().map(foreign).collect();
    for (index, file) in facts.settings.iter().enumerate() {
        for (hook, handler) in &run[index] {
            let others = facts.settings.iter().enumerate().filter(|(at, _)| *at != index);
            for (at, other) in others {
                let foreign = foreign[at].iter().any(|it| it.is_twin_of(handler));
                let mut run = run[at].iter();
                // Where hookman runs both, the finding names the later file.
                if foreign || at < index && run.any(|(_, it)| it.is_twin_of(handler)) {
                    findings.add(
                        Level::Warning,
                        &file.shown,
                        format!(
                            "`{hook}`, which is adopted from here, and an equal handler of {} both \
                             run; without hookman the client runs the two once",
                            other.shown
                        ),
                        format!(
                            "run `hookman release {hook}{}`, or delete one of the two",
                            file.flag()
                        ),
                    );
                }
            }
        }
    }
}

/// Lists the handlers of a file that are not hookman's.
fn foreign(file: &SettingsFile) -> Vec<Rebuilt> {
    let foreign = file.handlers().into_iter().filter(|it| !it.ours);
    foreign.map(|it| Rebuilt { event: it.event, matcher: None, handler: it.value }).collect()
}

fn nowhere(facts: &Facts, findings: &mut Findings) {
    for file in &facts.settings {
        let Some(Known { text, hooks, adoption }) = known(facts, file) else { continue };
        let flag = file.flag();
        for Adopted { hook, .. } in adoption.lost(&hooks, text) {
            findings.add(
                Level::Error,
                &file.shown,
                format!("`{hook}` was adopted, but is in neither file, so nothing runs it"),
                format!(
                    "run `hookman release {hook}{flag}`, which puts it back here, or \
                     `hookman release --forget {hook}{flag}` if it is gone for good"
                ),
            );
        }
    }
}

/// The knowledge of the adoptions from a settings file.
struct Known<'f> {
    text: &'f str,
    hooks: Vec<Declared<'f>>,
    adoption: Adoption,
}

impl Known<'_> {
    /// The adopted hooks of the manifest, each with a handler that it runs.
    fn run(&self) -> Vec<(&str, Rebuilt)> {
        let names: HashSet<&str> = self.hooks.iter().map(|hook| hook.hook).collect();
        let all = self.adoption.handlers().into_iter().map(|(it, kept)| (it.hook.as_str(), kept));
        all.filter(|(hook, _)| names.contains(hook)).collect()
    }
}

/// `None` where nothing was adopted, and where a file cannot be read, which is another check's.
fn known<'f>(facts: &'f Facts, file: &'f SettingsFile) -> Option<Known<'f>> {
    let chain = if file.scope == "local" { "project" } else { file.scope };
    let chain = facts.chains.iter().find(|it| it.chain.scope == chain)?;
    let text = file.text.as_ref().ok()?.as_deref()?;
    let all = chain.manifest.as_ref().ok()?;
    let all = all.as_ref().map(|all| all.hooks.as_slice()).unwrap_or_default();
    let hooks = declared(own_hooks(file.scope == "local", &chain.committed.hooks, all));
    if is_blank(text) || (file.adoptions.is_none() && !hooks.iter().any(|hook| hook.adopted)) {
        return None;
    }
    let adoption = match &file.adoptions {
        Some(kept) => kept.in_line_with(text, None),
        None => Adoption::of(None, text, None),
    };
    let adoption = adoption.and_then(|adoption| adoption.declared_by(&hooks, text, None)).ok()?;
    Some(Known { text, hooks, adoption })
}
