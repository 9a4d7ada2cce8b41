//! A finding, and the way to put it right.

use std::path::PathBuf;

use serde::Serialize;

use crate::install::command_faults::Layer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Info,
    /// Something does not do what was meant, or will not for long.
    Warning,
    /// Hooks do not fire, or gates do not hold.
    Error,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The repair of a finding by `hookman doctor --fix`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mend {
    /// Bring the registration of a scope, `managed`, `user`, `project` or `local`, in line with its manifest.
    Apply(&'static str),
    /// Make a file one that may be run.
    MakeExecutable(PathBuf),
    /// Let nobody else into a directory that is hookman's, which is made where it is missing.
    MakePrivate(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: &'static str,
    pub level: Level,
    /// The place: a file, with line and column where there are any.
    pub place: String,
    pub message: String,
    /// The effect that a user would notice.
    pub notice: String,
    /// The way out, with what is to be typed in backquotes.
    pub fix: String,
    pub rests_on: Layer,
    /// A line to be pasted into a shell, where one line does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The repair by `hookman doctor --fix`.
    #[serde(skip)]
    pub mend: Option<Mend>,
}

impl Finding {
    /// Says what a user would notice of this one, where the check's own words do not fit.
    pub fn notice(&mut self, notice: impl Into<String>) -> &mut Self {
        self.notice = notice.into();
        self
    }

    pub fn rests_on(&mut self, layer: Layer) -> &mut Self {
        self.rests_on = layer;
        self
    }

    /// Lets `hookman doctor --fix` put it right.
    pub fn mend(&mut self, mend: Mend) -> &mut Self {
        self.mend = Some(mend);
        self
    }
}

pub struct Findings {
    check: &'static str,
    notice: &'static str,
    found: Vec<Finding>,
}

impl Findings {
    /// For the check `check`, with what a user would notice of what it finds.
    pub(super) fn of(check: &'static str, notice: &'static str) -> Self {
        Self { check, notice, found: Vec::new() }
    }

    /// Adds a finding. `fix` is the way out in words, with what is to be typed in backquotes; where
    /// it begins with the word `run`, that is the line to paste.
    pub fn add(
        &mut self,
        level: Level,
        place: impl Into<String>,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> &mut Finding {
        let fix = fix.into();
        let typed = fix.strip_prefix("run `").and_then(|rest| rest.split_once('`'));
        let command = typed.map(|(command, _)| command.to_owned());
        let finding = Finding {
            check: self.check,
            level,
            place: place.into(),
            message: message.into(),
            notice: self.notice.to_owned(),
            rests_on: Layer::Read,
            command,
            fix,
            mend: None,
        };
        let at = self.found.len();
        self.found.push(finding);
        &mut self.found[at]
    }

    pub(super) fn into_found(self) -> Vec<Finding> {
        self.found
    }
}
