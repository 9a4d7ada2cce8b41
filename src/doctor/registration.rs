//! Is hookman registered for exactly what the manifests ask?

use super::check::Check;
use super::facts::ChainFacts;
use super::facts::Facts;
use super::finding::{Findings, Level, Mend};
use super::settings_file::SettingsFile;
use crate::client::call::run_words;
use crate::client::event::Event;
use crate::client::host::CLAUDE;
use crate::install::registration::entries::demands;
use crate::install::target::binary::program;
use crate::manifest::Origin;
use crate::settings::wanted::{
    self, Caller, PROJECT, beyond, for_switches, limit, longest, wanted,
};
use crate::settings::{Change, Record, plan};
use crate::state::chains::MANAGED;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "registration",
        about: "settings.json holds the entries that the manifest asks for",
        notice: "hooks of the manifest do not run, or run for other calls than it says",
        run: registered,
    },
    Check {
        id: "registration-scope",
        about: "no chain is registered in a file of another scope",
        notice: "the hooks run on this machine only",
        run: scope,
    },
    Check {
        id: "chain-time",
        about: "no chain may take longer than the client lets hookman run",
        notice: "the last hooks of the chain do not run, and a gate among them does not hold",
        run: chain_time,
    },
];

fn registered(facts: &Facts, findings: &mut Findings) {
    for file in facts.registered() {
        let chain = if file.scope == "local" { "project" } else { file.scope };
        let Some(chain) = facts.chains.iter().find(|it| it.chain.scope == chain) else { continue };
        let Ok(text) = &file.text else { continue };
        let Some(wanted) = entries(chain, file) else { continue };
        // What cannot be planned cannot be read, and other checks say so.
        let record = match (&file.undo, text.as_deref()) {
            (Some(undo), _) => undo.record.clone(),
            (None, Some(text)) => Record::presumed_for(text, &wanted),
            (None, None) => Record::default(),
        };
        let Ok(plan) = plan(text.as_deref(), &wanted, &record) else { continue };
        let flag = file.flag();
        let has_manifest = matches!(chain.manifest, Ok(Some(_)));
        for change in &plan.changes {
            let finding = findings.add(
                Level::Error,
                place(file, change),
                format!("it is not what {} asks for: {change}", chain.shown),
                if has_manifest {
                    format!("run `hookman apply{flag}`")
                } else {
                    format!(
                        "run `hookman install{flag}`, which makes a manifest, or \
                         `hookman uninstall{flag}`, which takes the entries out"
                    )
                },
            );
            if has_manifest {
                finding.mend(Mend::Apply(file.scope));
            }
        }
    }
}

/// The entry that is to be changed, or the event that is to have one more.
fn place(file: &SettingsFile, change: &Change) -> String {
    let Some(document) = file.document() else { return file.shown.clone() };
    // The change's own pointer is right only when those before it are done.
    let is_it = |pointer: &str| {
        let node = document.lookup(pointer);
        node.is_some_and(|node| Some(document.value(node)) == change.before)
    };
    let pointers = file.handlers().into_iter().flat_map(|handler| {
        let group = handler.pointer.rsplit_once("/hooks/").map(|(group, _)| group.to_owned());
        [Some(handler.pointer), group]
    });
    let event = format!("/hooks/{}", change.event);
    let found = pointers.flatten().find(|pointer| is_it(pointer)).unwrap_or(event);
    let node = document.lookup(&found).or_else(|| document.lookup("/hooks"));
    node.map_or(file.shown.clone(), |node| file.at(document.position(node.span.start)))
}

// The path of the binary is taken from the file, so that this check is about events, matchers and
// time limits only; whether the binary is there is another's.
fn entries(chain: &ChainFacts, file: &SettingsFile) -> Option<Vec<crate::settings::Registration>> {
    let all = chain.manifest.as_ref().ok()?;
    let handlers = file.handlers();
    let ours = handlers.iter().find(|handler| handler.ours);
    let text = |pointer| Some(ours?.value.pointer(pointer)?.as_str()?.to_owned());
    let binary = ours.and_then(|ours| program(&ours.value)).map(|it| it.display().to_string());
    let binary = binary.unwrap_or_else(|| "hookman".to_owned());
    let caller = match (file.scope, text("/args/3")) {
        ("user", _) => Caller::Binary(binary),
        ("local", Some(folder)) => Caller::BinaryFor { binary, flag: PROJECT, folder },
        (MANAGED, _) => {
            let folder = chain.chain.manifest.parent()?.to_str()?.to_owned();
            Caller::BinaryFor { binary, flag: wanted::MANAGED, folder }
        }
        _ => Caller::Launcher,
    };
    if !chain.committed.is_for(CLAUDE.name) && file.scope != "local" {
        return Some(Vec::new());
    }
    let has_hooks = all.as_ref().is_some_and(|all| !all.hooks.is_empty());
    let all = demands(all.as_ref().map(|all| all.hooks.as_slice()).unwrap_or_default(), &CLAUDE);
    let mut committed = demands(&chain.committed.hooks, &CLAUDE);
    if file.scope == "user" && has_hooks {
        committed.extend(for_switches());
    }
    Some(match file.scope {
        "local" => beyond(&committed, &all, &caller),
        _ => wanted(&committed, &caller),
    })
}

fn scope(facts: &Facts, findings: &mut Findings) {
    for file in facts.settings.iter().filter(|file| file.scope == "project") {
        for handler in file.handlers().iter().filter(|handler| handler.ours) {
            let shell = handler.value.get("args").is_none();
            if shell || run_words(&handler.value).is_none() {
                continue;
            }
            findings
                .add(
                    Level::Warning,
                    file.at_key(handler, "command"),
                    format!("the entry for {} names a path of this machine", handler.event),
                    "run `hookman apply --project`, which registers the launcher instead",
                )
                .mend(Mend::Apply("project"));
        }
    }
}

// The client ends hookman at the entry's time limit, and with it every gate that has not run yet.
fn chain_time(facts: &Facts, findings: &mut Findings) {
    for (chain, manifest) in facts.manifests() {
        let demands = demands(&manifest.hooks, &CLAUDE);
        for event in Event::ALL.iter().filter(|it| longest(&demands, **it) > limit(**it)) {
            let hooks = manifest.hooks.iter().filter(|it| it.enabled && it.events.contains(event));
            let longest_hook = hooks.max_by_key(|it| it.timeout_ms);
            let place =
                longest_hook.and_then(|it| it.origins.get("timeout").or_else(|| it.origin()));
            findings.add(
                Level::Warning,
                place.map_or(chain.shown.clone(), Origin::place),
                format!(
                    "the hooks for {event} may take {} s together, and the client ends hookman after \
                     {} s, so the last of them may not run",
                    longest(&demands, *event),
                    limit(*event)
                ),
                "give hooks a smaller `timeout`, or let some run side by side with `parallel = true`",
            );
        }
    }
}
