//! Directories of files that are known by their content: read with limits, and kept read-only under a
//! name that only a whole one gets.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use sha2::{Digest, Sha256};

use super::files;

pub const MOST_FILES: usize = 10_000;
pub const MOST_BYTES: u64 = 50 * 1024 * 1024;

/// The beginning of the names of directories that are not whole yet.
const UNFINISHED: &str = ".unfinished-";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// The files of a tree by their paths in it, with slashes.
pub type Tree = BTreeMap<String, Leaf>;

#[derive(Debug, thiserror::Error)]
pub enum BadTree {
    /// A path that could be written elsewhere, or that this machine could take for another one.
    #[error("its path {0:?} {1}")]
    Path(String, &'static str),
    #[error("its paths {0:?} and {1:?} are one where letters have no case")]
    Case(String, String),
    /// A link that leads out of the tree, or to nothing in it.
    #[error("its link {0:?} leads to {1:?}, which is no file in it")]
    Link(String, String),
    #[error("it has more than {MOST_FILES} files")]
    TooManyFiles,
    #[error("it has more than {} MiB", MOST_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
}

impl From<io::Error> for BadTree {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

pub fn check_path(path: &str) -> Result<(), BadTree> {
    let bad = |why| Err(BadTree::Path(path.to_owned(), why));
    if path.len() > 1024 {
        return bad("is too long");
    }
    for part in path.split('/') {
        let plain: String =
            part.chars().filter(|it| !is_ignorable(*it)).collect::<String>().to_lowercase();
        let plain = plain.trim_end_matches(['.', ' ']);
        match plain {
            "" => return bad("leads elsewhere"),
            ".git" | "git~1" => return bad("is a name of git's own"),
            _ if part.len() > 255 => return bad("is too long"),
            _ if part.contains(['\\', ':']) => {
                return bad("has a character that is special on some systems");
            }
            _ if part.chars().any(char::is_control) => return bad("has a control character"),
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a file system of macOS passes a character over when it compares names.
fn is_ignorable(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Refuses paths of which two are one where letters have no case.
pub fn check_case<'p>(paths: impl Iterator<Item = &'p str>) -> Result<(), BadTree> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for path in paths {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let other = *known.entry(path[..end].to_lowercase()).or_insert(&path[..end]);
            if other != &path[..end] {
                return Err(BadTree::Case(other.to_owned(), path[..end].to_owned()));
            }
        }
    }
    Ok(())
}

/// The path that a link of a tree leads to; `None` where it leads out of it.
pub fn led_to(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The content of a tree as one SHA-256, in hexadecimal digits.
pub fn digest(tree: &Tree) -> String {
    let mut all = Sha256::new();
    for (path, leaf) in tree {
        let mark = if leaf.executable { "x" } else { "-" };
        all.update(format!("{mark} {} {path}\0", leaf.bytes.len()));
        all.update(&leaf.bytes);
    }
    hexadecimal(&all.finalize())
}

/// The SHA-256 of a content, in hexadecimal digits.
pub fn hash(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads the files of a directory; what belongs to git is passed over.
pub fn read(folder: &Path) -> Result<Tree, BadTree> {
    let root = folder.canonicalize()?;
    let mut tree = Tree::new();
    let mut size = 0;
    let mut left = vec![(root.clone(), String::new())];
    while let Some((folder, path)) = left.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                let name = entry.file_name().to_string_lossy().into_owned();
                return Err(BadTree::Path(name, "is no UTF-8"));
            };
            if path.is_empty() && name == ".git" {
                continue;
            }
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            check_path(&path)?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                left.push((entry.path(), path));
                continue;
            }
            if kind.is_symlink() {
                let target = fs::read_link(entry.path())?;
                let real = entry.path().canonicalize().ok().filter(|real| real.starts_with(&root));
                let Some(real) = real else {
                    return Err(BadTree::Link(path, target.to_string_lossy().into_owned()));
                };
                if real.is_dir() {
                    continue;
                }
            } else if !kind.is_file() {
                continue;
            }
            let facts = fs::metadata(entry.path())?;
            size += facts.len();
            if size > MOST_BYTES {
                return Err(BadTree::TooLarge);
            }
            let bytes = fs::read(entry.path())?;
            let executable = facts.permissions().mode() & 0o100 != 0;
            tree.insert(path, Leaf { bytes, executable });
            if tree.len() > MOST_FILES {
                return Err(BadTree::TooManyFiles);
            }
        }
    }
    check_case(tree.keys().map(String::as_str))?;
    Ok(tree)
}

/// Writes a tree into `folder` under `name`, which it gets when it is whole: read-only, for a store.
pub fn keep(folder: &Path, name: &str, tree: &Tree) -> super::Result<()> {
    files::make_private_directory(folder)?;
    let kept = folder.join(name);
    if read(&kept).is_ok_and(|found| found == *tree) {
        return Ok(());
    }
    remove(&kept);
    whole(&kept, tree, true)
}

/// Makes a directory of the user's with the files of a tree, all at once; one that is there stays.
pub fn lay_out(folder: &Path, tree: &Tree) -> super::Result<()> {
    if folder.is_dir() { Ok(()) } else { whole(folder, tree, false) }
}

fn whole(folder: &Path, tree: &Tree, read_only: bool) -> super::Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = folder.with_file_name(format!("{UNFINISHED}{}-{name}", std::process::id()));
    let siblings = folder.parent().and_then(|it| fs::read_dir(it).ok()).into_iter().flatten();
    // A killed process left its part behind.
    for entry in siblings.flatten().filter(|entry| !read_only && is_left(entry)) {
        remove(&entry.path());
    }
    // Not every file system locks directories.
    let made = fs::create_dir_all(&unfinished).and_then(|()| fs::File::open(&unfinished));
    let _lock = made.inspect(|it| {
        let _ = it.lock();
    });
    let written =
        write(&unfinished, tree, read_only).and_then(|()| fs::rename(&unfinished, folder));
    written.or_else(|error| {
        remove(&unfinished);
        // Another process may have been quicker.
        if folder.is_dir() { Ok(()) } else { Err(super::Error::of("write", folder)(error)) }
    })
}

