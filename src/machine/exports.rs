//! The variables that commands export to the session: the client gives each a file and reads them all.
//!
//! hookman is one hook with one file, so each of its commands gets one next to it, and the client's then
//! holds all of them. They stay for a resumed session, as the client's do. Measured on 2.1.329 and 2.1.197:
//! `tests/client/cases/adopt.toml`.

use std::cell::{Cell, OnceCell};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Error, Result, environment, files, foreign};

pub const VARIABLE: &str = "CLAUDE_ENV_FILE";

#[derive(Debug, Default)]
pub struct Exports {
    /// The client's, once a command has asked for it; none at an event that exports nothing.
    file: OnceCell<Option<PathBuf>>,
    given: Cell<usize>,
}

impl Exports {
    /// The next command's file; `None` where the client has named none.
    pub fn next(&self) -> Option<PathBuf> {
        let file = self.file.get_or_init(of_process).as_deref()?;
        let index = self.given.get();
        self.given.set(index + 1);
        Some(numbered(file, index))
    }

    /// Puts what the commands wrote into the client's file, all of it but what cannot be read. Fails when a
    /// file cannot be read or written, or is none, such as a pipe.
    pub fn gather(&self) -> Result<()> {
        let Some(file) = self.file.get().and_then(Option::as_deref) else { return Ok(()) };
        let mut all = Vec::new();
        let mut odd = Ok(());
        for index in indices(file) {
            let path = numbered(file, index);
            match foreign::read(&path) {
                Ok(bytes) => all.extend(bytes.unwrap_or_default()),
                Err(error) => odd = Err(Error::of("read", &path)(error)),
            }
            if all.last().is_some_and(|last| *last != b'\n') {
                all.push(b'\n');
            }
        }
        if !all.is_empty() || file.exists() {
            foreign::write(file, &all).map_err(Error::of("write", file))?;
        }
        odd
    }
}

fn of_process() -> Option<PathBuf> {
    // The client's has such a name, and who calls hookman may name any other file.
    let file = PathBuf::from(environment::raw(VARIABLE)?);
    let file = Some(file).filter(|file| file.extension().is_some_and(|it| it == "sh"))?;
    let is_empty = fs::metadata(&file).map_or(true, |found| found.len() == 0);
    let known = indices(&file);
    if is_empty {
        // What the client has cleared is not to come back.
        for index in known {
            let _ = files::remove(&numbered(&file, index));
        }
    } else if known.is_empty() {
        // It is from before the first command was hookman's.
        if let Ok(Some(before)) = foreign::read(&file) {
            let _ = foreign::write(&numbered(&file, 0), &before);
        }
    }
    Some(file)
}

// The client reads only names that end in `.sh`.
fn numbered(file: &Path, index: usize) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(format!(".{index}"));
    name.into()
}

/// The places of the commands that have a file, in their order.
fn indices(file: &Path) -> Vec<usize> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|it| it.to_str()))
    else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let index = |entry: fs::DirEntry| {
        let found = entry.file_name();
        found.to_str()?.strip_prefix(name)?.strip_prefix('.')?.parse().ok()
    };
    let mut found: Vec<usize> = entries.filter_map(index).collect();
    found.sort_unstable();
    found
}
