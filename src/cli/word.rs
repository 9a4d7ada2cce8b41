//! The words to type for hookman, in hints.

use crate::machine::{environment, files};

use crate::install::target::Target;
use crate::install::target::binary;
use crate::machine::world::World;
use crate::manifest::{Action, Hook};
use crate::syntax::quoting::quoted;

/// The word for hookman in a shell: its name where `PATH` leads to one, else its path.
pub(super) fn hookman(world: &World) -> String {
    const NAME: &str = "hookman";
    let on_path = environment::raw("PATH").unwrap_or_default();
    if std::env::split_paths(&on_path).any(|folder| files::is_executable(&folder.join(NAME))) {
        return NAME.to_owned();
    }
    let running = || std::env::current_exe().ok();
    let Some(path) = binary::installed(world).ok().or_else(running) else {
        return NAME.to_owned();
    };
    let is_plain = |text: &str| {
        text.chars().all(|character| character.is_alphanumeric() || "/~._-+@%".contains(character))
    };
    let shown = world.paths.shown(&path);
    if is_plain(&shown) { shown } else { quoted(&path.display().to_string()) }
}

/// The words that run the commands of some hooks once; nothing where they have none.
pub(super) fn self_test(hooks: &[Hook], target: &Target) -> Option<String> {
    let is_command = |hook: &Hook| matches!(hook.action, Action::Command(_) | Action::Argv(_));
    let scope = target.flag().replace("--", "--scope ");
    hooks.iter().any(is_command).then(|| format!("doctor --self-test{scope}"))
}

/// A hint with every call of hookman in backquotes as it is to be typed.
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
