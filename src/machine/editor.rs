//! The user's editor.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::Command;

use super::{environment, signals};

/// Returns whether the user named an editor, which may need no terminal.
pub fn is_named() -> bool {
    named().is_some()
}

fn named() -> Option<String> {
    let is_set = |line: &String| !line.trim().is_empty();
    ["VISUAL", "EDITOR"].iter().find_map(|name| environment::text(name).filter(is_set))
}

/// Opens a file in `$VISUAL`, else `$EDITOR`, else `vi`, and waits until it is closed. What the variable
/// holds is a line for the shell, as git has it.
///
/// Fails when there is no such program, or it says that it failed.
pub fn open(file: &Path) -> io::Result<()> {
    let editor = named().unwrap_or_else(|| "vi".to_owned());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file);
    // An interrupt is the editor's to handle.
    let status = signals::uninterrupted(|| command.status())?;
    match status.code() {
        Some(0) => Ok(()),
        Some(126 | 127) => Err(io::Error::new(
            ErrorKind::NotFound,
            format!("the editor `{editor}` was not found; set EDITOR to one that is installed"),
        )),
        _ => Err(io::Error::other(format!(
            "the editor `{editor}` failed ({status}), so nothing was written"
        ))),
    }
}
