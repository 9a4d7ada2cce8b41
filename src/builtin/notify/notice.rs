//! A notice, and the states of a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a session, the least urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::builtin) enum State {
    /// As it was.
    Keep,
    /// Nothing is left to do.
    Done,
    /// It waited for you, and you have looked.
    Checked,
    /// It works.
    Working,
    /// It waits for you.
    Unchecked,
    /// It failed.
    Error,
}

impl State {
    /// Those that a pane may have, the most urgent first.
    pub(super) const RANKS: [Self; 5] =
        [Self::Error, Self::Unchecked, Self::Working, Self::Checked, Self::Done];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Done => "done",
            Self::Checked => "checked",
            Self::Working => "working",
            Self::Unchecked => "unchecked",
            Self::Error => "error",
        }
    }
}

/// One notice, ready to be given.
pub(super) struct Notice {
    pub(super) message: String,
    pub(super) title: String,
    pub(super) state: State,
}
