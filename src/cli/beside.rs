//! What entries need beside them: the slash commands, or a project's launcher and for what is one
//! person's alone that git does not see it.

use std::path::Path;

use anyhow::Result;

use super::World;
use super::binary::{self, binary_path};
use super::companion::Companions;
use super::ignoring::Ignoring;
use super::target::Target;
use super::writes::Writes;

/// The files beside the settings that are to be written.
#[derive(Default)]
pub(super) struct Beside {
    companions: Option<Companions>,
    ignoring: Option<Ignoring>,
    /// What goes once nothing needs it.
    done_with: Option<Companions>,
}

impl Beside {
    /// Looks at those of a target whose entries are to call `binary`. The slash commands come with
    /// the first entries, as in an installation; one that was removed since is not wanted.
    ///
    /// # Errors
    ///
    /// When one cannot be read, or the slash commands would call what is not found.
    pub(super) fn of(world: &World, target: &Target, given: Option<&Path>) -> Result<Self> {
        let Some(project) = &target.project else {
            if binary::registered(&target.settings).is_some() {
                return Ok(Self::default());
            }
            let binary = binary_path(world, given)?;
            let companions = Some(Companions::of(world, target, Some(&binary))?);
            return Ok(Self { companions, ..Self::default() });
        };
        let companions = Some(Companions::of(world, target, None)?);
        let ignoring = if target.local { Ignoring::of(world, project)? } else { None };
        Ok(Self { companions, ignoring, done_with: None })
    }

    /// Looks at those that nothing needs any more.
    ///
    /// # Errors
    ///
    /// When one cannot be read.
    pub(super) fn done_with(world: &World, target: &Target) -> Result<Self> {
        let done_with = Some(Companions::of(world, target, None)?);
        Ok(Self { done_with, ..Self::default() })
    }

    /// Says what would be written.
    pub(super) fn show(&self, world: &World) {
        if let Some(companions) = &self.companions {
            companions.show(world);
        }
        if let Some(ignoring) = &self.ignoring {
            ignoring.show(world);
        }
        if let Some(companions) = &self.done_with {
            companions.show_removal(world);
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
    /// Removes what nothing needs any more, when nothing calls it.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed.
    pub(super) fn remove(&self) -> Result<()> {
        self.done_with.as_ref().map_or(Ok(()), Companions::remove)
    }
}
