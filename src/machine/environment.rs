//! The process's environment, read in this one place.

#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Takes the arguments from C's entry point, where not every library shows them to the standard library.
pub fn set_arguments(arguments: Vec<OsString>) {
    // A second entry point there is none.
    let _ = ARGUMENTS.set(arguments);
}

pub fn arguments() -> &'static [OsString] {
    ARGUMENTS.get_or_init(|| std::env::args_os().collect())
}

/// A variable's text; unset, empty and not-Unicode are all `None`.
pub fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable as the system gives it; unset and empty are both `None`.
pub fn raw(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The name of this machine, as `uname -n` prints it.
pub fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

pub fn current_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}
