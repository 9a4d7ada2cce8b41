//! Reads a manifest that somebody may be writing: many programs empty a file before they fill it, or
//! remove it before they make it again.

use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::machine::files;

/// A file that has not changed for so long is not being written.
const QUIET: Duration = Duration::from_millis(50);

/// The time that all waiting together takes at most.
const PATIENCE: Duration = Duration::from_millis(200);

/// For so many nanoseconds around its date a manifest that takes a gate away is not believed: the clock
/// of a disk may be ahead.
const DOUBT: i128 = 2_000_000_000;

/// The clock, in nanoseconds since 1970, and how to wait.
pub struct StableRead<'a> {
    /// The current time in nanoseconds since the epoch.
    pub now: &'a dyn Fn() -> i128,
    pub wait: &'a dyn Fn(Duration),
}

impl Default for StableRead<'_> {
    fn default() -> Self {
        Self { now: &|| jiff::Timestamp::now().as_nanosecond(), wait: &thread::sleep }
    }
}

impl StableRead<'_> {
    /// Waits until none of the files has changed for a moment, but not for long.
    pub fn wait_for_the_end<'f, I: Iterator<Item = &'f Path>>(&self, files: impl Fn() -> I) {
        let mut left = PATIENCE;
        while let Some(rest) = self.rest(files()).filter(|rest| *rest <= left) {
            (self.wait)(rest);
            left -= rest;
        }
    }

    /// Returns whether one of the files was written so lately that it may be half a save.
    pub fn is_in_doubt<'f>(&self, mut files: impl Iterator<Item = &'f Path>) -> bool {
        let now = (self.now)();
        files.any(|path| {
            let stamp = files::stamp(path).ok().flatten();
            stamp.is_some_and(|stamp| (now - stamp.modified).abs() < DOUBT)
        })
    }

    /// Sleeps until it is worth looking again.
    pub fn wait_a_moment(&self) {
        (self.wait)(QUIET);
    }

    /// Gives the time for which the newest file is still left alone; a time in the future is not waited
    /// for.
    fn rest<'f>(&self, files: impl Iterator<Item = &'f Path>) -> Option<Duration> {
        let now = (self.now)();
        let age = |path: &Path| {
            let modified = files::stamp(path).ok()??.modified;
            Some(Duration::from_nanos(u64::try_from(now - modified).ok()?))
        };
        files
            .filter_map(age)
            .filter_map(|age| QUIET.checked_sub(age))
            .max()
            .filter(|rest| !rest.is_zero())
    }
}
