//! Changing who may do what with a file of hookman itself.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::install::change::Change;
use crate::install::change::writes::Writes;
use crate::machine::folders;
use crate::machine::world::World;

/// The mode of one file or directory.
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
