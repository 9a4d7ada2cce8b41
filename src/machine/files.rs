//! Reading and writing files.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, XattrFlags, fchown, fgetxattr, flistxattr, fsetxattr};

use super::{Error, Result};

/// What tells one version of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i128,
    /// The inode, which a rename changes.
    pub inode: u64,
}

/// The stamp of a file, or `None` where there is none.
///
/// # Errors
///
/// When the file may not be looked at.
pub fn stamp(path: &Path) -> Result<Option<Stamp>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(Stamp {
            size: metadata.size(),
            modified: i128::from(metadata.mtime()) * 1_000_000_000
                + i128::from(metadata.mtime_nsec()),
            inode: metadata.ino(),
        })),
        Err(error) if absent(&error) => Ok(None),
        Err(error) => Err(Error::of("look at", path)(error)),
    }
}

/// The text of a file, or `None` where there is none.
///
/// # Errors
///
/// When the path is a directory, a link into nowhere or unreadable, or the text is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if absent(&error) => {
            return if is_dangling(path) {
                Err(Error::of("follow the symlink", path)(io::Error::new(
                    io::ErrorKind::NotFound,
                    "it points to a file that does not exist; create that file or remove the link",
                )))
            } else {
                Ok(None)
            };
        }
        Err(error) => return Err(Error::of("read", path)(error)),
    };
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(Error::of("read", path))?;
    Ok(Some(text))
}

/// Reads a small file of hookman's own into `text`; `false` where there is none.
///
/// # Errors
///
/// What the system says.
pub fn read_into(path: &Path, text: &mut String) -> io::Result<bool> {
    // The standard library asks for the size and the position first and reads once more at the
    // end; a run reads several files, so four calls for each are worth saving.
    let file = match rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => file,
        Err(error) if absent(&error.into()) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let mut bytes = std::mem::take(text).into_bytes();
    loop {
        bytes.reserve(bytes.len().max(8 * 1024));
        let room = bytes.capacity() - bytes.len();
        let read = rustix::io::retry_on_intr(|| {
            rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes))
        })?;
        if read < room {
            break;
        }
    }
    *text = String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the text is not UTF-8"))?;
    Ok(true)
}

/// The last `bytes` of a text file, from the first whole line on; empty where there is no file.
///
/// # Errors
///
/// What the system says.
pub fn read_tail(path: &Path, bytes: u64) -> io::Result<String> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if absent(&error) => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let start = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let mut text = String::from_utf8_lossy(&tail).into_owned();
    if start > 0 {
        let whole = text.find('\n').map_or(text.len(), |end| end + 1);
        text.drain(..whole);
    }
    Ok(text)
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn is_dangling(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Makes a directory and its parents, readable by the user alone where it makes them.
///
/// # Errors
///
/// What the system says.
pub fn make_private_directory(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(Error::of("create the directory", path))
}

/// Makes a directory of the user's, with the usual mode.
///
/// # Errors
///
/// What the system says.
pub fn make_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(Error::of("create the directory", path))
}

/// Replaces or creates a file of the user's in one step.
///
/// The new text is written beside the target, synced and renamed over it, so a reader sees the old
/// file or the new one and a killed process leaves one of them. A symlink is followed; mode, owner
/// and extended attributes (on Linux the access control list is one) are kept.
///
/// # Errors
///
/// When any step fails; the target is untouched then.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let target = resolve(path)?;
    let old = match File::open(&target) {
        Ok(file) => Some(file),
        Err(error) if absent(&error) => None,
        Err(error) => return Err(Error::of("read", &target)(error)),
    };
    let mode = match &old {
        Some(file) => {
            let metadata = file.metadata().map_err(Error::of("look at", &target))?;
            if !metadata.is_file() {
                return Err(Error::of("replace", &target)(io::Error::other("it is not a file")));
            }
            writable(&target)?;
            metadata.permissions().mode() & 0o7777
        }
        None => 0o644,
    };
    write_beside(&target, text, mode, old.as_ref())
}

/// Replaces or creates a file of hookman's own, readable by the user alone.
///
/// # Errors
///
/// When any step fails; the old file is untouched then.
pub fn replace_private(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        make_private_directory(parent)?;
    }
    write_beside(path, text, 0o600, None)
}

// A rename needs no write permission on the file itself, and a file that the user made read-only
// is one that the user does not want changed.
fn writable(target: &Path) -> Result<()> {
    OpenOptions::new().write(true).open(target).map(drop).map_err(Error::of("write", target))
}

