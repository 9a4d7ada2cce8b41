//! Do gates see the calls that run before anything acts on them, and hooks come behind what they need?

use std::collections::HashSet;

use serde_json::Value;

use super::check::{Check, Findings};
use super::facts::{ChainFacts, Facts};
use super::overlap::{is_for_nothing, meet};
use super::settings;
use crate::builtin::{Can, catalogue};
use crate::client::{Block, Event};
use crate::install::command_faults::places;
use crate::install::registration::warnings;
use crate::manifest::{Action, Hook, Manifest, OnError};
use crate::settings::Handler;
use crate::syntax::suggestion::nearest;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "gate-order", run: gates_first },
    Check { id: "two-guards", run: two_guards },
    Check { id: "after-order", run: after },
    Check { id: "mark-hook", run: super::marks::marks },
    Check { id: "race", run: races },
];

pub(super) const DENIES: &[&str] = &["deny", "\"ask", "'ask", "exit 2", "exit(2)"];

/// The word that a hook which rewrites a call's input has to write.
pub(super) const REWRITES: &str = "updatedInput";

/// A chain's hooks that are on, with what their commands find.
pub(super) struct Chain<'f> {
    pub(super) hooks: Vec<&'f Hook>,
    /// The names of those that may say no, as it takes reading a script to know that.
    gates: HashSet<&'f str>,
    of: &'f ChainFacts,
    facts: &'f Facts,
}

impl<'f> Chain<'f> {
    pub(super) fn of(facts: &'f Facts, of: &'f ChainFacts, manifest: &'f Manifest) -> Self {
        let hooks = manifest.hooks.iter().filter(|hook| hook.enabled && hook.passed().is_none());
        let mut chain = Self { hooks: hooks.collect(), gates: HashSet::new(), of, facts };
        let gates = chain.hooks.iter().filter(|hook| chain.may_deny(hook));
        chain.gates = gates.map(|hook| hook.name.as_str()).collect();
        chain
    }

    fn text(&self, hook: &Hook) -> String {
        let command = places::command_of_hook(hook, &self.of.chain.manifest, self.facts.around());
        command.map(|(command, around)| places::whole(&command, &around)).unwrap_or_default()
    }

    pub(super) fn rewrites(&self, hook: &Hook) -> bool {
        is_command(hook)
            && (self.text(hook).contains(REWRITES)
                || self.facts.rewriting.contains(&hook.place_of("hook")))
    }

    pub(super) fn is_gate(&self, hook: &Hook) -> bool {
        self.gates.contains(hook.name.as_str())
    }

    /// Returns whether a hook may say no to what it is asked about.
    fn may_deny(&self, hook: &Hook) -> bool {
        let can_decide = match &hook.action {
            Action::Builtin { kind, .. } => {
                catalogue::kind(kind).is_some_and(|kind| kind.can.contains(&Can::Decide))
            }
            _ => {
                let text = self.text(hook);
                DENIES.iter().any(|word| text.contains(word))
            }
        };
        !hook.manner.background && (is_closed(hook) || can_decide)
    }

    /// The first gate among some hooks that is asked about calls that a hook is asked about.
    pub(super) fn gate_for<'h>(
        &self,
        hook: &Hook,
        mut among: impl Iterator<Item = &'h Hook>,
    ) -> Option<&'h Hook> {
        among.find(|gate| self.is_gate(gate) && share(gate, hook))
    }
}

pub(super) fn is_closed(hook: &Hook) -> bool {
    hook.on_error == OnError::Closed
}

// A built-in hook is silent or decides; only a command may have done something else.
fn is_command(hook: &Hook) -> bool {
    matches!(hook.action, Action::Command(_) | Action::Argv(_))
}

/// Returns whether two hooks are asked about the same, where a hook can say no.
pub(super) fn share(one: &Hook, other: &Hook) -> bool {
    one.events.iter().any(|event| {
        event.facts().block != Block::Never
            && other.events.contains(event)
            && meet(one.matcher.as_deref(), other.matcher.as_deref(), *event)
    })
}

fn gates_first(facts: &Facts, findings: &mut Findings) {
    for (of, manifest) in facts.manifests() {
        let chain = Chain::of(facts, of, manifest);
        // What rewrites calls belongs above the gates.
        let acts = |hook: &&Hook| is_command(hook) && !chain.is_gate(hook) && !chain.rewrites(hook);
        for (index, hook) in chain.hooks.iter().enumerate().filter(|(_, hook)| acts(hook)) {
            let (is_before, place) = (is_before_call(hook), hook.place_of("hook"));
            if hook.manner.background {
                let gate = chain.gate_for(hook, chain.hooks.iter().copied());
                if let Some(gate) = gate.filter(|_| is_before) {
                    findings.say("async-and-gate", place, &[&hook.name, &gate.name]);
                }
                continue;
            }
            let before = chain.hooks[..index].iter().rev().copied();
            let neighbours = before.take_while(|it| hook.manner.parallel && it.manner.parallel);
            let neighbour = chain.gate_for(hook, neighbours.filter(|it| is_closed(it)));
            if let Some(gate) = neighbour.filter(|_| is_before) {
                findings.say("parallel-and-gate", place, &[&hook.name, &gate.name]);
            }
            let behind = || chain.hooks[index + 1..].iter().copied();
            let closed = chain.gate_for(hook, behind().filter(|it| is_closed(it)));
            let any = chain.gate_for(hook, behind()).filter(|_| is_before);
            let name = if closed.is_some() { "gate-behind" } else { "open-gate-behind" };
            if let Some(gate) = closed.or(any) {
                findings.say(name, gate.place_of("hook"), &[&gate.name, &hook.name]);
            }
        }
    }
}

