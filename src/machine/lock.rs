//! Locks between hookman's own processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::{Error, Result, files};

const IN_SILENCE: Duration = Duration::from_secs(1);

/// The time that a command waits for a lock; many commands at once take their turns well within it.
const AT_MOST: Duration = Duration::from_secs(120);

/// The most bytes of a line in a file that is locked.
const LINE: usize = 64;

struct Patience {
    /// Before it is said who holds it.
    in_silence: Duration,
    at_most: Duration,
}

/// A lock that is held until it is dropped; the kernel frees it when the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock behind `path`, and says after a second on standard error what is waited for. Fails
    /// when the lock file cannot be made, or the lock is still held after two minutes.
    pub fn take(path: &Path) -> Result<Self> {
        let say = |holder: &str| {
            let _ =
                writeln!(io::stderr(), "Waiting for {holder}, which holds `{}`", path.display());
        };
        Self::wait(path, &Patience { in_silence: IN_SILENCE, at_most: AT_MOST }, say)
    }

    /// As [`Lock::take`], for who cannot wait longer than `wait`.
    pub fn take_within(path: &Path, wait: Duration) -> Result<Self> {
        Self::wait(path, &Patience { in_silence: wait, at_most: wait }, |_| {})
    }

    /// The first line of the file that is locked, where that is more than a lock.
    pub fn read_line(&self) -> io::Result<String> {
        files::check_own(self.file.as_fd())?;
        let mut bytes = [0; LINE];
        let read = self.file.read_at(&mut bytes, 0)?;
        let line = bytes[..read].split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(String::from_utf8_lossy(line).into_owned())
    }

    /// Puts another first line into the file, by one write that needs no room but the first time. To be
    /// preceded by [`Lock::read_line`], which refuses files of others.
    pub fn write_line(&self, line: &str) -> io::Result<()> {
        self.file.write_all_at(format!("{line}\n").as_bytes(), 0)
    }

    /// Says once who holds it where the first time is up, and gives up after the second.
    fn wait(path: &Path, patience: &Patience, say: impl FnOnce(&str)) -> Result<Self> {
        let file = open(path)?;
        let start = Instant::now();
        let mut say = Some(say);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(Error::of("lock", path)(error)),
            }
            let waited = start.elapsed();
            if waited >= patience.at_most {
                let why = format!("{} holds it", holder(&file));
                return Err(Error::of("lock", path)(io::Error::new(io::ErrorKind::TimedOut, why)));
            }
            if waited >= patience.in_silence
                && let Some(say) = say.take()
            {
                say(&holder(&file));
            }
            thread::sleep(Duration::from_millis(if waited < patience.in_silence { 1 } else { 50 }));
        }
    }
}

#[cfg(target_os = "linux")]
fn holder(file: &File) -> String {
    use std::os::unix::fs::MetadataExt;

    use super::terminal::harmless;

    // A row is such as `1: FLOCK  ADVISORY  WRITE 4242 08:01:131 0 EOF`.
    let found = || {
        let inode = format!(":{}", file.metadata().ok()?.ino());
        let rows = std::fs::read_to_string("/proc/locks").ok()?;
        let of_file = |row: &&str| {
            let mut words = row.split_whitespace().skip(1);
            words.next() == Some("FLOCK") && words.nth(3).is_some_and(|it| it.ends_with(&inode))
        };
        let row = rows.lines().find(of_file)?;
        let process = row.split_whitespace().nth(4)?;
        let line = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let line = line.trim_end_matches('\0').replace('\0', " ");
        Some(format!("process {process} (`{}`)", harmless(&line)))
    };
    found().unwrap_or_else(|| "another process".to_owned())
}

#[cfg(not(target_os = "linux"))]
fn holder(_file: &File) -> String {
    "another process".to_owned()
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    // What is written to a lock's file is never to reach a file elsewhere.
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    let opened = match (options.open(path), path.parent()) {
        // Mostly the directory is there.
        (Err(error), Some(parent)) if files::absent(&error) => {
            files::make_private_directory(parent)?;
            options.open(path)
        }
        (opened, _) => opened,
    };
    opened.map_err(Error::of("open the lock", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_a_lock_is_told_and_waited_for_no_longer_than_was_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::take(&path).unwrap();
        let mut told = String::new();
        let times = &Patience { in_silence: Duration::ZERO, at_most: Duration::from_millis(500) };
        let error = Lock::wait(&path, times, |holder| holder.clone_into(&mut told)).unwrap_err();
        let whole = error.to_string();
        assert!(whole.contains(&format!("{told} holds it")), "{whole}");
        #[cfg(target_os = "linux")]
        assert!(told.starts_with(&format!("process {} (`", std::process::id())), "{told}");
        drop(held);
        // A process that another test starts may have it for a moment more.
        Lock::take_within(&path, Duration::from_secs(60)).unwrap();
    }
}
