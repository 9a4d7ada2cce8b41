//! The slash commands: which files they are, and how one that hookman wrote is known again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::machine::paths::{self, content_hash};
use crate::machine::{Paths, files};

/// The names of the commands, after `hook:`, and their texts.
pub const COMMANDS: [(&str, &str); 4] = [
    ("disable", include_str!("../../templates/commands/disable.md")),
    ("enable", include_str!("../../templates/commands/enable.md")),
    ("status", include_str!("../../templates/commands/status.md")),
    ("careful", include_str!("../../templates/commands/careful.md")),
];

/// The placeholder in the texts for the path that they call.
pub const BINARY: &str = "@HOOKMAN@";

pub fn file(paths: &Paths, name: &str) -> PathBuf {
    paths.config.join("commands/hook").join(name).with_extension("md")
}

/// The files that hookman wrote next to a settings file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Written {
    pub files: BTreeMap<PathBuf, String>,
    pub directories: Vec<PathBuf>,
}

impl Written {
    pub fn record(paths: &Paths, settings: &Path) -> PathBuf {
        // The files are next to the settings, not next to the file that those may be a link to.
        let (folder, name) = (settings.parent(), settings.file_name());
        let place = paths::real(folder.unwrap_or(Path::new(""))).join(name.unwrap_or_default());
        paths.cache_for("companions", &place)
    }

    /// Reads a record; none where there is none that can be understood.
    pub fn read(record: &Path) -> crate::machine::Result<Self> {
        let text = files::read_text(record)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Returns whether the file at `path` holds text that hookman wrote: this or another version's.
    pub fn is_ours(&self, path: &Path, found: &str, template: &str) -> bool {
        is_made_from(template, found)
            || self.files.get(&paths::real(path)) == Some(&content_hash(found.as_bytes()))
    }
}

// A file that came with a dotfiles repository is in no record of this machine, and may call hookman
// by another path; it is nobody's work anyway.
fn is_made_from(template: &str, found: &str) -> bool {
    let mut parts = template.split(BINARY);
    let (Some(head), Some(next)) = (parts.next(), parts.next()) else { return template == found };
    let rest = found.strip_prefix(head).unwrap_or_default();
    rest.split_once(next).is_some_and(|(binary, _)| template.replace(BINARY, binary) == found)
}

/// Returns whether the client expands hookman's command for a name, and not somebody's own. A payload's
/// `command_source` is `userSettings` for the user's, which go first (2.1.329); in doubt it is hookman's.
pub fn is_ours(paths: &Paths, name: &str, source: &str) -> bool {
    if !["", "userSettings"].contains(&source) {
        return false;
    }
    let path = file(paths, name);
    let Ok(Some(found)) = files::read_text(&path) else { return true };
    let template = COMMANDS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
    let record = || Written::read(&Written::record(paths, &paths.user_settings()));
    is_made_from(template, &found)
        || record().is_ok_and(|written| written.is_ours(&path, &found, template))
}
