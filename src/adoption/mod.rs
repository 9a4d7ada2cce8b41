//! Handlers of others that hookman runs instead of the client, and giving them back to the byte.
//!
//! What is kept is the whole text as it would be without hookman, and which of its handlers are
//! adopted. Every text in between is made from that: the adopted handlers are taken out, and hookman's
//! entries are put in. So several can be adopted and released in any order, and the last release
//! gives the very text back. Where somebody edited the file meanwhile, the adopted handlers are
//! first put back into the text of now.

mod candidate;
mod foreign_words;
mod name;
mod reinsertion;
mod state;
mod texts;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::settings::change::{Action, Change};
use crate::settings::inventory::Survey;
use crate::settings::plan::Plan;
use crate::settings::record::Record;
use crate::settings::refusal::{Refusal, filled};
use crate::settings::registration::Registration;
use crate::settings::undo::Undo;
use crate::syntax::json::{Document, is_blank};
use texts::{bare, count_foreign, foreign, lines, plain, rest, value};

pub use candidate::{Candidate, Program, Wrapped, candidates};
pub use foreign_words::matcher_there;
pub use name::{Names, suggest};
pub use reinsertion::Rebuilt;
pub use state::{Declared, Kept, gone};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adoption {
    /// The text without hookman's entries and with the adopted handlers in their places.
    pub original: String,
    pub hooks: Vec<Adopted>,
    /// True if the manifest's `hosts` got the program for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub made_host: bool,
    /// The names of the hooks that the manifest had then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// True if the manifest was made for them; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_manifest: Option<bool>,
    /// The texts before each adoption, to come back to if nothing else changed.
    #[serde(default)]
    snapshots: Vec<Snapshot>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Adopted {
    pub hook: String,
    /// JSON Pointer of the handler in [`Adoption::original`].
    pub pointer: String,
    pub block: String,
}

impl Adopted {
    pub fn new(hook: impl Into<String>, pointer: impl Into<String>, block: String) -> Self {
        Self { hook: hook.into(), pointer: pointer.into(), block }
    }

    fn event(&self) -> &str {
        self.pointer.split('/').nth(2).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Snapshot {
    text: String,
    record: Record,
}

impl Adoption {
    /// Brings the record in line with `current`, the file's text; `undo` takes hookman's entries out.
    pub fn of(kept: Option<&Self>, current: &str, undo: Option<&Undo>) -> Result<Self, Refusal> {
        let record = record(current, undo);
        let Some(kept) = kept.filter(|kept| !kept.hooks.is_empty()) else {
            let removed = undo.map(|undo| undo.removal(Some(current))).transpose()?;
            let removed = removed.map(|removal| removal.after.unwrap_or_default());
            // The record can be about handlers that this text does not have any more.
            let original = match removed {
                Some(text) if foreign(&text)? == foreign(current)? => text,
                _ => bare(current, &record)?,
            };
            if !is_blank(&original) {
                let plain = plain(&original);
                let document = Document::parse(&plain)?;
                crate::settings::obstacle::refuse_ambiguous(&document, &Survey::of(&document))?;
            }
            return Ok(Self { original, ..Self::default() });
        };
        let bare = bare(current, &record)?;
        if kept.is_in_line_with(&bare) {
            return Ok(kept.clone());
        }
        let pointers: Vec<&str> = kept.hooks.iter().map(|hook| &*hook.pointer).collect();
        let (original, places) = reinsertion::rejoin(&bare, &kept.original, &pointers)?;
        let mut adoption = kept.clone();
        adoption.original = original;
        for (hook, pointer) in adoption.hooks.iter_mut().zip(places) {
            hook.pointer = pointer;
        }
        Ok(adoption)
    }

    /// Returns whether `current` is what the writing of these adoptions left, but for our entries.
    fn fits(&self, current: &str, undo: Option<&Undo>) -> bool {
        bare(current, &record(current, undo)).is_ok_and(|bare| self.is_in_line_with(&bare))
    }

    fn is_in_line_with(&self, bare: &str) -> bool {
        let pointers: Vec<&str> = self.hooks.iter().map(|hook| &*hook.pointer).collect();
        texts::strip(&self.original, &pointers).is_ok_and(|text| text == bare)
    }

    /// The same with further handlers adopted; the text of now is kept to come back to.
    #[must_use]
    pub fn with(&self, adopted: Vec<Adopted>, current: &str, undo: Option<&Undo>) -> Self {
        let mut more = self.clone();
        let record = record(current, undo);
        more.snapshots.push(Snapshot { text: current.to_owned(), record });
        more.hooks.extend(adopted);
        more
    }

    pub fn names(&self) -> HashSet<&str> {
        self.hooks.iter().map(|adopted| &*adopted.hook).collect()
    }

    #[must_use]
    pub fn without(&self, hooks: &[&str]) -> Self {
        let hooks: HashSet<&str> = hooks.iter().copied().collect();
        let mut fewer = self.clone();
        fewer.hooks.retain(|adopted| !hooks.contains(&&*adopted.hook));
        fewer
    }

    /// The same with what `earlier` had adopted too, of which this one was made.
    #[must_use]
    pub fn joined(&self, earlier: &Self) -> Self {
        let mut all = self.clone();
        let names = self.names();
        let gone = |hook: &&Adopted| !names.contains(&*hook.hook);
        all.hooks.extend(earlier.hooks.iter().filter(gone).cloned());
        all
    }

    /// The same with a hook of which only the manifest is left, at the end of its events.
    pub fn presuming(&self, hook: &str, handlers: &[Rebuilt]) -> Result<Self, Refusal> {
        let mut adoption = self.clone();
        for handler in handlers {
            let (original, pointer) = reinsertion::append(filled(&adoption.original), handler)?;
            adoption.original = original;
            adoption.hooks.push(Adopted::new(hook, pointer, String::new()));
        }
        Ok(adoption)
    }

    /// The handlers that were adopted, as they were; the matchers are left out.
    pub fn handlers(&self) -> Vec<(&Adopted, Rebuilt)> {
        let original = plain(&self.original);
        let Ok(document) = Document::parse(&original) else { return Vec::new() };
        let rebuilt = |adopted: &Adopted| {
            let handler = document.value(document.lookup(&adopted.pointer)?);
            Some(Rebuilt { event: adopted.event().to_owned(), matcher: None, handler })
        };
        self.hooks.iter().filter_map(|it| Some((it, rebuilt(it)?))).collect()
    }
}

/// A settings file as it is, with what is kept of it.
#[derive(Clone, Copy, Debug)]
pub struct Current<'a> {
    pub text: &'a str,
    pub undo: Option<&'a Undo>,
    pub adoption: &'a Adoption,
}

/// Plans the edit after which the handlers of `next` are adopted and hookman's entries are `wanted`.
pub fn plan(
    current: Current<'_>,
    next: &Adoption,
    wanted: &[Registration],
) -> Result<Plan, Refusal> {
    let pointers: Vec<&str> = next.hooks.iter().map(|hook| &*hook.pointer).collect();
    let bare = texts::strip(&next.original, &pointers)?;
    let record = record(current.text, current.undo);
    let near = || texts::plan(current.text, &record, &bare, wanted);
    let registered = match snapshot(next, &bare, wanted).or_else(near) {
        Some(plan) => plan,
        None => crate::settings::plan(Some(&bare), wanted, &record.form())?,
    };
    let (old, new) = (value(current.text)?, value(registered.after.as_deref().unwrap_or("{}"))?);
    let mut changes = moves(current, next)?;
    let released = changes.iter().filter(|change| change.action == Action::Release).count();
    let foreign = registered.after.as_deref().map_or(Ok(0), count_foreign)?;
    changes.extend(crate::settings::plan(Some(current.text), wanted, &record)?.changes);
    let plan = Plan {
        before: Some(current.text.to_owned()),
        operations: json_patch::diff(&old, &new).0,
        foreign: foreign.saturating_sub(released),
        changes,
        ..registered
    };
    plan.verify()?;
    let adopts = plan.changes.iter().any(|change| change.action == Action::Adopt);
    if adopts && matches!(plain(current.text), Cow::Owned(_)) {
        let after = plan.after.as_deref().unwrap_or_default();
        if texts::bare(after, &plan.record)? != bare {
            return Err(Refusal::Commented);
        }
    }
    prove(&plan, current, next)?;
    Ok(plan)
}

fn record(text: &str, undo: Option<&Undo>) -> Record {
    undo.map_or_else(|| Record::presumed(text), |undo| undo.record.clone())
}

/// The plan over an earlier text that is the same but for our entries, best with the wanted ones.
fn snapshot(next: &Adoption, bare_text: &str, wanted: &[Registration]) -> Option<Plan> {
    let same = next.snapshots.iter().rev().filter_map(|snapshot| {
        let same = bare(&snapshot.text, &snapshot.record).is_ok_and(|bare| bare == bare_text);
        let plan =
            same.then(|| crate::settings::plan(Some(&snapshot.text), wanted, &snapshot.record));
        plan?.ok()
    });
    let (exact, other): (Vec<Plan>, Vec<Plan>) = same.partition(Plan::is_empty);
    exact.into_iter().chain(other).next()
}

/// Lists the handlers of others that move: those of `next` go, and the others come back.
fn moves(current: Current<'_>, next: &Adoption) -> Result<Vec<Change>, Refusal> {
    let before = current.adoption;
    let standing = before.standing(current.text)?;
    let (known_before, known_next) = (before.names(), next.names());
    let [old, new] = [&before.original, &next.original].map(|text| plain(text));
    let [old, new] = [&old, &new].map(|text| Document::parse(text));
    let (old, new) = (old?, new?);
    let change = |original: &Document<'_>, hook: &Adopted, action: Action| {
        let handler = original.lookup(&hook.pointer).map(|node| original.value(node));
        let (before, after) =
            if action == Action::Release { (None, handler) } else { (handler, None) };
        let event = hook.event().to_owned();
        Change { action, event, pointer: hook.pointer.clone(), before, after }
    };
    let adopted = next.hooks.iter().filter(|hook| !known_before.contains(&*hook.hook));
    let mut changes: Vec<Change> = adopted.map(|hook| change(&new, hook, Action::Adopt)).collect();
    let withdrawn = standing.iter().filter(|hook| known_next.contains(&*hook.hook));
    changes.extend(withdrawn.map(|hook| change(&old, hook, Action::Withdraw)));
    let released = before.hooks.iter().filter(|hook| !known_next.contains(&*hook.hook));
    let back: HashSet<&Adopted> = standing.iter().copied().collect();
    let released = released.filter(|hook| !back.contains(hook));
    changes.extend(released.map(|hook| change(&old, hook, Action::Release)));
    Ok(changes)
}

/// Proves that every handler of others is in the file or adopted, and nothing but hooks changed.
fn prove(plan: &Plan, current: Current<'_>, next: &Adoption) -> Result<(), Refusal> {
    let after = plan.after.as_deref().unwrap_or("{}");
    let known = foreign(&current.adoption.original)?;
    let standing = foreign(current.text)?;
    let adopted: HashSet<&str> = next.hooks.iter().map(|hook| &*hook.pointer).collect();
    let mut new = foreign(after)?;
    let chosen = lines(&next.original, false)?.into_iter();
    let chosen = chosen.filter(|(pointer, _)| adopted.contains(&**pointer));
    new.extend(chosen.map(|(_, line)| line));
    let reason = if !known.clone().take_all(&standing) || !new.take_all(&known) {
        "a handler of another program would be lost"
    } else if !new.is_empty() {
        "a handler of another program would be there twice"
    } else if rest(current.text)? != rest(after)? {
        "it differs from the old value outside of the hooks"
    } else {
        return Ok(());
    };
    Err(Refusal::Unproven { reason: reason.to_owned() })
}
