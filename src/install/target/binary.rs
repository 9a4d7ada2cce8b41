//! Under which path the client calls hookman.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::client::call;
use crate::machine::{World, environment, files};
use crate::settings::own_handlers;
use crate::syntax::escaped::quoted;
use crate::syntax::json::Document;

/// The start of a path that fits every machine: the client's shell puts the home directory there.
pub(crate) const HOME: &str = "$HOME";

/// The program that a settings file names, if it is there; another copy is no reason to change it.
pub(crate) fn registered(settings: &Path) -> Option<PathBuf> {
    named(settings).into_iter().find(|path| files::is_executable(&file(path)))
}

/// The file of a path as it is registered: with the user's home directory in the place of `$HOME`.
pub(crate) fn file(path: &Path) -> PathBuf {
    let home = environment::raw("HOME").map(PathBuf::from);
    let in_home = path.strip_prefix(HOME).ok().zip(home);
    in_home.map_or_else(|| path.to_owned(), |(rest, home)| home.join(rest))
}

/// The paths of programs that hookman's entries in a settings file name.
pub(crate) fn named(settings: &Path) -> Vec<PathBuf> {
    let text = files::read_text(settings).ok().flatten().unwrap_or_default();
    let Ok(document) = Document::parse(&text) else { return Vec::new() };
    own_handlers(&document)
        .iter()
        .filter_map(program)
        .filter(|path| file(path).is_absolute())
        .collect()
}

/// The path of the program that a hookman entry names, as it is written; none behind a launcher.
pub(crate) fn program(handler: &Value) -> Option<PathBuf> {
    let command = handler.get("command")?.as_str()?;
    if handler.get("args").is_some() {
        return Some(PathBuf::from(command));
    }
    call::program(command).map(PathBuf::from).filter(|path| path.starts_with(HOME))
}

/// The word for hookman in a shell: its name where `PATH` leads to one, else its path.
pub(crate) fn typed(world: &World) -> String {
    const NAME: &str = "hookman";
    let on_path = environment::raw("PATH").unwrap_or_default();
    if std::env::split_paths(&on_path).any(|folder| files::is_executable(&folder.join(NAME))) {
        return NAME.to_owned();
    }
    let running = || std::env::current_exe().ok();
    let Some(path) = installed(world).ok().or_else(running) else {
        return NAME.to_owned();
    };
    let is_plain = |text: &str| {
        text.chars().all(|character| character.is_alphanumeric() || "/~._-+@%".contains(character))
    };
    let shown = world.paths.shown(&path);
    if is_plain(&shown) { shown } else { quoted(&path.display().to_string()) }
}

/// The call that this process is, with `--yes`.
pub(crate) fn with_yes(world: &World) -> String {
    let words = environment::arguments().iter().skip(1).map(|it| quoted(&it.to_string_lossy()));
    let mut words: Vec<String> = words.collect();
    // What follows is another program's.
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.insert(at, "--yes".to_owned());
    format!("{} {}", typed(world), words.join(" "))
}

/// The path under which the client is to find hookman: the given one, or that of this program.
pub(crate) fn binary_path(world: &World, given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) if path.starts_with(HOME) => path.to_owned(),
        Some(path) => std::path::absolute(path)?,
        None => installed(world)?,
    };
    if path.starts_with(HOME)
        && path.to_string_lossy()[HOME.len()..].contains(['$', '`', '"', '\\'])
    {
        bail!("`{}` means something else to a shell than what it says", path.display());
    }
    if !file(&path).is_file() {
        bail!("there is no program at `{}`", path.display());
    }
    if path.file_name().is_none_or(|name| name != "hookman") {
        bail!(
            "`{}` would not be recognised later; the program must be called hookman",
            path.display()
        );
    }
    Ok(path)
}

/// The path of this program as a settings file names it with `$HOME`, or else as users find it.
pub(crate) fn current(world: &World, settings: &Path) -> Result<PathBuf> {
    let path = binary_path(world, None)?;
    let is_same = |it: &PathBuf| {
        it.starts_with(HOME) && file(it).canonicalize().ok() == path.canonicalize().ok()
    };
    Ok(registered(settings).filter(is_same).unwrap_or(path))
}

/// The path of this program by which users find it, best a link's, which outlasts a version.
pub(crate) fn installed(world: &World) -> Result<PathBuf> {
    let running = std::env::current_exe().context("failed to find this program's own path")?;
    let same = |path: &PathBuf| {
        path.canonicalize().ok() == running.canonicalize().ok() && path.canonicalize().is_ok()
    };
    let on_path = environment::raw("PATH").unwrap_or_default();
    let home = world.paths.home.iter();
    let usual = home.flat_map(|home| [home.join(".local/bin"), home.join(".cargo/bin")]);
    let found = std::env::split_paths(&on_path)
        .filter(|folder| folder.is_absolute())
        .chain(usual)
        .map(|folder| folder.join("hookman"))
        .find(same);
    if let Some(path) = found {
        return Ok(path);
    }
    if running.components().any(|part| part.as_os_str() == "_npx") {
        bail!(
            "npx keeps this hookman only for a while; get one that stays with `npm install -g \
             hookman`, or name a path that stays with --binary PATH"
        );
    }
    let in_build = running.components().any(|part| part.as_os_str() == "target");
    if in_build {
        bail!(
            "this hookman runs from a build directory, which a later build replaces; \
             install it with ./install.sh, or name a path that stays with --binary PATH"
        );
    }
    Ok(running)
}
