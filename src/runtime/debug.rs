//! Why each hook of a chain did or did not run: what `HOOKMAN_DEBUG=1` asks for.

use super::chains::{self, Chain};
use super::journal::{Entry, StepEntry};
use super::overrides::{Overrides, SKIP};
use crate::client::event::{Event, Subject};
use crate::client::matcher::Target;
use crate::client::{model, tools};
use crate::machine::paths::Paths;
use crate::manifest::Hook;

/// A line for each hook of the chain's manifests, in their order, and one for each name to leave out
/// that none of them has.
pub(super) fn reasons(
    paths: &Paths,
    (chain, event, asked): (&Chain, Event, Option<&str>),
    overrides: &Overrides,
    entry: &Entry<'_>,
) -> Vec<String> {
    let hooks = match chains::read(paths, chain) {
        Ok(manifest) => manifest.unwrap_or_default().hooks,
        Err(problems) => return vec![format!("the manifest cannot be read: {problems}")],
    };
    if hooks.is_empty() {
        return vec![format!("{} lists no hooks", paths.shown(&chain.manifest))];
    }
    let reason = |hook: &Hook| match entry.steps.iter().find(|step| step.hook == hook.name) {
        Some(step) => of_step(step),
        None => not_chosen(hook, event, asked, entry),
    };
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let unknown =
        overrides.unknown(&names).map(|it| format!("{SKIP}={it}: no hook here has this name"));
    hooks.iter().map(|hook| format!("{}: {}", hook.name, reason(hook))).chain(unknown).collect()
}

fn of_step(step: &StepEntry) -> String {
    if step.outcome == "off" {
        return format!("off: {}", step.why.as_deref().unwrap_or("switched off"));
    }
    let error = step.error.as_ref().map(|error| format!(": it {error}")).unwrap_or_default();
    format!("ran for {} us: {}{error}", step.us, step.outcome)
}

fn not_chosen(hook: &Hook, event: Event, asked: Option<&str>, entry: &Entry<'_>) -> String {
    let place =
        |key| hook.origins.get(key).map(|origin| format!(" ({origin})")).unwrap_or_default();
    let own = hook.manner.own_entry().is_some();
    if let (Some(passed), true) = (hook.passed(), hook.enabled) {
        format!("not run here: the client runs it, as a hook of type {}", passed.handler.name())
    } else if !hook.enabled {
        format!("not run: enabled = false{}", place("enabled"))
    } else if !hook.events.contains(&event) {
        let events: Vec<&str> = hook.events.iter().map(|event| event.name()).collect();
        format!("not run: it is for {}", events.join(", "))
    } else if !is_for(hook, event, &entry.subject) {
        let matcher = hook.matcher.as_deref().unwrap_or_default();
        format!("not run: its matcher `{matcher}` does not match `{}`", entry.subject)
    } else if let (Some(asked), false) = (asked, own) {
        format!("not run: only `{asked}` was asked for")
    } else if own && asked.is_none_or(|asked| asked != hook.name) {
        "not run here: the client calls it by an entry of its own".to_owned()
    } else if !entry.off.is_empty() {
        format!("not run: {}", entry.off)
    } else if entry.verdict == "deny" {
        "not run: a hook before it denied the call".to_owned()
    } else if hook.manner.condition.is_some() {
        "not run: its `if` does not match the call".to_owned()
    } else if let Some(note) = entry.notes.first() {
        format!("not run: {note}")
    } else {
        "not run: the event was answered without it".to_owned()
    }
}

fn is_for(hook: &Hook, event: Event, subject: &str) -> bool {
    let subject = match event.facts().subject {
        Subject::Model => model::canonical(subject),
        _ => Some(subject),
    };
    let target = Target::new(event, subject).beside(subject.and_then(tools::stand_in));
    target.is_hit_by(hook.matcher.as_deref().unwrap_or_default())
}
