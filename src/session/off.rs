//! One hook that is off, for how long and for whom.

use serde::{Deserialize, Serialize};

pub const SCOPES: [&str; 2] = ["user", "project"];

/// Names a hook where its name alone could mean another: `project:lint`.
pub fn label(scope: Option<&str>, hook: &str) -> String {
    scope.map_or_else(|| hook.to_owned(), |scope| format!("{scope}:{hook}"))
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Off {
    pub hook: String,
    /// The chain whose hook it is, one of [`SCOPES`]; absent for the hooks of that name in both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    pub since: String,
    /// Seconds since 1970 at which it is on again; absent for the rest of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
    /// The prompt it is off for; empty until the first run that meets the switch says which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The prompt as which the switch was typed, which no turn comes from; empty where the client names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typed_as: Option<String>,
    /// The type of subagent it is off for; absent for everyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// True if a person made it; without the mark it is an agent's, and opens no fence.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub person: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Moment<'a> {
    /// Seconds since 1970.
    pub now: i64,
    /// The id of the prompt that is worked on, or empty where it is not known.
    pub prompt: &'a str,
    /// The type of the agent that works, or empty for the main one.
    pub agent: &'a str,
    /// True if the hook that is asked about heeds only what a person switched.
    pub user_only: bool,
}

/// The seconds that a switch for one turn waits where the client names no prompt (up to 2.1.195).
pub const TURN_WITHOUT_PROMPT: i64 = 60 * 60;

impl Off {
    pub(super) fn holds(&self, moment: Moment<'_>) -> bool {
        let turn = self.turn.as_deref().unwrap_or_default();
        (self.person || !moment.user_only)
            && self.until.is_none_or(|until| moment.now < until)
            && (turn.is_empty() || turn == moment.prompt)
    }

    pub(super) fn is_for(&self, agent: &str) -> bool {
        self.agent.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(agent))
    }

    pub fn label(&self) -> String {
        label(self.scope.as_deref(), &self.hook)
    }

    pub(super) fn same_place(&self, other: &Self) -> bool {
        self.hook == other.hook
            && match (&self.agent, &other.agent) {
                (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                (one, other) => one == other,
            }
    }

    /// Returns whether there is a chain that both speak for, for whomever that is.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.scope.is_none() || other.covers(self.scope.as_deref())
    }

    /// Returns whether it speaks for a hook of `scope`, or of both where that is `None`.
    pub(super) fn covers(&self, scope: Option<&str>) -> bool {
        self.scope.is_none() || self.scope.as_deref() == scope
    }

    /// Gives the rest of it once it no longer speaks for `scope`, or for either where that is `None`.
    pub(super) fn without(self, scope: Option<&str>) -> Option<Self> {
        let gone = scope?;
        let rest = SCOPES.into_iter().find(|rest| *rest != gone).map(str::to_owned);
        match &self.scope {
            None => Some(Self { scope: rest, ..self }),
            Some(own) => (own != gone).then_some(self),
        }
    }

    // A switch that is tied to a prompt may be over, which only the next run can tell; asked for
    // again, it waits for that run again.
    pub(super) fn same_length(&self, other: &Self) -> bool {
        match (&self.turn, &other.turn) {
            (None, None) => self.until == other.until,
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }

    /// Returns whether `prompt` is the turn that it waits for; a run without one says nothing of turns.
    pub(super) fn waits_for(&self, prompt: &str) -> bool {
        self.turn.as_deref() == Some("")
            && !prompt.is_empty()
            && self.typed_as.as_deref() != Some(prompt)
    }
}
