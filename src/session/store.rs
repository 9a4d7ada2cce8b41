//! What hooks may keep for a session, as the built-in hooks see it.

use std::io;
use std::time::Duration;

/// A per-session store. The runtime keeps it in files; tests keep it in memory.
pub trait Store {
    /// Raises a flag for `ttl` and tells whether it was down before.
    ///
    /// Of any number of processes that raise the same flag at once, exactly one is told `true`.
    ///
    /// # Errors
    ///
    /// When the state directory cannot be written.
    fn raise(&self, flag: &str, ttl: Duration) -> io::Result<bool>;

    /// Whether a flag is up.
    ///
    /// # Errors
    ///
    /// When the state directory cannot be read.
    fn is_up(&self, flag: &str) -> io::Result<bool>;

    /// Takes a flag down and tells whether it was up; of several takers exactly one is told `true`.
    ///
    /// # Errors
    ///
    /// When the state directory cannot be written.
    fn take(&self, flag: &str) -> io::Result<bool>;
}
