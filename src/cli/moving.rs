//! The adoptions of a settings file that change together with it.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::World;
use super::writes::Writes;
use crate::machine::files;
use crate::settings::adoption::{self, Adoption, Current, Kept, Released};
use crate::settings::{Plan, Refusal, Registration, Undo};

/// How many releases are remembered, each with the text before it.
const REMEMBERED: usize = 4;

/// What is adopted in a settings file, and what will be.
pub(super) struct Moving {
    file: PathBuf,
    undo: Option<Undo>,
    /// What is adopted, in line with the text.
    pub now: Adoption,
    /// What will be.
    pub next: Adoption,
    /// What was released until now.
    released: Vec<Released>,
}

impl Moving {
    /// The change from the adoptions of `now`, over the text that `undo` belongs to.
    pub(super) fn new(
        world: &World,
        settings: &Path,
        undo: Option<Undo>,
        (now, next): (Adoption, Adoption),
        released: Vec<Released>,
    ) -> Self {
        Self { file: file(world, settings), undo, now, next, released }
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
        let (file, released) = (self.file.clone(), self.released.clone());
        Ok(Self { file, undo, now, next, released })
    }

    /// The same change once more.
    pub(super) fn again(&self) -> Self {
        let (now, next) = (self.now.clone(), self.next.clone());
        let (undo, released) = (self.undo.clone(), self.released.clone());
        Self { file: self.file.clone(), undo, now, next, released }
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
        let (now, released) = (self.now.clone(), self.released.clone());
        let kept = Kept { now, next: Some(self.next.clone()), released };
        writes.keep(&self.file, Some(&serde_json::to_string(&kept)?))
    }

    /// Keeps what is adopted now, after the last file is written by this plan.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn end(&self, plan: &Plan, writes: &mut Writes) -> Result<()> {
        let released = self.released_by(plan);
        if self.next.hooks.is_empty() && released.is_empty() {
            return writes.keep(&self.file, None);
        }
        let kept = Kept { now: self.next.clone(), next: None, released };
        writes.keep(&self.file, Some(&serde_json::to_string(&kept)?))
    }

    fn released_by(&self, plan: &Plan) -> Vec<Released> {
        let is_in =
            |adoption: &Adoption, name: &str| adoption.hooks.iter().any(|hook| hook.hook == name);
        let earlier = self.released.iter().cloned();
        let mut released: Vec<Released> = earlier.map(Released::written_over).collect();
        // What is adopted anew is about the text of now.
        if self.next.hooks.iter().any(|hook| !is_in(&self.now, &hook.hook)) {
            released.clear();
        }
        if self.now.hooks.iter().any(|hook| !is_in(&self.next, &hook.hook)) {
            let (before, after) = (plan.before.as_deref(), plan.after.as_deref());
            let last =
                Released::new(&self.now, before.unwrap_or_default(), after.unwrap_or_default());
            released.retain(|earlier| *earlier != last);
            released.insert(0, last);
            released.truncate(REMEMBERED);
        }
        released
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
/// before one, and nothing else would tell of its handlers then.
///
/// # Errors
///
/// What the system says.
pub(super) fn keep_of_write(
    world: &World,
    settings: &Path,
    (before, after): (Option<&str>, Option<&str>),
    writes: &mut Writes,
) -> Result<()> {
    let found = kept(world, settings)?.and_then(|kept| kept.with_write(before, after));
    found.map_or(Ok(()), |found| keep(world, settings, Some(&found), writes))
}

/// Keeps which releases a copy is from before, before it is put back.
///
/// # Errors
///
/// What the system says.
pub(super) fn keep_of_copy(
    world: &World,
    settings: &Path,
    copy: &str,
    writes: &mut Writes,
) -> Result<()> {
    let found = kept(world, settings)?;
    let with = found.clone().map(|kept| kept.with_copy(copy));
    if with == found { Ok(()) } else { keep(world, settings, with.as_ref(), writes) }
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
