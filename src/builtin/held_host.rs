//! The machine as a rehearsal shows it: everything can be read, and nothing is changed or started.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::host::{Facts, Finished, Host, Program};
use super::real_host::RealHost;

/// A machine that reads as [`RealHost`] does and holds back all else.
#[derive(Debug)]
pub struct HeldHost(pub RealHost);

impl Host for HeldHost {
    fn now(&self) -> i64 {
        self.0.now()
    }

    fn local_time(&self, pattern: &str) -> String {
        self.0.local_time(pattern)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.0.variable(name)
    }

    fn look(&self, path: &Path) -> Option<Facts> {
        self.0.look(path)
    }

    fn real(&self, path: &Path) -> PathBuf {
        self.0.real(path)
    }

    fn read(&self, path: &Path, most: u64) -> io::Result<Option<String>> {
        self.0.read(path, most)
    }

    fn tail(&self, path: &Path, most: u64) -> io::Result<String> {
        self.0.tail(path, most)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.0.names(folder)
    }

    fn branch(&self, folder: &Path) -> Option<String> {
        self.0.branch(folder)
    }

    fn run(&self, _program: Program<'_>, _limit: Duration) -> io::Result<Finished> {
        Err(io::Error::other("a rehearsal starts no program"))
    }

    fn start(&self, _program: Program<'_>, _limit: Duration) -> io::Result<()> {
        Ok(())
    }

    fn append(&self, _path: &Path, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn replace(&self, _path: &Path, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn rewrite(&self, _path: &Path, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<bool> {
        Ok(self.look(path).is_some())
    }

    // A strike or a count that only the client's calls use up has to be used up in a rehearsal too.
    fn is_called_by_client(&self) -> bool {
        // A replay asks once a strike, and nothing above this process changes.
        static CALLED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        *CALLED.get_or_init(|| self.0.is_called_by_client())
    }

    fn session_folder(&self) -> &Path {
        self.0.session_folder()
    }

    fn left(&self) -> Duration {
        self.0.left()
    }
}
