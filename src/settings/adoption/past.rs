//! What was adopted once and is not any more.

use serde::{Deserialize, Serialize};

use super::{Adoption, lines, sorted};

/// How many releases are remembered, each with the text before it.
const REMEMBERED: usize = 4;

/// What is kept of adoptions that have ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// What was released last, the latest first: a copy of the file from before that can come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    released: Vec<Released>,
    /// The handlers that are gone for good, as [`lines`] has them: no copy brings them back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forgotten: Vec<String>,
}

/// The adoptions of a text that a release has changed since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Released {
    /// The adoptions before the release.
    adoption: Adoption,
    /// The text before it.
    text: String,
    /// Whether the release changed our entries, so that they tell of a copy that was edited.
    by_entries: bool,
}

impl Released {
    /// Whether `current` is from before the release: a text with the entries of ours that stood there
    /// before the release and not after it. Of a text with the same entries nothing tells whether
    /// the user deleted what was released.
    fn is_back(&self, current: &str) -> bool {
        self.by_entries && entries(current) == entries(&self.text)
    }
}

impl Past {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The same after a change of the adoptions and, with it, of the text.
    #[must_use]
    pub fn after(
        &self,
        (now, next): (&Adoption, &Adoption),
        (before, after): (&str, &str),
    ) -> Self {
        let is_in =
            |adoption: &Adoption, name: &str| adoption.hooks.iter().any(|hook| hook.hook == name);
        // What is written now is from before none of them, whatever its entries are.
        let mut past = self.clone().without_text(after);
        let adopted = next.lines();
        past.forgotten.retain(|line| !adopted.contains(line));
        if now.hooks.iter().any(|hook| !is_in(next, &hook.hook)) {
            let by_entries = entries(before) != entries(after);
            let (adoption, text) = (now.clone(), before.to_owned());
            let last = Released { adoption, text, by_entries };
            past.released.retain(|earlier| *earlier != last);
            past.released.insert(0, last);
            past.released.truncate(REMEMBERED);
        }
        past
    }

    /// What was adopted before the release that a text is from before, if it is.
    pub(super) fn before_release(&self, text: &str) -> Option<&Adoption> {
        let back = || self.released.iter().filter(|released| released.is_back(text));
        let exact = back().find(|released| released.text == text);
        Some(&exact.or_else(|| back().next())?.adoption)
    }

    pub(super) fn has_text(&self, text: &str) -> bool {
        self.released.iter().any(|released| released.text == text)
    }

    /// The same without the releases that a text seems to be from before.
    pub(super) fn without_text(mut self, text: &str) -> Self {
        self.released.retain(|released| !released.is_back(text));
        self
    }

    pub(super) fn forgetting(&self, adoption: &Adoption, hooks: &[&str]) -> Self {
        let has_one =
            |it: &Released| it.adoption.hooks.iter().any(|hook| hooks.contains(&&*hook.hook));
        let mut past = self.clone();
        past.released.retain(|released| !has_one(released));
        let gone = adoption.hooks.iter().zip(adoption.lines());
        let gone = gone.filter(|(hook, _)| hooks.contains(&&*hook.hook)).map(|(_, line)| line);
        past.forgotten.extend(gone);
        past
    }

    pub(super) fn not_forgotten(&self, adoption: &Adoption) -> Adoption {
        let mut fewer = adoption.clone();
        let mut lines = adoption.lines().into_iter();
        fewer.hooks.retain(|_| lines.next().is_none_or(|line| !self.forgotten.contains(&line)));
        fewer
    }
}

/// The entries of ours in a text; none where it is no JSON.
pub(super) fn entries(text: &str) -> Vec<String> {
    let lines = lines(text, true).unwrap_or_default();
    sorted(lines.into_iter().map(|(_, line)| line).collect())
}
