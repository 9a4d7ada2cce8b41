//! The record of adoptions that outlasts a write, and the part of it that a manifest knows.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Adopted, Adoption, Candidate, Program, Wrapped, candidates, foreign, lines};
use crate::client::Event;
use crate::client::host::files::Files;
use crate::settings::refusal::Refusal;
use crate::settings::undo::Undo;
use crate::syntax::json::Document;

/// The record of the adoptions from one settings file, of both states in case a write is killed between.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    #[serde(flatten)]
    pub now: Adoption,
    /// The adoptions after a write that has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Adoption>,
}

impl Kept {
    /// All that is adopted, and about to be in a write that did not end, in line with `current`.
    pub fn in_line_with(&self, current: &str, undo: Option<&Undo>) -> Result<Adoption, Refusal> {
        let Some(next) = &self.next else { return Adoption::of(Some(&self.now), current, undo) };
        let all = next.joined(&self.now);
        if self.now.fits(current, undo) || next.fits(current, undo) {
            return Ok(all);
        }
        Adoption::of(Some(&all), current, undo)
    }
}

#[derive(Debug, Clone)]
pub struct Declared<'a> {
    pub hook: &'a str,
    pub adopted: bool,
    /// Its program; a ready-made hook has none.
    pub program: Option<Program>,
    pub events: &'a [Event],
    pub matcher: Option<&'a str>,
    pub condition: Option<&'a str>,
}

impl Declared<'_> {
    fn runs(&self, handler: &Wrapped) -> bool {
        self.program.as_ref() == Some(&handler.program)
    }

    /// Returns whether it was adopted from such a handler, and not edited since.
    fn stands_for(&self, handler: &Wrapped) -> bool {
        let all = |matcher: &&str| !matches!(*matcher, "" | "*");
        self.adopted
            && self.runs(handler)
            && self.events.contains(&handler.event)
            && self.matcher.filter(all) == handler.matcher.as_deref().filter(all)
            && self.condition == handler.condition.as_deref()
    }
}

impl Adoption {
    /// The same by the names of a manifest's hooks now, and with handlers that came back to `current`.
    pub fn declared_by(
        &self,
        hooks: &[Declared<'_>],
        current: &str,
        undo: Option<&Undo>,
        of: Option<&'static Files>,
    ) -> Result<Self, Refusal> {
        let original = super::texts::plain(&self.original);
        let document = Document::parse(&original)?;
        let candidates = candidates(&document, of);
        let mut adoption = self.renamed(hooks, &candidates);
        let back: HashSet<Adopted> = adoption.standing(current)?.into_iter().cloned().collect();
        let declared = names(hooks);
        adoption.hooks.retain(|hook| declared.contains(&*hook.hook) || !back.contains(hook));
        let claimed = adoption.claimed(hooks, &candidates, current)?;
        if !claimed.is_empty() {
            adoption = adoption.with(claimed, current, undo);
        }
        Ok(adoption)
    }

    fn renamed(&self, hooks: &[Declared<'_>], candidates: &[Candidate]) -> Self {
        let mut renamed = self.clone();
        // A hook that was edited as well is found by what it runs.
        let tests: [fn(&Declared<'_>, &Wrapped) -> bool; 2] =
            [|hook, handler| hook.stands_for(handler), |hook, handler| hook.runs(handler)];
        let declared = names(hooks);
        for test in tests {
            for index in 0..renamed.hooks.len() {
                let known = |name: &str| renamed.hooks.iter().any(|hook| hook.hook == name);
                let Adopted { hook, pointer, .. } = &renamed.hooks[index];
                if declared.contains(&**hook) {
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

    /// Finds in `current` the hooks that are marked as adopted and have no record.
    fn claimed(
        &self,
        hooks: &[Declared<'_>],
        candidates: &[Candidate],
        current: &str,
    ) -> Result<Vec<Adopted>, Refusal> {
        let kept = self.names();
        let free: Vec<_> =
            hooks.iter().filter(|hook| hook.adopted && !kept.contains(hook.hook)).collect();
        let mut claimed: HashSet<(&str, Event)> = HashSet::new();
        let mut found = Vec::new();
        if free.is_empty() {
            return Ok(Vec::new());
        }
        let there = foreign(current)?;
        let lines: HashMap<String, String> = lines(&self.original, false)?.into_iter().collect();
        let taken: HashSet<&str> = self.hooks.iter().map(|hook| &*hook.pointer).collect();
        for candidate in candidates {
            let Ok(handler) = &candidate.wrapped else { continue };
            let pointer = &candidate.pointer;
            if taken.contains(&**pointer)
                || lines.get(pointer).is_some_and(|line| !there.contains(line))
            {
                continue;
            }
            let fits = |hook: &&&Declared<'_>| {
                !claimed.contains(&(hook.hook, handler.event)) && hook.stands_for(handler)
            };
            if let Some(hook) = free.iter().find(fits) {
                claimed.insert((hook.hook, handler.event));
                found.push(Adopted::new(hook.hook, pointer.clone(), String::new()));
            }
        }
        Ok(found)
    }

    /// The adopted handlers that are in `current` all the same, so that they run twice.
    pub fn standing(&self, current: &str) -> Result<Vec<&Adopted>, Refusal> {
        let mut left = foreign(current)?;
        let mut lines: HashMap<String, String> =
            lines(&self.original, false)?.into_iter().collect();
        let adopted = self.hooks.iter().map(|hook| (hook, lines.remove(&hook.pointer)));
        let adopted: Vec<_> = adopted.collect();
        for line in lines.values() {
            left.take(line);
        }
        let is_there = |(hook, line): (_, Option<String>)| left.take(&line?).then_some(hook);
        Ok(adopted.into_iter().filter_map(is_there).collect())
    }

    /// The adopted handlers that neither a hook of the manifest runs nor the settings have.
    pub fn undeclared(&self, hooks: &[Declared<'_>]) -> Vec<&Adopted> {
        let declared = names(hooks);
        self.hooks.iter().filter(|hook| !declared.contains(&*hook.hook)).collect()
    }

    /// Those of them that nothing runs though `current` has hookman at work, as not before the adoption.
    pub fn lost(&self, hooks: &[Declared<'_>], current: &str) -> Vec<&Adopted> {
        let is_at_work = lines(current, true).is_ok_and(|entries| !entries.is_empty());
        if is_at_work { self.undeclared(hooks) } else { Vec::new() }
    }
}

fn names<'a>(hooks: &[Declared<'a>]) -> HashSet<&'a str> {
    hooks.iter().map(|hook| hook.hook).collect()
}

/// The handlers of others in `before` that `after` lacks and no hook runs, as the client names them.
pub fn gone(
    before: &str,
    after: &str,
    hooks: &[Declared<'_>],
    of: Option<&'static Files>,
) -> Vec<String> {
    let plain = super::texts::plain(before);
    let (Ok(document), Ok(mut left)) = (Document::parse(&plain), foreign(after)) else {
        return Vec::new();
    };
    let lines: HashMap<String, String> =
        lines(before, false).unwrap_or_default().into_iter().collect();
    let is_run = |candidate: &Candidate| {
        let runs = |handler: &Wrapped| hooks.iter().any(|hook| hook.adopted && hook.runs(handler));
        candidate.wrapped.as_ref().is_ok_and(runs)
    };
    let mut gone = candidates(&document, of);
    gone.retain(|it| lines.get(&it.pointer).is_some_and(|line| !left.take(line)) && !is_run(it));
    gone.iter().map(|it| format!("{}  {}", it.fires(), it.summary)).collect()
}
