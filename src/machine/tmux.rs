//! The requests to tmux, in the server that this process runs in.

use std::io;
use std::process::{Command, Stdio};

/// Runs tmux with these words and gives its output without the line's end; `None` where it refuses
/// them.
pub fn tmux(words: &[&str]) -> io::Result<Option<String>> {
    let output = Command::new("tmux").args(words).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success().then(|| text.trim_end_matches('\n').to_owned()))
}
