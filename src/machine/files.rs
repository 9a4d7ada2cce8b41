//! Reading and writing files.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

pub use super::replacing::{
    replace, replace_fleeting, replace_for_session, replace_private, replace_program, swap,
};
pub use super::sweeping::{readable_temporary_in, rescue, sweep, sweep_tree, temporary_in};
use super::{Error, Result};

/// The marks that tell one version of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i128,
    pub inode: u64,
}

/// The stamp of a file, or `None` where there is none.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub is_directory: bool,
    pub is_file: bool,
    pub size: u64,
    /// The second since 1970 in which it was last changed.
    pub modified: i64,
    /// A mark that a later file does not have: the nanosecond in which it was made, or else its number.
    pub mark: u128,
}

/// Gives the facts about a path's target; `None` where there is nothing, or it may not be looked at.
pub fn facts(path: &Path) -> Option<Facts> {
    let metadata = fs::metadata(path).ok()?;
    let (is_directory, is_file) = (metadata.is_dir(), metadata.is_file());
    let made = metadata.created().ok().and_then(|it| it.duration_since(UNIX_EPOCH).ok());
    let mark = made.map_or_else(|| metadata.ino().into(), |it| it.as_nanos());
    Some(Facts { is_directory, is_file, size: metadata.len(), modified: metadata.mtime(), mark })
}

/// Returns whether anything is at a path, be it a link into nowhere or what may not be looked at.
pub fn is_there(path: &Path) -> bool {
    !matches!(fs::symlink_metadata(path), Err(error) if absent(&error))
}

/// The most bytes of a text: a clone can bring a file of any size in a few.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The text of a file, or `None` where there is none. Fails when the path is a directory, a link into
/// nowhere or unreadable, or the text is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>> {
    // Opening a pipe waits for a writer, and a device has no end.
    if let Ok(metadata) = fs::metadata(path)
        && !metadata.is_file()
    {
        let what = if metadata.is_dir() { "it is a directory" } else { "it is not a regular file" };
        return Err(Error::of("read", path)(io::Error::other(what)));
    }
    read_stream(path)
}

/// As `read_text`, and waits for who writes where the path is a pipe.
pub fn read_stream(path: &Path) -> Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if absent(&error) => {
            return if is_link(path) { Err(dangling(path)) } else { Ok(None) };
        }
        Err(error) => return Err(Error::of("read", path)(error)),
    };
    let mut bytes = Vec::new();
    (&file).take(LARGEST + 1).read_to_end(&mut bytes).map_err(Error::of("read", path))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::of("read", path)(io::Error::other("it has more than 64 MiB")));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let good = String::from_utf8_lossy(good);
        let line = good.matches('\n').count() + 1;
        let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let message = format!("line {line}, column {column}: a byte that is not UTF-8");
        Error::of("read", path)(io::Error::new(io::ErrorKind::InvalidData, message))
    })
}

/// Reads a small file that is hookman's own into `text`; `false` where there is none.
pub fn read_into(path: &Path, text: &mut String) -> io::Result<bool> {
    let Some(bytes) = read_checked(path, std::mem::take(text), |_| Ok(()))? else {
        return Ok(false);
    };
    *text = utf8(bytes)?;
    Ok(true)
}

/// Reads the head of a file that is hookman's own into `text`, and gives the file; `None` where there is none.
/// `head` finds its length in the first bytes; without it the head is all that there is.
pub fn read_head(
    path: &Path,
    head: impl FnOnce(&[u8]) -> Option<usize>,
    text: &mut String,
) -> io::Result<Option<OwnedFd>> {
    const FIRST: usize = 4096;
    let Some(file) = open_to_read(path)? else { return Ok(None) };
    let mut bytes = std::mem::take(text).into_bytes();
    bytes.reserve(FIRST);
    read_more(&file, &mut bytes)?;
    let wanted = head(&bytes).unwrap_or(usize::MAX);
    while bytes.len() < wanted {
        bytes.reserve(wanted.saturating_sub(bytes.len()).min(bytes.len().max(32 * 1024)));
        if read_more(&file, &mut bytes)? == 0 {
            break;
        }
    }
    bytes.truncate(wanted);
    *text = utf8(bytes)?;
    Ok(Some(file))
}

