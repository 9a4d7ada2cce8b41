//! The reason why each hook of a chain did or did not run: what `HOOKMAN_DEBUG=1` asks for.

use std::io::{self, Write};

use serde_json::Value;

use super::call::Call;
use super::overrides::{Overrides, SKIP};
use crate::builtin::silence::Silence;
use crate::chain::Plan;
use crate::client::matcher::Target;
use crate::client::{Event, Subject, model, tools};
use crate::machine::Paths;
use crate::manifest::{Action, Hook};
use crate::state::chains::{self, Loaded};
use crate::state::journal::{self, DENIED, Entry, Passed, WOULD};
use crate::state::{Chain, StepEntry};

/// The reason of a built-in hook that says nothing and of which the journal has no more.
const NOTHING: &str = "it found nothing to act on";

pub struct Told {
    pub hook: String,
    pub why: String,
}

/// The hooks of a chain, each with why it did or did not run.
#[derive(Default)]
pub struct Reasons {
    /// A remark on all of them, such as that the manifests cannot be read.
    pub before: Option<String>,
    pub hooks: Vec<Told>,
}

#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub chain: &'a Chain,
    pub event: Event,
    /// The hook that an entry of its own called; `None` for all others.
    pub only: Option<&'a str>,
}

/// Says why each hook did or did not run, to the journal's entry and on standard error.
pub(super) fn tell(call: &Call<'_>, code: u8, entry: &mut Entry<'_>) {
    let asked = Asked { chain: &call.chain, event: call.event, only: call.hook.as_deref() };
    entry.reasons = lines(call.paths, asked, &call.overrides, entry);
    // With exit code 2 standard error is the reason of the block.
    if code != 2 {
        for reason in &entry.reasons {
            let _ = writeln!(io::stderr(), "hookman: {} {reason}", call.event);
        }
    }
}

/// A line for each hook of the chain's manifests, and for each name to leave out that none has.
fn lines(paths: &Paths, asked: Asked<'_>, overrides: &Overrides, entry: &Entry<'_>) -> Vec<String> {
    let Reasons { before, hooks } = reasons(paths, asked, entry);
    let names: Vec<&str> = hooks.iter().map(|told| told.hook.as_str()).collect();
    let unknown = overrides
        .unknown(&names)
        .filter(|_| before.is_none())
        .map(|it| format!("{SKIP}={it}: no hook here has this name"));
    let told = hooks.iter().map(|Told { hook, why }| format!("{hook}: {why}"));
    before.iter().cloned().chain(told).chain(unknown).collect()
}

/// Explains why each hook of a chain did or did not run, from the journal's entry of the run and the
/// manifests as they are, or their last good version.
pub fn reasons(paths: &Paths, asked: Asked<'_>, entry: &Entry<'_>) -> Reasons {
    let chain = asked.chain;
    let hooks = match chains::read(paths, chain) {
        Ok(Some(manifest)) => manifest.hooks,
        Ok(None) => {
            let before = format!("{} is not there", paths.shown(&chain.manifest));
            return Reasons { before: Some(before), hooks: Vec::new() };
        }
        Err(problems) => {
            let Loaded::LastGood(plan, _) = chains::load(paths, chain) else {
                let before = format!("no hook ran, as the manifest cannot be read: {problems}");
                return Reasons { before: Some(before), hooks: Vec::new() };
            };
            let what = "the manifest cannot be read, so its last good version is used";
            let hooks = of_last_good(&plan, asked, entry);
            return Reasons { before: Some(format!("{what}: {problems}")), hooks };
        }
    };
    if hooks.is_empty() {
        let before = format!("{} lists no hooks", paths.shown(&chain.manifest));
        return Reasons { before: Some(before), hooks: Vec::new() };
    }
    let told = |hook: &Hook| {
        let why = known(&hook.name, entry, Some(hook));
        let mut why = why.unwrap_or_else(|| not_asked(hook, asked, entry));
        if let Some(package) = &hook.package {
            why.extend([" (of ", &package.version(), ")"]);
        }
        Told { hook: hook.name.clone(), why }
    };
    Reasons { before: None, hooks: hooks.iter().map(told).collect() }
}