fn write(folder: &Path, tree: &Tree, read_only: bool) -> io::Result<()> {
    let above = |path: &'_ str| path.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    let folders: BTreeSet<&str> =
        tree.keys().flat_map(|path| above(path).into_iter().map(|at| &path[..at])).collect();
    fs::create_dir_all(folder)?;
    for path in &folders {
        fs::create_dir(folder.join(path))?;
    }
    for (path, leaf) in tree {
        let mode = match (read_only, leaf.executable) {
            (true, true) => 0o500,
            (true, false) => 0o400,
            (false, true) => 0o755,
            (false, false) => 0o644,
        };
        let mut file = OpenOptions::new();
        let mut file = file.write(true).create_new(true).open(folder.join(path))?;
        file.write_all(&leaf.bytes)?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    for path in folders.iter().rev().chain([&""]).filter(|_| read_only) {
        fs::set_permissions(folder.join(path), fs::Permissions::from_mode(0o500))?;
    }
    Ok(())
}

/// Removes a tree that may be read-only; best effort.
pub fn remove(folder: &Path) {
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        left.extend(
            entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir())).map(|it| it.path()),
        );
    }
    let _ = fs::remove_dir_all(folder);
}

/// A directory in a store for a while, whose lock dies with its process, so that the next one removes it.
pub struct Unfinished {
    folder: tempfile::TempDir,
    _lock: fs::File,
}

/// The file in it that its process has locked.
const IN_USE: &str = "in-use";

impl Unfinished {
    /// Makes one, and removes those of killed processes.
    pub fn in_store(store: &Path) -> io::Result<Self> {
        files::make_private_directory(store).map_err(|error| error.source)?;
        sweep_left(store);
        let folder = tempfile::TempDir::with_prefix_in(UNFINISHED, store)?;
        let lock = fs::File::create_new(folder.path().join(IN_USE))?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Removes what killed processes left in a store, and what is not named or used for `age`; best effort.
pub fn sweep(store: &Path, age: Duration, is_named: &dyn Fn(&str) -> bool) {
    for entry in fs::read_dir(store).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_old = || since(&entry).is_some_and(|since| since > age);
        let goes = is_left(&entry) || !name.starts_with(UNFINISHED) && is_old() && !is_named(&name);
        if goes {
            remove(&entry.path());
        }
    }
}

/// Removes what killed processes left in a directory; best effort.
pub fn sweep_left(folder: &Path) {
    sweep(folder, Duration::MAX, &|_| true);
}

fn since(entry: &fs::DirEntry) -> Option<Duration> {
    entry.metadata().and_then(|it| it.modified()).ok()?.elapsed().ok()
}

/// Returns whether a killed process left the directory: nobody holds its lock after a moment, or it cannot
/// be checked and an hour is over.
fn is_left(entry: &fs::DirEntry) -> bool {
    let (whole, moment) = (Duration::from_secs(60 * 60), Duration::from_secs(10));
    let lock = entry.path().join(IN_USE);
    let is_itself = !lock.exists();
    let lock = if is_itself { entry.path() } else { lock };
    let is_free = || fs::File::open(&lock).is_ok_and(|lock| lock.try_lock().is_ok());
    let is_old = |age| since(entry).is_some_and(|since| since > age);
    let name = entry.file_name().to_string_lossy().into_owned();
    let process = || Pid::from_raw(name.strip_prefix(UNFINISHED)?.split_once('-')?.0.parse().ok()?);
    let is_gone = || process().is_some_and(|it| test_kill_process(it) == Err(Errno::SRCH));
    name.starts_with(UNFINISHED)
        && entry.file_type().is_ok_and(|it| it.is_dir())
        && (is_old(whole) && is_itself || (is_gone() || is_old(moment)) && is_free())
}

/// Notes that a tree of a store is used; best effort.
pub fn touch(folder: &Path) {
    let _ = fs::File::open(folder).and_then(|it| it.set_modified(std::time::SystemTime::now()));
}

/// The SHA-256 in hexadecimal digits of a file that a hook runs; `None` if it is absent or too large.
pub fn hash_of(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    (facts.len() <= MOST_BYTES).then(|| fs::read(path).ok()).flatten().map(|bytes| hash(&bytes))
}
