//! The machine as built-in hooks see it. Tests have a made-up one in its place.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use crate::machine::files::Facts;
use crate::machine::{files, folders, foreign, git};

/// The most names that are read of a directory.
const NAMES: usize = 10_000;

/// A program to start, never through a shell.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments; never empty.
    pub argv: &'a [String],
    /// Its working directory; hookman's own if absent.
    pub directory: Option<&'a Path>,
    pub variables: &'a [(&'a str, &'a OsStr)],
    /// Its standard input; a program that is not waited for has none.
    pub stdin: &'a [u8],
}

impl<'a> Program<'a> {
    /// A program without input, in hookman's own directory and environment.
    pub fn new(argv: &'a [String]) -> Self {
        Self { argv, directory: None, variables: &[], stdin: b"" }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Its exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Its standard output; what is not UTF-8 is replaced.
    pub stdout: String,
    pub stderr: String,
}

/// The questions that a built-in hook may put to the machine, within its `timeout`; all read the same files.
pub trait Host {
    /// Seconds since 1970.
    fn now(&self) -> i64;

    /// Now in this machine's time zone, by a pattern of `strftime`.
    fn local_time(&self, pattern: &str) -> String;

    /// A variable of the environment; `None` for an empty one.
    fn variable(&self, name: &str) -> Option<String>;

    /// Describes the file at a path; `None` where there is none or it may not be looked at.
    fn look(&self, path: &Path) -> Option<Facts> {
        files::facts(path)
    }

    /// The absolute path without links of what a path leads to, which need not be there.
    fn real(&self, path: &Path) -> PathBuf;

    /// The first `most` bytes of a regular file as text, if there is one; what is not UTF-8 is replaced.
    fn read(&self, path: &Path, most: u64) -> io::Result<Option<String>> {
        foreign::read_start(path, most)
    }

    /// The last `most` bytes of a regular file, from the first whole line on; empty where there is none.
    fn tail(&self, path: &Path, most: u64) -> io::Result<String>;

    /// The names in a directory, sorted, at most 10,000; none where there is no directory.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = folders::entries(folder)?;
        let name = |path: &PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
        let mut names: Vec<String> = entries.iter().take(NAMES).filter_map(name).collect();
        names.sort();
        Ok(names)
    }

    /// The branch that is checked out around a directory; `None` where none is or it cannot be told.
    fn branch(&self, folder: &Path) -> Option<String> {
        git::branch(folder).ok().flatten()
    }

    /// Runs a program to its end, within `limit` and the hook's deadline; else it is `TimedOut`.
    fn run(&self, program: Program<'_>, limit: Duration) -> io::Result<Finished>;

    /// Starts a program that nobody waits for, in a session of its own; after `limit` the system ends it.
    fn start(&self, program: Program<'_>, limit: Duration) -> io::Result<()>;

    /// Writes to the terminal that the process has, if any, without waiting for it.
    fn ring(&self, _sequence: &str) -> io::Result<()> {
        Ok(())
    }

    /// Appends text by one write to a file that only the user may read, made where it is missing.
    fn append(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Replaces or makes a file that only the user may read, at once or not at all.
    fn replace(&self, path: &Path, text: &str) -> io::Result<()>;

    /// Replaces the text of somebody else's file by `change` of it, at once; no change is lost.
    fn rewrite(
        &self,
        path: &Path,
        change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> io::Result<()>;

    /// Removes a file; `false` where there was none.
    fn remove(&self, path: &Path) -> io::Result<bool>;

    /// Returns whether the client itself made this call, and not one of its tools or another program.
    fn is_called_by_client(&self) -> bool;

    /// Returns whether this process makes further calls, as a replay does.
    fn goes_on(&self) -> bool {
        false
    }

    /// hookman's own directory for this session, which goes when the session's state does.
    fn session_folder(&self) -> &Path;

    /// Gives the time that remains of the hook's `timeout`.
    fn left(&self) -> Duration;
}
