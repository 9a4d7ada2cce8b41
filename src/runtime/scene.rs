//! What conditions may ask of the machine.

use std::path::Path;

use crate::chain::condition::Scene;
use crate::machine::{environment, git};

/// The process's environment and the work tree around a directory.
pub(super) struct Surroundings;

impl Scene for Surroundings {
    fn variable(&self, name: &str) -> Option<String> {
        environment::text(name)
    }

    fn branch(&self, directory: &str) -> Option<String> {
        git::branch(Path::new(directory))
    }
}
