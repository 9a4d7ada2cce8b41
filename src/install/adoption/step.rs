//! Handlers that go from the settings into the manifest, or back: two files that change together.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::Result;

use super::state::AdoptionState;
use crate::adoption::Adoption;
use crate::client::host::CLAUDE;
use crate::client::host::files::Files;
use crate::install::change::settings::Adopting;
use crate::install::change::{Change, ManifestChange, SettingsChange};
use crate::install::registration::hosts;
use crate::install::target::Layers;
use crate::machine::World;
use crate::manifest::edit;
use crate::settings::Registration;

/// The manifest of someone who has only adopted hooks.
const EMPTY_MANIFEST: &str =
    "# The hooks of hookman, in the order they run in. Keep this file in git.\n";

const EMPTY_OVERLAY: &str =
    "# The hooks that only you have in this project. Keep this file out of git.\n";

pub(crate) struct Wanted {
    pub(crate) manifest: String,
    /// The adoption, with the hooks that only the manifest knows.
    pub(crate) now: Adoption,
    pub(crate) next: Adoption,
}

pub(crate) struct AdoptionStep {
    manifest: ManifestChange,
    settings: SettingsChange,
    pub(crate) layers: Layers,
    /// True if hooks come into the manifest.
    gains: bool,
}

impl AdoptionStep {
    /// The change to what is wanted, registered by the `entries` for the hooks of the manifest.
    pub(crate) fn new(
        world: &World,
        state: &AdoptionState,
        wanted: Wanted,
        entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
    ) -> Result<Self> {
        let target = &state.target;
        // A manifest that nobody but hookman wrote goes when it has no hook any more.
        let is_empty = [EMPTY_MANIFEST, EMPTY_OVERLAY].contains(&&*wanted.manifest);
        let goes = is_empty && state.adoption.made_manifest.unwrap_or(true);
        let after = (!goes).then_some(wanted.manifest);
        let edited = after.as_deref().unwrap_or_default();
        let layers = Layers::of(world, target, Some(edited))?.unwrap_or_default();
        let (now, next) = (wanted.now, wanted.next);
        let goal = Adopting { now, next, entries: entries(&layers)? };
        let settings = SettingsChange::adopting(world, state, goal)?;
        let manifest = ManifestChange::to(&target.manifest, state.manifest.clone(), after);
        let gains = layers.all.hooks.len() > state.layers.all.hooks.len();
        Ok(Self { manifest, settings, layers, gains })
    }

    /// Both changes, in an order in which no hook is ever in neither file.
    pub(crate) fn changes(&self) -> [&dyn Change; 2] {
        if self.gains { [&self.manifest, &self.settings] } else { [&self.settings, &self.manifest] }
    }

    /// Returns whether the manifest goes and no hook is left.
    pub(crate) fn is_end(&self) -> bool {
        self.manifest.after.is_none() && self.layers.all.hooks.is_empty()
    }

    pub(crate) fn removes(&self, path: &Path) -> bool {
        self.manifest.removes(path) || self.settings.removes(path)
    }

    pub(crate) fn settings(&self) -> &Path {
        self.settings.path()
    }
}

pub(crate) fn manifest_text(state: &AdoptionState) -> String {
    let empty = if state.target.local { EMPTY_OVERLAY } else { EMPTY_MANIFEST };
    state.manifest.clone().unwrap_or_else(|| empty.to_owned())
}

/// The change that gives hooks and orphaned handlers back by name; `entries` stay registered.
pub(crate) fn release(
    world: &World,
    state: &AdoptionState,
    names: &[&str],
    entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
) -> Result<AdoptionStep> {
    let mut hooks = state.adopted();
    let chosen: HashSet<&str> = names.iter().copied().collect();
    hooks.retain(|hook| chosen.contains(&*hook.name));
    // A hook of several handlers has one block, which is with the first of them.
    let kept = state.adoption.hooks.iter().rev().map(|kept| (&*kept.hook, &*kept.block));
    let blocks: HashMap<&str, &str> = kept.collect();
    let blocks: Vec<_> =
        hooks.iter().map(|hook| (&*hook.name, blocks.get(&*hook.name).copied())).collect();
    let now = state.presuming(&hooks)?;
    let mut next = now.without(names);
    let mut manifest = manifest_text(state);
    // A hook that came since is for the program too.
    let is_wanted = |of: &'static Files| {
        let is_old = |name: &String| chosen.contains(&**name) || next.others.contains(name);
        hosts::hooks(&state.layers.all.hooks, of).any(|hook| !is_old(&hook.name))
    };
    let is_last = next.made_host && next.hooks.is_empty();
    if let Some(of) = state.target.host.filter(|of| is_last && !is_wanted(of)) {
        next.made_host = false;
        let mut left = state.layers.committed.hosts.clone().unwrap_or_default();
        left.retain(|host| *host != of.host.name);
        let is_plain = left.is_empty() || left == [CLAUDE.name];
        manifest = edit::set_hosts(&manifest, (!is_plain).then_some(left.as_slice()));
    }
    let manifest = edit::remove(&manifest, &blocks)?;
    AdoptionStep::new(world, state, Wanted { manifest, now, next }, entries)
}
