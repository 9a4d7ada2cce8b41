//! From a manifest to a change of the client's settings, and the change to disk.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::World;
use super::binary;
pub(super) use super::binary::binary_path;
use super::layers::Layers;
use super::proposal::Proposal;
use super::settling::Written;
pub(super) use super::target::Target;
use super::writes::Writes;
use crate::doctor::demands;
use crate::machine::{backups, files};
use crate::settings::adoption::Copied;
use crate::settings::wanted::{Caller, beyond, for_switches, wanted};
use crate::settings::{Colour, Registration, Remembered, Undo};

/// Plans the registration of a target's hooks: in a project's settings and then in those that its
/// overlay needs, or in the latter alone.
///
/// # Errors
///
/// When the settings cannot be read or must not be touched; the message names the file.
pub(super) fn propose(
    world: &World,
    target: &Target,
    layers: &Layers,
    binary: Option<&Path>,
) -> Result<Vec<Proposal>> {
    let own = entries(world, target, layers, binary)?;
    let mut proposals = vec![Proposal::with(world, target, own)?];
    proposals.extend(propose_overlay(world, target, layers, binary)?);
    Ok(proposals)
}

/// The entries that a target's hooks need in its settings file.
///
/// # Errors
///
/// When the client could not find hookman by them.
pub(super) fn entries(
    world: &World,
    target: &Target,
    layers: &Layers,
    binary: Option<&Path>,
) -> Result<Vec<Registration>> {
    of_file(world, target, layers, (binary, target.local))
}

/// As [`entries`], for the settings file of the target or of its overlay.
fn of_file(
    world: &World,
    target: &Target,
    layers: &Layers,
    (binary, local): (Option<&Path>, bool),
) -> Result<Vec<Registration>> {
    let (mut committed, all) = (demands(&layers.committed.hooks), demands(&layers.all.hooks));
    // The user's chain has to hear of switches as well.
    if target.project.is_none() && !layers.all.hooks.is_empty() {
        committed.extend(for_switches());
    }
    let caller = caller(world, target, binary)?;
    Ok(if local { beyond(&committed, &all, &caller) } else { wanted(&committed, &caller) })
}

/// Plans what the hooks of a project's overlay need once the committed ones are `layers`.
///
/// # Errors
///
/// As [`propose`].
pub(super) fn propose_overlay(
    world: &World,
    target: &Target,
    layers: &Layers,
    binary: Option<&Path>,
) -> Result<Vec<Proposal>> {
    let Some(overlay) = target.overlay() else { return Ok(Vec::new()) };
    let entries = of_file(world, target, layers, (binary, true))?;
    Ok(vec![Proposal::with(world, &overlay, entries)?])
}

/// Plans the removal of everything of ours.
///
/// # Errors
///
/// As [`propose`].
pub(super) fn propose_removal(world: &World, target: &Target) -> Result<Vec<Proposal>> {
    let targets = std::iter::once(target.clone()).chain(target.overlay());
    targets.map(|target| Proposal::removal(world, &target)).collect()
}

/// Shows the proposals that change something.
pub(super) fn show_changing(world: &World, proposals: &[Proposal]) {
    for proposal in proposals.iter().filter(|proposal| !proposal.plan.is_empty()) {
        proposal.show(world);
    }
}

/// Shows proposals; a project without anything local is not told of it.
pub(super) fn show(world: &World, proposals: &[Proposal]) {
    for (index, proposal) in proposals.iter().enumerate() {
        if index == 0 || !proposal.plan.is_empty() {
            proposal.show(world);
        }
    }
}

// An entry beside a committed one must be equal to it, and one of a file that is not in git may name
// this machine's paths.
fn caller(world: &World, target: &Target, given: Option<&Path>) -> Result<Caller> {
    if target.project.is_some()
        && (!target.local || target.launcher().is_some_and(|it| it.exists()))
    {
        return Ok(Caller::Launcher);
    }
    let path = match given {
        Some(path) => path.to_owned(),
        None => {
            binary::registered(&target.settings).map_or_else(|| binary_path(world, None), Ok)?
        }
    };
    let binary = in_json(&path)?;
    match &target.project {
        Some(project) => Ok(Caller::BinaryFor { binary, project: in_json(project)? }),
        None => Ok(Caller::Binary(binary)),
    }
}

fn in_json(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).with_context(|| {
        format!("the path `{}` is not Unicode and cannot stand in JSON", path.display())
    })
}

/// The text of a settings file.
///
/// # Errors
///
/// When there is one that cannot be read.
pub(super) fn read(world: &World, settings: &Path) -> Result<Option<String>> {
    files::read_text(settings).with_context(|| left_alone(world, settings))
}

/// What to say of a file that must not be touched.
pub(super) fn left_alone(world: &World, settings: &Path) -> String {
    format!("`{}` is left alone", world.paths.shown(settings))
}

/// Where that is kept which takes our entries out of a settings file.
pub(super) fn undo_file(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("undo", settings)
}

/// What is kept to take our entries out of the text that a settings file holds.
///
/// # Errors
///
/// When something is kept that cannot be read.
pub(super) fn undo(world: &World, settings: &Path, text: Option<&str>) -> Result<Option<Undo>> {
    let kept = files::read_text(&undo_file(world, settings))?;
    // What cannot be understood is no help in undoing, and the removal works without it.
    let kept: Option<Remembered> = kept.and_then(|text| serde_json::from_str(&text).ok());
    Ok(kept.and_then(|kept| kept.of(text)))
}

/// Keeps what belongs to a text that is to be put back, and to the one that stands there until then.
///
/// # Errors
///
/// What the system says.
pub(super) fn keep_undo(
    world: &World,
    settings: &Path,
    (last, current): (&Undo, Option<&str>),
    writes: &mut Writes,
) -> Result<()> {
    let earlier = undo(world, settings, current)?;
    let kept = Remembered { last: last.clone(), earlier };
    writes.keep(&undo_file(world, settings), Some(&serde_json::to_string(&kept)?))
}

/// Whether diffs are coloured.
pub(super) fn colour(world: &World) -> Colour {
    if world.terminal.colours { Colour::Always } else { Colour::Never }
}

/// Saves the text that a settings file holds before `verb` writes it, with what is kept of it, and
/// gives where; `None` where there is no file.
///
/// # Errors
///
/// When it cannot be saved; nothing may be written then.
pub(super) fn back_up(
    world: &World,
    settings: &Path,
    text: Option<&str>,
    kept: &Copied,
    verb: &str,
) -> Result<Option<PathBuf>> {
    let kept = if kept.is_empty() { None } else { Some(serde_json::to_string(kept)?) };
    let directory = backup_directory(world, settings);
    let save = |text| backups::save(&directory, text, kept.as_deref(), verb, "json");
    Ok(text.map(save).transpose()?)
}

/// Where the copies of a settings file, or of a launcher, are kept.
pub(super) fn backup_directory(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("backups", settings)
}

/// What changes whenever hookman works on a settings file.
pub(super) fn trace(world: &World, settings: &Path) -> Option<String> {
    files::read_text(&undo_file(world, settings)).ok().flatten()
}

/// The proposals that change something.
pub(super) fn written(proposals: &[Proposal]) -> Vec<&dyn Written> {
    let changing = proposals.iter().filter(|proposal| !proposal.plan.is_empty());
    changing.map(|proposal| proposal as &dyn Written).collect()
}
