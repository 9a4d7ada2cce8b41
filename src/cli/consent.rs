//! Asking before writing.

use anyhow::{Result, bail};

use super::World;
use super::args::Writing;

/// As [`given`], but where nobody can be asked the preview was what was wanted: the user is told
/// how to go on, and that is no error.
///
/// # Errors
///
/// When the terminal cannot be read.
pub(super) fn given_or_preview(
    world: &World,
    writing: &Writing,
    question: &str,
    how: &str,
) -> Result<bool> {
    if !writing.dry_run && !writing.yes && !world.terminal.can_ask() {
        world.terminal.line(format!(
            "Nothing was written: there is no terminal to ask on. To write it: {how}"
        ));
        return Ok(false);
    }
    given(world, writing, question)
}

/// Whether the user wants it written: `--yes` says so, and a terminal is asked.
///
/// # Errors
///
/// When there is neither, or the terminal cannot be read.
pub(super) fn given(world: &World, writing: &Writing, question: &str) -> Result<bool> {
    if writing.dry_run {
        world.terminal.line("Nothing was written (--dry-run).");
        return Ok(false);
    }
    if writing.yes {
        return Ok(true);
    }
    if !world.terminal.can_ask() {
        bail!("nothing was written: there is no terminal to ask on, and --yes was not given");
    }
    let agreed = world.terminal.confirm(question)?;
    if !agreed {
        world.terminal.line("Nothing was written.");
    }
    Ok(agreed)
}
