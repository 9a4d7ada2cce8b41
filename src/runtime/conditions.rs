//! Judging a step's conditions on a payload.

use crate::chain::condition::{Condition, Unmet};
use crate::chain::plan::Step;
use crate::client::event::Event;
use crate::client::host::CLAUDE;
use crate::client::payload::Payload;
use crate::state::journal::Entry;
use crate::state::surroundings::Surroundings;

/// The first of a step's conditions that is not met. Conditions that cannot be read keep no hook
/// from running.
pub(super) fn unmet(
    step: &Step<'_>,
    payload: &Payload<'_>,
    entry: &mut Entry<'_>,
) -> Option<Unmet> {
    if step.conditions.is_empty() {
        return None;
    }
    let Some(condition) = Condition::parse(step.conditions) else {
        entry.note(format!("the conditions of `{}` were not read", step.name));
        return None;
    };
    let host = if entry.host.is_empty() { CLAUDE.name } else { &entry.host };
    condition.unmet(payload, &Surroundings { host })
}

/// Returns whether a condition is about what a step can rewrite: the input of a tool.
pub(super) fn may_change(event: Event, unmet: Unmet) -> bool {
    matches!(event, Event::PreToolUse | Event::PermissionRequest)
        && matches!(unmet, Unmet::If | Unmet::When("paths"))
}

/// Notes that a step does not run for its conditions.
pub(super) fn skip(step: &Step<'_>, unmet: Unmet, entry: &mut Entry<'_>) {
    match unmet {
        // As with a matcher, the hook has nothing to do with the call.
        Unmet::If => entry.passed_over(step, "if"),
        Unmet::Hosts => entry.skipped(step, "unmet", "`hosts`".to_owned()),
        Unmet::When(key) => entry.skipped(step, "unmet", format!("`when.{key}`")),
    }
}
