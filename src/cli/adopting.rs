//! What `adopt`, `release` and `uninstall` share: the adoptions of one settings file and the change
//! of both files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::layers::Layers;
use super::registering::{self, Proposal};
use super::settling::Written;
use super::target::Target;
use super::{World, exchange};
use crate::machine::files;
use crate::machine::lock::Lock;
use crate::manifest::Hook;
use crate::settings::adoption::{self, Adopted, Adoption, Current};
use crate::settings::{Registration, Undo, unified_diff};

/// The manifest of someone who has only adopted hooks.
const EMPTY_MANIFEST: &str =
    "# The hooks of hookman, in the order they run in. Keep this file in git.\n";

/// The same of an overlay.
const EMPTY_OVERLAY: &str =
    "# The hooks that only you have in this project. Keep this file out of git.\n";

/// A settings file and a manifest as they stand, with what is kept of adoptions.
pub(super) struct Place {
    /// The chain and its settings file.
    pub target: Target,
    settings: Option<String>,
    undo: Option<Undo>,
    /// The adoptions so far, in line with the text.
    pub adoption: Adoption,
    manifest: Option<String>,
    /// The hooks of the chain.
    pub layers: Layers,
}

impl Place {
    /// Reads everything.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or understood; nothing may be written then.
    pub(super) fn of(world: &World, target: Target) -> Result<Self> {
        let settings = registering::read(world, &target.settings)?;
        let text = settings.as_deref().unwrap_or_default();
        let undo = registering::undo(world, &target.settings, settings.as_deref())?;
        let kept = kept(world, &target, text, undo.as_ref())?;
        let adoption = Adoption::of(kept.as_ref(), text, undo.as_ref())
            .with_context(|| registering::left_alone(world, &target.settings))?;
        let manifest = files::read_text(&target.manifest)?;
        let layers = Layers::of(world, &target, None)?.unwrap_or_default();
        Ok(Self { target, settings, undo, adoption, manifest, layers })
    }

    /// Whether anything was adopted into a target's manifest, as far as can be told without reading
    /// the manifest.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub(super) fn is_worth_a_look(world: &World, target: &Target) -> Result<bool> {
        let manifest = files::read_text(&target.manifest)?.unwrap_or_default();
        let kept = files::read_text(&state_file(world, target, ""))?;
        Ok(kept.is_some() || manifest.contains("adopted"))
    }

    fn text(&self) -> &str {
        self.settings.as_deref().unwrap_or_default()
    }

    /// The hooks that the target's own manifest declares.
    pub(super) fn own_hooks(&self) -> impl Iterator<Item = &Hook> {
        let (local, committed) = (self.target.local, &self.layers.committed.hooks);
        let own = move |hook: &&Hook| !local || !committed.iter().any(|it| it.name == hook.name);
        let all = if local { &self.layers.all.hooks } else { committed };
        all.iter().filter(own)
    }

    /// Those of them that were adopted, in the order of the manifest.
    pub(super) fn adopted(&self) -> Vec<&Hook> {
        let kept = |name: &str| self.adoption.hooks.iter().any(|kept| kept.hook == name);
        self.own_hooks().filter(|hook| hook.manner.adopted || kept(&hook.name)).collect()
    }

    /// The adoptions with further ones.
    pub(super) fn with(&self, adopted: Vec<Adopted>) -> Adoption {
        self.adoption.with(adopted, self.text(), self.undo.as_ref())
    }

    /// The text of the manifest to add hooks to.
    pub(super) fn manifest_text(&self) -> String {
        let empty = if self.target.local { EMPTY_OVERLAY } else { EMPTY_MANIFEST };
        self.manifest.clone().unwrap_or_else(|| empty.to_owned())
    }

    /// The change to another manifest and other adoptions, registered by the `entries` for it.
    ///
    /// # Errors
    ///
    /// When the new manifest cannot be read, or the settings must not be touched.
    pub(super) fn step(
        &self,
        world: &World,
        manifest: String,
        next: Adoption,
        entries: impl FnOnce(&Layers) -> Result<Vec<Registration>>,
    ) -> Result<Step<'_>> {
        // A manifest that nobody but hookman wrote goes when it has no hook any more.
        let made = [EMPTY_MANIFEST, EMPTY_OVERLAY].contains(&&*manifest);
        let manifest = (!made).then_some(manifest);
        let edited = manifest.as_deref().unwrap_or_default();
        let layers = Layers::of(world, &self.target, Some(edited))?.unwrap_or_default();
        let entries = entries(&layers)?;
        let current =
            Current { text: self.text(), undo: self.undo.as_ref(), adoption: &self.adoption };
        let proposal = self.proposal(current, &next, &entries);
        let proposal =
            proposal.with_context(|| registering::left_alone(world, &self.target.settings))?;
        Ok(Step { place: self, manifest, layers, next, entries, proposal })
    }

    fn proposal(
        &self,
        current: Current<'_>,
        next: &Adoption,
        entries: &[Registration],
    ) -> Result<Proposal> {
        let mut plan = adoption::plan(current, next, entries)?;
        if current.text.is_empty() {
            plan.before.clone_from(&self.settings);
        }
        let record = current.undo.map(|undo| undo.record.clone()).unwrap_or_default();
        let (original, after) = (Some(next.original.clone()), current.text.to_owned());
        let undo = Undo { original, after, record };
        Ok(Proposal::of(&self.target.settings, plan, entries.to_vec(), undo))
    }
}

