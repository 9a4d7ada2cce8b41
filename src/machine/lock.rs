//! Locks between hookman's own processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

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

    /// As [`Lock::take`], for who cannot wait longer than `wait`.
    ///
    /// # Errors
    ///
    /// When the lock file cannot be made, or the lock is still held then.
    pub fn take_within(path: &Path, wait: Duration) -> Result<Self> {
        let file = open(path)?;
        let end = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => {
                    let held = io::Error::new(io::ErrorKind::TimedOut, "another process holds it");
                    return Err(Error::of("lock", path)(held));
                }
                Err(TryLockError::Error(error)) => return Err(Error::of("lock", path)(error)),
            }
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
