//! Signals.

/// Turns writes to a pipe that nobody reads into errors, as Rust's own entry point does.
pub fn ignore_broken_pipes() {
    #[expect(unsafe_code, reason = "there is no safe way to set a signal's disposition")]
    // SAFETY: the call takes no pointer and no other thread runs yet.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}
