//! The causes that keep a command from doing its work, as far as they can be seen without running it.

mod calls;
mod guard;
pub(crate) mod places;
mod programs;
mod quoting;
mod runners;
mod script;
mod syntax;
mod variables;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::Serialize;

use crate::client::event::{Event, ExitTwo};
use syntax::Script;

/// A command of a manifest or of a settings file.
#[derive(Clone, Debug)]
pub(crate) struct Command<'a> {
    pub(crate) line: Line<'a>,
    pub(crate) caller: Caller,
    /// The events that it is asked on.
    pub(crate) events: Vec<Event>,
    /// True if its failure is a denial.
    pub(crate) is_closed: bool,
    /// True if it says with its exit code what is to be, and nobody takes a failure for a denial.
    pub(crate) is_open: bool,
    /// True if nobody waits for it.
    pub(crate) is_async: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Line<'a> {
    Shell(&'a str),
    /// A program and its arguments.
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
    /// The directory of the plugin that the command is of.
    pub(crate) plugin: Option<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) path: OsString,
    /// The names of variables that the settings set.
    pub(crate) variables: Vec<String>,
    /// True if `sh` is `dash`, which has no `[[`.
    pub(crate) sh_is_dash: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Its program or script is not there.
    Missing,
    /// Nor is the directory that it was in.
    Gone,
    /// It may not be run.
    NotExecutable,
    /// Its interpreter is not there, or its lines end in CRLF.
    Interpreter,
    /// It is found from one directory only.
    Relative,
    /// A directory's name with blanks would fall apart, or is not put in at all.
    Quoting,
    /// It exits with 2 where it cannot be run, which the client takes for a block.
    Lockout,
    /// It says no with a code that blocks nothing.
    Toothless,
    /// It asks for a variable that nobody sets.
    Variable,
    /// It needs a program that is not there.
    Needs,
    /// Its script is one that its interpreter cannot read.
    Syntax,
    /// Its script does something that a linter warns of.
    Lint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// It is worth a look.
    Hints,
    /// It may do what it is for.
    Risks,
    Breaks,
}

/// Something that is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) weight: Weight,
    pub(crate) message: String,
    /// The effect that a user would notice, where it is not that of all faults of the kind.
    pub(crate) notice: Option<&'static str>,
    pub(crate) fix: String,
    /// The file that is to be made one that may be run.
    pub(crate) executable: Option<PathBuf>,
    /// The key that is wrong, where it is not that of the command.
    pub(crate) key: Option<&'static str>,
    pub(crate) layer: Layer,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    #[default]
    Read,
    /// The program that will run a script has read it, and ran nothing of it.
    Parsed,
    /// A linter has read it.
    Linted,
}

impl Fault {
    fn new(kind: Kind, weight: Weight, message: String, fix: impl Into<String>) -> Self {
        let (notice, executable, key, layer) = (None, None, None, Layer::Read);
        Self { kind, weight, message, notice, fix: fix.into(), executable, key, layer }
    }
}

/// Lists the faults of a command, each once, in the order of its words.
pub(crate) fn of(command: &Command<'_>, around: &Around) -> Vec<Fault> {
    // Where the shell cannot read a line, its words mean nothing.
    if let Some(fault) = quoting::refused(command) {
        return vec![fault];
    }
    let mut faults = quoting::of(command, around);
    faults.extend(variables::of(command, around));
    for call in calls::of(command, around) {
        programs::examine(command, around, &call, &mut faults);
        script::examine(command, around, &call, &mut faults);
    }
    faults.extend(guard::of_line(command));
    let mut seen: Vec<Fault> = Vec::new();
    for fault in faults {
        if !seen.contains(&fault) {
            seen.push(fault);
        }
    }
    seen
}

fn scripts(command: &Command<'_>, around: &Around) -> Vec<Script> {
    let calls = calls::of(command, around);
    calls.iter().filter_map(|call| syntax::script(command, call)).collect()
}

/// Returns whether exit code 2 of a command stops what an event is about.
fn blocks(event: Event) -> bool {
    matches!(
        event.facts().exit_two,
        ExitTwo::BlocksForModel | ExitTwo::BlocksForUser | ExitTwo::BlocksSilently
    )
}

impl Command<'_> {
    /// An event on which the client takes exit code 2 of this command for a no.
    fn blocked_by_two(&self) -> Option<Event> {
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
