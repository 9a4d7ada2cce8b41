//! The `hookman` binary: two doors, and the one the client uses comes first.
//!
//! On Linux with glibc the entry point is C's `main`: what Rust's own does before it (looking at
//! the stack's bounds, setting up a message for its overflow) costs a tenth of a whole run, at
//! every tool call.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

use std::ffi::OsString;

#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
#[expect(unsafe_code, reason = "C's entry point has a name that must not be mangled")]
#[unsafe(no_mangle)]
extern "C" fn main(_count: i32, _arguments: *const *const u8) -> i32 {
    door().into()
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    door().into()
}

/// Runs what the arguments ask for and gives the exit code.
fn door() -> u8 {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "run" && !asks_for_help(rest) => {
            hookman::runtime::main(rest)
        }
        None if hookman::runtime::is_bare_call(&arguments) => hookman::runtime::main(&[]),
        _ => hookman::cli::main(),
    }
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == "--help" || argument == "-h")
}
