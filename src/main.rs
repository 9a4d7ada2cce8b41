//! The `hookman` binary: two doors, and the one the client uses comes first.
//!
//! On Linux the entry point is C's `main`: what Rust's own does before it (looking at the stack's
//! bounds, setting up a message for its overflow) costs a tenth of a whole run, at every tool call.

#![cfg_attr(all(target_os = "linux", not(test)), no_main)]

use std::ffi::OsString;

use hookman::machine::environment;

#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: hookman::machine::memory::Memory = hookman::machine::memory::Memory;

#[cfg(all(target_os = "linux", not(test)))]
#[expect(unsafe_code, reason = "C's entry point has a name that must not be mangled")]
#[unsafe(no_mangle)]
extern "C" fn main(count: i32, words: *const *const std::ffi::c_char) -> i32 {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;

    let words = (0..usize::try_from(count).unwrap_or_default()).map(|at| {
        // SAFETY: C's library gives as many words as it says, and each ends with a zero.
        let word = unsafe { CStr::from_ptr(*words.add(at)) };
        OsStr::from_bytes(word.to_bytes())
    });
    // Before anything has asked for memory.
    hookman::machine::memory::take();
    environment::set_arguments(words.map(OsStr::to_owned).collect());
    door().into()
}

#[cfg(not(all(target_os = "linux", not(test))))]
fn main() -> std::process::ExitCode {
    door().into()
}

/// Runs what the arguments ask for and gives the exit code.
fn door() -> u8 {
    let arguments = environment::arguments().get(1..).unwrap_or_default();
    match arguments.split_first() {
        Some((command, rest)) if command == "run" && !asks_for_help(rest) => {
            hookman::runtime::main(rest)
        }
        None if hookman::runtime::is_bare_call(arguments) => hookman::runtime::main(&[]),
        _ => hookman::cli::main(),
    }
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == "--help" || argument == "-h")
}