/// Reads a part of an open file; an error where it ends before.
pub fn read_part(file: BorrowedFd<'_>, start: u64, length: usize) -> io::Result<String> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length)?;
    while bytes.len() < length {
        let at = start + bytes.len() as u64;
        let read = rustix::io::retry_on_intr(|| {
            rustix::io::pread(file, rustix::buffer::spare_capacity(&mut bytes), at)
        })?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    bytes.truncate(length);
    utf8(bytes)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    let wrong = |_| io::Error::new(io::ErrorKind::InvalidData, "the text is not UTF-8");
    String::from_utf8(bytes).map_err(wrong)
}

/// As [`read_into`], for a file that decides something: one that others own or may write is refused, and
/// what is not UTF-8 is replaced.
pub fn read_own(path: &Path, text: &mut String) -> io::Result<bool> {
    let bytes = read_checked(path, std::mem::take(text), |file| check_own(file.as_fd()))?;
    let is_there = bytes.is_some();
    *text = String::from_utf8(bytes.unwrap_or_default())
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(is_there)
}

/// The refusal of [`read_own`] for an open file.
pub(super) fn check_own(file: BorrowedFd<'_>) -> io::Result<()> {
    static USER: LazyLock<u32> = LazyLock::new(|| rustix::process::geteuid().as_raw());
    let found = rustix::fs::fstat(file)?;
    let problem = if found.st_uid != *USER {
        "it belongs to another user; remove it"
    } else if found.st_mode & 0o022 != 0 {
        "other users may write it; remove it, or check it and `chmod 600` it"
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, problem))
}

/// Appends the bytes of a file to `text`; `None` if there is no file.
fn read_checked(
    path: &Path,
    text: String,
    check: impl FnOnce(&OwnedFd) -> io::Result<()>,
) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = open_to_read(path)? else { return Ok(None) };
    check(&file)?;
    let mut bytes = text.into_bytes();
    // The standard library asks for the size and the position first and reads once more at the
    // end; a run reads several files, so four calls for each are worth saving.
    loop {
        bytes.reserve(bytes.len().max(32 * 1024));
        let room = bytes.capacity() - bytes.len();
        if read_more(&file, &mut bytes)? < room {
            break;
        }
    }
    Ok(Some(bytes))
}

/// Opens a file; `None` if there is none. A pipe that is where a file should be is not waited for.
fn open_to_read(path: &Path) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(Some(file)),
        Err(error) if absent(&error.into()) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reads once into the room that the bytes have, and gives the number that came.
fn read_more(file: &OwnedFd, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let read = || rustix::io::read(file, rustix::buffer::spare_capacity(bytes));
    Ok(rustix::io::retry_on_intr(read)?)
}

/// The last `bytes` of a text file, from the first whole line on; empty where there is no file.
pub fn read_tail(path: &Path, bytes: u64) -> io::Result<String> {
    // A pipe is not waited for.
    let nonblock = OFlags::NONBLOCK.bits().cast_signed();
    let mut file = match OpenOptions::new().read(true).custom_flags(nonblock).open(path) {
        Ok(file) => file,
        Err(error) if absent(&error) => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let start = found.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
    let mut text = String::from_utf8(tail).unwrap_or_else(lossy);
    if start > 0 {
        let whole = text.find('\n').map_or(text.len(), |end| end + 1);
        text.drain(..whole);
    }
    Ok(text)
}

pub(super) fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns whether a path is that of a link; one that leads to no file is one into nowhere.
pub fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Makes a directory and its parents, readable by the user alone where it makes them.
pub fn make_private_directory(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| Error::of("create the directory", path)(obstacle(path).unwrap_or(error)))
}

/// Makes a directory of the user's, with the usual mode.
pub fn make_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path)
        .map_err(|error| Error::of("create the directory", path)(obstacle(path).unwrap_or(error)))
}

/// Makes the directories above a user's file, all or none; gives the missing ones, outermost first.
pub fn make_folders(path: &Path) -> Result<Vec<PathBuf>> {
    let is_missing = |folder: &&Path| !folder.exists();
    let missing = path.ancestors().skip(1).take_while(is_missing).map(Path::to_owned);
    let mut missing: Vec<PathBuf> = missing.collect();
    missing.reverse();
    if let Some(folder) = path.parent() {
        make_directory(folder).inspect_err(|_| remove_empty(&missing))?;
    }
    Ok(missing)
}

/// Removes directories, the last first; one that is not empty holds files of others and stays.
pub fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// Gives the error about a file where a directory should be, with the way out.
pub(super) fn obstacle(directory: &Path) -> Option<io::Error> {
    let found = directory.ancestors().find(|it| fs::symlink_metadata(it).is_ok())?;
    let what = match fs::metadata(found) {
        Ok(metadata) if metadata.is_dir() => return None,
        Ok(_) => "it is not a directory; move it elsewhere",
        Err(_) => "it is a symlink to nowhere; make the directory it points to or remove the link",
    };
    Some(io::Error::other(format!("`{}` is in the way: {what}", found.display())))
}

