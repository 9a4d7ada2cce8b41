//! What is kept of adoptions across a write, and what a manifest knows of them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::client::{event::Event, json::Document};

use super::{
    Adopted, Adoption, Candidate, Program, Wrapped, candidates, foreign, lines, sorted, take,
};
use crate::settings::{refusal::Refusal, undo::Undo};

/// What is kept beside a settings file of the adoptions in it.
///
/// A process may be killed between its two files, so before a write both states are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The adoptions as they stand.
    #[serde(flatten)]
    pub now: Adoption,
    /// What a write that has not ended makes of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Adoption>,
    /// What was released last, the latest first: a copy of the file from before that can come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<Released>,
}

/// The adoptions of a text that a release has changed since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// The adoptions before the release.
    adoption: Adoption,
    /// The text before it.
    text: String,
    /// Whether the release changed our entries, so that they tell of a copy that was edited.
    by_entries: bool,
    /// Whether a copy of the text before it was put back since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    restored: bool,
}

impl Released {
    /// What a release leaves that made `after` of the `text` that `adoption` is about.
    pub fn new(adoption: &Adoption, text: &str, after: &str) -> Self {
        let by_entries = entries(text) != entries(after);
        Self { adoption: adoption.clone(), text: text.to_owned(), by_entries, restored: false }
    }

    /// The same where another text was written since, so that no copy that was put back stands.
    #[must_use]
    pub fn written_over(self) -> Self {
        Self { restored: false, ..self }
    }

    /// Whether `current` is from before the release: a copy that was put back, or a text with the
    /// entries of ours that stood there before the release and not after it. Of a text with the same
    /// entries nothing tells whether the user deleted what was released.
    fn is_back(&self, current: &str) -> bool {
        self.has_entries_of(current) || self.restored && self.has_hooks_of(current)
    }

    fn has_entries_of(&self, text: &str) -> bool {
        self.by_entries && entries(text) == entries(&self.text)
    }

    fn has_hooks_of(&self, text: &str) -> bool {
        let hooks = |text: &str| super::value(text).ok()?.get("hooks").cloned();
        let same = || hooks(text).is_some_and(|hooks_of_it| Some(hooks_of_it) == hooks(&self.text));
        text == self.text || same()
    }
}

/// The entries of ours in a text; none where it is no JSON.
fn entries(text: &str) -> Vec<String> {
    let lines = lines(text, true).unwrap_or_default();
    sorted(lines.into_iter().map(|(_, line)| line).collect())
}

impl Kept {
    /// All that is adopted, and of a write that did not end also what was about to be or was until
    /// then, brought in line with `current` as [`Adoption::of`] does it. Where `current` is from
    /// before a release, what was adopted then is so again.
    ///
    /// # Errors
    ///
    /// As [`Adoption::of`].
    pub fn in_line_with(&self, current: &str, undo: Option<&Undo>) -> Result<Adoption, Refusal> {
        if let Some(before) = self.before_release(current) {
            // What was kept with the very text is in line with it, record or none.
            let is_exact = self.released.iter().any(|it| it.text == current);
            return if is_exact { Ok(before) } else { Adoption::of(Some(&before), current, undo) };
        }
        let Some(next) = &self.next else { return Adoption::of(Some(&self.now), current, undo) };
        let all = next.joined(&self.now);
        if self.now.fits(current, undo) || next.fits(current, undo) {
            return Ok(all);
        }
        Adoption::of(Some(&all), current, undo)
    }

    /// What was adopted when `current` was written, where that is from before a release.
    fn before_release(&self, current: &str) -> Option<Adoption> {
        let back = || self.released.iter().filter(|released| released.is_back(current));
        let exact = back().find(|released| released.text == current);
        let before = &exact.or_else(|| back().next())?.adoption;
        // Pointers are about one original.
        let same = before.original == self.now.original;
        Some(if same { before.joined(&self.now) } else { before.clone() })
    }

    /// What to keep when a copy is put back: that it is from before a release, where it is.
    #[must_use]
    pub fn with_copy(mut self, copy: &str) -> Self {
        for released in &mut self.released {
            released.restored = released.has_hooks_of(copy);
        }
        self
    }

