//! A command, who runs it, and where.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::client::event::{Event, ExitTwo};

/// A command of a manifest or of a settings file.
#[derive(Clone, Debug)]
pub(crate) struct Command<'a> {
    pub(crate) line: Line<'a>,
    pub(crate) caller: Caller,
    pub(crate) events: Vec<Event>,
    pub(crate) matcher: Option<&'a str>,
    /// True if nobody waits for its answer.
    pub(crate) is_async: bool,
    /// True if its failure is a denial.
    pub(crate) is_closed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Line<'a> {
    Shell(&'a str),
    Argv(&'a [String]),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The client, in the session's current directory.
    Client,
    /// hookman: a relative program is next to the manifest.
    Hookman {
        /// The manifest's directory, where a relative program is looked for in it.
        manifest: Option<PathBuf>,
        /// True if the command runs in the project's directory.
        in_project: bool,
    },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// The project's directory, in which sessions are started.
    pub(crate) project: Option<PathBuf>,
    pub(crate) plugin: Option<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) path: OsString,
    /// The names of variables that the settings set.
    pub(crate) variables: Vec<String>,
    /// True if `sh` is `dash`, which has no `[[`.
    pub(crate) sh_is_dash: bool,
}

/// Returns whether exit code 2 of a command stops what an event is about.
pub(super) fn blocks(event: Event) -> bool {
    matches!(
        event.facts().exit_two,
        ExitTwo::BlocksForModel | ExitTwo::BlocksForUser | ExitTwo::BlocksSilently
    )
}

impl Command<'_> {
    /// The line that a shell reads.
    pub(super) fn text(&self) -> Option<String> {
        match self.line {
            Line::Shell(line) => Some(line.to_owned()),
            Line::Argv(_) => None,
        }
    }

    /// An event on which the client takes exit code 2 of this command for a no.
    pub(super) fn blocked_by_two(&self) -> Option<Event> {
        // A script that is not there is seen by hookman, and by the client at the end of turns.
        let is_seen = |event: &Event| {
            matches!(
                event,
                Event::Stop | Event::SubagentStop | Event::TaskCompleted | Event::TeammateIdle
            )
        };
        let event = self.events.iter().copied().find(|event| blocks(*event))?;
        (self.caller == Caller::Client && !is_seen(&event)).then_some(event)
    }
}
