//! The store of a session, as the built-in hooks see it.

use std::io;
use std::time::Duration;

/// The flag of a session in which guards block whatever they would else advise against.
pub const CAREFUL: &str = "careful";

/// The name of the text that a named text was before it was set last.
pub fn before_name(name: &str) -> String {
    format!("before.{name}")
}

/// The marks of so many turns are kept: a subagent in the background may still work on an earlier one.
const TURNS: usize = 8;

pub const LONGEST: usize = 1024 * 1024;

/// The tries of a change that others get in before.
const TRIES: usize = 100;

/// A per-session store. The runtime keeps it in files; tests keep it in memory.
pub trait Store {
    /// Raises a flag for `ttl`; of processes that raise it at once, exactly one gets `true`.
    fn raise(&self, flag: &str, ttl: Duration) -> io::Result<bool>;

    fn is_up(&self, flag: &str) -> io::Result<bool>;

    /// Takes a flag down and tells whether it was up; of several takers exactly one gets `true`.
    fn take(&self, flag: &str) -> io::Result<bool>;

    /// Adds to a counter from 0, never below, and gives its value; none is lost. `i64::MIN` sets it to 0.
    fn count(&self, counter: &str, by: i64) -> io::Result<u64>;

    /// Returns whether this is the first call for `mark` in the turn of `prompt`, or in a quarter of an
    /// hour for clients up to 2.1.195, which name none.
    fn first_in_turn(&self, mark: &str, prompt: &str) -> io::Result<bool> {
        let minutes = if prompt.is_empty() { 15 } else { 24 * 60 };
        let of_mark = format!("{mark} in ");
        let flag = format!("{of_mark}{prompt}");
        let is_first = self.raise(&flag, Duration::from_secs(minutes * 60))?;
        if is_first {
            self.keep_newest(&of_mark, &flag, TURNS);
        }
        Ok(is_first)
    }

    /// A named text, if there is one: with a plain name, or a hook's own with a dot by `Context::key`.
    fn text(&self, name: &str) -> io::Result<Option<String>>;

    /// Puts `new` in the place of a named text if that is `old` now; tells whether it did. Fails when it
    /// cannot be written, or has more than [`LONGEST`] bytes.
    fn swap(&self, name: &str, old: Option<&str>, new: Option<&str>) -> io::Result<bool>;

    /// Replaces a named text by the result of `change`, and returns it; no process's change is lost.
    fn change(
        &self,
        name: &str,
        change: &mut dyn FnMut(Option<&str>) -> Option<String>,
    ) -> io::Result<Option<String>> {
        for _ in 0..TRIES {
            let old = self.text(name)?;
            let new = change(old.as_deref());
            if new == old || self.swap(name, old.as_deref(), new.as_deref())? {
                return Ok(new);
            }
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("`{name}` keeps being changed")))
    }

    /// Forgets what it has read, because a program was run that may have changed it.
    fn look_again(&self) {}

    /// Takes down the flags that begin with `start` but for `flag` and the `count` newest before it.
    fn keep_newest(&self, start: &str, flag: &str, count: usize);
}