    /// What to keep before `after` is written over `before`: where `before` is from before a release,
    /// that its handlers are adopted; and where it is not, that `after` is not so either. `None`
    /// where neither changes anything.
    pub fn with_write(mut self, before: Option<&str>, after: Option<&str>) -> Option<Self> {
        let back = before.and_then(|text| self.before_release(text));
        let known = if back.is_some() { before } else { after }?;
        let count = self.released.len();
        self.released.retain(|released| !released.is_back(known));
        self.now = back.unwrap_or(self.now);
        (self.released.len() < count).then_some(self)
    }

    /// The same without handlers that nothing runs and nobody wants back; `adoption` is all that is
    /// adopted, in line with `current`. `None` where nothing is left to keep.
    ///
    /// # Errors
    ///
    /// As [`Adoption::of`].
    pub fn forgetting(
        adoption: &Adoption,
        released: &[Released],
        hooks: &[&str],
        current: &str,
        undo: Option<&Undo>,
    ) -> Result<Option<Self>, Refusal> {
        let now = Adoption::of(Some(&adoption.without(hooks)), current, undo)?;
        let has_one = |released: &&Released| {
            released.adoption.hooks.iter().any(|hook| hooks.contains(&&*hook.hook))
        };
        let released: Vec<Released> = released.iter().filter(|it| !has_one(it)).cloned().collect();
        let is_empty = now.hooks.is_empty() && released.is_empty();
        Ok((!is_empty).then_some(Self { now, next: None, released }))
    }
}

/// A hook as its manifest declares it.
#[derive(Debug, Clone)]
pub struct Declared<'a> {
    /// Its name.
    pub hook: &'a str,
    /// Whether it says that it was adopted.
    pub adopted: bool,
    /// What it does; none of a ready-made hook.
    pub program: Option<Program>,
    /// Its events.
    pub events: &'a [Event],
    /// Its matcher.
    pub matcher: Option<&'a str>,
    /// The permission rule under which it is called.
    pub condition: Option<&'a str>,
}

impl Declared<'_> {
    fn runs(&self, handler: &Wrapped) -> bool {
        self.program.as_ref() == Some(&handler.program)
    }

    fn is_asked_on(&self, handler: &Wrapped) -> bool {
        let all = |matcher: &&str| !matches!(*matcher, "" | "*");
        self.events.contains(&handler.event)
            && self.matcher.filter(all) == handler.matcher.as_deref().filter(all)
            && self.condition == handler.condition.as_deref()
    }
}

