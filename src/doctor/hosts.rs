//! The files of other agents: do they load there by that agent's rules, and do they call hookman as
//! the manifests ask?

use std::collections::BTreeSet;
use std::time::Duration;

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
            let says = format!("`{at}` keeps {title} from running hookman's hooks");
            // A project's file keeps the user's hooks from running, too.
            let is_same = |other: &&HostFile| other.of.host.name == file.of.host.name;
            let is_asked = facts.hosts.iter().filter(is_same).any(|other| other.is_asked);
            findings.add(level(is_asked), &file.shown, says, "take it out");
        }
        let Some((place, why, fix)) = file.dropped() else { continue };
        let level = level(file.is_asked);
        findings.add(level, place, format!("{title} drops hooks for it: {why}"), fix);
    }
}

fn entries(facts: &Facts, findings: &mut Findings) {
    for file in &facts.hosts {
        let Some(summary) = file.drift.as_ref().filter(|_| file.is_main) else { continue };
        let flag = file.target.flag();
        let message = format!("it is not what the manifest asks for: `hookman apply` {summary}");
        let fix = format!("run `hookman apply{flag}`");
        findings.error(&file.shown, message, fix).mend(Mend::Apply(file.scope));
    }
}

fn twice(facts: &Facts, findings: &mut Findings) {
    for main in facts.hosts.iter().filter(|file| file.is_main) {
        let mut seen = BTreeSet::new();
        let others = facts.hosts.iter().filter(|file| {
            file.of.host.name == main.of.host.name && file.scope == main.scope && !file.is_main
        });
        for file in std::iter::once(main).chain(others) {
            for hook in file.hooks().into_iter().filter(|hook| hook.ours) {
                if !seen.insert(hook.event.clone()) {
                    let message =
                        format!("{} calls hookman twice for {}", file.of.title, hook.event);
                    findings.warn(&file.shown, message, "take one entry out");
                }
            }
        }
        // It runs those of the project's settings for Claude Code, too.
        let is_claudes = |file: &&super::settings_file::SettingsFile| {
            file.scope == main.scope && file.handlers().iter().any(|handler| handler.ours)
        };
        if main.of.form == Form::Own
            && main.scope == "project"
            && !seen.is_empty()
            && let Some(settings) = facts.settings.iter().find(is_claudes)
        {
            let message =
                format!("{} runs the entries of {} as well", main.of.title, settings.shown);
            let fix = "run `hookman apply --project`, which leaves one of them";
            findings.warn(&main.shown, message, fix);
        }
    }
}

fn limits(facts: &Facts, findings: &mut Findings) {
    for file in &facts.hosts {
        let Some(from) = file.of.milliseconds_from else { continue };
        for hook in file.hooks() {
            // Nobody means so few milliseconds, and many mean seconds.
            let Some(limit) = hook.timeout.filter(|it| (from..from.max(250) * 4).contains(it))
            else {
                continue;
            };
            let (event, title) = (&hook.event, file.of.title);
            let seconds = Duration::from_millis(limit).as_secs_f64();
            let from = if from > 0 { format!("from {from} on ") } else { String::new() };
            let says = format!(
                "a hook for {event} has a time limit of {limit}, which {title} takes for {seconds} s: \
                 {from}it counts milliseconds"
            );
            let fix = if hook.ours {
                "run `hookman apply`".to_owned()
            } else {
                format!("write {} if you mean {limit} s", limit * 1000)
            };
            findings.warn(&file.shown, says, fix);
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
            findings.error(&file.shown, message, how);
        }
        if file.of.trust != Trust::Entries {
            continue;
        }
        let Some(trusted) = codex_trust::asked(&world, &file.target) else { continue };
        if let Some(message) = trusted.skipped(file.of.title, &file.target) {
            findings.error(&file.shown, message, HOW);
        }
        let Trusted { warnings, others, .. } = trusted;
        for (event, why) in &others {
            let message = format!("{} skips a hook of yours for {event}: {why}", file.of.title);
            findings.info(&file.shown, message, HOW);
        }
        for warning in warnings {
            let message = format!("{} says: {warning}", file.of.title);
            findings.warn(&file.shown, message, "put it right there");
        }
    }
}

fn honours(facts: &Facts, findings: &mut Findings) {
    for (chain, manifest) in facts.manifests() {
        for what in hosts::unserved(&chain.committed) {
            let fix = "name the agent whose files it runs, such as `claude` or `copilot`";
            findings.warn(&chain.shown, what, fix);
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
                findings.error(&chain.shown, cause.what(), way);
            } else {
                let fix = format!("nothing, if that is fine; else {way}");
                findings.info(&chain.shown, cause.named(), fix);
            }
        }
    }
}

/// A program that reads a settings file of the client.
struct Reader {
    name: &'static str,
    host: &'static str,
    folders: &'static [&'static str],
    scopes: &'static [&'static str],
    otherwise: &'static str,
}

/// Source: VS Code's and Cursor's documentation, and runs of Copilot 1.0.102.
const READERS: &[Reader] = &[
    Reader {
        name: "VS Code",
        host: "vscode",
        folders: &[".config/Code", ".vscode", "Library/Application Support/Code"],
        scopes: &["user", "project", "local"],
        otherwise: "by its documentation it ignores matchers and drops `args`",
    },
    Reader {
        name: "Cursor",
        host: "cursor",
        folders: &[".cursor", ".config/Cursor", "Library/Application Support/Cursor"],
        scopes: &["user", "project", "local"],
        otherwise: "by its documentation it can load them, with other names of tools",
    },
    Reader {
        name: "GitHub Copilot's CLI",
        host: "copilot",
        folders: &[".copilot", ".config/github-copilot"],
        scopes: &["project", "local"],
        otherwise: "it runs them unasked, with other fields, and takes a failure for a denial",
    },
];

fn readers(facts: &Facts, findings: &mut Findings) {
    let Some(home) = &facts.paths.home else { return };
    for reader in READERS {
        let Some(folder) = reader.folders.iter().map(|it| home.join(it)).find(|it| it.is_dir())
        else {
            continue;
        };
        // The hooks of a manifest that names the program are meant for it.
        let is_meant = |file: &SettingsFile| {
            let scope = if file.scope == "user" { "user" } else { "project" };
            let mut manifests = facts.manifests();
            manifests.any(|(it, _)| it.chain.scope == scope && it.committed.is_for(reader.host))
        };
        let reads = |file: &&SettingsFile| {
            let handlers = file.handlers();
            reader.scopes.contains(&file.scope)
                && handlers.iter().any(|it| !(it.ours && is_meant(file)))
        };
        for file in facts.settings.iter().filter(reads) {
            let says = format!(
                "{} is on this machine ({}) and may run these entries too: {}",
                reader.name,
                facts.paths.shown(&folder),
                reader.otherwise
            );
            let fix = "nothing, if it is meant so; else switch the import of hooks off there";
            findings.info(&file.shown, says, fix);
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
        // An entry for that program names it.
        let is_copy = |line: &str| {
            ["hookman", mark].iter().all(|it| line.contains(it)) && !line.contains("--host")
        };
        if file.hooks().iter().any(|hook| is_copy(&hook.line)) {
            let says = format!("it has a copy of an entry that calls hookman: {why}");
            findings.warn(&file.shown, says, fix);
        }
    }
}
