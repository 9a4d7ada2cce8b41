//! The `hookman` binary: two doors, and the one the client uses comes first.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
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
