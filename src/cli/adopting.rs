//! What `adopt`, `release` and `uninstall` share: the adoptions of one settings file as they stand.

use anyhow::{Context, Result};

use super::layers::Layers;
use super::moving::{self, Moving};
use super::proposal::Proposal;
use super::registering;
use super::step::Step;
use super::target::Target;
use super::writes::Writes;
use super::{World, exchange};
use crate::doctor::{declared, own_hooks};
use crate::machine::files;
use crate::manifest::Hook;
use crate::settings::adoption::{Adopted, Adoption, Declared, Kept, Released};
use crate::settings::{Registration, Undo};

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
    /// The adoptions so far, in line with the text and the manifest.
    pub adoption: Adoption,
    released: Vec<Released>,
    /// The text of the manifest.
    pub manifest: Option<String>,
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
        let kept = moving::kept(world, &target.settings)?;
        Self::over(world, target, settings, kept)
    }

    /// As [`Place::of`], as if a copy of the settings file had been put back.
    ///
    /// # Errors
    ///
    /// As [`Place::of`].
    fn of_copy(world: &World, target: Target, copy: &str) -> Result<Self> {
        let kept = moving::kept(world, &target.settings)?;
        let kept = kept.map(|kept| kept.with_copy(copy));
        Self::over(world, target, Some(copy.to_owned()), kept)
    }

    fn over(
        world: &World,
        target: Target,
        settings: Option<String>,
        kept: Option<Kept>,
    ) -> Result<Self> {
        let text = settings.as_deref().unwrap_or_default();
        let undo = registering::undo(world, &target.settings, settings.as_deref())?;
        let manifest = files::read_text(&target.manifest)?;
        let layers = Layers::of(world, &target, None)?.unwrap_or_default();
        let own = own_hooks(target.local, &layers.committed.hooks, &layers.all.hooks);
        let declared = declared(own);
        let released = kept.as_ref().map(|kept| kept.released.clone()).unwrap_or_default();
        let in_line = || {
            let adoption = match kept {
                Some(kept) => kept.in_line_with(text, undo.as_ref())?,
                None => Adoption::of(None, text, undo.as_ref())?,
            };
            adoption.declared_by(&declared, text, undo.as_ref())
        };
        let adoption =
            in_line().with_context(|| registering::left_alone(world, &target.settings))?;
        Ok(Self { target, settings, undo, adoption, released, manifest, layers })
    }

    /// Whether anything was adopted into a target's manifest, as far as can be told without reading
    /// the manifest.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub(super) fn is_worth_a_look(world: &World, target: &Target) -> Result<bool> {
        let manifest = files::read_text(&target.manifest)?.unwrap_or_default();
        Ok(manifest.contains("adopted") || moving::kept(world, &target.settings)?.is_some())
    }

    /// The text of the settings.
    pub(super) fn text(&self) -> &str {
        self.settings.as_deref().unwrap_or_default()
    }

    /// The hooks that the target's own manifest declares.
    pub(super) fn own_hooks(&self) -> impl Iterator<Item = &Hook> {
        own_hooks(self.target.local, &self.layers.committed.hooks, &self.layers.all.hooks)
    }

    /// Those of them that were adopted, in the order of the manifest.
    pub(super) fn adopted(&self) -> Vec<&Hook> {
        let kept = |name: &str| self.adoption.hooks.iter().any(|kept| kept.hook == name);
        self.own_hooks().filter(|hook| hook.manner.adopted || kept(&hook.name)).collect()
    }

    /// The names of those whose handlers stand in the settings all the same.
    pub(super) fn standing(&self) -> Vec<&str> {
        // The text was read before.
        let standing = self.adoption.standing(self.text()).unwrap_or_default();
        standing.into_iter().map(|hook| &*hook.hook).collect()
    }

    /// The names of the adopted handlers that the manifest does not know any more, and that do not
    /// stand in the settings either.
    pub(super) fn undeclared(&self) -> Vec<&str> {
        let undeclared = self.adoption.undeclared(&self.declared());
        undeclared.into_iter().map(|hook| &*hook.hook).collect()
    }

    /// The names of those of them that run nowhere though hookman is at work here.
    pub(super) fn lost(&self) -> Vec<&str> {
        let lost = self.adoption.lost(&self.declared(), self.text());
        lost.into_iter().map(|hook| &*hook.hook).collect()
    }

    /// Forgets adopted handlers that stand in neither file.
    ///
    /// # Errors
    ///
    /// When what is kept cannot be written, or the settings must not be touched.
    pub(super) fn forget(&self, world: &World, hooks: &[&str], writes: &mut Writes) -> Result<()> {
        let settings = &self.target.settings;
        if registering::read(world, settings)? != self.settings {
            return Err(exchange::changed(world, settings));
        }
        let (undo, released) = (self.undo.as_ref(), &self.released);
        let kept = Kept::forgetting(&self.adoption, released, hooks, self.text(), undo)
            .with_context(|| registering::left_alone(world, settings))?;
        moving::keep(world, settings, kept.as_ref(), writes)
    }

    fn declared(&self) -> Vec<Declared<'_>> {
        declared(self.own_hooks())
    }

    /// The adoptions with further ones.
    pub(super) fn with(&self, adopted: Vec<Adopted>) -> Adoption {
        if adopted.is_empty() {
            return self.adoption.clone();
        }
        let mut with = self.adoption.with(adopted, self.text(), self.undo.as_ref());
        if self.adoption.hooks.is_empty() {
            with.made_manifest = Some(self.manifest.is_none());
        }
        with
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
        let is_empty = [EMPTY_MANIFEST, EMPTY_OVERLAY].contains(&&*manifest);
        let made = is_empty && self.adoption.made_manifest.unwrap_or(true);
        let manifest = (!made).then_some(manifest);
        let edited = manifest.as_deref().unwrap_or_default();
        let layers = Layers::of(world, &self.target, Some(edited))?.unwrap_or_default();
        let proposal = self.proposal(world, next, entries(&layers)?)?;
        Ok(Step { place: self, manifest, layers, proposal })
    }

    fn proposal(
        &self,
        world: &World,
        next: Adoption,
        entries: Vec<Registration>,
    ) -> Result<Proposal> {
        let settings = &self.target.settings;
        let both = (self.adoption.clone(), next);
        let released = self.released.clone();
        let moving = Moving::new(world, settings, self.undo.clone(), both, released);
        Proposal::moving(settings, self.settings.as_deref(), entries, moving)
            .with_context(|| registering::left_alone(world, settings))
    }
}