impl Adoption {
    /// The same as a manifest knows it: under the names that its hooks have now, without the
    /// handlers that stand in `current` and no hook runs, and with those that stand there though a
    /// hook that is marked as adopted runs them, as when a copy from before the adoption is back.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] where the text is no JSON.
    pub fn declared_by(
        &self,
        hooks: &[Declared<'_>],
        current: &str,
        undo: Option<&Undo>,
    ) -> Result<Self, Refusal> {
        let document = Document::parse(super::filled(&self.original))?;
        let candidates = candidates(&document);
        let mut adoption = self.renamed(hooks, &candidates);
        let standing: Vec<Adopted> = adoption.standing(current)?.into_iter().cloned().collect();
        let declared = |hook: &Adopted| hooks.iter().any(|known| known.hook == hook.hook);
        adoption.hooks.retain(|hook| declared(hook) || !standing.contains(hook));
        let claimed = adoption.claimed(hooks, &candidates, current)?;
        Ok(if claimed.is_empty() { adoption } else { adoption.with(claimed, current, undo) })
    }

    fn renamed(&self, hooks: &[Declared<'_>], candidates: &[Candidate]) -> Self {
        let mut renamed = self.clone();
        // A hook that was edited as well is found by what it still has.
        let tests: [fn(&Declared<'_>, &Wrapped) -> bool; 3] = [
            |hook, handler| hook.runs(handler) && hook.is_asked_on(handler),
            |hook, handler| hook.runs(handler) && hook.events.contains(&handler.event),
            |hook, handler| hook.runs(handler),
        ];
        for test in tests {
            for index in 0..renamed.hooks.len() {
                let known = |name: &str| renamed.hooks.iter().any(|hook| hook.hook == name);
                let Adopted { hook, pointer, .. } = &renamed.hooks[index];
                if hooks.iter().any(|declared| declared.hook == *hook) {
                    continue;
                }
                let handler = candidates.iter().find(|candidate| candidate.pointer == *pointer);
                let Some(handler) = handler.and_then(|it| it.wrapped.as_ref().ok()) else {
                    continue;
                };
                let mut free = hooks.iter().filter(|hook| hook.adopted && !known(hook.hook));
                if let Some(found) = free.find(|hook| test(hook, handler)) {
                    found.hook.clone_into(&mut renamed.hooks[index].hook);
                }
            }
        }
        renamed
    }

    /// What stands in `current` of the hooks that are marked as adopted and of which nothing is
    /// kept.
    fn claimed(
        &self,
        hooks: &[Declared<'_>],
        candidates: &[Candidate],
        current: &str,
    ) -> Result<Vec<Adopted>, Refusal> {
        let is_kept = |name: &str| self.hooks.iter().any(|hook| hook.hook == name);
        let free: Vec<_> =
            hooks.iter().filter(|hook| hook.adopted && !is_kept(hook.hook)).collect();
        let mut claimed: Vec<(Adopted, Event)> = Vec::new();
        if free.is_empty() {
            return Ok(Vec::new());
        }
        let standing = foreign(current, |_| true)?;
        let lines: HashMap<String, String> = lines(&self.original, false)?.into_iter().collect();
        for candidate in candidates {
            let Ok(handler) = &candidate.wrapped else { continue };
            let pointer = &candidate.pointer;
            let taken = self.hooks.iter().any(|hook| hook.pointer == *pointer);
            if taken || lines.get(pointer).is_some_and(|line| !standing.contains(line)) {
                continue;
            }
            let is_claimed = |hook: &Declared<'_>| {
                claimed
                    .iter()
                    .any(|(known, event)| known.hook == hook.hook && *event == handler.event)
            };
            let fits = |hook: &&&Declared<'_>| {
                hook.runs(handler) && hook.is_asked_on(handler) && !is_claimed(hook)
            };
            if let Some(hook) = free.iter().find(fits) {
                let (hook, pointer) = (hook.hook.to_owned(), pointer.clone());
                claimed.push((Adopted { hook, pointer, block: String::new() }, handler.event));
            }
        }
        Ok(claimed.into_iter().map(|(adopted, _)| adopted).collect())
    }

    /// The adopted handlers that stand in `current` all the same, so that they run twice.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] where a text is no JSON.
    pub fn standing(&self, current: &str) -> Result<Vec<&Adopted>, Refusal> {
        let mut left = foreign(current, |_| true)?;
        let mut lines: HashMap<String, String> =
            lines(&self.original, false)?.into_iter().collect();
        let adopted = self.hooks.iter().map(|hook| (hook, lines.remove(&hook.pointer)));
        let adopted: Vec<_> = adopted.collect();
        for line in lines.values() {
            take(&mut left, line);
        }
        let stands = |(hook, line): (_, Option<String>)| take(&mut left, &line?).then_some(hook);
        Ok(adopted.into_iter().filter_map(stands).collect())
    }

    /// The adopted handlers that no hook of the manifest runs, and that do not stand in the settings
    /// either if these adoptions are [as the manifest knows them](Adoption::declared_by).
    pub fn undeclared(&self, hooks: &[Declared<'_>]) -> Vec<&Adopted> {
        let declared = |hook: &&Adopted| !hooks.iter().any(|known| known.hook == hook.hook);
        self.hooks.iter().filter(declared).collect()
    }

    /// Those of them that nothing runs any more though `current` says that hookman is at work: all
    /// but what a hook may have been made of that was rewritten in the manifest.
    ///
    /// A text without any entry of ours can be from before the adoption, as on another branch.
    pub fn lost(&self, hooks: &[Declared<'_>], current: &str) -> Vec<&Adopted> {
        if entries(current).is_empty() {
            return Vec::new();
        }
        let is_kept = |name: &str| self.hooks.iter().any(|hook| hook.hook == name);
        let rewritten: Vec<_> =
            hooks.iter().filter(|hook| hook.adopted && !is_kept(hook.hook)).collect();
        let is_rewritten = |hook: &Adopted| {
            rewritten.iter().any(|it| it.events.iter().any(|it| it.name() == hook.event()))
        };
        self.undeclared(hooks).into_iter().filter(|hook| !is_rewritten(hook)).collect()
    }
}
