//! Locks between hookman's own processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{Error, Result, files};

/// A lock that is held until it is dropped; the kernel frees it when the process dies.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock behind `path` and takes it.
    ///
    /// # Errors
    ///
    /// When the lock file cannot be made.
    pub fn take(path: &Path) -> Result<Self> {
        let file = open(path)?;
        file.lock().map_err(Error::of("lock", path))?;
        Ok(Self { _file: file })
    }

    /// Takes the lock behind `path` if nobody holds it; `None` if somebody does.
    ///
    /// # Errors
    ///
    /// When the lock file cannot be made.
    pub fn try_take(path: &Path) -> Result<Option<Self>> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(Error::of("lock", path)(error)),
        }
    }
}

fn open(path: &Path) -> Result<File> {
    if let Some(parent) = path.parent() {
        files::make_private_directory(parent)?;
    }
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(Error::of("open the lock", path))
}
