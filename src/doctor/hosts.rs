//! The files of other agents: do they load there by that agent's rules, and do they call hookman as
//! the manifests ask?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::time::Duration;

use serde::Deserialize;

use super::check::{Check, Findings, Level, Mend};
use super::facts::Facts;
use super::foreign;
use super::host_file::HostFile;
use super::settings_file::SettingsFile;
use crate::client::host::files::{Form, Trust};
use crate::install::registration::codex_trust::{self, HOW, Trusted};
use crate::install::registration::folder_trust;
use crate::install::registration::{causes, hosts};
use crate::machine::{Terminal, World};

pub(super) const CHECKS: &[Check] = &[
    Check { id: "other-readers", run: readers },
    Check { id: "imported", run: imported },
    Check { id: "agent-file-loads", run: loads },
    Check { id: "agent-entries", run: entries },
    Check { id: "agent-twice", run: twice },
    Check { id: "agent-time-limit", run: limits },
    Check { id: "agent-trust", run: trust },
    Check { id: "agent-honours", run: honours },
    Check { id: "foreign-hooks", run: foreign::named },
];

fn loads(facts: &Facts, findings: &mut Findings) {
    for file in &facts.hosts {
        let level = |is_asked| if is_asked { Level::Error } else { Level::Warning };
        let title = file.of.title;
        if let Some(at) = file.switched_off() {
            // A project's file keeps the user's hooks from running, too.
            let is_same = |other: &&HostFile| other.of.host.name == file.of.host.name;
            let is_asked = facts.hosts.iter().filter(is_same).any(|other| other.is_asked);
            findings.say("agent-hooks-off", &file.shown, &[&at, &title]).level = level(is_asked);
        }
        let Some((place, why, fix)) = file.dropped() else { continue };
        let level = level(file.is_asked);
        findings.say("agent-drops-hooks", place, &[&title, &why, &fix]).level = level;
    }
}

fn entries(facts: &Facts, findings: &mut Findings) {
    for file in &facts.hosts {
        let Some(summary) = file.drift.as_ref().filter(|_| file.is_main) else { continue };
        let flag = file.target.flag();
        findings
            .say("agent-entries-differ", &file.shown, &[&summary, &flag])
            .mend(Mend::Apply(file.scope));
    }
}

fn twice(facts: &Facts, findings: &mut Findings) {
    for main in facts.hosts.iter().filter(|file| file.is_main) {
        let mut seen = BTreeSet::new();
        let is_same =
            |it: &HostFile| it.of.host.name == main.of.host.name && it.scope == main.scope;
        let others = facts.hosts.iter().filter(|file| !file.is_main && is_same(file));
        for file in std::iter::once(main).chain(others) {
            for hook in file.hooks().into_iter().filter(|hook| hook.ours) {
                if !seen.insert(hook.event.clone()) {
                    findings.say("agent-calls-twice", &file.shown, &[&file.of.title, &hook.event]);
                }
            }
        }
        // It runs those of the project's settings for Claude Code, too.
        let is_claudes = |file: &&SettingsFile| {
            file.scope == main.scope && file.handlers().iter().any(|handler| handler.ours)
        };
        if main.of.form == Form::Own
            && main.scope == "project"
            && !seen.is_empty()
            && let Some(settings) = facts.settings.iter().find(is_claudes)
        {
            findings.say("agent-runs-claudes", &main.shown, &[&main.of.title, &settings.shown]);
        }
    }
}

fn limits(facts: &Facts, findings: &mut Findings) {
    for file in &facts.hosts {
        let Some(from) = file.of.milliseconds_from else { continue };
        for hook in file.hooks() {
            // Nobody means so few milliseconds, and many mean seconds.
            let is_odd = |it: &u64| (from..from.max(250) * 4).contains(it);
            let Some(limit) = hook.timeout.filter(is_odd) else { continue };
            let (event, title) = (&hook.event, file.of.title);
            let seconds = Duration::from_millis(limit).as_secs_f64();
            let from = if from > 0 { format!("from {from} on ") } else { String::new() };
            let fix = if hook.ours {
                "run `hookman apply`".to_owned()
            } else {
                format!("write {} if you mean {limit} s", limit * 1000)
            };
            let values: [&dyn Display; 6] = [event, &limit, &title, &seconds, &from, &fix];
            findings.say("agent-time-limit", &file.shown, &values);
        }
    }
}

