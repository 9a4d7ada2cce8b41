//! Copies of a file from before each write.

use std::path::{Path, PathBuf};

use super::paths::content_hash;
use super::{Error, Result, clock, files, folders};

pub const KEPT: usize = 20;

/// The ending of files that belong to a copy.
const RECORD: &str = "record";

#[derive(Debug)]
pub struct Backup {
    pub path: PathBuf,
    /// When it was made, as in its name.
    pub stamp: String,
    pub verb: String,
    pub size: u64,
}

impl Backup {
    /// When it was made, for people: `2026-01-31 12:00:00 UTC`.
    pub fn time(&self) -> String {
        clock::local_stamp(&self.iso_time())
    }

    /// When it was made, for programs: `2026-01-31T12:00:00.000Z`.
    pub fn iso_time(&self) -> String {
        let iso = |(date, time, rest)| format!("{date}T{time}{rest}");
        self.parts().map_or_else(|| self.stamp.clone(), iso)
    }

    /// The date, the time to the second, and what the stamp has behind it.
    fn parts(&self) -> Option<(String, String, &str)> {
        let digit = |part| self.stamp.get(part);
        let date = [digit(0..4)?, digit(4..6)?, digit(6..8)?].join("-");
        let time = [digit(9..11)?, digit(11..13)?, digit(13..15)?].join(":");
        Some((date, time, self.stamp.get(15..)?))
    }
}

/// Saves `text`, from before `verb` writes, in `directory` with its record, and prunes old copies. Where
/// that fails, nothing else may be written.
pub fn save(
    directory: &Path,
    text: &str,
    record: Option<&str>,
    verb: &str,
    extension: &str,
) -> Result<PathBuf> {
    let hash = content_hash(text.as_bytes());
    let name = format!("{}-{hash}-{verb}.{extension}", clock::file_stamp());
    let path = directory.join(name);
    if let Some(record) = record {
        files::replace_private(&record_of(&path), record)?;
    }
    files::replace_private(&path, text)?;
    let all = list(directory)?;
    files::sweep(directory);
    for old in all.iter().skip(KEPT) {
        files::remove(&old.path)?;
        files::remove(&record_of(&old.path))?;
    }
    Ok(path)
}

/// The record that was saved with a copy, if any was.
pub fn record(copy: &Path) -> Result<Option<String>> {
    files::read_text(&record_of(copy))
}

fn record_of(copy: &Path) -> PathBuf {
    copy.with_extension(RECORD)
}

/// The backups in `directory`, newest first.
pub fn list(directory: &Path) -> Result<Vec<Backup>> {
    let mut backups = Vec::new();
    for path in folders::entries(directory).map_err(Error::of("list", directory))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((stem, extension)) = name.rsplit_once('.') else { continue };
        if extension == RECORD {
            continue;
        }
        let mut parts = stem.splitn(3, '-');
        let (Some(stamp), Some(_), Some(verb)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let size = path.symlink_metadata().map_or(0, |metadata| metadata.len());
        let (stamp, verb) = (stamp.to_owned(), verb.to_owned());
        backups.push(Backup { path, stamp, verb, size });
    }
    backups.sort_by(|left, right| right.path.cmp(&left.path));
    Ok(backups)
}
