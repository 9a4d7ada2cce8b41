//! Replacing a file in one step.
//!
//! The new text is written next to the target, synced and renamed over it, so a reader sees the old
//! file or the new one, and a killed process or a full disk leaves one of them.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{
    CWD, Gid, RenameFlags, Uid, XattrFlags, fchown, fgetxattr, flistxattr, fsetxattr, renameat_with,
};
use rustix::io::Errno;
use tempfile::NamedTempFile;

use super::files::{absent, check_alone, make_private_directory, read_text, resolve};
use super::{Error, Result, sweeping};

/// The purpose of a file, which decides the mode of a new one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The user's; the umask decides who may read it.
    Text,
    /// The user's, and it can be run.
    Program,
    /// hookman's own, readable by the user alone.
    Private,
    /// The same, and nothing is lost if it does not reach the disk.
    Fleeting,
}

/// Replaces or creates a user's file, through symlinks, and keeps mode, owner and extended attributes.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let target = resolve(path)?;
    put(prepare(&target, text, Kind::Text)?, &target)
}

/// As [`replace`], for a program: whoever may read the file may run it.
pub fn replace_program(path: &Path, text: &str) -> Result<()> {
    let target = resolve(path)?;
    put(prepare(&target, text, Kind::Program)?, &target)
}

/// Replaces a user's file if it still holds `expected`, or creates it for `None`; gives whether it did.
/// Where the file system can exchange names, the old text is compared after that, so that no write is lost
/// between.
pub fn swap(path: &Path, expected: Option<&str>, text: &str) -> Result<bool> {
    let target = resolve(path)?;
    let new = prepare(&target, text, Kind::Text)?;
    if read_text(&target)?.as_deref() != expected {
        return Ok(false);
    }
    let Some(expected) = expected else { return create(new, &target) };
    if expected.is_empty() {
        wait_for_text(&target);
        if read_text(&target)?.as_deref() != Some(expected) {
            return Ok(false);
        }
    }
    let new = sweeping::mark(new, &target, [expected, text])
        .map_err(Error::of("write to the directory", parent(&target)))?;
    match exchange(new.path(), &target) {
        Ok(()) => {}
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            return put(new, &target).map(|()| true);
        }
        Err(error) => return Err(Error::of("replace", &target)(error.into())),
    }
    // The temporary name is now that of the old file, which goes with it.
    let in_use = stays_open(new.path());
    if holds(new.path(), expected) && !in_use {
        sync_parent(&target);
        return Ok(true);
    }
    put_back(new, &target, text)?;
    if in_use {
        let error = io::Error::other("another program has it open for writing; run it again later");
        return Err(Error::of("replace", &target)(error));
    }
    Ok(false)
}

/// The time that a file that was emptied is left to the program that may be about to fill it.
const FILLING: Duration = Duration::from_secs(1);

/// Waits while a file is empty and just changed, as programs empty a file before they fill it.
fn wait_for_text(path: &Path) {
    const LOOK: Duration = Duration::from_millis(50);
    let mut left = FILLING;
    let is_young = || {
        let metadata = fs::metadata(path).ok()?;
        let age = metadata.modified().ok()?.elapsed().ok()?;
        Some(metadata.len() == 0 && age < FILLING)
    };
    while !left.is_zero() && is_young() == Some(true) {
        thread::sleep(LOOK);
        left = left.saturating_sub(LOOK);
    }
}

