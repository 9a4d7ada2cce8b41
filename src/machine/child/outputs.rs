//! The outputs of a child, and their reader once hookman is done.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::spec::KEPT;

/// The number of bytes that are read of what holds a pipe after hookman.
const LEFT: &str = "67108864";

pub(super) struct Output {
    pub(super) pipe: Option<OwnedFd>,
    pub(super) kept: Vec<u8>,
    pub(super) dropped: u64,
    /// True if the system failed to give all of it.
    pub(super) unread: bool,
}

pub(super) fn set_blocking(pipe: BorrowedFd<'_>, blocking: bool) {
    // The pipe is ours and new, so this cannot fail in a way that matters: a blocking pipe is
    // still served by poll, only less smoothly.
    if let Ok(mut flags) = fcntl_getfl(pipe) {
        flags.set(OFlags::NONBLOCK, !blocking);
        let _ = fcntl_setfl(pipe, flags);
    }
}

impl Output {
    pub(super) fn of(pipe: Option<OwnedFd>) -> Self {
        if let Some(pipe) = &pipe {
            set_blocking(pipe.as_fd(), false);
        }
        Self { pipe, kept: Vec::new(), dropped: 0, unread: false }
    }

    /// Lets another process read what holders of the pipe still write, as without a reader they would end.
    pub(super) fn leave(&mut self) {
        let Some(pipe) = self.pipe.take() else { return };
        // Who reads it waits for what comes.
        set_blocking(pipe.as_fd(), true);
        let mut reader = Command::new("/usr/bin/head");
        reader.args(["-c", LEFT]).stdin(pipe);
        reader.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        // Where there is no `head`, they find out for themselves.
        let _ = reader.spawn();
    }

    pub(super) fn drain(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let mut piece = [0_u8; 16 * 1024];
        // The number of reads is bounded, so that a child that never stops writing cannot keep us
        // from looking at the clock.
        for _ in 0..64 {
            match rustix::io::read(pipe, piece.as_mut_slice()) {
                Ok(0) => {
                    self.pipe = None;
                    return;
                }
                Ok(length) => {
                    let room = KEPT.saturating_sub(self.kept.len()).min(length);
                    self.kept.extend_from_slice(&piece[..room]);
                    self.dropped += (length - room) as u64;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    self.pipe = None;
                    self.unread = true;
                    return;
                }
            }
        }
    }
}

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

    /// Lets another process write the rest, for a child that is not waited for.
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
