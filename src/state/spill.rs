//! Texts that hooks meant for the model or the user and that had no room in an answer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::machine::files;
use crate::machine::paths::path_hash;

/// Keeps a text in a session's directory and gives its path; the same text is kept once.
pub fn keep(session: &Path, text: &str) -> Option<String> {
    let name = format!("{}.txt", path_hash(Path::new(text)));
    let path = folder(session).join(name);
    let known = files::read_text(&path).is_ok_and(|known| known.as_deref() == Some(text));
    if !known {
        files::replace_private(&path, text).ok()?;
    }
    Some(path.display().to_string())
}

/// Removes the texts of a session that are older than `kept`.
pub fn prune(session: &Path, kept: Duration) {
    files::remove_older(&folder(session), kept, &|_| true);
}

fn folder(session: &Path) -> PathBuf {
    session.join("texts")
}
