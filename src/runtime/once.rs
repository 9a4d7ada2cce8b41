//! The messages that a session gets once.

use std::time::Duration;

use crate::session::store::Store;

/// The flag under which a session was told of a manifest that cannot be read.
pub(super) const BROKEN: &str = "manifest-broken";

/// The flag under which a session was told of an entry that calls nothing.
pub(super) const ASTRAY: &str = "entry-astray";

/// The flag under which a session was told of switches that cannot be used.
pub(super) const SWITCHES: &str = "switches-refused";

/// The flag under which a session was told of what the program that called does not heed.
pub(super) const UNHEEDED: &str = "answer-unheeded";

/// The flag under which a session was told of hooks that are not as they were seen.
pub(super) const HELD: &str = "hooks-held";

/// Returns whether the session has not been told this in the last day; from now on it has. What is broken
/// while it guards a session is worth one warning, not one a call.
pub(super) fn tell_once(store: &dyn Store, what: &str) -> bool {
    let raised = store.raise(what, Duration::from_secs(24 * 60 * 60));
    // Where it cannot be noted that it was said, it is better said again than never.
    raised.unwrap_or_else(|_| !store.is_up(what).unwrap_or(false))
}
