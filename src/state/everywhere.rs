//! Switches for every session: those that run when the switch is made get it at once, and those that
//! start while it holds get it as they start.

use super::session_switches::{Scene, change_soon, moment_in, switches};
use crate::machine::paths::Paths;
use crate::session::id::SessionId;
use crate::session::switches::Off;

/// Gives the key of the switches for every session, in the place of an id; the client's own ids are
/// longer.
pub fn session() -> SessionId<'static> {
    SessionId::new("everywhere")
}

/// Lists the hooks that are off in every session now.
pub fn current(paths: &Paths) -> Vec<Off> {
    let now = moment_in(String::new());
    let found = switches(paths, &session()).unwrap_or_default().0;
    found.current(now.at()).cloned().collect()
}

/// Gives a session that starts what is off in every session. One that cannot be given it has all hooks
/// on, which is the safe side.
pub fn join(scene: &Scene<'_>) {
    let current = current(scene.paths);
    if current.is_empty() {
        return;
    }
    let now = moment_in(String::new());
    let _ = change_soon(scene, |switches| {
        let mut is_changed = false;
        for off in current {
            is_changed |= switches.disable(off, now.at());
        }
        is_changed
    });
}
