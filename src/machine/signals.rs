//! Signals.

/// Runs what reads keys itself, without an interrupt ending the process in the middle of it.
pub fn uninterrupted<T>(deed: impl FnOnce() -> T) -> T {
    #[expect(unsafe_code, reason = "there is no safe way to set a signal's disposition")]
    // SAFETY: the calls take no pointer but the disposition that the first one gave.
    unsafe {
        let before = libc::signal(libc::SIGINT, libc::SIG_IGN);
        let done = deed();
        libc::signal(libc::SIGINT, before);
        done
    }
}

/// Turns writes to a pipe that nobody reads into errors, as Rust's own entry point does, and writes
/// that would make a file longer than it may be.
pub fn ignore_failed_writes() {
    #[expect(unsafe_code, reason = "there is no safe way to set a signal's disposition")]
    // SAFETY: the call takes no pointer and no other thread runs yet.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
