//! A change of a settings file and its manifest: shown, checked and written together.

use std::path::Path;

use anyhow::Result;

use super::adopting::Place;
use super::args::Writing;
use super::beside::Beside;
use super::layers::Layers;
use super::proposal::Proposal;
use super::registering;
use super::settling::{self, Written};
use super::writes::Writes;
use super::{World, caveats, consent};
use crate::machine::files;
use crate::machine::lock::Lock;
use crate::runtime::chains;
use crate::settings::unified_diff;

/// A change of a settings file and its manifest, not written yet.
pub(super) struct Step<'p> {
    /// The files as they stand.
    pub place: &'p Place,
    /// The text of the manifest afterwards; none where it goes.
    pub manifest: Option<String>,
    /// The hooks of the chain afterwards.
    pub layers: Layers,
    /// The change of the settings.
    pub proposal: Proposal,
}

impl Step<'_> {
    /// Whether the manifest goes and no hook is left.
    pub(super) fn is_end(&self) -> bool {
        self.manifest.is_none() && self.layers.all.hooks.is_empty()
    }

    /// Prints both changes.
    pub(super) fn show(&self, world: &World) {
        let shown = world.paths.shown(&self.place.target.manifest);
        let (before, after) = (self.place.manifest.as_deref(), self.manifest.as_deref());
        world.terminal.print(&unified_diff(&shown, before, after, registering::colour(world)));
        self.proposal.show(world);
    }

    /// Whether it removes a file.
    pub(super) fn removes(&self, path: &Path) -> bool {
        let is_manifest = path == self.place.target.manifest && self.manifest.is_none();
        is_manifest || self.proposal.removes(path)
    }

    /// Whether both files are what the change was made from and can be written.
    ///
    /// # Errors
    ///
    /// What would keep them from it.
    pub(super) fn check(&self, world: &World) -> Result<()> {
        self.proposal.check(world)?;
        if self.place.manifest != self.manifest {
            files::check_replaceable(&self.place.target.manifest)?;
        }
        Ok(())
    }

    /// Writes both changes, so that at no moment a hook stands in neither file.
    ///
    /// # Errors
    ///
    /// When a file was changed meanwhile or cannot be written; what was written is noted then.
    pub(super) fn write(
        &self,
        world: &World,
        verb: &str,
        lock: &Lock,
        writes: &mut Writes,
    ) -> Result<()> {
        self.check(world)?;
        self.proposal.begin(writes)?;
        let gains = self.layers.all.hooks.len() > self.place.layers.all.hooks.len();
        if gains {
            self.write_manifest(world, writes)?;
        }
        self.proposal.put(world, verb, lock, writes)?;
        if !gains {
            self.write_manifest(world, writes)?;
        }
        self.proposal.end(writes)
    }

    fn write_manifest(&self, world: &World, writes: &mut Writes) -> Result<()> {
        let path = &self.place.target.manifest;
        let (before, after) = (self.place.manifest.as_deref(), self.manifest.as_deref());
        if before == after {
            return Ok(());
        }
        writes.exchange_and_say(world, path, before, after)
    }

    /// Shows the change with what goes with it, asks, and writes all of it or nothing; gives whether
    /// it did.
    ///
    /// # Errors
    ///
    /// What keeps a file from being written; each is as it was then.
    pub(super) fn carry_out(
        &self,
        world: &World,
        (verb, writing): (&str, &Writing),
        early: Option<Lock>,
        others: &[Proposal],
        mut beside: Beside,
    ) -> Result<bool> {
        beside.show(world);
        self.show(world);
        registering::show_changing(world, others);
        let all: Vec<&Proposal> = std::iter::once(&self.proposal).chain(others).collect();
        caveats::show(world, &self.place.target, &all);
        if !consent::given(world, writing, "Write this?")? {
            return Ok(false);
        }
        let target = &self.place.target;
        let wait = settling::is_needed(world, writing);
        let lock = target.lock(world, early)?;
        beside.check()?;
        self.check(world)?;
        for other in others {
            other.check(world)?;
        }
        Writes::all(world, |writes| {
            beside.write(world, writes)?;
            self.write(world, verb, &lock, writes)?;
            others.iter().try_for_each(|other| other.write(world, verb, &lock, writes))
        })?;
        beside.remove()?;
        let _ = chains::compile(&world.paths, &target.chain);
        drop(lock);
        let mut written = registering::written(others);
        written.push(self);
        settling::settle(world, target, wait, &written)?;
        Ok(true)
    }
}

impl Written for Step<'_> {
    fn settings(&self) -> &Path {
        self.proposal.settings()
    }

    fn trace(&self, world: &World) -> Option<String> {
        self.proposal.trace(world)
    }

    fn stands(&self, world: &World) -> Result<bool> {
        self.proposal.stands(world)
    }

    fn write_again(&self, world: &World, lock: &Lock) -> Result<()> {
        self.proposal.write_again(world, lock)
    }
}
