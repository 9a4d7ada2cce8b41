//! The arguments of `run`, read by hand: the full parser costs more than a whole run.

use std::ffi::OsString;
use std::path::PathBuf;

use super::chains::Chain;
use crate::client::event::Event;
use crate::machine::paths::Paths;

/// What `hookman run` was asked.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The event; a bare call has it in the payload only.
    pub event: Option<Event>,
    /// The project whose chain is asked; the user's chain without it.
    pub project: Option<PathBuf>,
    /// The one hook to run, which has an entry of its own; its chain without it.
    pub hook: Option<String>,
}

impl Arguments {
    /// Reads `[EVENT] [--project DIRECTORY] [--hook NAME]`.
    ///
    /// # Errors
    ///
    /// A message for standard error; the caller must not exit with 2.
    pub fn parse(arguments: &[OsString]) -> Result<Self, String> {
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--project" {
                let directory = rest.next().ok_or("--project needs a directory")?;
                parsed.project = Some(PathBuf::from(directory));
                continue;
            }
            if argument == "--hook" {
                let name = rest.next().ok_or("--hook needs a name")?;
                parsed.hook = Some(name.to_string_lossy().into_owned());
                continue;
            }
            let name = argument.to_string_lossy();
            let event = Event::from_name(&name)
                .ok_or_else(|| format!("`{name}` is no event of the client"))?;
            parsed.event = Some(event);
        }
        Ok(parsed)
    }

    /// The chain that is asked.
    pub fn chain(&self, paths: &Paths) -> Chain {
        match &self.project {
            Some(project) => Chain::of_project(project),
            None => Chain::of_user(paths),
        }
    }
}
