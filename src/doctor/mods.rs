//! Can a mod, which is JavaScript in the client's process, open a gate?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::guard_mod::{holds, is_guard};
use super::modules::Module;
use crate::manifest::{Hook, OnError};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "mod-gates",
        about: "no mod can let a call past a gate",
        notice: "a call that the gate would block is let through, and nothing says so",
        run: gates,
    },
    Check {
        id: "mod-others",
        about: "no mods run in the client",
        notice: "what they do is in no order with hooks, and in no journal",
        run: others,
    },
];

/// The events from which a mod can answer a call in a gate's place, or take hooks away.
///
/// Source: the client 2.1.329, in which each of these let a call past a command hook.
const OPENS: &[&str] = &[
    "*",
    "classic.*",
    "tool.call",
    "tool.check",
    "tool.run",
    "settings.read",
    "tool.*",
    "settings.*",
];

fn opens(module: &Module) -> Option<&str> {
    let is_it = |event: &&String| event.starts_with("classic.") || OPENS.contains(&event.as_str());
    module.events.iter().find(is_it).map(String::as_str)
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
        let (message, is_known) = match (opens(module), &module.unread) {
            (Some(event), _) => (format!("on `{event}`"), true),
            (None, Some(why)) => (format!("which cannot be read: {why}"), false),
            (None, None) => continue,
        };
        let finding = findings.add(
            Level::Error,
            facts.paths.shown(&module.file),
            if is_known {
                format!(
                    "the mod `{}` is asked {message}, so it can open the gate `{}`{more}",
                    module.plugin, first.name
                )
            } else {
                format!(
                    "there is the mod `{}`, {message}; it may open the gate `{}`{more}",
                    module.plugin, first.name
                )
            },
            format!(
                "{}, or run `hookman install --guard-mod`; of gates, those in an administrator's \
                 settings hold against mods",
                way_out(module)
            ),
        );
        if module.is_gate == Some(false) {
            finding.notice("it passes calls on today, and an update of it may not");
        }
    }
}

fn way_out(module: &Module) -> String {
    // One of a marketplace has the name of that as well.
    if module.plugin.contains('@') {
        return format!(
            "run `claude plugin disable {}` if you did not put it there",
            module.plugin
        );
    }
    format!("take it out of {} if you did not put it there", module.origin)
}

fn others(facts: &Facts, findings: &mut Findings) {
    let is_kept_out = holds(facts);
    let has_gate = !is_kept_out && !gate(facts).is_empty();
    for module in facts.modules().iter().filter(|module| !is_guard(facts, module)) {
        let is_told = has_gate && (opens(module).is_some() || module.unread.is_some());
        if is_told {
            continue;
        }
        let events = match (&module.unread, module.events.as_slice()) {
            (Some(why), _) => format!("which cannot be read: {why}"),
            (None, []) => "on no event".to_owned(),
            (None, events) => format!("on {}", events.join(", ")),
        };
        let finding = findings.add(
            Level::Warning,
            facts.paths.shown(&module.file),
            format!("the mod `{}` runs in the client, {events}", module.plugin),
            way_out(module),
        );
        if is_kept_out && opens(module).is_some() {
            finding.notice("the guard mod keeps it from the events that decide about a gate");
        }
    }
}
