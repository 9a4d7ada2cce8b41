//! A change of one settings file: planned, shown, checked and written.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::adopting::{Held, Place};
use super::moving::{self, Moving};
use super::registering::{
    back_up, backup_directory, colour, left_alone, read, trace, undo, undo_file,
};
use super::settling::Written;
use super::target::Target;
use super::writes::Writes;
use super::{World, exchange};
use crate::machine::files;
use crate::machine::lock::Lock;
use crate::settings::adoption::Copied;
use crate::settings::{Plan, Record, Registration, Remembered, Undo, plan, unified_diff};

/// What a settings file is to hold.
#[derive(Clone)]
enum Wish {
    Entries(Vec<Registration>),
    Nothing,
}

/// A change of a settings file, not written yet.
pub(super) struct Proposal {
    settings: PathBuf,
    wish: Wish,
    /// The change.
    pub plan: Plan,
    undo: Option<Undo>,
    moving: Option<Moving>,
    /// What is adopted, in line with the text.
    held: Option<Held>,
}

impl Proposal {
    /// The change to these entries and other adoptions.
    ///
    /// # Errors
    ///
    /// As [`Moving::plan`].
    pub(super) fn moving(
        settings: &Path,
        before: Option<&str>,
        entries: Vec<Registration>,
        moving: Moving,
    ) -> Result<Self> {
        let (plan, undo) = moving.plan(before, &entries)?;
        let wish = if entries.is_empty() { Wish::Nothing } else { Wish::Entries(entries) };
        let all = moving.now.clone();
        let held = Some(Held { known: all.clone(), all });
        let (settings, undo, moving) = (settings.to_owned(), Some(undo), Some(moving));
        Ok(Self { settings, wish, plan, undo, moving, held })
    }

    /// The same over a text with which this is adopted.
    pub(super) fn holding(self, held: Held) -> Self {
        Self { held: Some(held), ..self }
    }

    /// The change to these entries, and to the adoptions that the manifest declares where one of
    /// them does not hold any more.
    ///
    /// # Errors
    ///
    /// When the settings cannot be read or must not be touched.
    pub(super) fn with(world: &World, target: &Target, entries: Vec<Registration>) -> Result<Self> {
        let place = Place::worth_a_look(world, target)?;
        if let Some(place) = place.as_ref().filter(|place| !place.standing().is_empty()) {
            return place.overtaking(world, entries);
        }
        let proposal = Self::make(world, &target.settings, Wish::Entries(entries))?;
        Ok(Self { held: place.map(|place| place.held()), ..proposal })
    }

    /// The change to no entries of ours.
    ///
    /// # Errors
    ///
    /// As [`Proposal::with`].
    pub(super) fn removal(world: &World, target: &Target) -> Result<Self> {
        let held = Place::worth_a_look(world, target)?.map(|place| place.held());
        Ok(Self { held, ..Self::make(world, &target.settings, Wish::Nothing)? })
    }

    fn make(world: &World, settings: &Path, wish: Wish) -> Result<Self> {
        let before = read(world, settings)?;
        let undo = undo(world, settings, before.as_deref())?;
        // Without an entry of ours it is about some other text, but for what a removal left empty.
        let undo = match (&wish, before.as_deref()) {
            (Wish::Nothing, _) => undo,
            (Wish::Entries(_), None) => None,
            (Wish::Entries(entries), Some(text)) => match undo {
                Some(undo) => undo.record.finds_ours(text).then_some(undo),
                None => presumed(text, entries),
            },
        };
        Self::over(before.as_deref(), settings, wish, undo)
            .with_context(|| left_alone(world, settings))
    }

    fn over(before: Option<&str>, settings: &Path, wish: Wish, undo: Option<Undo>) -> Result<Self> {
        let plan = match (&wish, &undo) {
            (Wish::Entries(entries), undo) => {
                let record = undo.as_ref().map(|undo| undo.record.clone());
                plan(before, entries, &record.unwrap_or_default())?
            }
            (Wish::Nothing, Some(undo)) => undo.removal(before)?,
            (Wish::Nothing, None) => {
                plan(before, &[], &before.map(Record::presumed).unwrap_or_default())?
            }
        };
        Ok(Self { settings: settings.to_owned(), wish, plan, undo, moving: None, held: None })
    }

    /// The same wish for what the file holds now.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or must not be touched.
    fn again(&self, world: &World) -> Result<Self> {
        if let Some(moving) = &self.moving {
            return self
                .moved_again(world, moving)
                .with_context(|| left_alone(world, &self.settings));
        }
        let again = match (&self.wish, &self.undo) {
            // The removal took what was kept with it.
            (Wish::Nothing, Some(undo)) => {
                let before = read(world, &self.settings)?;
                Self::over(before.as_deref(), &self.settings, Wish::Nothing, Some(undo.clone()))
                    .with_context(|| left_alone(world, &self.settings))
            }
            (wish, _) => Self::make(world, &self.settings, wish.clone()),
        }?;
        Ok(Self { held: self.held.clone(), ..again })
    }

    fn moved_again(&self, world: &World, moving: &Moving) -> Result<Self> {
        let before = read(world, &self.settings)?;
        let before = before.as_deref();
        let moving = if before == self.plan.before.as_deref() {
            moving.again()
        } else {
            let undo = undo(world, &self.settings, before)?;
            moving.of_text(before.unwrap_or_default(), undo)?
        };
        let entries = match &self.wish {
            Wish::Entries(entries) => entries.clone(),
            Wish::Nothing => Vec::new(),
        };
        Self::moving(&self.settings, before, entries, moving)
    }