fn trust(facts: &Facts, findings: &mut Findings) {
    let world = World { paths: facts.paths.clone(), terminal: Terminal::keeping() };
    for file in &facts.hosts {
        if !file.is_main || !file.hooks().iter().any(|hook| hook.ours) {
            continue;
        }
        if let Some((message, how)) = folder_trust::untrusted(&world, &file.target) {
            findings.add(Level::Error, &file.shown, message, how);
        }
        if file.of.trust != Trust::Entries {
            continue;
        }
        let Some(trusted) = codex_trust::asked(&world, &file.target) else { continue };
        if let Some(message) = trusted.skipped(file.of.title, &file.target) {
            findings.add(Level::Error, &file.shown, message, HOW);
        }
        let Trusted { warnings, others, .. } = trusted;
        for (event, why) in &others {
            findings.say("agent-skips", &file.shown, &[&file.of.title, &event, &why, &HOW]);
        }
        for warning in warnings {
            findings.say("agent-warns", &file.shown, &[&file.of.title, &warning]);
        }
    }
}

fn honours(facts: &Facts, findings: &mut Findings) {
    for (chain, manifest) in facts.manifests() {
        for what in hosts::unserved(&chain.committed) {
            findings.say("chain-unserved", &chain.shown, &[&what]);
        }
        for cause in causes::causes(manifest, &chain.committed) {
            let [whom, whole] = match cause.hooks.len() {
                1 => ["the hook", "the hook"],
                _ => ["each of the hooks", "the hooks"],
            };
            let way = match &cause.line {
                Some(line) => format!("give {whom} a line {line}"),
                None => format!("take {whole} out"),
            };
            if cause.is_open {
                findings.add(Level::Error, &chain.shown, cause.what(), way);
            } else {
                findings.say("agent-honours-less", &chain.shown, &[&cause.named(), &way]);
            }
        }
    }
}

/// A program that reads settings files of the client, in the form of `readers.toml`.
#[derive(Deserialize)]
struct Reader {
    name: String,
    host: String,
    folders: Vec<String>,
    scopes: Vec<String>,
    otherwise: String,
}

fn readers(facts: &Facts, findings: &mut Findings) {
    let Some(home) = &facts.paths.home else { return };
    let table = toml::from_str::<BTreeMap<String, Vec<Reader>>>(include_str!("readers.toml"));
    for reader in table.unwrap_or_default().into_values().flatten() {
        let Some(folder) = reader.folders.iter().map(|it| home.join(it)).find(|it| it.is_dir())
        else {
            continue;
        };
        // The hooks of a manifest that names the program are meant for it.
        let is_meant = |file: &SettingsFile| {
            let scope = if file.scope == "user" { "user" } else { "project" };
            let mut manifests = facts.manifests();
            manifests.any(|(it, _)| it.chain.scope == scope && it.committed.is_for(&reader.host))
        };
        let reads = |file: &&SettingsFile| {
            let handlers = file.handlers();
            reader.scopes.iter().any(|it| it == file.scope)
                && handlers.iter().any(|it| !(it.ours && is_meant(file)))
        };
        for file in facts.settings.iter().filter(reads) {
            let folder = facts.paths.shown(&folder);
            findings.say("reader", &file.shown, &[&reader.name, &folder, &reader.otherwise]);
        }
    }
}

fn imported(facts: &Facts, findings: &mut Findings) {
    for file in &facts.hosts {
        let (mark, why, fix) = match file.of.host.name {
            "codex" => (
                "$CLAUDE_PROJECT_DIR",
                "Codex does not set that variable, so the entry fails, and the call goes on",
                "import them again after `hookman apply --project`, whose entries need no variable",
            ),
            "gemini" => (
                "",
                "Gemini has other names of tools and answers, and counts milliseconds",
                "take the entry out there",
            ),
            _ => continue,
        };
        let has_all = |line: &str| line.contains("hookman") && line.contains(mark);
        // An entry for that program names it.
        if file.hooks().iter().any(|it| has_all(&it.line) && !it.line.contains("--host")) {
            findings.say("copied-entry", &file.shown, &[&why, &fix]);
        }
    }
}
