//! Reading a file that grows, and that another may take the place of.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::files::absent;

/// A file of lines that others append to and now and then put aside.
#[derive(Debug)]
pub struct Following {
    path: PathBuf,
    file: Option<File>,
    /// The beginning of a line that is not complete yet.
    begun: Vec<u8>,
}

impl Following {
    /// Follows the file at `path` from its first line on; there need not be one yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None, begun: Vec::new() }
    }

    /// The whole lines that have come since the last call.
    pub fn read(&mut self) -> io::Result<String> {
        self.begin_anew_if_cut()?;
        let mut text = self.rest()?;
        if self.is_other()? {
            // Nobody writes to the old one from now on but those who had it open already.
            text.push_str(&self.rest()?);
            self.begun.clear();
            self.file = Some(File::open(&self.path)?);
            text.push_str(&self.rest()?);
        }
        Ok(text)
    }

    /// Goes back to the start of a file that is shorter than what was read of it.
    fn begin_anew_if_cut(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.file
            && file.metadata()?.len() < file.stream_position()?
        {
            file.rewind()?;
            self.begun.clear();
        }
        Ok(())
    }

    fn rest(&mut self) -> io::Result<String> {
        let Some(file) = &mut self.file else { return Ok(String::new()) };
        file.read_to_end(&mut self.begun)?;
        let end = self.begun.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.begun.drain(..end).collect();
        Ok(String::from_utf8_lossy(&lines).into_owned())
    }

    /// Returns whether the path is now that of a file that is not being read.
    fn is_other(&self) -> io::Result<bool> {
        let found = match fs::metadata(&self.path) {
            Ok(found) if found.is_file() => found,
            Ok(_) => return Err(io::Error::other("it is not a regular file")),
            Err(error) if absent(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        let Some(file) = &self.file else { return Ok(true) };
        let known = file.metadata()?;
        Ok((known.dev(), known.ino()) != (found.dev(), found.ino()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn lines_come_once_and_whole_also_when_the_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut following = Following::new(&path);
        assert_eq!(following.read().unwrap(), "");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(following.read().unwrap(), "one\n");
        file.write_all(b"o\n").unwrap();
        assert_eq!(following.read().unwrap(), "two\n");
        fs::rename(&path, folder.path().join("aside")).unwrap();
        file.write_all(b"late\n").unwrap();
        fs::write(&path, "new\n").unwrap();
        assert_eq!(following.read().unwrap(), "late\nnew\n");
        assert_eq!(following.read().unwrap(), "");
        fs::write(&path, "a\n").unwrap();
        assert_eq!(following.read().unwrap(), "a\n");
    }
}
