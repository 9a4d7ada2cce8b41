//! Does what rewrites a call do so at the same time as a gate sees it, or as another rewrites it?

use super::check::{Check, Findings};
use super::facts::Facts;
use super::order::{
    Chain, DENIES, REWRITES, SIDE_BY_SIDE, is_before_call, is_closed, is_of_user, share, waits,
};
use super::overlap::Reach;
use super::settings_file::SettingsFile;
use crate::client::Event;
use crate::install::command_faults::places;
use crate::settings::Handler;

pub(super) const CHECKS: &[Check] =
    &[Check { id: "gate-rewrite", run: rewrites }, Check { id: "rewrites", run: both }];

/// One that the client waits for before a call: a hook of a chain, or a handler of others.
struct Asked<'f> {
    /// The chain that orders it, or what the client takes for the same handler.
    of: String,
    file: Option<&'f SettingsFile>,
    scope: &'f str,
    place: String,
    subject: String,
    name: String,
    reach: Reach,
    rewrites: bool,
    denies: bool,
    /// The names of the gates that its own chain asks about what it made.
    holding: Vec<&'f str>,
    hook: &'f str,
}

impl Asked<'_> {
    /// Returns whether nothing orders the two, and both may be asked about the same call.
    fn is_beside(&self, other: &Self) -> bool {
        let is_same = self.file.is_some() == other.file.is_some() && self.of == other.of;
        !is_same && self.reach.meets(&other.reach)
    }

    /// The way out that brings a handler of the two into the other's chain, so that it has an order.
    fn ordered_with(&self, other: &Self, then: &str) -> String {
        let is_same_side = is_of_user(self.scope) == is_of_user(other.scope);
        match self.file.or(other.file) {
            Some(file) if !["user", "project", "local"].contains(&file.scope) => {
                "take one of the two out; only those of settings can be adopted".to_owned()
            }
            Some(file) if is_same_side => {
                let flag = file.flag();
                format!(
                    "run `hookman adopt --all{flag}`, and order the two in the manifest, {then}"
                )
            }
            _ => format!("write both as hooks into one manifest, {then}: {SIDE_BY_SIDE}"),
        }
    }
}

fn asked(facts: &Facts) -> Vec<Asked<'_>> {
    let mut found = Vec::new();
    for (of, manifest) in facts.manifests() {
        let chain = Chain::of(facts, of, manifest);
        for hook in chain.hooks.iter().copied().filter(|hook| is_before_call(hook)) {
            let again = chain.hooks.iter().filter(|it| is_closed(it) && share(it, hook));
            found.push(Asked {
                of: of.shown.clone(),
                file: None,
                scope: of.chain.scope,
                place: hook.place_of("hook"),
                subject: format!("`{}`", hook.name),
                name: format!("`{}` of {}", hook.name, of.shown),
                reach: Reach::of(hook.matcher.as_deref(), Event::PreToolUse),
                rewrites: chain.rewrites(hook),
                denies: chain.is_gate(hook),
                holding: again.map(|it| it.name.as_str()).collect(),
                hook: &hook.name,
            });
        }
    }
    for (file, around) in facts.placed_files() {
        let is_asked = |it: &Handler| waits(it) && it.event == Event::PreToolUse.name();
        for handler in file.handlers().into_iter().filter(is_asked) {
            let text = places::text_of_handler(&handler, &around);
            let is_seen = facts.rewriting.contains(&file.at(handler.position));
            let rewrites = is_seen || text.contains(REWRITES);
            let place = file.at_key(&handler, "command");
            found.push(Asked {
                file: Some(file),
                scope: file.scope,
                subject: "this handler".to_owned(),
                name: place.clone(),
                place,
                reach: Reach::of(handler.matcher.as_deref(), Event::PreToolUse),
                rewrites,
                denies: !rewrites && DENIES.iter().any(|word| text.contains(word)),
                holding: Vec::new(),
                hook: "",
                of: handler.identity,
            });
        }
    }
    found
}

/// Names what rewrites a call while a gate sees it as it was before.
fn beside_gates(facts: &Facts, findings: &mut Findings) {
    let asked = asked(facts);
    for one in asked.iter().filter(|it| it.rewrites) {
        let is_passed = |gate: &&Asked<'_>| {
            gate.denies && one.is_beside(gate) && !one.holding.contains(&gate.hook)
        };
        let Some(gate) = asked.iter().find(is_passed) else { continue };
        let fix = one.ordered_with(gate, "the gate with `on_error = \"closed\"`");
        findings.say("rewrite-at-same-time", &one.place, &[&one.subject, &gate.name, &fix]);
    }
}

fn both(facts: &Facts, findings: &mut Findings) {
    let asked: Vec<Asked<'_>> = asked(facts).into_iter().filter(|it| it.rewrites).collect();
    for (index, one) in asked.iter().enumerate() {
        if let Some(other) = asked[..index].iter().find(|other| one.is_beside(other)) {
            let fix = one.ordered_with(other, "without `parallel`");
            findings.say("two-rewrites", &one.place, &[&one.subject, &other.name, &fix]);
        }
    }
}

fn rewrites(facts: &Facts, findings: &mut Findings) {
    for (of, manifest) in facts.manifests() {
        let chain = Chain::of(facts, of, manifest);
        for (index, hook) in chain.hooks.iter().enumerate() {
            if !is_before_call(hook) || !chain.rewrites(hook) {
                continue;
            }
            // One that must hold is asked again.
            let before = chain.hooks[..index].iter().copied().filter(|gate| !is_closed(gate));
            let Some(gate) = chain.gate_for(hook, before) else { continue };
            findings.say("rewrite-behind-gate", hook.place_of("hook"), &[&hook.name, &gate.name]);
        }
    }
    beside_gates(facts, findings);
}
