//! The reply to a user who switches.

use crate::machine::clock;
use crate::session::switches::Off;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub changed: bool,
    /// True if something of what was asked could not be done.
    pub failed: bool,
    /// True if something else keeps a hook off that was switched on, or a profile names no hook of here.
    pub stays_off: bool,
    pub hooks: Vec<Done>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    pub hook: String,
    /// The chain, where only that in one was meant.
    pub scope: Option<String>,
    /// `disabled`, `already-disabled`, `enabled`, `not-disabled`, `still-disabled` or `refused`.
    pub result: &'static str,
    /// For how long and for whom it is or was asked for.
    pub term: Off,
}

impl Done {
    /// Describes the result of switching a hook that `off` describes.
    pub fn of(off: Off, result: &'static str) -> Self {
        Self { hook: off.hook.clone(), scope: off.scope.clone(), result, term: off }
    }
}

/// For how long and for whom a switch is, in words.
pub fn scope(off: &Off) -> String {
    let length = length(off);
    let agent = off.agent.as_ref().map(|agent| format!(", in {agent} agents"));
    length + &agent.unwrap_or_default()
}

pub fn length(off: &Off) -> String {
    match (&off.turn, off.until) {
        (Some(_), _) => "for this turn".to_owned(),
        (None, Some(until)) => format!("for this session until {}", clock::local_time(until)),
        (None, None) => "for this session".to_owned(),
    }
}

pub fn since(off: &Off) -> String {
    clock::seconds(&off.since).map_or_else(|| off.since.clone(), clock::local_time)
}
