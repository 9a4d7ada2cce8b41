//! What a project's entries need beside them: the launcher, and for what is one person's alone that
//! git does not see it.

use anyhow::Result;

use super::World;
use super::companion::Companions;
use super::ignoring::Ignoring;
use super::target::Target;
use super::writes::Writes;

/// The files beside the settings that are to be written.
#[derive(Default)]
pub(super) struct Beside {
    companions: Option<Companions>,
    ignoring: Option<Ignoring>,
}

impl Beside {
    /// Looks at those of a target.
    ///
    /// # Errors
    ///
    /// When one cannot be read.
    pub(super) fn of(world: &World, target: &Target) -> Result<Self> {
        let Some(project) = &target.project else { return Ok(Self::default()) };
        let companions = Some(Companions::of(world, target, None)?);
        let ignoring = if target.local { Ignoring::of(world, project)? } else { None };
        Ok(Self { companions, ignoring })
    }

    /// Says what would be written.
    pub(super) fn show(&self, world: &World) {
        if let Some(companions) = &self.companions {
            companions.show(world);
        }
        if let Some(ignoring) = &self.ignoring {
            ignoring.show(world);
        }
    }

    /// Whether it can be.
    ///
    /// # Errors
    ///
    /// What would prevent it.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(ignoring) = &self.ignoring {
            ignoring.check()?;
        }
        self.companions.as_ref().map_or(Ok(()), Companions::check)
    }

    /// Writes them.
    ///
    /// # Errors
    ///
    /// When one was changed meanwhile or cannot be written.
    pub(super) fn write(&mut self, world: &World, writes: &mut Writes) -> Result<()> {
        if let Some(ignoring) = &self.ignoring {
            ignoring.write(world, writes)?;
        }
        match &mut self.companions {
            Some(companions) => companions.write(world, writes),
            None => Ok(()),
        }
    }
}
