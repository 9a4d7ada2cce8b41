//! A command, who runs it and where, and a fault of one.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::client::{Event, ExitTwo};
use crate::syntax::named::{filled, named, row};

#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) line: Line,
    pub(crate) caller: Caller,
    pub(crate) events: Vec<Event>,
    pub(crate) matcher: Option<String>,
    pub(crate) is_async: bool,
    pub(crate) is_closed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Shell(String),
    Argv(Vec<String>),
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
    pub(crate) project: Option<PathBuf>,
    pub(crate) plugin: Option<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) path: OsString,
    pub(crate) variables: Vec<String>,
    pub(crate) sh_is_dash: bool,
    /// The file for what interpreters and the linter said, where that may be remembered.
    pub(crate) remembered: Option<PathBuf>,
}

/// Returns whether exit code 2 of a command stops what an event is about.
pub(super) fn blocks(event: Event) -> bool {
    matches!(
        event.facts().exit_two,
        ExitTwo::BlocksForModel | ExitTwo::BlocksForUser | ExitTwo::BlocksSilently
    )
}

impl Command {
    pub(super) fn text(&self) -> Option<&str> {
        if let Line::Shell(line) = &self.line { Some(line) } else { None }
    }

    /// An event on which the client takes exit code 2 of this command for a no.
    pub(super) fn blocked_by_two(&self) -> Option<Event> {
        // A script that is not there is seen by hookman, and by the client at the end of turns.
        use Event::{Stop, SubagentStop, TaskCompleted, TeammateIdle};
        let event = self.events.iter().copied().find(|event| blocks(*event))?;
        let is_seen = [Stop, SubagentStop, TaskCompleted, TeammateIdle].contains(&event);
        (self.caller == Caller::Client && !is_seen).then_some(event)
    }
}

named! {
    /// A kind of faults, which is named as the doctor's check for it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        Missing = "command-present",
        Gone = "command-gone",
        NotExecutable = "command-executable",
        /// Its interpreter is not there, or its lines end in CRLF.
        Interpreter = "command-interpreter",
        /// It is found from one directory only.
        Relative = "command-relative",
        /// A directory's name with blanks would fall apart, or is not put in at all.
        Quoting = "command-quoting",
        /// It exits with 2 where it cannot be run, which the client takes for a block.
        Lockout = "command-lockout",
        Variable = "command-variables",
        Needs = "command-needs",
        Syntax = "command-syntax",
        Lint = "command-lint",
        /// It reads the call where it does not come, or by a name that none has.
        Input = "command-input",
        Answer = "command-answer",
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Weight {
        Hints = "hints",
        Risks = "risks",
        Breaks = "breaks",
    }
}

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
    pub(crate) layer: Layer,
}

named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Layer {
        #[default]
        Read = "read",
        /// The program that will run a script has read it, and ran nothing of it.
        Parsed = "parsed",
        Linted = "linted",
        Run = "run",
        Asked = "asked",
    }
}

const FAULTS: &str = include_str!("faults.txt");

impl Fault {
    pub(super) fn new(kind: Kind, weight: Weight, message: String, fix: impl Into<String>) -> Self {
        let (notice, executable, layer) = (None, None, Layer::Read);
        Self { kind, weight, message, notice, fix: fix.into(), executable, layer }
    }

    /// The fault that `faults.txt` has under a name, with some values in its words.
    pub(super) fn known(name: &str, values: &[&dyn Display]) -> Option<Self> {
        let mut fields = row(FAULTS, name);
        let kind = Kind::from_name(fields.next()?)?;
        let weight = Weight::from_name(fields.next()?)?;
        let says = filled(fields.next()?, values);
        Some(Self::new(kind, weight, says, filled(fields.next()?, values)))
    }
}
