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
    let done = match after {
        Some(text) => {
            if let Some(folder) = path.parent() {
                files::make_directory(folder)?;
            }
            files::swap(path, before, text)?
        }
        None => files::remove_if(path, before)?,
    };
    if done { Ok(()) } else { Err(changed(world, path)) }
}

/// As [`write`], and says so.
///
/// # Errors
///
/// As [`write`].
pub(super) fn write_and_say(
    world: &World,
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
) -> Result<()> {
    write(world, path, before, after)?;
    let deed = if after.is_some() { "wrote" } else { "removed" };
    world.terminal.line(format!("{deed} {}", world.paths.shown(path)));
    Ok(())
}

/// What to say of a file that holds another text than the one a change was made from.
pub(super) fn changed(world: &World, path: &Path) -> anyhow::Error {
    anyhow!(
        "`{}` was changed while this ran and is left as it is now; run it again",
        world.paths.shown(path)
    )
}