/// Returns whether a file could be replaced, or made with its directories, as far as can be told.
pub fn check_replaceable(path: &Path) -> Result<()> {
    let target = resolve(path)?;
    let existing = |it: &&Path| it.exists();
    let folders = target.parent().into_iter().flat_map(Path::ancestors);
    // The empty path is what is above a relative one.
    let Some(folder) = folders.filter(|it| !it.as_os_str().is_empty()).find(existing) else {
        return Ok(());
    };
    if let Some(parent) = target.parent()
        && let Some(obstacle) = obstacle(parent)
    {
        return Err(Error::of("create the directory", parent)(obstacle));
    }
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
        .map_err(|error| Error::of("write to the directory", folder)(error.into()))?;
    match fs::metadata(&target) {
        Ok(metadata) => {
            check_alone(&metadata, &target)?;
            rustix::fs::access(&target, rustix::fs::Access::WRITE_OK)
                .map_err(|error| Error::of("write", &target)(error.into()))
        }
        Err(_) => Ok(()),
    }
}

/// The files that a symlink leads to in turn, the last of which is none; nothing for any other path.
pub fn led_to(path: &Path) -> Vec<PathBuf> {
    // The system follows no more than 40.
    const MOST: usize = 40;
    let mut found: Vec<PathBuf> = Vec::new();
    let mut path = path.to_owned();
    while let Some(next) = fs::read_link(&path).ok().filter(|_| found.len() < MOST) {
        path.set_file_name("");
        path.push(next);
        found.push(path.clone());
    }
    found
}

/// Returns whether what is at `target` is a file without another name, which would keep the old text.
pub(super) fn check_alone(metadata: &fs::Metadata, target: &Path) -> Result<()> {
    let problem = if !metadata.is_file() {
        "it is not a file"
    } else if metadata.nlink() > 1 {
        "it has another hard link, which would keep the old text; make that a symlink to this \
         file, or separate the two: copy this file and move the copy over it"
    } else {
        return Ok(());
    };
    Err(Error::of("replace", target)(io::Error::other(problem)))
}

/// The file that a path means once symlinks are followed; a link to nothing is an error.
pub fn resolve(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if absent(&error) && !is_link(path) => Ok(path.to_owned()),
        Err(error) if absent(&error) => Err(dangling(path)),
        Err(error) => Err(Error::of("follow", path)(error)),
    }
}

fn dangling(link: &Path) -> Error {
    Error::of("follow the symlink", link)(io::Error::new(
        io::ErrorKind::NotFound,
        "it points to a file that does not exist; create that file or remove the link",
    ))
}

pub fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

pub fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

pub fn is_readable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

/// Returns whether a private file could be appended to, with room on the disk; one is made where none is.
pub fn check_writable(path: &Path) -> io::Result<()> {
    append_line(path, "")?;
    let mut probe = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    probe.write_all(&[b'x'; 4096])
}

/// Removes a file; one that is not there is no error.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if absent(&error) => Ok(()),
        Err(error) => Err(Error::of("remove", path)(error)),
    }
}

pub fn rename(path: &Path, name: &Path) -> Result<()> {
    fs::rename(path, name).map_err(Error::of("rename", path))
}

/// Gives a finished file a further name; of several processes at once, the system lets one through.
pub fn link(path: &Path, name: &Path) -> io::Result<bool> {
    match fs::hard_link(path, name) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a file, and not a symlink to it, if it still holds `expected`; gives whether it did.
pub fn remove_if(path: &Path, expected: Option<&str>) -> Result<bool> {
    let target = resolve(path)?;
    if read_text(&target)?.as_deref() != expected {
        return Ok(false);
    }
    remove(&target).map(|()| true)
}

/// Removes files of a directory whose names `fit` and that are older than `age`; best effort.
pub fn remove_older(directory: &Path, age: Duration, fits: &dyn Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let old = entry.metadata().is_ok_and(|metadata| {
            metadata.is_file()
                && metadata.modified().is_ok_and(|at| at.elapsed().is_ok_and(|it| it >= age))
        });
        if old && entry.file_name().to_str().is_some_and(fits) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Appends one line to a private file, made where it is missing, by a single write. A link is an error.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    open_to_append(path)?.write_all(line.as_bytes())
}

/// As [`append_line`], for a path that a person chose: a file that others may read is made private first.
pub fn append_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = open_to_append(path)?;
    if file.metadata()?.mode() & 0o077 != 0 {
        rustix::fs::fchmod(&file, Mode::from_raw_mode(0o600))?;
    }
    file.write_all(text.as_bytes())
}

fn open_to_append(path: &Path) -> io::Result<File> {
    // A pipe that is where the file should be is an error and not waited for.
    let open = || {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path)
    };
    match open() {
        Err(error) if absent(&error) => {
            if let Some(parent) = path.parent() {
                make_private_directory(parent).map_err(|error| error.source)?;
            }
            open()
        }
        other => other,
    }
}
