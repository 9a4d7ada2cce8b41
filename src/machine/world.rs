//! The surroundings that every command works with.

use super::{Paths, Terminal};

pub struct World {
    pub paths: Paths,
    pub terminal: Terminal,
}

impl World {
    /// The same machine, with what would be printed kept for a report to programs.
    #[must_use]
    pub fn quiet(&self) -> Self {
        Self { paths: self.paths.clone(), terminal: Terminal::keeping() }
    }
}
