//! The machine as a rehearsal shows it: everything can be read, and nothing is changed or started.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::RealHost;
use super::host::{Finished, Host, Program};
use crate::machine::clock;
use crate::session::MemoryStore;

/// The most paths whose real ones are kept.
const MOST_PATHS: usize = 1000;

/// A machine that reads as [`RealHost`] does and holds back all else.
#[derive(Debug)]
pub struct HeldHost<'a> {
    pub real: RealHost,
    /// The store of a call of the past, at whose time it was; what is read of the machine is of today.
    pub memory: Option<&'a MemoryStore>,
    /// True once a program was to be started.
    pub has_started: AtomicBool,
}

impl Host for HeldHost<'_> {
    fn now(&self) -> i64 {
        self.memory.map_or_else(|| self.real.now(), |it| it.now().cast_signed())
    }

    fn local_time(&self, pattern: &str) -> String {
        match self.memory {
            Some(memory) => clock::local_at(memory.now().cast_signed(), pattern),
            None => self.real.local_time(pattern),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        // Another session's, or of none.
        if self.memory.is_some() && name == "CLAUDE_PROJECT_DIR" {
            return None;
        }
        self.real.variable(name)
    }

    fn real(&self, path: &Path) -> PathBuf {
        thread_local! {
            // A replay asks about the same paths again and again, and no link changes in it.
            static KNOWN: RefCell<BTreeMap<PathBuf, PathBuf>> = const { RefCell::new(BTreeMap::new()) };
        }
        if self.memory.is_none() {
            return self.real.real(path);
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some(real) = known.get(path) {
                return real.clone();
            }
            if known.len() >= MOST_PATHS {
                known.clear();
            }
            let real = self.real.real(path);
            known.insert(path.to_owned(), real.clone());
            real
        })
    }

    fn tail(&self, path: &Path, most: u64) -> io::Result<String> {
        // The transcript, which has grown since.
        if let Some(memory) = self.memory {
            memory.miss("the transcript");
            return Ok(String::new());
        }
        self.real.tail(path, most)
    }

    fn run(&self, _program: Program<'_>, _limit: Duration) -> io::Result<Finished> {
        self.has_started.store(true, Relaxed);
        Err(io::Error::other("a rehearsal starts no program"))
    }

    fn start(&self, _program: Program<'_>, _limit: Duration) -> io::Result<()> {
        self.has_started.store(true, Relaxed);
        Ok(())
    }

    fn append(&self, _path: &Path, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn replace(&self, _path: &Path, _text: &str) -> io::Result<()> {
        Ok(())
    }

    fn rewrite(
        &self,
        _path: &Path,
        _change: &mut dyn FnMut(&str) -> Option<String>,
    ) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<bool> {
        Ok(self.look(path).is_some())
    }

    // A strike or a count that only the client's calls use up has to be used up in a rehearsal too.
    fn is_called_by_client(&self) -> bool {
        // A replay asks once a strike, and nothing above this process changes.
        static CALLED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        *CALLED.get_or_init(|| self.real.is_called_by_client())
    }

    fn goes_on(&self) -> bool {
        self.memory.is_some()
    }

    fn session_folder(&self) -> &Path {
        self.real.session_folder()
    }

    fn left(&self) -> Duration {
        self.real.left()
    }
}
