//! The per-session store, kept in files.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use crate::machine::lock::Lock;
use crate::machine::{clock, files};
use crate::session::store::Store;

/// A directory with one small file per flag, which holds the second at which the flag falls.
#[derive(Debug)]
pub struct FileStore {
    directory: PathBuf,
}

impl FileStore {
    /// The store in `directory`, which need not exist yet.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn file(&self, flag: &str) -> PathBuf {
        self.directory.join(Self::name(flag))
    }

    fn name(flag: &str) -> String {
        let mut name = String::with_capacity(flag.len());
        for byte in flag.bytes().take(80) {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
                name.push(char::from(byte));
            } else {
                let _ = write!(name, "%{byte:02x}");
            }
        }
        if flag.len() > 80 {
            let _ = write!(name, "~{}", crate::machine::paths::content_hash(flag.as_bytes()));
        }
        name
    }
}

fn private(error: crate::machine::Error) -> io::Error {
    error.source
}

impl Store for FileStore {
    fn raise(&self, flag: &str, ttl: Duration) -> io::Result<bool> {
        files::make_private_directory(&self.directory).map_err(private)?;
        let path = self.file(flag);
        let falls = clock::unix_seconds().saturating_add_unsigned(ttl.as_secs());
        // A finished file is linked to its name, so no other process ever reads half of it, and
        // of several that link, the system lets one through.
        let mut new = files::temporary_in(&self.directory)?;
        write!(new, "{falls}")?;
        match fs::hard_link(new.path(), &path) {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let _lock = Lock::take(&self.directory.with_extension("lock")).map_err(private)?;
        if self.is_up(flag)? {
            return Ok(false);
        }
        new.persist(&path).map_err(|error| error.error)?;
        Ok(true)
    }

    fn is_up(&self, flag: &str) -> io::Result<bool> {
        let mut text = String::new();
        if !files::read_into(&self.file(flag), &mut text)? {
            return Ok(false);
        }
        Ok(text.parse().is_ok_and(|falls: i64| clock::unix_seconds() < falls))
    }

    fn take(&self, flag: &str) -> io::Result<bool> {
        let up = self.is_up(flag)?;
        match fs::remove_file(self.file(flag)) {
            Ok(()) => Ok(up),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn count(&self, counter: &str, by: i64) -> io::Result<u64> {
        let folder = self.directory.with_file_name("counters");
        let path = folder.join(Self::name(counter));
        let mut text = String::new();
        let value = |text: &str| text.trim().parse::<u64>().unwrap_or(0);
        if by == 0 {
            files::read_own(&path, &mut text)?;
            return Ok(value(&text));
        }
        let _lock = Lock::take(&folder.with_extension("lock")).map_err(private)?;
        files::read_own(&path, &mut text)?;
        let sum = value(&text).saturating_add_signed(by);
        files::replace_private(&path, &sum.to_string()).map_err(private)?;
        Ok(sum)
    }
}
