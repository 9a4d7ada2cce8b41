//! Signals.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Once, OnceLock};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// SIGHUP, SIGINT and SIGTERM as notes, from the first [`Endings::watch`] on, for who ends others first.
pub struct Endings {
    signal: Arc<AtomicUsize>,
    /// Readable once a signal has come.
    notice: UnixStream,
}

impl Endings {
    /// The process's one watch, set up at the first call; `None` where the system refuses.
    pub fn watch() -> Option<&'static Self> {
        static WATCH: OnceLock<Option<Endings>> = OnceLock::new();
        WATCH.get_or_init(|| Self::set_up().ok()).as_ref()
    }

    fn set_up() -> io::Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let (notice, write) = UnixStream::pair()?;
        for (number, value) in [(SIGHUP, 1), (SIGINT, 2), (SIGTERM, 15)] {
            // The number is there before the notice is.
            flag::register_usize(number, Arc::clone(&signal), value)?;
            low_level::pipe::register(number, write.try_clone()?)?;
        }
        Ok(Self { signal, notice })
    }

    /// The number of the last signal that came, if any did.
    pub fn come(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }
}

impl AsFd for Endings {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.notice.as_fd()
    }
}

/// The process that ends with this one, or with a negative number the process group; 0 for none.
static FOLLOWER: AtomicI32 = AtomicI32::new(0);

/// Has what ends this process end another one first, or with a negative number a process group.
pub fn ends_with_this(process: i32) {
    static ONCE: Once = Once::new();
    FOLLOWER.store(process, Ordering::SeqCst);
    ONCE.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let pass_on = move || {
                let process = FOLLOWER.load(Ordering::SeqCst);
                let _ = Pid::from_raw(process.abs()).map(|pid| {
                    let end = if process < 0 { kill_process_group } else { kill_process };
                    end(pid, Signal::TERM)
                });
                let _ = low_level::emulate_default_handler(signal);
            };
            #[expect(unsafe_code, reason = "there is no safe way to run code at a signal")]
            // SAFETY: the first call takes no pointer, and all that the handler does may be done in one.
            unsafe {
                // What was ignored, as by `nohup`, stays so.
                if libc::signal(signal, libc::SIG_DFL) == libc::SIG_IGN {
                    libc::signal(signal, libc::SIG_IGN);
                } else {
                    let _ = low_level::register(signal, pass_on);
                }
            }
        }
    });
}

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

/// Turns writes to a pipe that nobody reads, or beyond a file's limit, into errors.
pub fn ignore_failed_writes() {
    #[expect(unsafe_code, reason = "there is no safe way to set a signal's disposition")]
    // SAFETY: no other thread runs yet, and the handler does nothing.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // What is ignored stays so in children, for which the standard library puts back only the
        // signal above; what has a handler does not.
        libc::signal(libc::SIGXFSZ, nothing as extern "C" fn(libc::c_int) as libc::sighandler_t);
    }
}

extern "C" fn nothing(_signal: libc::c_int) {}
