//! The words to type for hookman, in hints.

use crate::install::target::Target;
pub(super) use crate::install::target::binary::typed as hookman;
use crate::machine::World;
use crate::manifest::{Action, Hook};

/// The words that run the commands of some hooks once; nothing where they have none.
pub(super) fn self_test(hooks: &[Hook], target: &Target) -> Option<String> {
    let is_command = |hook: &Hook| matches!(hook.action, Action::Command(_) | Action::Argv(_));
    let scope = target.flag().replace("--", "--scope ");
    hooks.iter().any(is_command).then(|| format!("doctor --self-test{scope}"))
}

pub(super) fn typed(world: &World, hint: &str) -> String {
    if hint.contains("`hookman ") {
        hint.replace("`hookman ", &format!("`{} ", hookman(world)))
    } else {
        hint.to_owned()
    }
}

/// Prints a line that names calls of hookman in backquotes, as they are to be typed.
pub(super) fn hint(world: &World, text: impl AsRef<str>) {
    world.terminal.line(typed(world, text.as_ref()));
}

pub(super) fn counted(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        several => format!("{several} {word}s"),
    }
}
