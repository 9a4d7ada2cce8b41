//! The only room that touches the machine.

pub(crate) mod agents;
#[cfg(feature = "self-update")]
pub(crate) mod archive;
pub(crate) mod asking;
pub(crate) mod backups;
pub(crate) mod child;
pub(crate) mod clients;
pub(crate) mod clock;
pub mod environment;
pub(crate) mod exports;
pub(crate) mod files;
pub(crate) mod folders;
pub(crate) mod following;
pub(crate) mod foreign;
pub(crate) mod git;
pub(crate) mod input;
pub mod lock;
pub mod loopback;
pub mod memory;
pub mod paths;
pub(crate) mod program;
mod replacing;
pub(crate) mod repository;
pub(crate) mod scratch;
pub(crate) mod signals;
mod sweeping;
pub(crate) mod terminal;
pub(crate) mod trees;
pub(crate) mod world;

pub use paths::Paths;
pub use scratch::Scratch;
pub use terminal::{Terminal, harmless};
pub use world::World;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An input or output that failed, with what was being done to which file.
#[derive(Debug)]
pub struct Error {
    /// The deed that was tried, such as `read`.
    pub doing: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

impl Error {
    /// For `map_err`: names the deed and the path.
    pub fn of(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { doing, path: path.to_owned(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "failed to {} `{}`: {}", self.doing, self.path.display(), self.source)?;
        match advice(self.source.kind()) {
            Some(advice) => write!(formatter, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// Gives the advice for an error whose name alone does not say it.
fn advice(kind: io::ErrorKind) -> Option<&'static str> {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free some space, then run it again")
        }
        io::ErrorKind::PermissionDenied => Some("look at its owner and mode with `ls -ld`"),
        io::ErrorKind::ReadOnlyFilesystem => Some("it is mounted read-only"),
        io::ErrorKind::ResourceBusy => Some("it is a mount point, which cannot be replaced"),
        _ => None,
    }
}

pub type Result<T> = std::result::Result<T, Error>;
