//! Writing a text over the one that a change was made from, and over no other.

use std::path::Path;

use anyhow::{Result, anyhow};

use super::World;
use crate::machine::files;

/// Writes `after`, or removes the file if that is `None`, where the file still holds `before`;
/// `None` stands for no file. Directories that are missing are made.
///
/// # Errors
///
/// When the file was changed meanwhile, which is left as it is then, or cannot be written.
pub(super) fn write(
    world: &World,
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
) -> Result<()> {
    if swap(path, before, after)? { Ok(()) } else { Err(changed(world, path)) }
}

/// Writes or removes a file that still holds `before`, and gives whether it did.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn swap(path: &Path, before: Option<&str>, after: Option<&str>) -> Result<bool> {
    let Some(text) = after else { return Ok(files::remove_if(path, before)?) };
    if let Some(folder) = path.parent() {
        files::make_directory(folder)?;
    }
    Ok(files::swap(path, before, text)?)
}

/// What to say of a file that holds another text than the one a change was made from.
pub(super) fn changed(world: &World, path: &Path) -> anyhow::Error {
    anyhow!(
        "`{}` was changed while this ran and is left as it is now; run it again",
        world.paths.shown(path)
    )
}
