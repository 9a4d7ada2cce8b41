//! Asking before writing.

use anyhow::Result;

use super::World;
use super::args::Writing;

/// Whether the user wants it written: `--yes` says so, a terminal is asked, and without either
/// nothing is written and the user is told `how` to go on.
///
/// # Errors
///
/// When the terminal cannot be read.
pub(super) fn given(world: &World, writing: &Writing, question: &str, how: &str) -> Result<bool> {
    if writing.dry_run {
        world.terminal.line("Nothing was written (--dry-run).");
        return Ok(false);
    }
    if writing.yes {
        return Ok(true);
    }
    if !world.terminal.can_ask() {
        world.terminal.line(format!(
            "Nothing was written: there is no terminal to ask on. To write it: {how}"
        ));
        return Ok(false);
    }
    let agreed = world.terminal.confirm(question)?;
    if !agreed {
        world.terminal.line("Nothing was written.");
    }
    Ok(agreed)
}
