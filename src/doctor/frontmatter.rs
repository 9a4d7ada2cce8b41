//! The skills, agents and commands whose front matter has hooks, which the client runs while one is at
//! work.

use std::path::{Path, PathBuf};

use super::settings_file::{SettingsFile, Unreadable};
use crate::machine::paths::Paths;
use crate::machine::{folders, foreign};
use crate::syntax::frontmatter;

/// The bytes of a file that are read.
const MOST: u64 = 64 * 1024;

/// The depth to which directories of agents and commands are looked into.
const DEPTH: usize = 4;

/// The files in a directory of the client's, or of a plugin's, whose front matter has hooks.
///
/// Source: the client 2.1.329, which runs those of skills, agents and commands, but none of a
/// plugin's agents.
pub(super) fn below(paths: &Paths, folder: &Path, is_plugin: bool) -> Vec<SettingsFile> {
    let mut found = Vec::new();
    for skill in folders::entries(&folder.join("skills")).unwrap_or_default() {
        found.extend(read(paths, "skill", &skill.join("SKILL.md")));
    }
    for (scope, name) in [("agent", "agents"), ("command", "commands")] {
        if is_plugin && scope == "agent" {
            continue;
        }
        let files = markdown(&folder.join(name), DEPTH);
        found.extend(files.iter().filter_map(|path| read(paths, scope, path)));
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The names of the agents in a directory of the client's.
pub(super) fn agents(folder: &Path) -> Vec<String> {
    let name = |path: &PathBuf| {
        let text = foreign::read_start(path, MOST).ok()??;
        let line = text.lines().find_map(|line| line.strip_prefix("name:"))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned())
    };
    markdown(&folder.join("agents"), DEPTH).iter().filter_map(name).collect()
}

fn markdown(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in folders::entries(folder).unwrap_or_default() {
        if path.extension().is_some_and(|it| it == "md") {
            found.push(path);
        } else if depth > 1 && path.is_dir() {
            found.extend(markdown(&path, depth - 1));
        }
    }
    found
}

fn read(paths: &Paths, scope: &'static str, path: &Path) -> Option<SettingsFile> {
    let text = foreign::read_start(path, MOST).ok()??;
    let text = frontmatter::as_json(&text, "hooks")?.map(Some).map_err(Unreadable::Yaml);
    Some(SettingsFile::of_text(scope, path.to_owned(), paths.shown(path), text))
}
