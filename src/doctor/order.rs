//! Do gates see the calls that run, before anything acts on them?

use std::collections::HashSet;

use serde_json::Value;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::overlap::meet;
use crate::builtin::catalogue;
use crate::builtin::kind::Can;
use crate::client::event::{Block, Event};
use crate::install::command_faults::Around;
use crate::install::command_faults::places;
use crate::manifest::{Action, Hook, Manifest, OnError, Origin};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "gate-order",
        about: "hooks that must hold run before hooks with side effects",
        notice: "a command has acted on a call that the gate then blocks",
        run: gates_first,
    },
    Check {
        id: "gate-rewrite",
        about: "no call is rewritten behind a gate that is not asked again",
        notice: "the gate has let through another call than the one that runs",
        run: rewrites,
    },
    Check {
        id: "two-guards",
        about: "no chain has two command guards with the same rules",
        notice: "each command is read twice, and the stricter guard stops what the other lets pass",
        run: two_guards,
    },
];

/// The words of a command, or of its script, that deny or ask.
pub(super) const DENIES: &[&str] = &["deny", "\"ask", "'ask", "exit 2", "exit(2)"];

/// The word that a hook which rewrites a call's input has to write.
pub(super) const REWRITES: &str = "updatedInput";

/// A chain's hooks that are on, with what their commands find.
struct Chain<'f> {
    hooks: Vec<&'f Hook>,
    /// The names of those that may say no, as it takes reading a script to know that.
    gates: HashSet<&'f str>,
    manifest: &'f std::path::Path,
    around: &'f Around,
}

impl<'f> Chain<'f> {
    fn of(manifest: &'f Manifest, path: &'f std::path::Path, around: &'f Around) -> Self {
        let hooks = manifest.hooks.iter().filter(|hook| hook.enabled && hook.passed().is_none());
        let mut chain =
            Self { hooks: hooks.collect(), gates: HashSet::new(), manifest: path, around };
        let gates = chain.hooks.iter().filter(|hook| chain.may_deny(hook));
        chain.gates = gates.map(|hook| hook.name.as_str()).collect();
        chain
    }

    fn mentions(&self, hook: &Hook, word: &str) -> bool {
        places::hook_mentions(hook, self.manifest, self.around, word)
    }

    fn is_gate(&self, hook: &Hook) -> bool {
        self.gates.contains(hook.name.as_str())
    }

    /// Returns whether a hook may say no to what it is asked about.
    fn may_deny(&self, hook: &Hook) -> bool {
        let can_decide = match &hook.action {
            Action::Builtin { kind, .. } => {
                catalogue::kind(kind).is_some_and(|kind| kind.can.contains(&Can::Decide))
            }
            _ => DENIES.iter().any(|word| self.mentions(hook, word)),
        };
        !hook.manner.background && (is_closed(hook) || can_decide)
    }

    /// The first gate among some hooks that is asked about calls that a hook is asked about.
    fn gate_for<'h>(&self, hook: &Hook, among: &[&'h Hook]) -> Option<&'h Hook> {
        let is_it = |gate: &&&Hook| self.is_gate(gate) && share(gate, hook);
        among.iter().find(is_it).copied()
    }
}

fn is_closed(hook: &Hook) -> bool {
    hook.on_error == OnError::Closed
}

// A built-in hook is silent or decides; only a command may have done something else.
fn is_command(hook: &Hook) -> bool {
    matches!(hook.action, Action::Command(_) | Action::Argv(_))
}

/// Returns whether two hooks are asked about the same, where a hook can say no.
fn share(one: &Hook, other: &Hook) -> bool {
    one.events.iter().any(|event| {
        event.facts().block != Block::Never
            && other.events.contains(event)
            && meet(one.matcher.as_deref(), other.matcher.as_deref(), *event)
    })
}

fn place(hook: &Hook) -> String {
    hook.origin().map(Origin::place).unwrap_or_default()
}

