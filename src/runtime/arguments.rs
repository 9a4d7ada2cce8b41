//! The arguments of `run`, read by hand: the full parser costs more than a whole run.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::client::Event;
use crate::machine::Paths;
use crate::machine::paths::NoHome;
use crate::state::Chain;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The event; a bare call has it in the payload only.
    pub event: Option<Event>,
    /// The project whose chain is asked; the user's chain without it.
    pub project: Option<PathBuf>,
    /// The directory of the administrator whose chain is asked.
    pub managed: Option<PathBuf>,
    /// The one hook to run, which has an entry of its own; its chain without it.
    pub hook: Option<String>,
    /// The program that calls, where the entry names it; the payload tells without it.
    pub host: Option<String>,
    /// The first mistake in them, such as what only another version of hookman understands.
    pub wrong: Option<String>,
}

impl Arguments {
    /// Reads `[EVENT] [--project DIRECTORY | --managed DIRECTORY] [--hook NAME]
    /// [--host NAME]`; what is none of that is passed over.
    pub fn parse(arguments: &[OsString]) -> Self {
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let wrong = match &*argument.to_string_lossy() {
                "--project" => {
                    parsed.project = rest.next().map(PathBuf::from);
                    parsed.project.is_none().then(|| "--project needs a directory".to_owned())
                }
                "--managed" => {
                    parsed.managed = rest.next().map(PathBuf::from);
                    parsed.managed.is_none().then(|| "--managed needs a directory".to_owned())
                }
                "--hook" => {
                    parsed.hook = rest.next().map(|name| name.to_string_lossy().into_owned());
                    parsed.hook.is_none().then(|| "--hook needs a name".to_owned())
                }
                "--host" => {
                    parsed.host = rest.next().map(|name| name.to_string_lossy().into_owned());
                    parsed.host.is_none().then(|| "--host needs a name".to_owned())
                }
                option if option.starts_with('-') => {
                    Some(format!("`run` has no option `{option}`"))
                }
                name => match Event::from_name(name) {
                    // Which of two is meant, the payload says.
                    Some(event) => match parsed.event.take_if(|one| *one != event) {
                        Some(one) => Some(format!("`run` takes one event, not {one} and {event}")),
                        None => {
                            parsed.event = Some(event);
                            None
                        }
                    },
                    None => Some(format!("`{name}` is no event of the client")),
                },
            };
            parsed.wrong = parsed.wrong.or(wrong);
        }
        parsed
    }

    /// The directories to work in. For an administrator's chain no user's settings point elsewhere. Fails
    /// when the environment names no home, for the chains of others.
    pub fn paths(&self) -> Result<Paths, NoHome> {
        Paths::from_environment().or_else(|none| match &self.managed {
            Some(folder) => {
                Ok(Paths { home: None, config: folder.clone(), state: folder.join("state") })
            }
            None => Err(none),
        })
    }

    pub fn chain(&self, paths: &Paths) -> Chain {
        match (&self.managed, &self.project) {
            (Some(folder), _) => Chain::of_managed(folder),
            (None, Some(project)) => Chain::of_project(project),
            (None, None) => Chain::of_user(paths),
        }
    }
}
