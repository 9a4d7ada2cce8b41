//! A command that is tried.

use std::ffi::OsString;
use std::time::Duration;

use serde::Serialize;

use super::super::answers;
use super::super::order::DENIES;
use super::calls::looks_for;
use crate::client::{Event, output};
use crate::install::command_faults::{Layer, Line};
use crate::machine::child::{Ended, Finished, patience};

pub(super) const EACH: Duration = patience(5);

/// The words of scripts that stop a call only where something else is so, which no test knows.
const CONDITIONS: [&str; 5] =
    ["permission_mode", "symbolic-ref", "branch", "rev-parse", "agent_type"];

#[derive(Debug, Serialize)]
pub struct Tried {
    pub place: String,
    pub hook: Option<String>,
    pub event: String,
    pub problem: Option<String>,
    pub note: Option<String>,
    /// True if it gave the call another input.
    #[serde(skip)]
    pub rewrites: bool,
    /// The time that it took in microseconds; none where it was not run.
    pub us: Option<u64>,
    pub rests_on: Layer,
}

pub(super) struct Trial {
    pub(super) place: String,
    pub(super) hook: Option<String>,
    pub(super) event: Event,
    pub(super) matcher: Option<String>,
    pub(super) line: Line,
    pub(super) path: OsString,
    pub(super) limit: Option<Duration>,
    pub(super) is_async: bool,
    pub(super) is_closed: bool,
    pub(super) script: Script,
}

impl Trial {
    pub(super) fn not_run(&self) -> Tried {
        Tried {
            place: self.place.clone(),
            hook: self.hook.clone(),
            event: self.event.name().to_owned(),
            problem: None,
            note: None,
            rewrites: false,
            us: None,
            rests_on: Layer::Run,
        }
    }

    /// Returns whether a run of it said no, by its exit code or in JSON.
    pub(super) fn is_refused(&self, finished: &Finished) -> bool {
        let output = || output::read(self.event, &String::from_utf8_lossy(&finished.stdout));
        finished.ended == Ended::Exited(2) || answers::is_no(&output())
    }
}

pub(super) struct Script {
    /// True if it says what is to be done where something in it fails.
    pub(super) has_other: bool,
    pub(super) can_deny: bool,
    /// True if it uses what locks a file that other commands may use.
    pub(super) locks: bool,
    pub(super) looks_for: Option<&'static str>,
    pub(super) text: String,
}

impl Script {
    pub(super) fn of(matcher: Option<&str>, text: String) -> Self {
        let mentions = |word: &str| text.contains(word);
        Self {
            has_other: mentions("||"),
            can_deny: DENIES.iter().chain(&["return 2"]).any(|word| mentions(word)),
            locks: mentions("git") || mentions("sqlite"),
            looks_for: looks_for(matcher, &mentions)
                .filter(|_| !CONDITIONS.iter().any(|it| mentions(it))),
            text,
        }
    }

    /// Returns whether the script has the first words of a text.
    pub(super) fn says(&self, text: &str) -> bool {
        let start: Vec<&str> = text.split_whitespace().take(3).collect();
        start.len() > 1 && self.text.contains(&start.join(" "))
    }
}
