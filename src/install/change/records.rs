//! The record of a settings file: the way to take hookman's entries out, the adopted handlers, and the
//! copies from before each write.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use crate::adoption::Kept;
use crate::install::target::Target;
use crate::machine::{World, backups, files, paths};
use crate::settings::{Record, Refusal, Remembered, Undo, plan};
use crate::syntax::diff::{Colour, unified_diff};

pub(crate) fn read(world: &World, settings: &Path) -> Result<Option<String>> {
    files::read_text(settings).with_context(|| left_alone(world, settings))
}

pub(crate) fn left_alone(world: &World, settings: &Path) -> String {
    format!("`{}` is left alone", world.paths.shown(settings))
}

/// The same with the reason, in which the client is the program that reads the file.
pub(crate) fn refused(world: &World, target: &Target) -> impl Fn(Refusal) -> anyhow::Error {
    let start = left_alone(world, &target.settings);
    let title = target.host.map_or("the client", |of| of.title);
    move |why| anyhow!("{start}: {}", why.to_string().replace("the client", title))
}

pub(crate) fn colour(world: &World) -> Colour {
    if world.terminal.colours { Colour::Always } else { Colour::Never }
}

/// Prints what changes in a file, and where that really is.
pub(crate) fn print_diff(world: &World, file: &Path, before: Option<&str>, after: Option<&str>) {
    if before != after && files::is_link(file) {
        let (shown, real) = (world.paths.shown(file), world.paths.shown(&paths::real(file)));
        world.terminal.line(format!("{shown} is a link to {real}"));
    }
    let diff = unified_diff(&world.paths.shown(file), before, after, colour(world));
    world.terminal.print(&diff);
}

/// The record that takes hookman's entries out of a settings file, changed by each of its writes.
pub(crate) fn undo_file(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("undo", settings)
}

/// Finds the way to take hookman's entries out of the text of a settings file.
pub(crate) fn undo(world: &World, settings: &Path, text: Option<&str>) -> Result<Option<Undo>> {
    let kept = files::read_text(&undo_file(world, settings))?;
    // What cannot be understood is no help in undoing, and the removal works without it.
    let kept: Option<Remembered> = kept.and_then(|text| serde_json::from_str(&text).ok());
    Ok(kept.and_then(|kept| kept.of(text)))
}

/// The record of the directories that hookman made for another program's file.
pub(crate) fn folders_file(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("folders", settings)
}

pub(crate) fn adoptions_file(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("adoptions", settings)
}

pub(crate) fn adoptions(world: &World, settings: &Path) -> Result<Option<Kept>> {
    let text = files::read_text(&adoptions_file(world, settings))?;
    // What cannot be understood is no help; the manifest knows enough to do without.
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Gives the directory of the copies of a settings file, a manifest or a launcher.
pub(crate) fn backup_directory(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("backups", settings)
}

/// Saves a settings file's text and record before `verb` writes it; gives where, if there is a file.
pub(crate) fn back_up(
    world: &World,
    settings: &Path,
    text: Option<&str>,
    undo: Option<&Undo>,
    verb: &str,
) -> Result<Option<PathBuf>> {
    let record = undo.map(|undo| serde_json::to_string(&undo.record)).transpose()?;
    let directory = backup_directory(world, settings);
    let save = |text| backups::save(&directory, text, record.as_deref(), verb, "json");
    Ok(text.map(save).transpose()?)
}

pub(crate) fn back_up_manifest(
    world: &World,
    manifest: &Path,
    text: Option<&str>,
    verb: &str,
) -> Result<()> {
    let directory = backup_directory(world, manifest);
    text.map(|text| backups::save(&directory, text, None, verb, "toml")).transpose()?;
    Ok(())
}

/// Finds the way to take hookman's entries out of a copy once it is put back.
pub(crate) fn undo_of_copy(copy: &Path, text: &str) -> Result<Option<Undo>> {
    let record = backups::record(copy)?;
    let record: Option<Record> = record.and_then(|text| serde_json::from_str(&text).ok());
    let Some(record) = record else { return Ok(None) };
    let Ok(removal) = plan(Some(text), &[], &record) else { return Ok(None) };
    Ok(Some(Undo { original: removal.after, after: text.to_owned(), record }))
}
