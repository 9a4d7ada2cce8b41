//! The hooks that an administrator has every user of a machine run: who else could change them, and the
//! files for a person who may not write there.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};

use super::Addition;
use crate::install::change::{Change, SettingsChange};
use crate::install::target::Target;
use crate::install::target::binary::{self, registered};
use crate::machine::{World, environment, files, folders};

/// Each file of an administrator's hooks that others than root can change, or not read, and why.
pub(crate) fn loose(folder: &Path, files: &[PathBuf]) -> Vec<(PathBuf, String)> {
    // A directory that was named by hand is as safe as whoever named it wants it.
    let is_usual = environment::raw("HOOKMAN_MANAGED_DIR").is_none();
    let owners: Vec<u32> = if is_usual {
        Vec::new()
    } else {
        let there = folder.ancestors().find(|it| it.exists());
        there.and_then(folders::owner).into_iter().collect()
    };
    let reason = |file: &PathBuf| Some((file.clone(), folders::loose(file, &owners)?));
    files.iter().filter_map(reason).collect()
}

/// The files that an administrator's hooks depend on, hookman's `binary` among them.
pub(crate) fn files(target: &Target, binary: Option<&Path>) -> Vec<PathBuf> {
    let manifest = &target.manifest;
    let mut files =
        vec![manifest.clone(), manifest.with_file_name("hookman.plan"), target.settings.clone()];
    let binary = binary.map(Path::to_owned).or_else(|| registered(&target.settings));
    files.extend(binary.map(|binary| binary::file(&binary)));
    files
}

/// Removes a plan and an empty directory that are of no use without an administrator's hooks.
pub(crate) fn tidy(target: &Target) {
    if target.managed().is_some() {
        let _ = files::remove(&target.manifest.with_file_name("hookman.plan"));
        if let Some(folder) = target.settings.parent() {
            files::remove_empty(&[folder.to_owned()]);
        }
    }
}

/// Warns of what others than root could change.
pub(crate) fn warn(world: &World, target: &Target, binary: Option<&Path>) {
    let Some(folder) = target.managed() else { return };
    for (file, reason) in loose(folder, &files(target, binary)) {
        world.terminal.warn(format!(
            "warning: {} does not hold for every user: {reason}; put it where only root writes and \
             all read, such as /usr/local/bin",
            world.paths.shown(&file)
        ));
    }
}

/// Refuses where the files cannot be written here, after printing what to put where.
pub(crate) fn check(
    world: &World,
    target: &Target,
    addition: &Addition,
    settings: &[SettingsChange],
) -> Result<()> {
    let mut changes =
        std::iter::once(addition as &dyn Change).chain(settings.iter().map(|it| it as _));
    let Err(error) = changes.try_for_each(|change| change.check(world)) else { return Ok(()) };
    world.terminal.line("\nAn administrator has to put this there, readable by everyone:");
    print(world, &target.manifest, addition.text());
    for change in settings {
        print(world, change.path(), change.plan.after.as_deref());
    }
    Err(refusal(&error, target))
}

fn print(world: &World, path: &Path, text: Option<&str>) {
    world.terminal.line(format!("\n==> {} <==", world.paths.shown(path)));
    world.terminal.print(text.unwrap_or_default());
}

fn refusal(error: &Error, target: &Target) -> Error {
    anyhow!(
        "nothing was written: {error:#}; as root, `hookman install{} --yes` writes it",
        target.flag()
    )
}