fn gates_first(facts: &Facts, findings: &mut Findings) {
    let around = facts.around();
    for (of, manifest) in facts.manifests() {
        let chain = Chain::of(manifest, &of.chain.manifest, &around);
        // What rewrites calls belongs above the gates.
        let acts = |hook: &&Hook| {
            is_command(hook) && !chain.is_gate(hook) && !chain.mentions(hook, REWRITES)
        };
        for (index, hook) in chain.hooks.iter().enumerate().filter(|(_, hook)| acts(hook)) {
            if hook.manner.background {
                let others: Vec<&Hook> = chain.hooks.clone();
                if let Some(gate) = chain.gate_for(hook, &others).filter(|_| is_before_call(hook)) {
                    findings.add(
                        Level::Info,
                        place(hook),
                        format!(
                            "`{}` is `async`, so it acts on calls too that `{}` blocks",
                            hook.name, gate.name
                        ),
                        "leave `async` out, or have it run on `PostToolUse`",
                    );
                }
                continue;
            }
            let behind = &chain.hooks[index + 1..];
            let Some(gate) = chain.gate_for(hook, behind) else { continue };
            let closed: Vec<&Hook> = behind.iter().copied().filter(|it| is_closed(it)).collect();
            let closed = chain.gate_for(hook, &closed);
            if closed.is_none() && !is_before_call(hook) {
                continue;
            }
            let gate = closed.unwrap_or(gate);
            findings.add(
                if closed.is_some() { Level::Warning } else { Level::Info },
                place(gate),
                format!(
                    "`{}` {} but runs after `{}`, which has acted by then on calls that are blocked",
                    gate.name,
                    if closed.is_some() { "must hold" } else { "may say no" },
                    hook.name
                ),
                format!("move `{}` above `{}` in the manifest", gate.name, hook.name),
            );
        }
    }
}

/// Returns whether a hook is asked before a call is made.
fn is_before_call(hook: &Hook) -> bool {
    hook.events.contains(&Event::PreToolUse)
}

fn rewrites(facts: &Facts, findings: &mut Findings) {
    let around = facts.around();
    for (of, manifest) in facts.manifests() {
        let chain = Chain::of(manifest, &of.chain.manifest, &around);
        for (index, hook) in chain.hooks.iter().enumerate() {
            if !is_before_call(hook) || !is_command(hook) || !chain.mentions(hook, REWRITES) {
                continue;
            }
            let before = chain.hooks[..index].iter().copied();
            // One that must hold is asked again.
            let before: Vec<&Hook> = before.filter(|gate| !is_closed(gate)).collect();
            let Some(gate) = chain.gate_for(hook, &before) else { continue };
            findings.add(
                Level::Warning,
                place(hook),
                format!(
                    "`{}` may rewrite a call behind `{}`, which saw it as it was before",
                    hook.name, gate.name
                ),
                format!(
                    "write `on_error = \"closed\"` for `{}`, which has it asked again, or move `{}` \
                     above it",
                    gate.name, hook.name
                ),
            );
        }
        for (file, around) in facts.placed_files() {
            for handler in file.handlers().into_iter().filter(|handler| !handler.ours) {
                let matcher = handler.matcher.as_deref();
                let is_asked = |gate: &&&Hook| {
                    is_before_call(gate)
                        && meet(gate.matcher.as_deref(), matcher, Event::PreToolUse)
                        && chain.is_gate(gate)
                };
                if handler.event != Event::PreToolUse.name()
                    || !places::handler_mentions(&handler, &around, REWRITES)
                {
                    continue;
                }
                let Some(gate) = chain.hooks.iter().find(is_asked) else { continue };
                findings.add(
                    Level::Warning,
                    file.at_key(&handler, "command"),
                    format!(
                        "this handler rewrites a call next to `{}`, which sees it as it was before",
                        gate.name
                    ),
                    if ["user", "project", "local"].contains(&file.scope) {
                        format!(
                            "run `hookman adopt --all{}`, and place it above the gate",
                            file.flag()
                        )
                    } else {
                        "take the handler out; only those of settings can be adopted".to_owned()
                    },
                );
            }
        }
    }
}

fn two_guards(facts: &Facts, findings: &mut Findings) {
    for (_, manifest) in facts.manifests() {
        let guards =
            manifest.hooks.iter().filter(|hook| hook.enabled && !rule_ids(hook).is_empty());
        let guards: Vec<&Hook> = guards.collect();
        for (index, guard) in guards.iter().enumerate() {
            let ids = rule_ids(guard);
            let shares = |other: &&&Hook| {
                share(other, guard) && rule_ids(other).iter().any(|id| ids.contains(id))
            };
            let Some(other) = guards[..index].iter().find(shares) else { continue };
            findings.add(
                Level::Warning,
                place(guard),
                format!("`{}` and `{}` are command guards with the same rules", other.name, guard.name),
                "take one of them out, and set what it sets in the other; `hookman show NAME --rules` \
                 lists a guard's rules",
            );
        }
    }
}

/// The ids of a command guard's rules; none of another hook's.
fn rule_ids(hook: &Hook) -> Vec<&str> {
    let Action::Builtin { name, .. } = &hook.action else { return Vec::new() };
    let is_guard = catalogue::find(name).is_some_and(|it| it.kind.name == "command-guard");
    let rules = hook.options.get("rules").filter(|_| is_guard).and_then(Value::as_array);
    rules.into_iter().flatten().filter_map(|rule| rule["id"].as_str()).collect()
}