    /// Prints the change as a unified diff and in words.
    pub(super) fn show(&self, world: &World) {
        world.terminal.print(&self.diff(world));
        let shown = world.paths.shown(&self.settings);
        world.terminal.line(format!("{shown}: {}", self.plan.summary()));
    }

    /// The change as a unified diff.
    pub(super) fn diff(&self, world: &World) -> String {
        let (before, after) = (self.plan.before.as_deref(), self.plan.after.as_deref());
        unified_diff(&world.paths.shown(&self.settings), before, after, colour(world))
    }

    /// Whether it removes a file.
    pub(super) fn removes(&self, path: &Path) -> bool {
        path == self.settings && self.plan.after.is_none()
    }

    /// Whether the file is still what the proposal was made from, and can be written.
    ///
    /// # Errors
    ///
    /// When it is not, or cannot be read or written.
    pub(super) fn check(&self, world: &World) -> Result<()> {
        if read(world, &self.settings)? != self.plan.before {
            return Err(exchange::changed(world, &self.settings));
        }
        if let Some(moving) = &self.moving {
            moving.check()?;
        }
        if self.plan.is_empty() {
            return Ok(());
        }
        files::check_replaceable(&undo_file(world, &self.settings))?;
        files::check_replaceable(&backup_directory(world, &self.settings).join("new"))?;
        files::check_replaceable(&self.settings).with_context(|| left_alone(world, &self.settings))
    }

    /// Writes the change, only over the text it was made from, after a backup.
    ///
    /// # Errors
    ///
    /// When the file was changed meanwhile or a step fails; what was written is noted then.
    pub(super) fn write(
        &self,
        world: &World,
        verb: &str,
        lock: &Lock,
        writes: &mut Writes,
    ) -> Result<()> {
        self.begin(writes)?;
        self.put(world, verb, lock, writes)?;
        self.end(writes)
    }

    /// Keeps what is needed should the process be killed between two files.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn begin(&self, writes: &mut Writes) -> Result<()> {
        self.moving.as_ref().map_or(Ok(()), |moving| moving.begin(writes))
    }

    /// Keeps what has come of it.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn end(&self, writes: &mut Writes) -> Result<()> {
        self.moving.as_ref().map_or(Ok(()), |moving| moving.end(&self.plan, writes))
    }

    /// Writes the settings alone.
    ///
    /// # Errors
    ///
    /// As [`Proposal::write`].
    pub(super) fn put(
        &self,
        world: &World,
        verb: &str,
        _lock: &Lock,
        writes: &mut Writes,
    ) -> Result<()> {
        if self.plan.is_empty() {
            return Ok(());
        }
        self.check(world)?;
        let before = self.plan.before.as_deref();
        let backup = back_up(world, &self.settings, before, &self.copied(), verb)?;
        self.swap(world, writes)?;
        let shown = world.paths.shown(&self.settings);
        let kept = backup.map(|path| format!(" (backup: {})", world.paths.shown(&path)));
        let deed = if self.plan.after.is_some() { "wrote" } else { "removed" };
        world.terminal.line(format!("{deed} {shown}{}", kept.unwrap_or_default()));
        Ok(())
    }

    /// What is kept of the text that the change was made from.
    fn copied(&self) -> Copied {
        let undo = self.moving.as_ref().map_or(self.undo.as_ref(), Moving::undo);
        Copied::new(self.held.as_ref().map(|held| &held.all), undo)
    }

    fn swap(&self, world: &World, writes: &mut Writes) -> Result<()> {
        let undo_file = undo_file(world, &self.settings);
        if matches!(self.wish, Wish::Entries(_))
            && let Some(last) = Undo::of(self.undo.as_ref(), &self.plan)?
        {
            let kept = Remembered { last, earlier: self.undo.clone() };
            writes.keep(&undo_file, Some(&serde_json::to_string(&kept)?))?;
        }
        let (before, after) = (self.plan.before.as_deref(), self.plan.after.as_deref());
        if self.moving.is_none() {
            let known = self.held.as_ref().map(|held| &held.known);
            moving::keep_of_write(world, &self.settings, (before, after), known, writes)?;
        }
        writes.exchange(world, &self.settings, before, after)?;
        if matches!(self.wish, Wish::Nothing) {
            // What is left of it says that it belongs to another text.
            let _ = writes.keep(&undo_file, None);
        }
        Ok(())
    }
}

/// What would be kept of a file that hookman wrote elsewhere, as in a fresh clone, where it holds
/// entries that only a record tells from others.
fn presumed(text: &str, entries: &[Registration]) -> Option<Undo> {
    let record = Record::presumed_for(text, entries);
    let known = !record.passed.is_empty();
    known.then(|| Undo { original: None, after: String::new(), record })
}

impl Written for Proposal {
    fn settings(&self) -> &Path {
        &self.settings
    }

    fn trace(&self, world: &World) -> Option<String> {
        trace(world, &self.settings)
    }

    fn stands(&self, world: &World) -> Result<bool> {
        // What was written is what was asked for; only another text has to be looked into.
        let is_as_written = read(world, &self.settings)? == self.plan.after;
        Ok(is_as_written || self.again(world)?.plan.changes.is_empty())
    }

    fn write_again(&self, world: &World, lock: &Lock) -> Result<()> {
        let again = self.again(world)?;
        Writes::all(world, |writes| again.write(world, "repair", lock, writes))
    }
}