/// The change of a settings file in which handlers stand that its manifest declares as adopted, so
/// that they run twice: they are taken out again. `None` where there are none.
///
/// # Errors
///
/// When the settings cannot be read or must not be touched.
pub(super) fn overtaken(
    world: &World,
    target: &Target,
    entries: &[Registration],
) -> Result<Option<Proposal>> {
    if !Place::is_worth_a_look(world, target)? {
        return Ok(None);
    }
    // Hooks that adoption refuses to work on can still be beside what is to be registered.
    let Ok(place) = Place::of(world, target.clone()) else { return Ok(None) };
    if place.standing().is_empty() {
        return Ok(None);
    }
    place.proposal(world, place.adoption.clone(), entries.to_vec()).map(Some)
}

/// Warns where with a text as the settings a handler that is or was adopted runs twice or not at all.
pub(super) fn warn_of_text(world: &World, target: &Target, text: &str) {
    // Whatever is wrong with the text or the manifest is told by the commands that need them.
    let Ok(place) = Place::of_copy(world, target.clone(), text) else { return };
    warn_of_lost(world, &place);
    let (names, flag) = (place.standing(), target.flag());
    if !names.is_empty() {
        world.terminal.warn(format!(
            "warning: the client would run what is adopted beside hookman: {}; `hookman apply{flag}` takes \
             it out again, `hookman release{flag} NAME…` leaves it to the client alone",
            names.join(", ")
        ));
    }
}

/// Says of a place which adopted handlers run nowhere, and how they come back.
pub(super) fn warn_of_lost(world: &World, place: &Place) {
    let (names, flag) = (place.lost(), place.target.flag());
    if !names.is_empty() {
        world.terminal.warn(format!(
            "warning: adopted before, but in neither file, so that nothing runs it: {}; \
             `hookman release{flag} NAME…` puts it back into {}, \
             `hookman release{flag} --forget NAME…` says that it is gone for good",
            names.join(", "),
            world.paths.shown(&place.target.settings)
        ));
    }
}

/// The settings files of a target and of its overlay whose adopted handlers run nowhere.
pub(super) fn losses(world: &World, target: &Target) -> Vec<Place> {
    let targets = std::iter::once(target.clone()).chain(target.overlay());
    let worth = targets.filter(|it| Place::is_worth_a_look(world, it).unwrap_or(false));
    // What keeps one from being read is told by what needs it.
    let places = worth.filter_map(|it| Place::of(world, it).ok());
    places.filter(|place| !place.lost().is_empty()).collect()
}
