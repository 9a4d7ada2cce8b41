//! A change of a manifest.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::install::change::Change;
use crate::install::change::records::{self, print_diff};
use crate::install::change::writes::Writes;
use crate::machine::files;
use crate::machine::world::World;

/// A manifest as it is and as it is to be; `None` means no file.
pub(crate) struct ManifestChange {
    path: PathBuf,
    before: Option<String>,
    pub(crate) after: Option<String>,
    /// A line in the place of a diff.
    line: Option<String>,
}

impl ManifestChange {
    pub(crate) fn to(path: &Path, before: Option<String>, after: Option<String>) -> Self {
        Self { path: path.to_owned(), before, after, line: None }
    }

    /// The same, told in a line instead of a diff.
    #[must_use]
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
