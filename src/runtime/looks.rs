//! How a manifest is looked at that somebody may be writing: many programs empty a file before they
//! fill it, or remove it before they make it anew.

use std::thread;
use std::time::Duration;

use super::chains::Chain;
use crate::machine::files;

/// A file that has not changed for so long is not being written.
const QUIET: Duration = Duration::from_millis(50);

/// How long all waiting together takes at most.
const PATIENCE: Duration = Duration::from_millis(200);

/// The clock, in nanoseconds since 1970, and how to wait.
pub(super) struct Looks<'a> {
    pub now: &'a dyn Fn() -> i128,
    pub wait: &'a dyn Fn(Duration),
}

impl Default for Looks<'_> {
    fn default() -> Self {
        Self { now: &|| jiff::Timestamp::now().as_nanosecond(), wait: &thread::sleep }
    }
}

impl Looks<'_> {
    /// Waits until a chain's manifests have not changed for a moment, or not for longer.
    pub(super) fn wait_for_the_end(&self, chain: &Chain) {
        let mut left = PATIENCE;
        while let Some(rest) = self.rest(chain).filter(|rest| *rest <= left) {
            (self.wait)(rest);
            left -= rest;
        }
    }

    pub(super) fn wait_a_moment(&self) {
        (self.wait)(QUIET);
    }

    /// How long the newest manifest is yet to be left alone; one of a time to come is not waited for.
    fn rest(&self, chain: &Chain) -> Option<Duration> {
        let now = (self.now)();
        let age = |path| {
            let modified = files::stamp(path).ok()??.modified;
            Some(Duration::from_nanos(u64::try_from(now - modified).ok()?))
        };
        chain
            .files()
            .filter_map(age)
            .filter_map(|age| QUIET.checked_sub(age))
            .max()
            .filter(|rest| !rest.is_zero())
    }
}