/// A change of a settings file and its manifest, not written yet.
pub(super) struct Step<'p> {
    place: &'p Place,
    manifest: Option<String>,
    /// The hooks of the chain afterwards.
    pub layers: Layers,
    next: Adoption,
    entries: Vec<Registration>,
    proposal: Proposal,
}

impl Step<'_> {
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
        let target = &self.place.target;
        files::check_replaceable(&state_file(world, target, ".next"))?;
        if self.place.manifest != self.manifest {
            files::check_replaceable(&target.manifest)?;
        }
        Ok(())
    }

    /// Writes both changes, so that at no moment a hook stands in neither file.
    ///
    /// # Errors
    ///
    /// When a file was changed meanwhile or cannot be written.
    pub(super) fn write(&self, world: &World, verb: &str, lock: &Lock) -> Result<()> {
        let target = &self.place.target;
        self.check(world)?;
        let (state, next) = (state_file(world, target, ""), state_file(world, target, ".next"));
        // The new state is put beside the old one first, because a state that is not that of the
        // settings would have the handlers put back a second time.
        files::replace_private(&next, &serde_json::to_string(&self.next)?)?;
        let gains = self.next.hooks.len() > self.place.adoption.hooks.len();
        if gains {
            self.write_manifest(world)?;
        }
        self.proposal.write(world, verb, lock)?;
        if !gains {
            self.write_manifest(world)?;
        }
        if self.next.hooks.is_empty() {
            files::remove(&state)?;
        } else {
            files::replace_private(&state, &serde_json::to_string(&self.next)?)?;
        }
        Ok(files::remove(&next)?)
    }

    fn write_manifest(&self, world: &World) -> Result<()> {
        let path = &self.place.target.manifest;
        let before = self.place.manifest.as_deref();
        if before == self.manifest.as_deref() {
            return Ok(());
        }
        exchange::write_and_say(world, path, before, self.manifest.as_deref())
    }

    /// The same change of what the file holds now, an older text of a running session perhaps.
    fn again(&self, world: &World) -> Result<Proposal> {
        let settings = registering::read(world, &self.place.target.settings)?;
        let undo = registering::undo(world, &self.place.target.settings, settings.as_deref())?;
        let text = settings.as_deref().unwrap_or_default();
        if settings == self.place.settings {
            let Place { undo, adoption, .. } = self.place;
            let current = Current { text, undo: undo.as_ref(), adoption };
            return self.place.proposal(current, &self.next, &self.entries);
        }
        // Whatever was adopted before or is now is put in its place, and then what is now goes.
        let all = self.next.joined(&self.place.adoption);
        let adoption = Adoption::of(Some(&all), text, undo.as_ref())?;
        let stays = |hook: &&str| self.next.hooks.iter().any(|next| next.hook == *hook);
        let hooks: Vec<&str> = adoption.hooks.iter().map(|hook| &*hook.hook).collect();
        let released: Vec<&str> = hooks.into_iter().filter(|hook| !stays(hook)).collect();
        let current = Current { text, undo: undo.as_ref(), adoption: &adoption };
        self.place.proposal(current, &adoption.without(&released), &self.entries)
    }
}

impl Written for Step<'_> {
    fn settings(&self) -> &Path {
        &self.place.target.settings
    }

    fn trace(&self, world: &World) -> Option<String> {
        registering::trace(world, &self.place.target.settings)
    }

    fn stands(&self, world: &World) -> Result<bool> {
        let now = registering::read(world, &self.place.target.settings)?;
        Ok(now == self.proposal.plan.after || self.again(world)?.plan.is_empty())
    }

    fn write_again(&self, world: &World, lock: &Lock) -> Result<()> {
        self.again(world)?.write(world, "repair", lock)
    }
}

fn state_file(world: &World, target: &Target, ending: &str) -> PathBuf {
    let mut path = world.paths.kept("adoptions", &target.settings).into_os_string();
    path.push(ending);
    path.into()
}

/// What is kept of adoptions: of the last state and one whose writing was cut short, that which is
/// in line with the settings.
fn kept(
    world: &World,
    target: &Target,
    text: &str,
    undo: Option<&Undo>,
) -> Result<Option<Adoption>> {
    let read = |ending: &str| -> Result<Option<Adoption>> {
        let text = files::read_text(&state_file(world, target, ending))?;
        // What cannot be understood is no help; the manifest knows enough to do without.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    let (last, next) = (read("")?, read(".next")?);
    if last.as_ref().is_some_and(|last| last.fits(text, undo)) {
        return Ok(last);
    }
    Ok(next.filter(|next| next.fits(text, undo)).or(last))
}
