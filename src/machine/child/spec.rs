//! A child to be run, and the end of one.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// The bytes that are kept of each of a child's outputs. The client keeps all of it (3 MB were tried on
/// 2.1.329 and 2.1.197), and an answer that is cut is none.
pub const KEPT: usize = 16 * 1024 * 1024;

/// The time that a child that was told to terminate may take before it is killed, and then to be gone.
pub const GRACE: Duration = Duration::from_millis(1500);

/// The time that the output of a child that has exited is waited for while another process holds it.
pub const LINGER: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub enum Program<'a> {
    /// A line for `sh -c`.
    Shell(&'a str),
    Argv(&'a [String]),
}

#[derive(Clone, Copy, Debug)]
pub struct Spec<'a> {
    pub program: Program<'a>,
    pub stdin: &'a [u8],
    /// Its working directory; hookman's own if absent.
    pub directory: Option<&'a Path>,
    pub variables: &'a [(&'a str, &'a OsStr)],
    pub timeout: Duration,
    /// Returns whether its output so far says that nobody should wait for it.
    pub goes_on_alone: fn(&[u8]) -> bool,
    /// Returns whether its output is complete, so that there is no need to read on.
    pub is_whole: fn(&[u8]) -> bool,
}

impl<'a> Spec<'a> {
    /// A child without input that is waited for.
    pub fn new(program: Program<'a>, timeout: Duration) -> Self {
        let (goes_on_alone, is_whole) = (|_: &[u8]| false, |_: &[u8]| false);
        let (stdin, variables) = (b"", &[]);
        Self { program, stdin, directory: None, variables, timeout, goes_on_alone, is_whole }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    Signalled(i32),
    /// By us, after its time was up.
    TimedOut,
    /// Not yet: it goes on alone.
    GoesOn,
}

#[derive(Debug)]
pub struct Finished {
    pub ended: Ended,
    /// Its standard output, up to [`KEPT`] bytes.
    pub stdout: Vec<u8>,
    /// Its standard error, up to [`KEPT`] bytes.
    pub stderr: Vec<u8>,
    /// Bytes of its standard output and its standard error that were read and not kept.
    pub dropped: [u64; 2],
    /// True if reading its standard output and its standard error failed before their end.
    pub unread: [bool; 2],
    /// True if an output was waited for in vain after its exit, because another process held it.
    pub held: [bool; 2],
    pub took: Duration,
}
