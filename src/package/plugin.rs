//! The plugins that the client installed, as it lists them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::machine::files;
use crate::machine::paths::Paths;

pub fn file(paths: &Paths) -> PathBuf {
    paths.config.join("plugins/installed_plugins.json")
}

/// The installations of each plugin by its name with `@MARKETPLACE`, as 2.1.329 writes them in version 2.
pub fn installed(paths: &Paths) -> Map<String, Value> {
    let text = files::read_text(&file(paths)).ok().flatten();
    let mut list: Value =
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    match list["plugins"].take() {
        Value::Object(plugins) => plugins,
        _ => Map::new(),
    }
}

/// The data directory of an installed plugin, by the client's plugins reference and client 2.1.330.
pub fn data(paths: &Paths, name: &str) -> PathBuf {
    let is_kept = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let folder: String = name.chars().map(|it| if is_kept(it) { it } else { '-' }).collect();
    paths.config.join("plugins/data").join(folder)
}

/// The directory of the last of a plugin's installations that is for all projects, or for this one.
pub fn root(installations: &Value, project: Option<&Path>) -> Option<PathBuf> {
    let entry = installations.as_array()?.iter().rev().find(|entry| {
        let of = entry["projectPath"].as_str();
        of.is_none_or(|of| project.is_some_and(|project| project.starts_with(of)))
    })?;
    entry["installPath"].as_str().map(PathBuf::from)
}
