//! The part of a run that one hook had, as the journal has it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StepEntry {
    pub hook: String,
    pub us: u64,
    pub outcome: Cow<'static, str>,
    /// The decision by `on_error` for a hook without one, and a denial for an answer that is not heeded.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub decided: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The reason why a built-in hook said nothing, or the model did not get what a hook had for it, one
    /// of [`Silence`]'s words.
    ///
    /// [`Silence`]: crate::builtin::silence::Silence
    #[serde(skip_serializing_if = "str::is_empty")]
    pub quiet: Cow<'static, str>,
    /// The reason why it denied, asked or advised: a built-in hook's rule, and of a command's reason the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The number of bytes that it added to the model's context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Odd things that are no failure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True if this is what it said of the input as others had rewritten it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    #[serde(skip)]
    pub place: usize,
}

impl StepEntry {
    /// Returns whether the program got a denial for an answer that it does not heed.
    pub fn is_unheeded(&self) -> bool {
        !self.decided.is_empty() && self.error.is_none() && self.why.is_none()
    }

    pub fn came_to(&self, verdict: &str) -> bool {
        self.outcome == verdict || self.decided == verdict
    }
}
