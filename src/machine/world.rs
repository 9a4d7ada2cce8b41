//! What every command works with.

use super::paths::Paths;
use super::terminal::Terminal;

/// The machine as a command sees it.
pub struct World {
    /// Where the user's and hookman's own files are.
    pub paths: Paths,
    /// What is printed and asked.
    pub terminal: Terminal,
}