/// Returns whether a process keeps a file open for writing, longer than a starting child holds it.
fn stays_open(path: &Path) -> bool {
    const LOOKS: usize = 5;
    for _ in 1..LOOKS {
        if !is_being_written(path) {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    is_being_written(path)
}

/// Returns whether a process has a user's file open for writing, which only Linux tells.
#[cfg(target_os = "linux")]
fn is_being_written(path: &Path) -> bool {
    use std::os::fd::AsRawFd;

    let Ok(file) = File::open(path) else { return false };
    // The kernel grants a read lease only while nobody has the file open for writing (fcntl(2)). It
    // ends when `file` is closed.
    #[expect(unsafe_code, reason = "no crate of this project wraps F_SETLEASE")]
    // SAFETY: the descriptor is open for the whole call, and the third argument is an int.
    let granted = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
    granted == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
}

#[cfg(not(target_os = "linux"))]
fn is_being_written(_: &Path) -> bool {
    false
}

/// Compares a file's text; one that cannot be read is somebody else's.
fn holds(path: &Path, text: &str) -> bool {
    fs::read(path).is_ok_and(|found| found == text.as_bytes())
}

fn create(new: NamedTempFile, target: &Path) -> Result<bool> {
    match new.persist_noclobber(target) {
        Ok(_) => {
            sync_parent(target);
            Ok(true)
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::of("create", target)(error.error)),
    }
}

fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
}

/// Gives the target the text back that somebody wrote at the last moment, in the place of `ours`.
fn put_back(theirs: NamedTempFile, target: &Path, ours: &str) -> Result<()> {
    let done = exchange(theirs.path(), target);
    // Where it was written once more meanwhile, that text has the temporary name now.
    if done.is_ok() && holds(theirs.path(), ours) {
        return Ok(());
    }
    // Their text stays under another name rather than nowhere, and under none that is swept.
    let path = theirs.into_temp_path().keep().map_err(|error| error.error);
    let path = path.map_err(Error::of("keep the newer text of", target))?;
    let path = sweeping::set_aside(&path, target).unwrap_or(path);
    let error =
        done.err().map_or_else(|| io::Error::other("it was written twice"), io::Error::from);
    Err(Error::of("put back the newer text that is now in", &path)(error))
}

/// Replaces or creates a file that is hookman's own, readable by the user alone.
pub fn replace_private(path: &Path, text: &str) -> Result<()> {
    make_private_directory(parent(path))?;
    put(write_beside(path, text, None, Kind::Private)?, path)
}

/// As [`replace_private`], without waiting for the disk to have the name: it keeps the old or the new file.
pub fn replace_for_session(path: &Path, text: &str) -> Result<()> {
    make_private_directory(parent(path))?;
    rename(write_beside(path, text, None, Kind::Private)?, path)
}

/// As [`replace_private`], without waiting for the disk at all, for what is counted at each call.
pub fn replace_fleeting(path: &Path, text: &str) -> Result<()> {
    make_private_directory(parent(path))?;
    rename(write_beside(path, text, None, Kind::Fleeting)?, path)
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the text to a temporary file that has everything of the target but its name.
fn prepare(target: &Path, text: &str, kind: Kind) -> Result<NamedTempFile> {
    sweeping::sweep(parent(target));
    let old = match File::open(target) {
        Ok(file) => file,
        Err(error) if absent(&error) => return write_beside(target, text, None, kind),
        Err(error) => return Err(Error::of("read", target)(error)),
    };
    check_alone(&old.metadata().map_err(Error::of("look at", target))?, target)?;
    // A rename needs no write permission on the file itself, and a file that the user made
    // read-only is one that the user does not want changed.
    OpenOptions::new().write(true).open(target).map_err(Error::of("write", target))?;
    write_beside(target, text, Some(&old), kind)
}

fn write_beside(
    target: &Path,
    text: &str,
    old: Option<&File>,
    kind: Kind,
) -> Result<NamedTempFile> {
    let directory = parent(target);
    // The umask is taken off by the system, as for any new file.
    let mode = match (old, kind) {
        (Some(_), _) | (None, Kind::Private | Kind::Fleeting) => 0o600,
        (None, Kind::Text) => 0o666,
        (None, Kind::Program) => 0o777,
    };
    let mut new = sweeping::builder()
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(directory)
        .map_err(bare)
        .map_err(Error::of("write to the directory", directory))?;
    // The handle adds the temporary file's name to its errors, which would tell the user nothing.
    new.as_file_mut().write_all(text.as_bytes()).map_err(Error::of("write", target))?;
    if let Some(old) = old {
        keep_attributes(old, new.as_file(), kind)
            .map_err(Error::of("keep owner and attributes of", target))?;
    }
    if kind != Kind::Fleeting {
        new.as_file().sync_all().map_err(Error::of("write", target))?;
    }
    Ok(new)
}

// The error carries the temporary file's name, which would tell the user nothing where the kind of
// error tells all.
fn bare(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ (io::ErrorKind::NotFound
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::StorageFull) => kind.into(),
        _ => error,
    }
}

fn put(new: NamedTempFile, target: &Path) -> Result<()> {
    rename(new, target)?;
    sync_parent(target);
    Ok(())
}

fn rename(new: NamedTempFile, target: &Path) -> Result<()> {
    new.persist(target).map(drop).map_err(|error| Error::of("replace", target)(error.error))
}

// The rename has happened and every reader sees the new file. Should the machine lose power before
// the directory is on the disk, the old file is back, whole, so a failure here is none of the write.
fn sync_parent(target: &Path) {
    let _ = File::open(parent(target)).and_then(|directory| directory.sync_all());
}

fn keep_attributes(old: &File, new: &File, kind: Kind) -> io::Result<()> {
    let (before, after) = (old.metadata()?, new.metadata()?);
    if (before.uid(), before.gid()) != (after.uid(), after.gid()) {
        // Only root may give files away; a group that is kept is better than nothing.
        let group = Gid::from_raw(before.gid());
        let owner = Uid::from_raw(before.uid());
        if fchown(new, Some(owner), Some(group)).is_err() {
            fchown(new, None, Some(group)).or_else(tolerate_refusal)?;
        }
    }
    let mut names = vec![0_u8; 64 * 1024];
    let length = flistxattr(old, names.as_mut_slice()).or_else(|error| {
        tolerate_refusal(error)?;
        Ok::<_, io::Error>(0)
    })?;
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0_u8; 64 * 1024];
        match fgetxattr(old, name, value.as_mut_slice()) {
            Ok(length) => fsetxattr(new, name, &value[..length], XattrFlags::empty())
                .or_else(tolerate_refusal)?,
            Err(error) => tolerate_refusal(error)?,
        }
    }
    // A change of owner takes the set-id bits off, so the mode comes last.
    let mode = before.permissions().mode() & 0o7777;
    let runnable = if kind == Kind::Program { (mode & 0o444) >> 2 } else { 0 };
    new.set_permissions(Permissions::from_mode(mode | runnable))
}

