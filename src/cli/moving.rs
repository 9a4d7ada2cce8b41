//! The adoptions of a settings file that change together with it.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::World;
use super::writes::Writes;
use crate::machine::files;
use crate::settings::adoption::{self, Adoption, Current, Kept, Past};
use crate::settings::{Plan, Refusal, Registration, Undo};

/// What is adopted in a settings file, and what will be.
pub(super) struct Moving {
    file: PathBuf,
    undo: Option<Undo>,
    /// What is adopted, in line with the text.
    pub now: Adoption,
    /// What will be.
    pub next: Adoption,
    past: Past,
}

impl Moving {
    /// The change from the adoptions of `now`, over the text that `undo` belongs to.
    pub(super) fn new(
        world: &World,
        settings: &Path,
        undo: Option<Undo>,
        (now, next): (Adoption, Adoption),
        past: Past,
    ) -> Self {
        Self { file: file(world, settings), undo, now, next, past }
    }

    /// Plans the change of a settings file that holds `before`; the second is what is kept of it.
    ///
    /// # Errors
    ///
    /// As [`adoption::plan`].
    pub(super) fn plan(
        &self,
        before: Option<&str>,
        entries: &[Registration],
    ) -> Result<(Plan, Undo), Refusal> {
        let text = before.unwrap_or_default();
        let current = Current { text, undo: self.undo.as_ref(), adoption: &self.now };
        let mut plan = adoption::plan(current, &self.next, entries)?;
        plan.before = before.map(str::to_owned);
        let record = self.undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
        let original = Some(self.next.original.clone());
        Ok((plan, Undo { original, after: text.to_owned(), record }))
    }

    /// The same change of another text, an older one of a running session perhaps.
    ///
    /// # Errors
    ///
    /// As [`Adoption::of`].
    pub(super) fn of_text(&self, text: &str, undo: Option<Undo>) -> Result<Self, Refusal> {
        // Whatever was adopted before or will be is put in its place, and then what will be goes.
        let all = self.next.joined(&self.now);
        let now = Adoption::of(Some(&all), text, undo.as_ref())?;
        let stays = |hook: &&str| self.next.hooks.iter().any(|next| next.hook == *hook);
        let hooks = now.hooks.iter().map(|hook| &*hook.hook);
        let released: Vec<&str> = hooks.filter(|hook| !stays(hook)).collect();
        let next = now.without(&released);
        let (file, past) = (self.file.clone(), self.past.clone());
        Ok(Self { file, undo, now, next, past })
    }

    /// The same change once more.
    pub(super) fn again(&self) -> Self {
        let (now, next) = (self.now.clone(), self.next.clone());
        let (undo, past) = (self.undo.clone(), self.past.clone());
        Self { file: self.file.clone(), undo, now, next, past }
    }

    /// What was kept of the entries of ours in the text until now.
    pub(super) fn undo(&self) -> Option<&Undo> {
        self.undo.as_ref()
    }

    /// Whether it can be kept.
    ///
    /// # Errors
    ///
    /// What would prevent it.
    pub(super) fn check(&self) -> Result<()> {
        Ok(files::check_replaceable(&self.file)?)
    }

    /// Keeps both states, before the first file is written.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn begin(&self, writes: &mut Writes) -> Result<()> {
        let (now, past) = (self.now.clone(), self.past.clone());
        let kept = Kept { now, next: Some(self.next.clone()), past };
        writes.keep(&self.file, Some(&serde_json::to_string(&kept)?))
    }

    /// Keeps what is adopted now, after the last file is written by this plan.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn end(&self, plan: &Plan, writes: &mut Writes) -> Result<()> {
        let texts = [&plan.before, &plan.after].map(|it| it.as_deref().unwrap_or_default());
        let past = self.past.after((&self.now, &self.next), texts.into());
        if self.next.hooks.is_empty() && past.is_empty() {
            return writes.keep(&self.file, None);
        }
        let kept = Kept { now: self.next.clone(), next: None, past };
        writes.keep(&self.file, Some(&serde_json::to_string(&kept)?))
    }
}

/// What is kept of the adoptions of a settings file.
///
/// # Errors
///
/// When it cannot be read.
pub(super) fn kept(world: &World, settings: &Path) -> Result<Option<Kept>> {
    let text = files::read_text(&file(world, settings))?;
    // What cannot be understood is no help; the manifest knows enough to do without.
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Keeps what a write of entries of ours over `before` says of earlier releases: `before` can be from
/// before one, and nothing else would tell of its handlers then. `known` is what is adopted as the
/// manifest knows it.
///
/// # Errors
///
/// What the system says.
pub(super) fn keep_of_write(
    world: &World,
    settings: &Path,
    (before, after): (Option<&str>, Option<&str>),
    known: Option<&Adoption>,
    writes: &mut Writes,
) -> Result<()> {
    let found = kept(world, settings)?.and_then(|kept| kept.with_write(before, after, known));
    found.map_or(Ok(()), |found| keep(world, settings, Some(&found), writes))
}

/// Keeps something of a settings file, or nothing more.
///
/// # Errors
///
/// What the system says.
pub(super) fn keep(
    world: &World,
    settings: &Path,
    kept: Option<&Kept>,
    writes: &mut Writes,
) -> Result<()> {
    let text = kept.map(serde_json::to_string).transpose()?;
    writes.keep(&file(world, settings), text.as_deref())
}

fn file(world: &World, settings: &Path) -> PathBuf {
    world.paths.kept("adoptions", settings)
}
