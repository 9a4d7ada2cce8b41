//! A fault of a command.

use std::path::PathBuf;

use serde::Serialize;

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
    /// It asks for a variable that nobody sets.
    Variable,
    /// It needs a program that is not there.
    Needs,
    /// Its script is one that its interpreter cannot read.
    Syntax,
    /// Its script does something that a linter warns of.
    Lint,
    /// It reads the call where it does not come, or by a name that none has.
    Input,
    /// It answers in a form that its event does not heed.
    Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    Hints,
    Risks,
    Breaks,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    #[default]
    Read,
    /// The program that will run a script has read it, and ran nothing of it.
    Parsed,
    /// A linter has read it.
    Linted,
    /// The command was run.
    Run,
    /// The client was asked.
    Asked,
}

impl Layer {
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Parsed => "parsed",
            Self::Linted => "linted",
            Self::Run => "run",
            Self::Asked => "asked",
        }
    }
}

impl Fault {
    pub(super) fn new(kind: Kind, weight: Weight, message: String, fix: impl Into<String>) -> Self {
        let (notice, executable, layer) = (None, None, Layer::Read);
        Self { kind, weight, message, notice, fix: fix.into(), executable, layer }
    }
}
