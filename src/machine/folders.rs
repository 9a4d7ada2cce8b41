//! Looking into directories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What stands in a directory, in no order; nothing where there is no directory.
///
/// # Errors
///
/// What the system says.
pub fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// When a file or directory was last changed; `None` where there is none.
pub fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// When anything in a directory was last changed, itself included; `None` where that cannot be said.
pub fn last_change(directory: &Path) -> Option<SystemTime> {
    let mut newest = changed(directory)?;
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            newest = newest.max(changed(&entry.path()).unwrap_or(newest));
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    Some(newest)
}

/// Removes a directory with all that is in it; gives whether it did.
pub fn remove(directory: &Path) -> bool {
    fs::remove_dir_all(directory).is_ok()
}
