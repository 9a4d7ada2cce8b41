//! What a manifest says.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::audience::Audience;
use super::manner::Manner;
use super::passing::Passed;
use super::sessions::KeepDays;
use super::surroundings::Surroundings;
use crate::client::event::Event;

/// A place in a manifest; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A value's file and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file as the user would name it.
    pub file: String,
    /// The place in it.
    pub position: Position,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.position.line)
    }
}

/// What a hook that crashed, took too long, is missing or made no sense means; the stricter is the
/// greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnError {
    /// No decision.
    #[default]
    Open,
    /// The user is asked.
    Ask,
    /// It blocks, with the error as the reason.
    Closed,
}

impl OnError {
    /// What a word in a manifest stands for.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Open, Self::Ask, Self::Closed].into_iter().find(|known| known.name() == name)
    }

    /// The word in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ask => "ask",
            Self::Closed => "closed",
        }
    }
}

/// What a hook does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A ready-made hook of the catalogue.
    Builtin {
        /// Its name in the catalogue.
        name: String,
        /// The kind of hook it is an entry of.
        kind: String,
    },
    /// A line for the shell.
    Command(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
    /// What the client runs itself.
    Passed(Passed),
}

/// One `[[hook]]`, complete: what the manifest leaves open is filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Hook {
    /// Its name, unique among the hooks of a chain.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// One line on what it is for.
    pub summary: String,
    /// The events it is asked on, in the table's order.
    pub events: Vec<Event>,
    /// The client's matcher; `None` matches all.
    pub matcher: Option<String>,
    /// The permanent switch.
    pub enabled: bool,
    /// Milliseconds it may take.
    pub timeout_ms: u64,
    /// What a failure means.
    pub on_error: OnError,
    /// How it runs beside others.
    pub manner: Manner,
    /// Where a command runs.
    pub surroundings: Surroundings,
    /// For whom it runs, and who may switch it off.
    pub audience: Audience,
    /// A built-in's options, checked and complete.
    pub options: Map<String, Value>,
    /// Where each key was set, by key, an option's as in `options.level`; `hook` is the place of
    /// the table itself, and a key that is not here has its default.
    pub origins: BTreeMap<String, Origin>,
}

impl Hook {
    /// The entry that the client runs instead of hookman, if it is such a hook.
    pub fn passed(&self) -> Option<&Passed> {
        match &self.action {
            Action::Passed(passed) => Some(passed),
            _ => None,
        }
    }

    /// Where the hook is declared.
    pub fn origin(&self) -> Option<&Origin> {
        self.origins.get("hook")
    }
}

/// A manifest with its overlay: the hooks of one chain, in the order they run in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The hooks.
    pub hooks: Vec<Hook>,
    /// The hooks that each profile switches off, by the profile's name.
    pub profiles: BTreeMap<String, Vec<String>>,
    /// How long the state of sessions is kept, where it says so.
    pub keep: Option<KeepDays>,
}

/// What a ready-made hook brings along, so that a manifest need not say it.
#[derive(Clone, Debug)]
pub struct Preset {
    /// The kind of hook it is.
    pub kind: String,
    /// One line on what it is for.
    pub summary: String,
    /// Its events.
    pub events: Vec<Event>,
    /// Its matcher.
    pub matcher: Option<String>,
}

/// Where reading a manifest learns about ready-made hooks.
pub trait Presets {
    /// The names of all, for suggestions.
    fn names(&self) -> Vec<&str>;

    /// One by its exact name.
    fn find(&self, name: &str) -> Option<Preset>;

    /// The options that result when the manifest's are laid over the preset's own.
    ///
    /// # Errors
    ///
    /// The path of the key that is wrong, and why.
    fn options(
        &self,
        name: &str,
        overrides: &Map<String, Value>,
    ) -> Result<Map<String, Value>, (Vec<String>, String)>;
}

/// Something wrong in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file and place.
    pub origin: Origin,
    /// What is wrong and, where it can be guessed, what was meant.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Origin { file, position } = &self.origin;
        write!(formatter, "{file}:{}:{}: {}", position.line, position.column, self.message)
    }
}

/// All that is wrong in the manifests of a chain, in the order of the files; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