fn of_last_good(plan: &str, asked: Asked<'_>, entry: &Entry<'_>) -> Vec<Told> {
    let Asked { event, only, .. } = asked;
    let Some(plan) = Plan::parse(plan) else { return Vec::new() };
    let every = Target::new(event, None);
    let of_event: Vec<&str> =
        plan.steps(event, only, false, &every).flatten().map(|step| step.name).collect();
    let reason = |name: &str| match known(name, entry, None) {
        Some(reason) => reason,
        None if !of_event.contains(&name) => {
            "not run: it is for another event, or called by an entry of its own".to_owned()
        }
        None if !entry.unasked.is_empty() => format!("not run: {}", entry.unasked),
        None if !entry.off.is_empty() => format!("not run: {}", entry.off),
        None => format!("not run: its matcher does not match `{}`", entry.subject),
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in plan.hooks() {
        // A hook of several events has a line for each.
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| Told { hook: name.to_owned(), why: reason(name) }).collect()
}

/// Gives the reason that the run itself has noted of a hook.
fn known(name: &str, entry: &Entry<'_>, hook: Option<&Hook>) -> Option<String> {
    let (again, steps): (Vec<&StepEntry>, Vec<_>) =
        entry.steps.iter().filter(|step| step.hook == name).partition(|step| step.again);
    let passed = || entry.passed.iter().find(|passed| passed.hook == name);
    // Of a patch's files the one that it had something to say of.
    let decided = steps.iter().find(|step| step.came_to(&entry.verdict));
    let first = decided.or(steps.first()).map(|step| of_step(step, hook));
    let first = first.or_else(|| Some(format!("not run: {}", why_passed(passed()?, entry))))?;
    let again = again.first().map(|it| format!("; for the rewritten input: {}", of_step(it, hook)));
    Some(first + &again.unwrap_or_default())
}

/// Gives the reason that a run has noted of a hook which no manifest has any more.
pub fn of_gone(step: &StepEntry) -> Told {
    let why = format!("{} (no manifest has it any more)", of_step(step, None));
    Told { hook: step.hook.clone(), why }
}

/// Says why a hook was passed over, with the name of the one that denied.
fn why_passed(passed: &Passed, entry: &Entry<'_>) -> String {
    let denied = |step: &&StepEntry| step.outcome == "deny" || step.decided == "deny";
    match entry.steps.iter().find(denied).filter(|_| passed.why == DENIED) {
        Some(step) => format!("`{}` came first and denied the call", step.hook),
        None => passed.in_words().to_owned(),
    }
}

/// Says which of a hook's conditions was not met, with its value in the manifest.
fn unmet(why: &str, hook: Option<&Hook>) -> String {
    let key = why.trim_matches('`').strip_prefix("when.");
    let value = |key: &str| match serde_json::to_value(&hook?.audience.when).ok()?.get_mut(key)? {
        Value::Array(values) if values.len() == 1 => Some(values[0].to_string()),
        value => Some(value.to_string()),
    };
    match key.and_then(value) {
        Some(value) if key.is_some_and(|key| key.ends_with("_not")) => {
            format!("its `{} = {value}` excludes it", why.trim_matches('`'))
        }
        Some(value) => format!("its `{} = {value}` is not met", why.trim_matches('`')),
        None => format!("its {why} is not met"),
    }
}

fn of_step(step: &StepEntry, hook: Option<&Hook>) -> String {
    let decided = match &*step.decided {
        "" => String::new(),
        _ if step.is_unheeded() => {
            ", which the agent does not heed, so it gets a denial".to_owned()
        }
        "context" => ", which the model is told".to_owned(),
        decided => match decided.strip_prefix(WOULD) {
            Some(word) => {
                format!(", which its `on_error` would take for: {word}, did it not only watch")
            }
            None => format!(", which its `on_error` takes for: {decided}"),
        },
    };
    if let Some(why) = &step.why {
        return match &*step.outcome {
            "off" => format!("off: {why}"),
            "unmet" => format!("not run: {}", unmet(why, hook)),
            _ => format!("not run: {why}{decided}"),
        };
    }
    let error = step.error.as_ref().map(|error| format!(": it {error}"));
    let reason = step.reason.as_ref().map(|reason| format!(": {reason}"));
    if step.quiet == Silence::Held.word() {
        return format!("not run: {}", Silence::Held.words());
    }
    let is_builtin = hook.is_some_and(|hook| matches!(hook.action, Action::Builtin { .. }));
    let nothing = (is_builtin && step.outcome == "silent").then_some(NOTHING);
    let quiet = Silence::of_word(&step.quiet).or(nothing).map(|words| format!(": {words}"));
    let said = error.or(reason).or(quiet).unwrap_or_default();
    if step.outcome == "not-started" {
        return format!("not run{decided}{said}");
    }
    let did = match &*step.outcome {
        "stop" if step.is_unheeded() => "wanted the turn to end",
        outcome => journal::did(outcome),
    };
    format!("ran for {}.{} ms, {did}{decided}{said}", step.us / 1000, step.us % 1000 / 100)
}

fn not_asked(hook: &Hook, Asked { chain, event, only }: Asked<'_>, entry: &Entry<'_>) -> String {
    let place =
        |key| hook.origins.get(key).map(|origin| format!(" ({origin})")).unwrap_or_default();
    let own = hook.manner.own_entry().is_some() && chains::entries(chain).call(hook, event);
    if let (Some(passed), true) = (hook.passed(), hook.enabled) {
        let kind = passed.handler.name();
        match &*entry.host {
            "" => format!("not run here: the client runs it, as a hook of type {kind}"),
            host => {
                format!("not run: only Claude Code runs a hook of type {kind}, and {host} does not")
            }
        }
    } else if !hook.enabled {
        format!("not run: enabled = false{}", place("enabled"))
    } else if !hook.events.contains(&event) {
        let events = Event::names(&hook.events);
        format!("not run: it is for {}", events.join(", "))
    } else if let (Some(only), false) = (only.filter(|it| *it != hook.name), own) {
        format!("not run: only `{only}` was asked for")
    } else if own && only.is_none_or(|only| only != hook.name) {
        "not run here: the client calls it by an entry of its own".to_owned()
    } else if !entry.unasked.is_empty() {
        format!("not run: {}", entry.unasked)
    } else if !is_for(hook, event, &entry.subject) {
        let matcher = hook.matcher.as_deref().unwrap_or_default();
        format!("not run: its matcher `{matcher}` does not match `{}`", entry.subject)
    } else if !entry.off.is_empty() {
        format!("not run: {}", entry.off)
    } else {
        "not run: the event was answered without it".to_owned()
    }
}

fn is_for(hook: &Hook, event: Event, subject: &str) -> bool {
    let subject = match event.facts().subject {
        Subject::Model => model::canonical(subject),
        _ => Some(subject),
    };
    let target = Target::new(event, subject).or_as(subject.and_then(tools::stand_in));
    target.is_hit_by(hook.matcher.as_deref().unwrap_or_default())
}
