//! Switches for every session, and the state that a session takes over when it goes on under a new id.

use super::session_switches::{change_soon, moment, moment_in, switches};
use super::{Scene, careful, sessions};
use crate::machine::{Paths, clients};
use crate::session::SessionId;
use crate::session::switches::Off;

/// Gives the key of the switches for every session, shorter than any id of the client's.
pub fn session() -> SessionId<'static> {
    SessionId::new("everywhere")
}

pub fn current(paths: &Paths) -> Vec<Off> {
    let now = moment_in(String::new());
    let found = switches(paths, &session()).unwrap_or_default().0;
    found.current(now.at()).cloned().collect()
}

/// Gives a session that starts what is off in every session; where that fails, all hooks are on.
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

/// Gives a session under a new id the switches of the one before, and tells a fork what it lacks.
pub fn inherit(scene: &Scene<'_>, source: &str, client: u32) -> Option<String> {
    let before = match source {
        "clear" => sessions::before(scene.paths, client, &scene.session)?,
        "fork" | "resume" => sessions::forked_from(scene.paths, client, &scene.session, source)?,
        _ => return None,
    };
    if source == "clear" {
        careful::inherit(scene.paths, &before, &scene.session);
    }
    let (old, _) = switches(scene.paths, &before).ok()?;
    let now = moment(scene.paths, &before);
    let mut current: Vec<Off> = old.current(now.at()).cloned().collect();
    if current.is_empty() {
        return None;
    }
    if source != "clear" {
        let names: Vec<String> = current.iter().map(Off::label).collect();
        return Some(format!(
            "all hooks are on in this fork; off in the session it came from: {}",
            names.join(", ")
        ));
    }
    // Only the client's own word that a session goes on brings what a person switched in another.
    let is_told = clients::is_called_by_client(&scene.paths.config);
    for off in &mut current {
        off.person &= is_told;
    }
    // A session that cannot be given its switches has all hooks on, which is the safe side.
    let _ = change_soon(scene, |switches| {
        let new = switches.disabled.is_empty();
        if new {
            switches.disabled = current;
        }
        new
    });
    None
}
