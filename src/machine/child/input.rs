//! The input of a child, and the writer of the rest of it once hookman is done.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};

use rustix::io::Errno;

use super::outputs::set_blocking;

pub(super) struct Input<'a> {
    /// None once all was written, or nobody reads it.
    pub(super) pipe: Option<ChildStdin>,
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(super) fn of(pipe: Option<ChildStdin>, text: &'a [u8]) -> Self {
        if let Some(pipe) = &pipe {
            set_blocking(pipe.as_fd(), false);
        }
        Self { pipe, rest: text }
    }

    pub(super) fn feed(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        while !self.rest.is_empty() {
            match rustix::io::write(pipe, self.rest) {
                Ok(written) => self.rest = &self.rest[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // A child that closes its input without reading it is within its rights.
                Err(_) => break,
            }
        }
        self.pipe = None;
    }

    /// Lets another process write the rest, as the client would for a child that it does not wait
    /// for.
    pub(super) fn leave(&mut self) {
        let Some(pipe) = self.pipe.take() else { return };
        let Ok(rest) = kept(self.rest) else { return };
        set_blocking(pipe.as_fd(), true);
        let mut writer = Command::new("/bin/cat");
        writer.stdin(rest).stdout(pipe).stderr(Stdio::null()).process_group(0);
        // Where there is no `cat`, the input ends here.
        let _ = writer.spawn();
    }
}

/// A file without a name, to be read from its beginning.
fn kept(text: &[u8]) -> io::Result<File> {
    let mut file = nameless()?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(target_os = "linux")]
fn nameless() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    Ok(memfd_create("payload", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn nameless() -> io::Result<File> {
    tempfile::tempfile()
}
