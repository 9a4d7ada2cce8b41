//! Shell command lines, as far as one must read them to know what they run.
//!
//! Not a shell: nothing is expanded and no syntax is refused. What a shell would run, also inside
//! substitutions, compound commands and wrappers, is found; quoted text, comments and the bodies of
//! here-documents are data. After the POSIX shell language and the manual of bash; `PowerShell` is
//! read by the same rules, which fits its simple commands.

mod assignment;
mod command;
mod compound;
mod line;
mod powershell;
pub mod programs;
mod redirection;
mod walk;
mod word;

pub use command::{Command, Function, Loop, Redirection, Split, Word};
pub use powershell::from_powershell;
pub use walk::{Invocation, alternatives, can_run, each_invocation, each_suspect, hits};

/// Splits a command line, which may be a script of many lines.
///
/// Takes time in proportion to the line's length.
pub fn split(line: &str) -> Split<'_> {
    line::split(line, 0)
}

#[cfg(test)]
mod tests;
