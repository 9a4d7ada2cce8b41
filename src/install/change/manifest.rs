//! A change of a manifest, or of who may do what with a file of hookman itself.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::Change;
use super::records::{self, print_diff};
use super::writes::Writes;
use crate::machine::{World, files, folders};

/// A manifest before and after the change; `None` means no file.
pub(crate) struct ManifestChange {
    path: PathBuf,
    before: Option<String>,
    pub(crate) after: Option<String>,
    line: Option<String>,
}

impl ManifestChange {
    pub(crate) fn to(path: &Path, before: Option<String>, after: Option<String>) -> Self {
        Self { path: path.to_owned(), before, after, line: None }
    }

    /// The same, told in a line instead of a diff.
    pub(crate) fn told_as(self, line: String) -> Self {
        Self { line: Some(line), ..self }
    }

    pub(crate) fn removes(&self, path: &Path) -> bool {
        path == self.path && self.after.is_none()
    }
}

impl Change for ManifestChange {
    fn is_empty(&self) -> bool {
        self.before == self.after
    }

    fn show(&self, world: &World) {
        if let Some(line) = &self.line {
            world.terminal.line(line);
            return;
        }
        print_diff(world, &self.path, self.before.as_deref(), self.after.as_deref());
    }

    fn check(&self, _: &World) -> Result<()> {
        if !self.is_empty() {
            files::check_replaceable(&self.path)?;
        }
        Ok(())
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let before = self.before.as_deref();
        records::back_up_manifest(writes.world, &self.path, before, writes.verb)?;
        writes.exchange_and_say(&self.path, before, self.after.as_deref())
    }
}

pub(crate) struct ModeChange {
    path: PathBuf,
    before: u32,
    after: u32,
}

impl ModeChange {
    /// Lets the owner run a file, and whoever may read it.
    pub(crate) fn executable(path: PathBuf) -> Result<Self> {
        let before = mode(&path)?;
        // Who may read it may run it.
        Ok(Self { after: before | 0o100 | (before & 0o044) >> 2, before, path })
    }

    /// Lets nobody but the owner into a directory.
    pub(crate) fn private(path: PathBuf) -> Result<Self> {
        let before = mode(&path)?;
        Ok(Self { after: before & 0o700, before, path })
    }
}

fn mode(path: &Path) -> Result<u32> {
    match folders::access(path) {
        Some(access) if access.is_own => Ok(access.mode & 0o777),
        Some(_) => bail!("`{}` belongs to another user", path.display()),
        None => bail!("there is no `{}`", path.display()),
    }
}

impl Change for ModeChange {
    fn is_empty(&self) -> bool {
        self.before == self.after
    }

    fn show(&self, world: &World) {
        let Self { path, before, after } = self;
        let shown = world.paths.shown(path);
        world.terminal.line(format!("{shown}: mode {before:04o} becomes {after:04o}"));
    }

    fn check(&self, _world: &World) -> Result<()> {
        if mode(&self.path)? != self.before {
            bail!("the mode of `{}` was changed meanwhile", self.path.display());
        }
        Ok(())
    }

    fn write(&self, _writes: &mut Writes<'_>) -> Result<()> {
        Ok(folders::set_mode(&self.path, self.after)?)
    }
}
