//! The files that one command writes: all of them or none.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result};

use super::{World, exchange};
use crate::machine::files;

/// What a command has written so far, to be put back should a later write fail.
#[derive(Default)]
pub(super) struct Writes {
    done: Vec<Write>,
    /// Directories that were made, outermost first.
    folders: Vec<PathBuf>,
}

struct Write {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    /// Whether it is hookman's own, which nobody else writes.
    private: bool,
}

impl Writes {
    /// Makes the writes of a command, and puts back what was written where one of them fails.
    ///
    /// # Errors
    ///
    /// That of the write; it names each file that could not be put back.
    pub(super) fn all(world: &World, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let mut writes = Self::default();
        let Err(error) = write(&mut writes) else { return Ok(()) };
        Err(writes.put_back(world, error))
    }

    /// Writes a file of the user's, or removes it, if it still holds `before`.
    ///
    /// # Errors
    ///
    /// When it was changed meanwhile, or cannot be written.
    pub(super) fn exchange(
        &mut self,
        world: &World,
        path: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<()> {
        if after.is_some() {
            self.make_folders(path)?;
        }
        // A write that fails at its very end may have been made, so it is noted before.
        self.note(path, before, after);
        if exchange::swap(path, before, after)? {
            return Ok(());
        }
        self.done.pop();
        Err(exchange::changed(world, path))
    }

    /// As [`Writes::exchange`], and says so.
    ///
    /// # Errors
    ///
    /// As [`Writes::exchange`].
    pub(super) fn exchange_and_say(
        &mut self,
        world: &World,
        path: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<()> {
        self.exchange(world, path, before, after)?;
        let deed = if after.is_some() { "wrote" } else { "removed" };
        world.terminal.line(format!("{deed} {}", world.paths.shown(path)));
        Ok(())
    }

    /// Writes a file of hookman's own, or removes it.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn keep(&mut self, path: &Path, text: Option<&str>) -> Result<()> {
        let before = files::read_text(path)?;
        self.push(path, before.as_deref(), text, true);
        match text {
            Some(text) => Ok(files::replace_private(path, text)?),
            None => Ok(files::remove(path)?),
        }
    }

    /// Makes the directories above a file of the user's; gives those that were missing, outermost
    /// first. They go again with what was written into them.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn make_folders(&mut self, path: &Path) -> Result<Vec<PathBuf>> {
        let made = files::make_folders(path)?;
        self.folders.extend(made.iter().cloned());
        Ok(made)
    }

    /// Notes a write of a file of the user's that is about to be made.
    pub(super) fn note(&mut self, path: &Path, before: Option<&str>, after: Option<&str>) {
        self.push(path, before, after, false);
    }

    fn push(&mut self, path: &Path, before: Option<&str>, after: Option<&str>, private: bool) {
        let [before, after] = [before, after].map(|text| text.map(str::to_owned));
        self.done.push(Write { path: path.to_owned(), before, after, private });
    }

    // Each file is written when those before it say that it may be, so they are put back in the
    // opposite order and no further than the first that cannot be.
    fn put_back(mut self, world: &World, error: Error) -> Error {
        while let Some(write) = self.done.pop() {
            let shown = world.paths.shown(&write.path);
            match write.put_back() {
                Ok(true) if !write.private => world.terminal.line(format!("put back {shown}")),
                Ok(_) => {}
                Err(why) => {
                    self.done.push(write);
                    return self.left(world, error, &why);
                }
            }
        }
        files::remove_empty(&self.folders);
        error
    }

    fn left(&self, world: &World, error: Error, why: &Error) -> Error {
        let users = self.done.iter().filter(|write| !write.private);
        let left: Vec<String> =
            users.map(|write| format!("`{}`", world.paths.shown(&write.path))).collect();
        if left.is_empty() {
            return error;
        }
        error.context(format!(
            "{} stayed as written and could not be put back ({why:#}); run it again to finish",
            left.join(" and ")
        ))
    }
}

impl Write {
    /// Gives whether there was anything to put back.
    fn put_back(&self) -> Result<bool> {
        let before = self.before.as_deref();
        if files::read_text(&self.path)?.as_deref() == before {
            return Ok(false);
        }
        let done = match before {
            Some(before) if self.private => {
                files::replace_private(&self.path, before)?;
                true
            }
            Some(before) => files::swap(&self.path, self.after.as_deref(), before)?,
            None => files::remove_if(&self.path, self.after.as_deref())?,
        };
        if !done {
            anyhow::bail!("it was changed meanwhile");
        }
        Ok(true)
    }
}
