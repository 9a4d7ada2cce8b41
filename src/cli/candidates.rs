//! What a shell may offer for a word of the command line: names that this machine knows.
//!
//! Whoever presses the tab key wants an offer or silence, so what cannot be read offers nothing.

use clap_complete::CompletionCandidate;

use crate::builtin::catalogue;
use crate::client::event::Event;
use crate::doctor;
use crate::install::recipe::RECIPES;
use crate::machine::paths::Paths;
use crate::machine::terminal::Terminal;
use crate::machine::world::World;
use crate::manifest::Hook;
use crate::state::sessions::{self, Seen};
use crate::state::{configured, profiles};

fn world() -> Option<World> {
    Some(World { paths: Paths::from_environment().ok()?, terminal: Terminal::of_process() })
}

fn candidate(name: &str, help: impl Into<String>) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(help.into().into()))
}

/// The hooks that are configured here, with the events they run on.
pub(super) fn hooks() -> Vec<CompletionCandidate> {
    let found = world().and_then(|world| configured::hooks(&world).ok()).unwrap_or_default();
    let events =
        |hook: &Hook| hook.events.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    found.iter().map(|it| candidate(&it.hook.name, events(&it.hook))).collect()
}

/// The hooks that come with hookman.
pub(super) fn ready_made() -> Vec<CompletionCandidate> {
    let entries = catalogue::names().iter().filter_map(|name| catalogue::find(name));
    entries.map(|entry| candidate(entry.name, entry.summary.as_str())).collect()
}

pub(super) fn recipes() -> Vec<CompletionCandidate> {
    RECIPES.iter().map(|recipe| candidate(recipe.name, recipe.summary())).collect()
}

/// The hooks that are configured here, then those that come with hookman.
pub(super) fn all_hooks() -> Vec<CompletionCandidate> {
    let mut all = hooks();
    let more: Vec<_> = ready_made()
        .into_iter()
        .filter(|it| !all.iter().any(|known| known.get_value() == it.get_value()))
        .collect();
    all.extend(more);
    all
}

/// The profiles that the manifests declare, with the hooks they switch off.
pub(super) fn profiles() -> Vec<CompletionCandidate> {
    let project = configured::project();
    let found = world()
        .and_then(|world| profiles::profiles(&world.paths, project.as_deref()).ok())
        .map(|(found, _)| found)
        .unwrap_or_default();
    found.iter().map(|it| candidate(&it.name, it.disable.join(", "))).collect()
}

/// The ids of the sessions that called hookman, with the directory of each.
pub(super) fn sessions() -> Vec<CompletionCandidate> {
    let Some(world) = world() else { return Vec::new() };
    let describe = |seen: &Seen| {
        let state = if seen.live { "running" } else { "ended" };
        let folder = world.paths.shown(seen.started_in());
        if folder.is_empty() { state.to_owned() } else { format!("{state}, in {folder}") }
    };
    sessions::seen(&world.paths).iter().map(|it| candidate(it.id.as_str(), describe(it))).collect()
}

/// What may be asked of careful mode.
pub(super) fn careful() -> Vec<CompletionCandidate> {
    let wishes = [("on", "Have every guard block"), ("off", "Let levels count again")];
    wishes.map(|(wish, help)| candidate(wish, help)).into()
}

/// The families of checks, and the checks.
pub(super) fn checks() -> Vec<CompletionCandidate> {
    let families = doctor::FAMILIES.iter().map(|it| candidate(it.name, it.about));
    families.chain(doctor::checks().map(|it| candidate(it.id, it.about))).collect()
}

/// The client's events.
pub(super) fn events() -> Vec<CompletionCandidate> {
    Event::ALL.iter().map(|it| CompletionCandidate::new(it.name())).collect()
}