pub(super) fn is_before_call(hook: &Hook) -> bool {
    hook.events.contains(&Event::PreToolUse)
}

pub(super) const SIDE_BY_SIDE: &str =
    "the client runs a project's hooks at the same time as a user's";

/// Returns whether a scope is that of a user's chain; a project's and its local one are another.
pub(super) fn is_of_user(scope: &str) -> bool {
    !["project", "local"].contains(&scope)
}

fn two_guards(facts: &Facts, findings: &mut Findings) {
    for (_, manifest) in facts.manifests() {
        for (other, guard) in warnings::two_guards(&manifest.hooks) {
            if share(other, guard) {
                findings.say("two-guards", guard.place_of("hook"), &[&other.name, &guard.name]);
            }
        }
    }
}

fn after(facts: &Facts, findings: &mut Findings) {
    for (chain, manifest) in facts.manifests() {
        for (index, hook) in manifest.hooks.iter().enumerate().filter(|(_, hook)| hook.enabled) {
            let place = hook.place_of("after");
            for name in &hook.manner.after {
                let found = manifest.hooks.iter().enumerate().find(|(_, it)| it.name == *name);
                let finding = match found {
                    None => "after-none",
                    Some((_, other)) if !other.enabled => "after-off",
                    Some((at, _)) if at >= index => "after-later",
                    Some((_, other)) if !hook.events.iter().any(|it| other.events.contains(it)) => {
                        continue;
                    }
                    Some((_, other)) if other.manner.background => "after-async",
                    Some((_, other)) if other.manner.parallel && hook.manner.parallel => {
                        "after-parallel"
                    }
                    Some(_) => continue,
                };
                let near = nearest(name, manifest.hooks.iter().map(|it| it.name.as_str()));
                let fix = match near {
                    Some(near) => format!("write `{near}`"),
                    None => "correct the name, or leave it out".to_owned(),
                };
                findings.say(finding, &place, &[&hook.name, name, &chain.shown, &fix]);
            }
        }
    }
}

const ORDERED: [Event; 2] = [Event::PreToolUse, Event::UserPromptSubmit];

/// Returns whether a chain has a hook for such calls: one of the user's or of the project's, where it says which.
fn chain_hits(facts: &Facts, of: Option<&str>, event: Event, matcher: Option<&str>) -> bool {
    let is_it = |scope: &str| of.is_none_or(|of| is_of_user(of) == is_of_user(scope));
    let chains = facts.manifests().filter(|(of, _)| is_it(of.chain.scope));
    let hooks = chains.flat_map(|(_, manifest)| &manifest.hooks);
    let hooks = hooks.filter(|it| it.enabled && it.passed().is_none());
    let mut hooks = hooks.filter(|it| it.events.contains(&event) && !it.manner.background);
    hooks.any(|hook| meet(hook.matcher.as_deref(), matcher, event))
}

pub(super) fn waits(handler: &Handler) -> bool {
    let is_set = |key: &str| handler.value.get(key).and_then(Value::as_bool) == Some(true);
    !handler.ours && !is_set("async") && !is_set("asyncRewake")
}

fn races(facts: &Facts, findings: &mut Findings) {
    let off = settings::off_switches_on(facts);
    for file in &facts.settings {
        let handlers = file.handlers();
        let races: Vec<&Handler> = handlers
            .iter()
            .filter(|handler| waits(handler))
            .filter(|handler| {
                let event = Event::from_name(&handler.event).filter(|it| ORDERED.contains(it));
                // Hooks that the client runs for the manifest are meant to run there.
                handler.text("type") == Some("command")
                    && !off.iter().any(|off| settings::is_kept_by(off, handler))
                    && event.is_some_and(|it| {
                        !is_for_nothing(handler, it)
                            && chain_hits(facts, None, it, handler.matcher.as_deref())
                    })
            })
            .collect();
        let Some(first) = races.first() else { continue };
        let several = match races.len() {
            1 => "this handler runs".to_owned(),
            2 => "this and 1 more handler run".to_owned(),
            several => format!("this and {} more handlers run", several - 1),
        };
        let flag = file.flag();
        let event = Event::from_name(&first.event).unwrap_or(Event::PreToolUse);
        let fix = if chain_hits(facts, Some(file.scope), event, first.matcher.as_deref()) {
            format!("run `hookman adopt --all{flag}`, which gives them a place in the order")
        } else {
            format!(
                "run `hookman adopt --all{flag}`, and write each gate that is to come first into that \
                 manifest too, under its name and with `on_error = \"closed\"`: {SIDE_BY_SIDE}"
            )
        };
        findings.say("race", file.at_key(first, "command"), &[&several, &first.event, &fix]);
    }
}
