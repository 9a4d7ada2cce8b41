//! Forgetting handlers that were adopted and are in neither file now.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::install::adoption::state::AdoptionState;
use crate::install::change::Change;
use crate::install::change::records;
use crate::install::change::writes::{Writes, changed};
use crate::machine::files;
use crate::machine::world::World;

/// A change of what is kept of adoptions; the settings and the manifest stay as they are.
pub(crate) struct Forgetting {
    settings: PathBuf,
    text: Option<String>,
    file: PathBuf,
    kept: Option<String>,
    rows: Vec<String>,
}

impl Forgetting {
    /// Forgets the handlers of these names, which `rows` describe.
    pub(crate) fn of(
        world: &World,
        state: &AdoptionState,
        names: &[&str],
        rows: Vec<String>,
    ) -> Result<Self> {
        let settings = state.target.settings.clone();
        let kept =
            state.forgetting(names).with_context(|| records::left_alone(world, &settings))?;
        let kept = kept.as_ref().map(serde_json::to_string).transpose()?;
        let file = records::adoptions_file(world, &settings);
        Ok(Self { settings, text: state.settings.clone(), file, kept, rows })
    }
}

impl Change for Forgetting {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn show(&self, world: &World) {
        for row in &self.rows {
            world.terminal.line(format!("forgets {row}"));
        }
    }

    fn check(&self, world: &World) -> Result<()> {
        if records::read(world, &self.settings)? != self.text {
            return Err(changed(world, &self.settings));
        }
        Ok(files::check_replaceable(&self.file)?)
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        writes.keep(&self.file, self.kept.as_deref())
    }
}
