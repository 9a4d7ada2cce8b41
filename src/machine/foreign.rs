//! Files that others may put something else in the place of: a pipe, a device, a directory.
//!
//! To open a pipe waits for whoever has its other end, and a device has no end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::files::absent;

/// The bytes of a regular file, or `None` where there is none.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some((mut file, _)) = opened(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The text of a regular file, or `None` where there is none; what is not UTF-8 is replaced.
pub(crate) fn read_at_most(path: &Path, most: u64) -> io::Result<Option<String>> {
    let Some((file, length)) = opened(path)? else { return Ok(None) };
    if length > most {
        return Err(io::Error::other("it is too long"));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The first `most` bytes of a regular file as text: invalid UTF-8 is replaced, a cut end dropped.
pub fn read_start(path: &Path, most: u64) -> io::Result<Option<String>> {
    let Some((file, length)) = opened(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    let is_cut = file.take(most).read_to_end(&mut bytes)? as u64 == most && length > most;
    let end = match std::str::from_utf8(&bytes) {
        Err(error) if is_cut && error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    Ok(Some(String::from_utf8_lossy(&bytes[..end]).into_owned()))
}

/// Writes a regular file in its place, or makes it.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    found(fs::metadata(path))?.as_ref().map_or(Ok(()), check)?;
    let mut file = open(OpenOptions::new().write(true).create(true).truncate(false), path)?;
    file.set_len(0)?;
    file.write_all(bytes)
}

/// A regular file for reading, with its length as it was found.
fn opened(path: &Path) -> io::Result<Option<(File, u64)>> {
    let Some(metadata) = found(fs::metadata(path))? else { return Ok(None) };
    check(&metadata)?;
    let file = found(open(OpenOptions::new().read(true), path))?;
    Ok(file.map(|file| (file, metadata.len())))
}

// What is there by now may be another file than the one that was looked at.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(io::Error::other("it is not a regular file")) }
}

fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if absent(&error) => Ok(None),
        result => result.map(Some),
    }
}
