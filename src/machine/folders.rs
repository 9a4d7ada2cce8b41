//! Looking into directories.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::files::obstacle;

/// Lists the entries of a directory, in no order; none where there is no directory.
pub fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(obstacle(directory).unwrap_or(error)),
    }
}

/// The files with an extension in a directory and those below it, without names that begin with a dot.
pub fn shown_below(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let is_hidden = |path: &Path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let (mut found, mut folders) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in entries(&folder).unwrap_or_default() {
            if is_hidden(&path) {
                continue;
            }
            if fs::symlink_metadata(&path).is_ok_and(|it| it.is_dir()) {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) && !path.is_dir() {
                found.push(path);
            }
        }
    }
    found
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

/// Who may do what with a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// True if it is this user's.
    pub is_own: bool,
    pub mode: u32,
}

/// The owner and the mode of the file at a path; `None` if there is none.
pub fn access(path: &Path) -> Option<Access> {
    let metadata = fs::metadata(path).ok()?;
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    Some(Access { is_own, mode: metadata.mode() })
}

/// Has what this process makes from now on be readable by every user.
pub fn let_others_read() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
}

/// Explains why others than root, and `owners`, can change what a path leads to, or not read it.
pub fn loose(path: &Path, owners: &[u32]) -> Option<String> {
    const STICKY: u32 = 0o1000;
    let whole = path.canonicalize().ok()?;
    for part in whole.ancestors() {
        let metadata = fs::metadata(part).ok()?;
        let (shown, mode, owner) = (part.display(), metadata.mode(), metadata.uid());
        // What root has put into a directory such as /tmp, nobody else moves away.
        let is_open = mode & 0o022 != 0 && !(metadata.is_dir() && mode & STICKY != 0);
        let needed = if metadata.is_dir() { 0o001 } else { 0o004 };
        if owner != 0 && !owners.contains(&owner) {
            return Some(format!("`{shown}` belongs to the user {owner}"));
        } else if is_open {
            return Some(format!("other users may write to `{shown}`"));
        } else if mode & needed == 0 && owners.is_empty() {
            return Some(format!("other users cannot read the files in `{shown}`"));
        }
    }
    None
}

pub fn owner(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|metadata| metadata.uid())
}

pub fn set_mode(path: &Path, mode: u32) -> super::Result<()> {
    let set = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    set.map_err(super::Error::of("change the mode of", path))
}

/// The bytes that are free for this user on the file system of a directory, if it is there.
pub fn free_space(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// The second since 1970 in which a file was last changed.
pub fn changed_second(path: &Path) -> Option<i64> {
    fs::metadata(path).ok().map(|metadata| metadata.mtime())
}

/// The time at which a file was made, or last changed where the file system does not keep that.
pub fn made(path: &Path) -> Option<SystemTime> {
    let metadata = fs::metadata(path).ok()?;
    metadata.created().or_else(|_| metadata.modified()).ok()
}

/// The files with an extension two levels down that changed last, newest first, with that second.
pub fn newest_below(directory: &Path, extension: &str, most: usize) -> Vec<(PathBuf, i64)> {
    let folders = entries(directory).unwrap_or_default();
    let mut found = Vec::new();
    for path in folders.iter().flat_map(|folder| entries(folder).unwrap_or_default()) {
        if path.extension().is_some_and(|it| it == extension)
            && let Some(changed) = changed_second(&path)
        {
            found.push((path, changed));
        }
    }
    found.sort_by_key(|(_, changed)| std::cmp::Reverse(*changed));
    found.truncate(most);
    found
}