fn write_beside(target: &Path, text: &str, mode: u32, old: Option<&File>) -> Result<()> {
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(".hookman-")
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(directory)
        .map_err(Error::of("create a temporary file in", directory))?;
    new.write_all(text.as_bytes()).map_err(Error::of("write", new.path()))?;
    if let Some(old) = old {
        keep_attributes(old, new.as_file()).map_err(Error::of("keep the attributes of", target))?;
    }
    new.as_file()
        .set_permissions(Permissions::from_mode(mode))
        .map_err(Error::of("set the mode of", new.path()))?;
    new.as_file().sync_all().map_err(Error::of("sync", new.path()))?;
    new.persist(target).map_err(|error| Error::of("replace", target)(error.error))?;
    sync_directory(directory)
}

fn keep_attributes(old: &File, new: &File) -> io::Result<()> {
    let (before, after) = (old.metadata()?, new.metadata()?);
    if (before.uid(), before.gid()) != (after.uid(), after.gid()) {
        // Only root may give files away; a group that is kept is better than nothing.
        let group = rustix::fs::Gid::from_raw(before.gid());
        let owner = rustix::fs::Uid::from_raw(before.uid());
        if fchown(new, Some(owner), Some(group)).is_err() {
            fchown(new, None, Some(group)).or_else(tolerate_refusal)?;
        }
    }
    let mut names = vec![0_u8; 64 * 1024];
    let length = match flistxattr(old, names.as_mut_slice()) {
        Ok(length) => length,
        Err(error) => return tolerate_refusal(error),
    };
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0_u8; 64 * 1024];
        match fgetxattr(old, name, value.as_mut_slice()) {
            Ok(length) => fsetxattr(new, name, &value[..length], XattrFlags::empty())
                .or_else(tolerate_refusal)?,
            Err(error) => tolerate_refusal(error)?,
        }
    }
    Ok(())
}

// A file system without extended attributes has none to lose, and labels that only the system may
// set are set by the system on the new file too.
fn tolerate_refusal(error: rustix::io::Errno) -> io::Result<()> {
    use rustix::io::Errno;
    match error {
        Errno::OPNOTSUPP | Errno::NOSYS | Errno::PERM | Errno::ACCESS => Ok(()),
        other => Err(other.into()),
    }
}

fn sync_directory(directory: &Path) -> Result<()> {
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(Error::of("sync the directory", directory))
}

/// The file that a path stands for once symlinks are followed.
///
/// # Errors
///
/// When a link points to nothing, which is an error here: the user meant some file by it.
pub fn resolve(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if absent(&error) && !is_dangling(path) => Ok(path.to_owned()),
        Err(error) if absent(&error) => Err(Error::of("follow the symlink", path)(io::Error::new(
            io::ErrorKind::NotFound,
            "it points to a file that does not exist; create that file or remove the link",
        ))),
        Err(error) => Err(Error::of("follow", path)(error)),
    }
}

/// Lets a file of the user's be run by those who may read it.
///
/// # Errors
///
/// What the system says.
pub fn make_executable(path: &Path) -> Result<()> {
    let mode = fs::metadata(path).map_err(Error::of("look at", path))?.permissions().mode();
    let runnable = Permissions::from_mode(mode | ((mode & 0o444) >> 2));
    fs::set_permissions(path, runnable).map_err(Error::of("make executable", path))
}

/// Whether the user may run a file.
pub fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Whether a private file could be appended to; a file that is not there yet is made.
///
/// # Errors
///
/// What the system says.
pub fn check_writable(path: &Path) -> io::Result<()> {
    append_line(path, "")
}

/// Removes a file; one that is not there is no error.
///
/// # Errors
///
/// What the system says.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if absent(&error) => Ok(()),
        Err(error) => Err(Error::of("remove", path)(error)),
    }
}

/// Appends one line to a private file with a single write, so that lines of parallel processes do
/// not mix; makes the file and its directory where they are missing.
///
/// # Errors
///
/// What the system says.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let open = || OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    let mut file = match open() {
        Err(error) if absent(&error) => {
            if let Some(parent) = path.parent() {
                make_private_directory(parent).map_err(|error| error.source)?;
            }
            open()?
        }
        other => other?,
    };
    file.write_all(line.as_bytes())
}
