//! A change that a command is about to make, and the way it is made.
//!
//! A command that writes files of the user's builds a list of [`Change`]s and hands it to
//! [`Transaction`](crate::install::change::transaction::Transaction), which shows all of them, asks, takes the lock,
//! checks again, writes all of them or puts everything back, and then watches for an old copy that
//! a running client may write over them:
//!
//! ```ignore
//! let transaction = Transaction::begin(world, &target, &args.writing)?;
//! let manifest = ManifestChange::to(&target.manifest, before, after);
//! let settings = SettingsChange::to(world, &target, entries)?;
//! let changes: Vec<&dyn Change> = vec![&manifest, &settings];
//! transaction.show(&changes);
//! let outcome = transaction.commit("apply", "Write this?", &changes)?;
//! ```
//!
//! Changes are shown and written in the order of the list. A change only plans when it is made;
//! whatever it writes goes through [`Writes`], which notes what to put back.

pub(crate) mod assets;
pub(crate) mod gitignore;
pub(crate) mod manifest;
pub(crate) mod records;
pub(crate) mod restoration;
pub(crate) mod settings;
pub(crate) mod transaction;
pub(crate) mod write_watch;
pub(crate) mod writes;

pub(crate) use assets::Assets;
pub(crate) use gitignore::Gitignore;
pub(crate) use manifest::ManifestChange;
pub(crate) use settings::SettingsChange;
pub(crate) use transaction::{Outcome, Transaction, Warned};

use std::path::Path;

use anyhow::{Result, bail};

use super::target::{Writing, binary};
use crate::machine::world::World;
use writes::Writes;

/// A change of one or more files that belong together, planned and not yet written.
pub(crate) trait Change {
    fn is_empty(&self) -> bool;

    /// Prints what would change: a diff of what the user edits, a line for what hookman brings.
    fn show(&self, world: &World);

    /// Refuses where a file is not what the change was made from, or cannot be written.
    fn check(&self, world: &World) -> Result<()>;

    /// Notes what a later command needs if this process is killed midway; called before the first write.
    fn begin(&self, _writes: &mut Writes<'_>) -> Result<()> {
        Ok(())
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()>;

    /// Notes what has come of it; called for all changes after the last is written.
    fn end(&self, _writes: &mut Writes<'_>) -> Result<()> {
        Ok(())
    }

    /// The client's settings file that it changes, with the text that it is to hold.
    fn settings(&self) -> Option<Settings<'_>> {
        None
    }

    /// Returns whether the settings file still says what was written, in whatever form.
    fn verify(&self, _world: &World) -> Result<bool> {
        Ok(true)
    }

    /// Plans and writes the same change over what the settings file holds now.
    fn write_again(&self, _writes: &mut Writes<'_>) -> Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub(crate) path: &'a Path,
    /// Its text; `None` where the file goes.
    pub(crate) text: Option<&'a str>,
}

pub(crate) fn is_empty(changes: &[&dyn Change]) -> bool {
    changes.iter().all(|change| change.is_empty())
}

pub(crate) fn each<'c, C: Change + 'c>(
    changes: impl IntoIterator<Item = &'c C>,
) -> impl Iterator<Item = &'c dyn Change> {
    changes.into_iter().map(|change| change as &dyn Change)
}

/// Returns whether the user wants it written: `--yes` says so, and a terminal is asked.
pub(crate) fn given(world: &World, writing: &Writing, question: &str) -> Result<bool> {
    if writing.dry_run {
        world.terminal.line("Nothing was written (--dry-run).");
        return Ok(false);
    }
    if writing.yes {
        return Ok(true);
    }
    if !world.terminal.can_ask() {
        let call = binary::with_yes(world);
        bail!("nothing was written: there is no terminal to ask on; to write it: {call}");
    }
    let agreed = world.terminal.confirm(question)?;
    if !agreed {
        world.terminal.line("Nothing was written.");
    }
    Ok(agreed)
}
