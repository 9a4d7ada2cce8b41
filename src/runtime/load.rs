//! The first step of a run: the chain's plan, and its steps for a call.

use std::borrow::Cow;
use std::os::fd::OwnedFd;

use super::call::Call;
use crate::chain::{Plan, Step};
use crate::client::Event;
use crate::client::matcher::Target;
use crate::machine::clock;
use crate::manifest::OnError;
use crate::state::Lost;
use crate::state::chains::{self, Loaded};
use crate::state::journal::Entry;

pub(super) enum Load<'a> {
    Plan {
        /// The plan, or its head with its file.
        text: Cow<'a, str>,
        file: Option<OwnedFd>,
        /// The mistake of the manifest, where this is the last good plan.
        outdated: Option<String>,
    },
    Absent,
    /// There is no plan to go by.
    Broken(Broken),
}

/// The reason why a chain cannot be known, and what that means.
pub(super) struct Broken {
    pub problems: String,
    pub on_error: OnError,
}

/// Loads the plan of a call's chain, with a note of what was odd about it.
pub(super) fn load<'a>(call: &Call<'a>, entry: &mut Entry<'_>) -> Load<'a> {
    if let Some(plan) = call.kept.and_then(|kept| kept.plan) {
        return Load::Plan { text: plan.into(), file: None, outdated: None };
    }
    let mut file = None;
    match chains::load_called(call.paths, &call.chain, !call.host.is_claude(), &mut file) {
        Loaded::Plan(text) => Load::Plan { text: text.into(), file, outdated: None },
        Loaded::Mended(text) => {
            entry.note("the plan was damaged, and was made again".to_owned());
            Load::Plan { text: text.into(), file, outdated: None }
        }
        Loaded::LastGood(text, problems) => {
            entry.note(format!("the last good plan is used: {problems}"));
            Load::Plan { text: text.into(), file, outdated: Some(problems) }
        }
        Loaded::Absent => Load::Absent,
        Loaded::Broken { problems, on_error } => Load::Broken(Broken { problems, on_error }),
    }
}

pub(super) fn steps<'p>(
    call: &Call<'_>,
    plan: &'p str,
    target: &Target<'_>,
) -> Result<Vec<Step<'p>>, Broken> {
    let broken = |problems| {
        let on_error = chains::strictest(call.paths, &call.chain);
        Broken { problems, on_error }
    };
    let wrong =
        |line| format!("hookman does not understand its own plan, please report it: {line}");
    let plan = Plan::parse(plan).ok_or_else(|| broken("its plan is damaged".to_owned()))?;
    let has_no_apart = call.overrides.with_apart || !call.host.is_claude();
    let steps = plan.steps(call.event, call.hook.as_deref(), has_no_apart, target);
    let steps = steps.map(|step| step.map_err(|line| broken(wrong(line))));
    let judged = |step: Step<'p>| Step { observe: step.observe.filter(watches), ..step };
    steps.map(|step| step.map(judged)).collect()
}

/// Returns whether a hook that watches up to a day still does.
fn watches(until: &&str) -> bool {
    until.is_empty() || *clock::today() <= **until
}

/// Gives the message about an entry of a hook's own that calls nothing, as after the hook was renamed.
pub(super) fn astray(call: &Call<'_>, plan: &str, entry: &mut Entry<'_>) -> Option<String> {
    let (event, hook) = (call.event, call.hook.as_deref()?);
    if Plan::parse(plan).is_none_or(|plan| plan.answers(event, hook)) {
        return None;
    }
    let flag = if call.chain.overlay.is_some() { " --project" } else { "" };
    let message = format!(
        "{event} has an entry for `{hook}` of its own, and no hook of that name runs there; run \
         `hookman apply{flag}`"
    );
    entry.note(message.clone());
    let is_there = chains::entries(&call.chain).name(event, hook);
    (is_there && event.shows_messages()).then_some(message)
}

/// Gives the message at a session's start about entries without a manifest or a plan.
pub(super) fn lost(call: &Call<'_>, entry: &mut Entry<'_>) -> Option<String> {
    if call.event != Event::SessionStart || call.hook.is_some() {
        return None;
    }
    let message = Lost::of(call.paths, &call.chain)?.text();
    entry.note(message.clone());
    Some(message)
}
