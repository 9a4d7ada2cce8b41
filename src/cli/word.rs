//! What to type for hookman, for hints that are to be typed.

use crate::machine::{environment, files};

use crate::install::binary;
use crate::machine::world::World;
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

/// A hint with every call of hookman in backquotes as it is to be typed.
pub(super) fn typed(world: &World, hint: &str) -> String {
    if hint.contains("`hookman ") {
        hint.replace("`hookman ", &format!("`{} ", hookman(world)))
    } else {
        hint.to_owned()
    }
}
