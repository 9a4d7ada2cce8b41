//! What is kept of adoptions across a write, and what a manifest knows of them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::client::{event::Event, json::Document};

use super::{
    Adopted, Adoption, Candidate, Past, Program, Wrapped, candidates, foreign, lines,
    past::entries, take,
};
use crate::settings::{refusal::Refusal, undo::Undo};

/// What is kept beside a settings file of the adoptions in it.
///
/// A process may be killed between its two files, so before a write both states are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The adoptions as they stand.
    #[serde(flatten)]
    pub now: Adoption,
    /// What a write that has not ended makes of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Adoption>,
    /// What was adopted before.
    #[serde(flatten)]
    pub past: Past,
}

impl Kept {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.now.hooks.is_empty() && self.next.is_none() && self.past.is_empty()
    }

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
            let is_exact = self.past.has_text(current);
            return if is_exact { Ok(before) } else { Adoption::of(Some(&before), current, undo) };
        }
        let Some(next) = &self.next else { return Adoption::of(Some(&self.now), current, undo) };
        if self.now.fits(current, undo) || next.fits(current, undo) {
            return Ok(self.all());
        }
        Adoption::of(Some(&self.all()), current, undo)
    }

    fn all(&self) -> Adoption {
        self.next.as_ref().map_or_else(|| self.now.clone(), |next| next.joined(&self.now))
    }

    /// What was adopted when `current` was written, where that is from before a release.
    fn before_release(&self, current: &str) -> Option<Adoption> {
        let before = self.past.before_release(current)?;
        // Pointers are about one original.
        if before.original == self.now.original {
            return Some(before.joined(&self.now));
        }
        Some(self.now.over(before, |_| false).unwrap_or_else(|_| before.clone()))
    }

    /// What to keep where `copy` is put back, with which `then` was adopted: that it is so again.
    /// What no hook of the manifest runs any more is missed then.
    ///
    /// # Errors
    ///
    /// As [`Adoption::of`].
    pub fn with_copy(
        &self,
        (copy, undo): (&str, Option<&Undo>),
        then: &Adoption,
        hooks: &[Declared<'_>],
    ) -> Result<Self, Refusal> {
        let mut then = Adoption::of(Some(&self.past.not_forgotten(then)), copy, undo)?;
        for hook in &mut then.hooks {
            hook.missed = !hooks.iter().any(|known| known.hook == hook.hook);
        }
        let is_another = |name: &str| hooks.iter().any(|it| it.hook == name && !it.adopted);
        let now = self.all().over(&then, is_another)?;
        Ok(Self { now, next: None, past: self.past.clone().without_text(copy) })
    }

    /// What to keep before `after` is written over `before`: where `before` is from before a release,
    /// that its handlers are adopted; and where it is not, that `after` is not so either. `known` is
    /// what is adopted as the manifest knows it, so that what is missed stays known. `None` where
    /// nothing changes.
    pub fn with_write(
        self,
        before: Option<&str>,
        after: Option<&str>,
        known: Option<&Adoption>,
    ) -> Option<Self> {
        let mut kept = self.clone();
        let back = before.and_then(|text| self.before_release(text));
        let text = if back.is_some() { before } else { after };
        kept.past = text.into_iter().fold(kept.past, Past::without_text);
        let missed = |adoption: &Adoption| adoption.hooks.iter().any(|hook| hook.missed);
        match known.filter(|known| back.is_some() || missed(known) || missed(&self.now)) {
            Some(known) => known.clone_into(&mut kept.now),
            None => kept.now = back.unwrap_or(kept.now),
        }
        (kept != self).then_some(kept)
    }

    /// The same without handlers that nothing runs and nobody wants back; `adoption` is all that is
    /// adopted, in line with `current`. `None` where nothing is left to keep.
    ///
    /// # Errors
    ///
    /// As [`Adoption::of`].
    pub fn forgetting(
        adoption: &Adoption,
        past: &Past,
        hooks: &[&str],
        current: &str,
        undo: Option<&Undo>,
    ) -> Result<Option<Self>, Refusal> {
        let now = Adoption::of(Some(&adoption.without(hooks)), current, undo)?;
        let past = past.forgetting(adoption, hooks);
        let kept = Self { now, next: None, past };
        Ok((!kept.is_empty()).then_some(kept))
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
        if !claimed.is_empty() {
            adoption = adoption.with(claimed, current, undo);
        }
        let lost: Vec<Adopted> = adoption.lost(hooks, current).into_iter().cloned().collect();
        for hook in &mut adoption.hooks {
            hook.missed |= lost.contains(hook);
        }
        Ok(adoption)
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
                let adopted = Adopted::new(hook.hook, pointer.clone(), String::new());
                claimed.push((adopted, handler.event));
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
    /// A text without any entry of ours can be from before the adoption, as on another branch; in
    /// that nothing is lost but what was missed before.
    pub fn lost(&self, hooks: &[Declared<'_>], current: &str) -> Vec<&Adopted> {
        let is_at_work = !entries(current).is_empty();
        let is_kept = |name: &str| self.hooks.iter().any(|hook| hook.hook == name);
        let rewritten: Vec<_> =
            hooks.iter().filter(|hook| hook.adopted && !is_kept(hook.hook)).collect();
        let is_rewritten = |hook: &Adopted| {
            rewritten.iter().any(|it| it.events.iter().any(|it| it.name() == hook.event()))
        };
        let is_lost = |hook: &&Adopted| (is_at_work || hook.missed) && !is_rewritten(hook);
        self.undeclared(hooks).into_iter().filter(is_lost).collect()
    }
}
