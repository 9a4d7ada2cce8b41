//! Removing what killed processes left, and nothing that somebody else wrote.
//!
//! A temporary file holds text that hookman wrote, but for one moment: after an exchange its name is
//! that of the file that was in the target's place, which somebody may have written right then.
//! So the name says beforehand which texts it may hold.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::Mode;
use tempfile::{NamedTempFile, TempPath};

use super::clock;
use super::paths::content_hash;

/// The beginning of each temporary file's name.
const PREFIX: &str = ".hookman-";

/// The number of letters and digits that follow.
const RANDOM: usize = 12;

/// Separates the texts that an exchanged file may hold and the name of its target.
const MARK: &str = "-for-";

const HASH: usize = 16;

/// After this long a temporary file belongs to nobody: its process was killed. A look at the
/// process would be wrong about one in another container that shares the directory.
const ABANDONED: Duration = Duration::from_secs(5 * 60);

/// Makes temporary files with a name that is swept when their process is killed.
pub(super) fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM);
    builder
}

/// A private temporary file, of the name that is swept when its process is killed.
pub fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    builder().tempfile_in(directory)
}

/// As [`temporary_in`], and the user can read it whatever the umask takes away.
pub fn readable_temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    let file = temporary_in(directory)?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(0o600))?;
    Ok(file)
}

/// Removes what this user's killed processes left in a directory, but for texts of others; best effort.
pub fn sweep(directory: &Path) {
    for path in abandoned(directory).into_iter().filter(|path| !is_of_others(path)) {
        let _ = fs::remove_file(path);
    }
}

/// As [`sweep`], in a directory and in what it holds, `depth` levels down.
pub fn sweep_tree(directory: &Path, depth: usize) {
    sweep(directory);
    if depth == 0 {
        return;
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir())) {
        sweep_tree(&entry.path(), depth - 1);
    }
}

/// Gives texts of others that a killed process left under temporary names a name next to their file.
pub fn rescue(directory: &Path) -> Vec<PathBuf> {
    let aside = |path: PathBuf| {
        let target = exchanged(&path)?.1.to_owned();
        set_aside(&path, &directory.join(target)).ok()
    };
    abandoned(directory).into_iter().filter(|path| is_of_others(path)).filter_map(aside).collect()
}

/// Gives a text that was written to `target` at the last moment a name that is not swept.
pub(super) fn set_aside(path: &Path, target: &Path) -> io::Result<PathBuf> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".newer-{}", clock::file_stamp()));
    let aside = target.with_file_name(name);
    fs::rename(path, &aside).map(|()| aside)
}

/// Names a temporary file for an exchange with `target`, after which it holds one of `texts` or another's.
pub(super) fn mark(
    new: NamedTempFile,
    target: &Path,
    texts: [&str; 2],
) -> io::Result<NamedTempFile> {
    let (file, old) = new.into_parts();
    let mut name = old.file_name().unwrap_or_default().to_owned();
    let [one, other] = texts.map(|text| content_hash(text.as_bytes()));
    name.push(format!("-{one}-{other}{MARK}"));
    name.push(target.file_name().unwrap_or_default());
    let path = TempPath::try_from_path(old.with_file_name(name))?;
    fs::rename(&old, &path)?;
    Ok(NamedTempFile::from_parts(file, path))
}

fn abandoned(directory: &Path) -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let is_abandoned = |entry: &fs::DirEntry| {
        let is_own = |it: &fs::Metadata| it.is_file() && it.uid() == user;
        let metadata = || entry.metadata().ok().filter(is_own);
        let age = || metadata()?.modified().ok()?.elapsed().ok();
        is_temporary(Path::new(&entry.file_name())) && age().is_some_and(|age| age > ABANDONED)
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter(is_abandoned).map(|entry| entry.path()).collect()
}

fn is_temporary(name: &Path) -> bool {
    let is_random =
        |rest: &[u8]| rest.len() == RANDOM && rest.iter().all(u8::is_ascii_alphanumeric);
    let rest = name.as_os_str().as_encoded_bytes().strip_prefix(PREFIX.as_bytes());
    rest.is_some_and(|rest| is_random(rest) || exchanged(name).is_some())
}

fn is_of_others(path: &Path) -> bool {
    let Some((hashes, _)) = exchanged(path) else { return false };
    // What cannot be read is not known to be hookman's.
    fs::read(path).map_or(true, |text| !hashes.contains(&content_hash(&text).as_str()))
}

/// The hashes of the texts that an exchanged file may hold and its target's name; `None` for any other.
fn exchanged(path: &Path) -> Option<([&str; 2], &OsStr)> {
    let name = path.file_name()?;
    let bytes = name.as_encoded_bytes();
    let at = bytes.windows(MARK.len()).position(|window| window == MARK.as_bytes())?;
    let head = str::from_utf8(&bytes[..at]).ok()?;
    let (rest, other) = head.rsplit_once('-')?;
    let (_, one) = rest.rsplit_once('-')?;
    let target = Path::new(name).to_str()?.get(at + MARK.len()..)?;
    ([one, other].iter().all(|hash| hash.len() == HASH)).then_some(([one, other], target.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_temporary_files_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let name = |new: &NamedTempFile| PathBuf::from(new.path().file_name().unwrap());
        let new = temporary_in(folder.path()).unwrap();
        assert!(is_temporary(&name(&new)));
        let new = mark(new, Path::new("/etc/settings.json"), ["a", "b"]).unwrap();
        assert!(is_temporary(&name(&new)));
        for name in [".hookman-", ".hookman-notes", ".hookman-my.txt", ".hookman-backup", "a"] {
            assert!(!is_temporary(Path::new(name)), "{name}");
        }
    }
}
