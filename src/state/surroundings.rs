//! The answers of the machine to conditions.

use std::path::Path;

use crate::chain::condition::{Branch, Scene};
use crate::machine::{environment, git};

/// The program that calls, the process's environment and the work tree around a directory.
pub struct Surroundings<'a> {
    /// The name of the program.
    pub host: &'a str,
}

impl Scene for Surroundings<'_> {
    fn host(&self) -> &str {
        self.host
    }

    fn variable(&self, name: &str) -> Option<String> {
        environment::text(name)
    }

    fn directory(&self) -> Option<String> {
        environment::current_directory().ok()?.into_os_string().into_string().ok()
    }

    fn machine(&self) -> String {
        environment::machine()
    }

    fn system(&self) -> &'static str {
        std::env::consts::OS
    }

    fn branch(&self, directory: &str) -> Branch {
        match git::branch(Path::new(directory)) {
            Ok(Some(name)) => Branch::Named(name),
            Ok(None) => Branch::Absent,
            Err(_) => Branch::Unclear,
        }
    }
}
