//! From the hooks of a manifest to the entries that the client needs for them.

pub(crate) mod codex_trust;
pub(crate) mod entries;
pub(crate) mod folder_trust;
pub mod hosts;
pub(crate) mod off_switches;
pub(crate) mod warnings;

use std::path::Path;

use anyhow::{Context, Result};

use crate::client::host::CLAUDE;
use crate::install::registration::entries::demands;
use crate::install::target::Target;
use crate::install::target::binary::{self, binary_path};
use crate::install::target::layers::Layers;
use crate::machine::world::World;
use crate::settings::Registration;
use crate::settings::wanted::{Caller, MANAGED, PROJECT, beyond, for_switches, wanted};

/// The entries that the hooks of a target need in its settings file. They call `binary`, or what the
/// entries that are there call.
pub(crate) fn entries(
    world: &World,
    target: &Target,
    layers: &Layers,
    binary: Option<&Path>,
) -> Result<Vec<Registration>> {
    let (mut committed, all) =
        (demands(&layers.committed.hooks, &CLAUDE), demands(&layers.all.hooks, &CLAUDE));
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
    beyond(
        &demands(&layers.committed.hooks, &CLAUDE),
        &demands(&layers.all.hooks, &CLAUDE),
        &Caller::Launcher,
    )
}
