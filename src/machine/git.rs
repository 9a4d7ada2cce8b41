//! What git says of a file.

use std::path::Path;
use std::process::{Command, Stdio};

/// Whether git ignores `path` in the work tree around `folder`; `None` without git or a work tree.
pub fn ignores(folder: &Path, path: &Path) -> Option<bool> {
    let status = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["check-ignore", "--quiet", "--"])
        .arg(path)
        // Inside a hook of git these name the repository that is committed to.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    match status.code() {
        Some(0) => Some(true),
        Some(1) => Some(false),
        _ => None,
    }
}
