//! The files that one command writes: all of them or none.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};

use crate::machine::{World, files};

/// The writes of a command so far, to be put back should a later one fail.
pub(crate) struct Writes<'w> {
    pub(crate) world: &'w World,
    /// The command, as backups are named after it.
    pub(crate) verb: &'static str,
    done: Vec<Write>,
    /// Directories that were made, outermost first.
    folders: Vec<PathBuf>,
}

struct Write {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    /// The user's, and it can be run.
    Program,
    /// hookman's own, which nobody else writes.
    Private,
}

impl<'w> Writes<'w> {
    /// Makes the writes of a command, and puts back what was written where one of them fails.
    pub(crate) fn all(
        world: &'w World,
        verb: &'static str,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let mut writes = Self { world, verb, done: Vec::new(), folders: Vec::new() };
        let Err(error) = write(&mut writes) else { return Ok(()) };
        Err(writes.put_back(error))
    }

    /// Writes or removes a user's file that still holds `before`; missing directories are made.
    pub(crate) fn exchange(
        &mut self,
        path: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<()> {
        if after.is_some() {
            self.make_folders(path)?;
        }
        // A write that fails at its very end may have been made, so it is noted before.
        self.note(path, before, after, Kind::Text);
        let is_done = match after {
            Some(text) => files::swap(path, before, text)?,
            None => files::remove_if(path, before)?,
        };
        if is_done {
            return Ok(());
        }
        self.done.pop();
        Err(changed(self.world, path))
    }

    pub(crate) fn exchange_and_say(
        &mut self,
        path: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<()> {
        self.exchange(path, before, after)?;
        let deed = if after.is_some() { "wrote" } else { "removed" };
        self.world.terminal.line(format!("{deed} {}", self.world.paths.shown(path)));
        Ok(())
    }

    /// Writes a file of the user's, whatever it holds now, or removes it.
    pub(crate) fn put(&mut self, path: &Path, text: Option<&str>, is_program: bool) -> Result<()> {
        let kind = if is_program { Kind::Program } else { Kind::Text };
        let before = files::read_text(path)?;
        self.note(path, before.as_deref(), text, kind);
        match (text, kind) {
            (None, _) => files::remove(path)?,
            (Some(text), Kind::Program) => files::replace_program(path, text)?,
            (Some(text), _) => files::replace(path, text)?,
        }
        Ok(())
    }

    /// Writes a private file, or removes it.
    pub(crate) fn keep(&mut self, path: &Path, text: Option<&str>) -> Result<()> {
        let before = files::read_text(path)?;
        self.note(path, before.as_deref(), text, Kind::Private);
        match text {
            Some(text) => Ok(files::replace_private(path, text)?),
            None => Ok(files::remove(path)?),
        }
    }

    /// Makes the directories above a user's file, which go again where the command fails.
    pub(crate) fn make_folders(&mut self, path: &Path) -> Result<Vec<PathBuf>> {
        let made = files::make_folders(path)?;
        self.folders.extend(made.iter().cloned());
        Ok(made)
    }

    fn note(&mut self, path: &Path, before: Option<&str>, after: Option<&str>, kind: Kind) {
        let [before, after] = [before, after].map(|text| text.map(str::to_owned));
        self.done.push(Write { path: path.to_owned(), before, after, kind });
    }

    // Each file is written when those before it say that it may be, so they are put back in the
    // opposite order and no further than the first that cannot be.
    fn put_back(mut self, error: Error) -> Error {
        while let Some(write) = self.done.pop() {
            let shown = self.world.paths.shown(&write.path);
            match write.put_back() {
                Ok(true) if write.kind != Kind::Private => {
                    self.world.terminal.line(format!("put back {shown}"));
                }
                Ok(_) => {}
                Err(why) => {
                    self.done.push(write);
                    return self.left(error, &why);
                }
            }
        }
        files::remove_empty(&self.folders);
        error
    }

    fn left(&self, error: Error, why: &Error) -> Error {
        let users = self.done.iter().filter(|write| write.kind != Kind::Private);
        let left: Vec<String> =
            users.map(|write| format!("`{}`", self.world.paths.shown(&write.path))).collect();
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
    fn put_back(&self) -> Result<bool> {
        let before = self.before.as_deref();
        let now = files::read_text(&self.path)?;
        if now.as_deref() == before {
            return Ok(false);
        }
        let is_ours = now == self.after;
        let done = match (before, self.kind) {
            (Some(before), Kind::Private) => {
                files::replace_private(&self.path, before)?;
                true
            }
            (Some(before), Kind::Program) if is_ours => {
                files::replace_program(&self.path, before)?;
                true
            }
            (Some(before), _) => files::swap(&self.path, self.after.as_deref(), before)?,
            (None, _) => files::remove_if(&self.path, self.after.as_deref())?,
        };
        if !done {
            anyhow::bail!("it was changed meanwhile");
        }
        Ok(true)
    }
}

/// Gives the message about a file that holds another text than the one a change was made from.
pub(crate) fn changed(world: &World, path: &Path) -> Error {
    anyhow!(
        "`{}` was changed while this ran and is left as it is now; run it again",
        world.paths.shown(path)
    )
}
