//! Notices on the desktop: offered where a hook that notifies is added and the desktop's program is there.

use anyhow::Result;

use crate::builtin::catalogue;
use crate::builtin::notify::DESKTOP_PROGRAM;
use crate::install::target::options::Writing;
use crate::machine::world::World;
use crate::machine::{environment, program};

/// Returns whether the desktop is to show the notices of the hooks that are added, by their names;
/// where nobody is
/// asked, how they come is said.
pub(crate) fn wanted(
    world: &World,
    writing: &Writing,
    hooks: &[String],
    is_given: bool,
) -> Result<bool> {
    let notifies =
        |name: &&String| catalogue::find(name).is_some_and(|it| it.kind.name == "notify");
    let Some(hook) = hooks.iter().find(notifies) else { return Ok(false) };
    let path = environment::raw("PATH").unwrap_or_default();
    let is_there = program::on_path(DESKTOP_PROGRAM, &path).is_some();
    let by_terminal = "the terminal shows notices, or rings its bell";
    if !is_there {
        world.terminal.line(format!("{hook}: `{DESKTOP_PROGRAM}` is not here, so {by_terminal}."));
        return Ok(is_given);
    }
    if is_given {
        return Ok(true);
    }
    if writing.yes || writing.dry_run || !world.terminal.can_ask() {
        world
            .terminal
            .line(format!("{hook}: {by_terminal}; `--desktop` has the desktop show them too."));
        return Ok(false);
    }
    let question = format!("`{DESKTOP_PROGRAM}` is here. Shall the desktop show the notices too?");
    Ok(world.terminal.confirm(&question)?)
}
