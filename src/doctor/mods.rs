//! Can a mod, which is JavaScript in the client's process, open a gate?

use std::fmt::Display;
use std::path::Path;

use serde_json::Value;

use super::check::{Check, Findings, Mend};
use super::facts::Facts;
use super::modules::Module;
use super::settings_file::SettingsFile;
use crate::machine::foreign;
use crate::manifest::{Hook, OnError};
use crate::settings::is_seated;
use crate::state::guard_mod::{self, NAME};
use crate::syntax::named::words;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "mod-gates", run: gates },
    Check { id: "mod-others", run: others },
    Check { id: "guard-mod", run: guard_mod },
];

/// The events at which a mod of client 2.1.329 can answer in a gate's place or take hooks away.
const OPENS: [&str; 8] =
    words("* classic.* tool.call tool.check tool.run settings.read tool.* settings.*");

/// Of a mod that no client here was asked about.
const UNTOLD: &str = "and no client here told its events";

fn opens(module: &Module) -> Option<&str> {
    let is_it = |event: &&String| event.starts_with("classic.") || OPENS.contains(&event.as_str());
    module.events.iter().flatten().find(is_it).map(String::as_str)
}

fn gate(facts: &Facts) -> Vec<&Hook> {
    // Those of an administrator hold against mods.
    let others = facts.manifests().filter(|(it, _)| !it.chain.is_managed());
    let hooks = others.flat_map(|(_, manifest)| &manifest.hooks).filter(|hook| hook.enabled);
    hooks.filter(|hook| hook.on_error != OnError::Open).collect()
}

fn gates(facts: &Facts, findings: &mut Findings) {
    let gates = gate(facts);
    let Some(first) = gates.first().filter(|_| !holds(facts)) else { return };
    let more = match gates.len() {
        1 => String::new(),
        several => format!(" and {} more", several - 1),
    };
    for module in facts.modules().iter().filter(|module| !is_guard(facts, module)) {
        let (name, gate) = (&module.plugin, &first.name);
        let (finding, event) = match (opens(module), &module.events) {
            (Some(event), _) => ("mod-opens-gate", event),
            (None, None) => ("mod-may-open-gate", UNTOLD),
            (None, Some(_)) => continue,
        };
        let values: [&dyn Display; 5] = [name, &event, gate, &more, &module.off];
        let finding = findings.say(finding, facts.paths.shown(&module.file), &values);
        if module.is_gate == Some(false) {
            finding.notice("it passes calls on today, but an update of it may not");
        }
    }
}

fn others(facts: &Facts, findings: &mut Findings) {
    let is_kept_out = holds(facts);
    let has_gate = !is_kept_out && !gate(facts).is_empty();
    let is_told = |it: &Module| has_gate && (opens(it).is_some() || it.events.is_none());
    let is_other = |it: &&Module| !is_guard(facts, it) && !is_told(it);
    for module in facts.modules().iter().filter(is_other) {
        let events = match module.events.as_deref() {
            None => UNTOLD.to_owned(),
            Some([]) => "on no event".to_owned(),
            Some(events) => format!("on {}", events.join(", ")),
        };
        let shown = facts.paths.shown(&module.file);
        let finding = findings.say("mod-runs", shown, &[&module.plugin, &events, &module.off]);
        if is_kept_out && opens(module).is_some() {
            finding.notice("the guard mod keeps it from the events that decide about a gate");
        }
    }
}

/// The bytes of a plugin's description that are read.
const MOST: u64 = 64 * 1024;

pub(super) fn is_guard(facts: &Facts, module: &Module) -> bool {
    module.file.starts_with(guard_mod::folder(&facts.paths))
}

/// Returns whether the guard mod keeps other mods from the events of a gate.
pub(super) fn holds(facts: &Facts) -> bool {
    let mut faults = Findings::of("", "");
    guard_mod(facts, &mut faults);
    guard_mod::is_there(&facts.paths) && faults.into_found().is_empty()
}

fn guard_mod(facts: &Facts, findings: &mut Findings) {
    let paths = &facts.paths;
    let user = facts.settings.iter().find(|file| file.scope == "user");
    let is_seated = user.and_then(SettingsFile::document).is_some_and(|text| is_seated(&text));
    let place = user.map_or_else(|| paths.shown(&paths.user_settings()), |file| file.shown.clone());
    let folder = guard_mod::folder(paths);
    if !guard_mod::is_there(paths) {
        if is_seated {
            findings.say("guard-mod-missing", place, &[&paths.shown(&folder)]);
        }
        return;
    }
    if !is_seated {
        findings.say("guard-mod-not-first", place, &[]).mend(Mend::Apply("user"));
    }
    // On such a machine both lists are the administrator's (seen on 2.1.329).
    if let Some(managed) = paths.managed_settings().first() {
        findings.say("guard-mod-in-vain", paths.shown(managed), &[]);
    }
    if let Some(file) = guard_mod::changed(paths) {
        let shown = paths.shown(&file);
        findings.say("guard-mod-changed", &shown, &[&shown]);
    }
    for plugin in facts.plugins.iter().filter(|it| it.root != folder && is_named(&it.root)) {
        findings.say("guard-mod-twice", paths.shown(&plugin.root), &[&NAME, &plugin.origin]);
    }
}

/// Returns whether a plugin calls itself as the guard mod does.
fn is_named(root: &Path) -> bool {
    let file = root.join(".claude-plugin/plugin.json");
    let Ok(Some(text)) = foreign::read_at_most(&file, MOST) else { return false };
    serde_json::from_str::<Value>(&text).is_ok_and(|plugin| plugin["name"] == NAME)
}
