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

/// The most bytes of a named text.
pub const LONGEST: usize = 1024 * 1024;

/// The tries of a change that others get in before.
const TRIES: usize = 100;

/// A per-session store. The runtime keeps it in files; tests keep it in memory.
pub trait Store {
    /// Raises a flag for `ttl` and tells whether it was down before.
    ///
    /// Of any number of processes that raise the same flag at once, exactly one gets `true`.
    fn raise(&self, flag: &str, ttl: Duration) -> io::Result<bool>;

    fn is_up(&self, flag: &str) -> io::Result<bool>;

    /// Takes a flag down and tells whether it was up; of several takers exactly one gets `true`.
    fn take(&self, flag: &str) -> io::Result<bool>;

    /// Adds to a counter and gives its value; it begins at 0 and never falls below. `i64::MIN` sets
    /// it back to 0.
    ///
    /// However many processes count at once, none of them is lost.
    fn count(&self, counter: &str, by: i64) -> io::Result<u64>;

    /// Returns whether this is the first call for `mark` in the turn of `prompt`, the id of a prompt.
    ///
    /// Clients up to 2.1.195 do not say which prompt they work on; there a turn is the quarter of
    /// an hour after the first call.
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

    /// A named text; `None` where there is none.
    ///
    /// Texts that a person or a workflow may set, such as `phase`, have a plain name; what a hook
    /// keeps for itself has a name with a dot, as `Context::key` makes it.
    fn text(&self, name: &str) -> io::Result<Option<String>>;

    /// Puts `new` in the place of a named text if that is `old` now; no text at all is `None`. Tells
    /// whether it did.
    ///
    /// Fails when the state directory cannot be written, or the text has more than [`LONGEST`] bytes.
    fn swap(&self, name: &str, old: Option<&str>, new: Option<&str>) -> io::Result<bool>;

    /// Replaces a named text by the result of `change`, and returns it. No change is lost, even if
    /// several processes do this at once.
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

    /// Takes down the flags that begin with `start` but for `flag`, the newest of them, and as many
    /// before it as make `count`; best effort.
    fn keep_newest(&self, start: &str, flag: &str, count: usize);
}
