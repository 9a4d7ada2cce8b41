//! Steps that run only as a person has seen them.

use super::call::Call;
use super::once::{self, tell_once};
use super::steps::Candidate;
use crate::chain::plan::Run;
use crate::manifest::OnError;
use crate::session::store::Store;
use crate::state::journal::Entry;
use crate::state::pins;

/// Leaves out the steps that are not as they were seen, and has those fail that must not fail open; with
/// what the user is to be told of them, once a session.
pub(super) fn hold(
    steps: &mut Vec<Candidate<'_>>,
    call: &Call<'_>,
    store: &dyn Store,
    entry: &mut Entry<'_>,
) -> Option<String> {
    let mut held: Vec<(String, String)> = Vec::new();
    steps.retain_mut(|Candidate { step, .. }| {
        if step.pin.is_empty() {
            return true;
        }
        let why = match step.pin.strip_prefix('!') {
            Some(why) => why.to_owned(),
            None => match pins::changed(step.pin) {
                None => return true,
                Some(path) => format!(
                    "`{path}` is not as you have seen it; `hookman trust{}` shows what changed",
                    call.chain.flag()
                ),
            },
        };
        held.push((step.name.to_owned(), why.clone()));
        if step.on_error == OnError::Open || step.observe.is_some() {
            entry.skipped(step, "held", why);
            return false;
        }
        step.run = Run::Held(why);
        true
    });
    let (_, why) = held.first()?;
    if !call.event.shows_messages() || !tell_once(store, once::HELD) {
        return None;
    }
    let names: Vec<String> = held.iter().map(|(name, _)| format!("`{name}`")).collect();
    let do_not = if names.len() == 1 { "does not" } else { "do not" };
    Some(format!("{} {do_not} run: {why}", names.join(", ")))
}
