//! A check, and what it finds.

use std::fmt::Display;
use std::path::PathBuf;

use serde::Serialize;

use super::facts::Facts;
use crate::install::command_faults::Layer;
use crate::syntax::named::{filled, named, row};

pub struct Check {
    pub id: &'static str,
    pub run: fn(&Facts, &mut Findings),
}

const WORDS: &str = include_str!("checks.txt");

const FINDINGS: &str = include_str!("findings.txt");

impl Check {
    /// The line that says what it holds.
    pub fn about(&self) -> &'static str {
        row(WORDS, self.id).next().unwrap_or_default()
    }

    /// The effect that a user would notice where it does not hold.
    pub fn notice(&self) -> &'static str {
        row(WORDS, self.id).nth(1).unwrap_or_default()
    }
}

/// Checks of one subject, which can be asked for by its name.
pub struct Family {
    pub name: &'static str,
    pub lists: &'static [&'static [Check]],
}

impl Family {
    pub fn about(&self) -> &'static str {
        row(WORDS, self.name).next().unwrap_or_default()
    }

    pub fn checks(&self) -> impl Iterator<Item = &'static Check> {
        self.lists.iter().copied().flatten()
    }
}

pub struct Examined {
    pub check: &'static Check,
    pub findings: Vec<Finding>,
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Level {
        Info = "info",
        /// Something does not do what was meant, or will not for long.
        Warning = "warning",
        /// Hooks do not fire, or gates do not hold.
        Error = "error",
    }
}

/// The repair of a finding by `hookman doctor --fix`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mend {
    /// Bring the registration of a scope, `managed`, `user`, `project` or `local`, in line with its manifest.
    Apply(&'static str),
    MakeExecutable(PathBuf),
    /// Make a directory that belongs to hookman private, and create it if it is missing.
    MakePrivate(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: &'static str,
    pub level: Level,
    /// The place: a file, with line and column where there are any.
    pub place: String,
    pub message: String,
    pub notice: String,
    /// The way out, with what is to be typed in backquotes.
    pub fix: String,
    pub rests_on: Layer,
    /// A line to be pasted into a shell, where one line does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(skip)]
    pub mend: Option<Mend>,
}

impl Finding {
    /// Says what a user would notice of this one, where the check's own words do not fit.
    pub fn notice(&mut self, notice: impl Into<String>) -> &mut Self {
        self.notice = notice.into();
        self
    }

    pub fn mend(&mut self, mend: Mend) -> &mut Self {
        self.mend = Some(mend);
        self
    }
}

pub struct Findings {
    pub(super) check: &'static str,
    notice: &'static str,
    found: Vec<Finding>,
}

impl Findings {
    /// For the check `check`, with what a user would notice of what it finds.
    pub(super) fn of(check: &'static str, notice: &'static str) -> Self {
        Self { check, notice, found: Vec::new() }
    }

    /// Adds the finding that `findings.txt` has under a name, with some values in its words.
    pub(super) fn say(
        &mut self,
        name: &str,
        place: impl Into<String>,
        values: &[&dyn Display],
    ) -> &mut Finding {
        let mut fields = row(FINDINGS, name);
        let level = fields.next().and_then(Level::from_name).unwrap_or(Level::Error);
        let [says, fix] = [(); 2].map(|()| filled(fields.next().unwrap_or_default(), values));
        let notice = fields.next().unwrap_or(self.notice);
        self.add(level, place, says, fix).notice(notice)
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
