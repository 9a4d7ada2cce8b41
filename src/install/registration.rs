//! From the hooks of a manifest to the entries that the client needs for them.

pub(crate) mod causes;
pub(crate) mod codex_trust;
pub(crate) mod entries;
pub(crate) mod folder_trust;
pub mod hosts;
pub(crate) mod off_switches;
pub(crate) mod warnings;

use std::path::Path;

use anyhow::{Context, Result};

use crate::install::registration::entries::demands_on_settings;
use crate::install::target::Target;
use crate::install::target::binary::{self, binary_path};
use crate::install::target::layers::Layers;
use crate::machine::world::World;
use crate::settings::Registration;
use crate::settings::wanted::{Caller, Demand, MANAGED, PROJECT, beyond, for_switches, wanted};

/// The entries that a target's hooks need in its settings; they call `binary`, or what is called there.
pub(crate) fn entries(
    world: &World,
    target: &Target,
    layers: &Layers,
    binary: Option<&Path>,
) -> Result<Vec<Registration>> {
    let (mut committed, all) = demands(layers, target.project.is_some());
    // The user's chain has to hear of switches as well.
    if target.chain.scope == "user" && !layers.all.hooks.is_empty() {
        committed.extend(for_switches());
    }
    let caller = caller(world, target, binary)?;
    Ok(if target.local { beyond(&committed, &all, &caller) } else { wanted(&committed, &caller) })
}

// In a project, entries of both files must be equal for the client to run them once. Only a file
// that is not in git may name paths of this machine.
fn caller(world: &World, target: &Target, given: Option<&Path>) -> Result<Caller> {
    if target.project.is_some()
        && (!target.local || target.launcher().is_some_and(|it| it.exists()))
    {
        return Ok(Caller::Launcher);
    }
    let kept = || binary::registered(&target.settings);
    let path = match given.map(Path::to_owned).or_else(kept) {
        Some(path) => path,
        None => binary_path(world, None)?,
    };
    if target.is_users() {
        return Ok(Caller::Binary(in_json(&path)?));
    }
    let binary = in_json(&binary::file(&path))?;
    let (flag, folder) = match (&target.project, target.managed()) {
        (Some(project), _) => (PROJECT, project.as_path()),
        (None, Some(folder)) => (MANAGED, folder),
        (None, None) => return Ok(Caller::Binary(binary)),
    };
    Ok(Caller::BinaryFor { binary, flag, folder: in_json(folder)? })
}

pub(crate) fn in_json(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).with_context(|| {
        format!("the path `{}` is not Unicode and cannot be written in JSON", path.display())
    })
}

/// The entries that only a project's overlay needs.
pub(crate) fn overlay_entries(layers: &Layers) -> Vec<Registration> {
    let (committed, all) = demands(layers, true);
    beyond(&committed, &all, &Caller::Launcher)
}

/// The demands on Claude Code's settings of the committed hooks, and of all.
fn demands(layers: &Layers, in_project: bool) -> (Vec<Demand<'_>>, Vec<Demand<'_>>) {
    let of = |hooks| demands_on_settings(hooks, &layers.committed, in_project);
    (of(&layers.committed.hooks), of(&layers.all.hooks))
}
