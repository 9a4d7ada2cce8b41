//! Steps that run only as a person has seen them, and messages that a session gets once.

use std::time::Duration;

use super::call::Call;
use super::steps::Candidate;
use crate::chain::plan::Run;
use crate::manifest::OnError;
use crate::session::Store;
use crate::state::journal::Entry;
use crate::state::pins;

/// Drops changed steps that no person has seen, or fails closed ones; gives messages once a session.
pub(super) fn hold(
    steps: &mut Vec<Candidate<'_>>,
    call: &Call<'_>,
    store: &dyn Store,
    entry: &mut Entry<'_>,
) -> Option<String> {
    let mut held: Vec<(String, Vec<String>)> = Vec::new();
    steps.retain_mut(|Candidate { step, .. }| {
        if step.pin.is_empty() {
            return true;
        }
        let why = match step.pin.strip_prefix('!') {
            Some(why) => why.to_owned(),
            None => match pins::changed(step.pin, &call.chain) {
                None => return true,
                Some(why) => why,
            },
        };
        let name = format!("`{}`", step.name);
        match held.iter_mut().find(|it| it.0 == why) {
            Some((_, names)) => names.push(name),
            None => held.push((why.clone(), vec![name])),
        }
        if step.on_error == OnError::Open || step.observe.is_some() {
            entry.skipped(step, "held", why);
            return false;
        }
        step.run = Run::Held(why);
        true
    });
    if held.is_empty() || !call.event.shows_messages() || !tell_once(store, HELD) {
        return None;
    }
    let sentence = |(why, names): &(String, Vec<String>)| {
        let do_not = if names.len() == 1 { "does not" } else { "do not" };
        format!("{} {do_not} run: {why}", names.join(", "))
    };
    Some(held.iter().map(sentence).collect::<Vec<_>>().join("\n"))
}

/// The flag under which a session was told of a manifest that cannot be read.
pub(super) const BROKEN: &str = "manifest-broken";

/// The flag under which a session was told of an entry that calls nothing.
pub(super) const ASTRAY: &str = "entry-astray";

/// The flag under which a session was told of switches that cannot be used.
pub(super) const SWITCHES: &str = "switches-refused";

/// The flag under which a session was told of what the program that called does not heed.
pub(super) const UNHEEDED: &str = "answer-unheeded";

/// The flag under which a session was told of hooks that read a transcript as Claude Code keeps it.
pub(super) const UNREAD: &str = "transcript-unread";

/// The flag under which a session was told of hooks that are not as they were seen.
pub(super) const HELD: &str = "hooks-held";

/// Returns whether the session was not told this in the last day; from now on it was.
pub(super) fn tell_once(store: &dyn Store, what: &str) -> bool {
    let raised = store.raise(what, Duration::from_secs(24 * 60 * 60));
    // Where it cannot be noted that it was said, it is better said again than never.
    raised.unwrap_or_else(|_| !store.is_up(what).unwrap_or(false))
}
