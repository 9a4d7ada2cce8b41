//! hookman's guard mod: a plugin that keeps other mods from the events that decide on gates.

use std::path::{Path, PathBuf};

use crate::machine::{Paths, files};

pub const NAME: &str = "hookman-guard";

const PLUGIN: &str = ".claude-plugin/plugin.json";

/// Its files, by path in its directory, and their texts.
const FILES: [(&str, &str); 3] = [
    (PLUGIN, include_str!("../../templates/guard-mod/plugin.json")),
    ("hooks/hooks.json", include_str!("../../templates/guard-mod/hooks.json")),
    ("hooks/register.js", include_str!("../../templates/guard-mod/register.js")),
];

/// Gives its directory. The client loads plugins from there without being asked (seen on 2.1.329).
pub fn folder(paths: &Paths) -> PathBuf {
    paths.config.join("skills").join(NAME)
}

pub fn files(paths: &Paths) -> impl Iterator<Item = (PathBuf, &'static str)> {
    let folder = folder(paths);
    FILES.into_iter().map(move |(file, text)| (folder.join(file), text))
}

/// Returns whether the user has it, whatever its files hold.
pub fn is_there(paths: &Paths) -> bool {
    folder(paths).join(PLUGIN).exists()
}

/// The first of its files that is not as hookman writes it.
pub fn changed(paths: &Paths) -> Option<PathBuf> {
    let is_changed = |file: &Path, text: &str| {
        !files::read_text(file).is_ok_and(|found| found.as_deref() == Some(text))
    };
    files(paths).find(|(file, text)| is_changed(file, text)).map(|(file, _)| file)
}