// A file system without extended attributes has none to lose, and labels that only the system may
// set are set by the system on the new file too.
fn tolerate_refusal(error: Errno) -> io::Result<()> {
    match error {
        Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::ACCESS => Ok(()),
        other => Err(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_for_the_text_that_is_expected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        for (there, expected, done) in [
            (None, None, true),
            (None, Some("old"), false),
            (Some("old"), None, false),
            (Some("old"), Some("old"), true),
            (Some("other"), Some("old"), false),
        ] {
            let _ = fs::remove_file(&path);
            if let Some(there) = there {
                fs::write(&path, there).unwrap();
            }
            assert_eq!(swap(&path, expected, "new").unwrap(), done, "{there:?} {expected:?}");
            let found = fs::read_to_string(&path).ok();
            assert_eq!(found.as_deref(), if done { Some("new") } else { there });
            assert_eq!(fs::read_dir(&folder).unwrap().count(), usize::from(found.is_some()));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_is_being_written_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, "old").unwrap();
        let mut writer = OpenOptions::new().append(true).open(&path).unwrap();
        let error = swap(&path, Some("old"), "new").unwrap_err().to_string();
        assert!(error.contains("open for writing"), "{error}");
        writer.write_all(b"er").unwrap();
        drop(writer);
        assert_eq!(fs::read_to_string(&path).unwrap(), "older");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert!(swap(&path, Some("older"), "new").unwrap());
    }

    #[test]
    fn a_text_of_the_last_moment_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, "theirs").unwrap();
        let new = write_beside(&path, "ours", None, Kind::Text).unwrap();
        exchange(new.path(), &path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        put_back(new, &path, "ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
