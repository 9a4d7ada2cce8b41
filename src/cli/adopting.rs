//! What `adopt`, `release` and `uninstall` share: the adoptions of one settings file and the change
//! of both files.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::World;
use super::registering::{self, Proposal, Target};
use crate::machine::files;
use crate::manifest::{self, Hook, Manifest, Source};
use crate::runtime::catalogue::Catalogue;
use crate::runtime::chains;
use crate::settings::adoption::{self, Adopted, Adoption, Current};
use crate::settings::{Registration, Undo, unified_diff};

/// The manifest of someone who has only adopted hooks.
const EMPTY_MANIFEST: &str =
    "# The hooks of hookman, in the order they run in. Keep this file in git.\n";

/// A settings file and a manifest as they stand, with what is kept of adoptions.
pub(super) struct Place<'w> {
    /// The machine.
    pub world: &'w World,
    /// The chain and its settings file.
    pub target: Target,
    /// The text of the settings file, if there is one.
    settings: Option<String>,
    undo: Option<Undo>,
    /// The adoptions so far, in line with the text.
    pub adoption: Adoption,
    /// The text of the manifest, if there is one.
    manifest_text: Option<String>,
    /// The manifest with its overlay.
    pub manifest: Manifest,
}

impl<'w> Place<'w> {
    /// Reads everything.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or understood; nothing may be written then.
    pub(super) fn of(world: &'w World, target: Target) -> Result<Self> {
        let settings = registering::read(world, &target.settings)?;
        let text = settings.as_deref().unwrap_or_default();
        let undo = registering::undo(world, &target.settings)?;
        let kept = kept(world, &target, text, undo.as_ref())?;
        let adoption = Adoption::of(kept.as_ref(), text, undo.as_ref())
            .with_context(|| registering::refused(world, &target.settings))?;
        let manifest_text = files::read_text(&target.chain.manifest)?;
        let mut place = Self {
            world,
            target,
            settings,
            undo,
            adoption,
            manifest_text,
            manifest: Manifest::default(),
        };
        place.manifest = place.read_manifest(place.manifest_text.as_deref())?;
        Ok(place)
    }

    fn text(&self) -> &str {
        self.settings.as_deref().unwrap_or_default()
    }

    fn read_manifest(&self, text: Option<&str>) -> Result<Manifest> {
        let shown = |path: &PathBuf| self.world.paths.shown(path);
        let overlay = self.target.chain.overlay.as_ref();
        let overlay_text = overlay.map(|path| files::read_text(path)).transpose()?.flatten();
        let (file, overlay) = (shown(&self.target.chain.manifest), overlay.map(shown));
        let base = text.map(|text| Source { file: &file, text });
        let overlay = overlay.as_deref().zip(overlay_text.as_deref());
        let overlay = overlay.map(|(file, text)| Source { file, text });
        manifest::read(base, overlay, &Catalogue).map_err(|problems| {
            anyhow::anyhow!("the manifest cannot be read, so nothing was written\n{problems}")
        })
    }

    /// The hooks of the manifest that were adopted, in its order.
    pub(super) fn adopted(&self) -> Vec<&Hook> {
        let kept = |hook: &&Hook| {
            hook.manner.adopted || self.adoption.hooks.iter().any(|kept| kept.hook == hook.name)
        };
        self.manifest.hooks.iter().filter(kept).collect()
    }

    /// The adoptions with further ones.
    pub(super) fn with(&self, adopted: Vec<Adopted>) -> Adoption {
        self.adoption.with(adopted, self.text(), self.undo.as_ref())
    }

    /// The text of the manifest to add hooks to.
    pub(super) fn manifest_text(&self) -> String {
        self.manifest_text.clone().unwrap_or_else(|| EMPTY_MANIFEST.to_owned())
    }

    /// The change to another manifest and other adoptions, registered by `entries`.
    ///
    /// # Errors
    ///
    /// When the new manifest cannot be read, or the settings must not be touched.
    pub(super) fn step(
        &self,
        manifest_text: String,
        next: Adoption,
        entries: impl FnOnce(&Manifest) -> Result<Vec<Registration>>,
    ) -> Result<Step<'_>> {
        // A manifest that nobody but hookman wrote goes when it has no hook any more.
        let manifest_text = (manifest_text != EMPTY_MANIFEST).then_some(manifest_text);
        let entries = entries(&self.read_manifest(manifest_text.as_deref())?)?;
        let text = self.text();
        let current = Current { text, undo: self.undo.as_ref(), adoption: &self.adoption };
        let mut plan = adoption::plan(current, &next, &entries)
            .with_context(|| registering::refused(self.world, &self.target.settings))?;
        plan.before.clone_from(&self.settings);
        let record = self.undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
        let undo = Undo { original: Some(next.original.clone()), after: text.to_owned(), record };
        let proposal = Proposal::of(&self.target.settings, plan, Some(undo));
        Ok(Step { place: self, manifest_text, next, proposal })
    }
}

/// A change of a settings file and its manifest, not written yet.
pub(super) struct Step<'p> {
    place: &'p Place<'p>,
    manifest_text: Option<String>,
    next: Adoption,
    proposal: Proposal,
}

impl Step<'_> {
    /// Prints both changes.
    pub(super) fn show(&self) {
        let Place { world, target, manifest_text, .. } = self.place;
        let shown = world.paths.shown(&target.chain.manifest);
        let (before, after) = (manifest_text.as_deref(), self.manifest_text.as_deref());
        world.terminal.print(&unified_diff(&shown, before, after, registering::colour(world)));
        self.proposal.show(world);
    }

    /// Writes both changes, so that at no moment a hook stands in neither file.
    ///
    /// # Errors
    ///
    /// When a file was changed meanwhile or cannot be written.
    pub(super) fn write(&self, verb: &str) -> Result<()> {
        let Place { world, target, .. } = self.place;
        let state = state_file(world, target, "");
        let next = state_file(world, target, ".next");
        // The new state is put beside the old one first, because a state that is not that of the
        // settings would have the handlers put back a second time.
        files::replace_private(&next, &serde_json::to_string(&self.next)?)?;
        let gains = self.next.hooks.len() > self.place.adoption.hooks.len();
        if gains {
            self.write_manifest()?;
        }
        self.proposal.write(world, verb)?;
        if !gains {
            self.write_manifest()?;
        }
        if self.next.hooks.is_empty() {
            files::remove(&state)?;
        } else {
            files::replace_private(&state, &serde_json::to_string(&self.next)?)?;
        }
        files::remove(&next)?;
        let _ = chains::compile(&world.paths, &target.chain);
        Ok(())
    }

    fn write_manifest(&self) -> Result<()> {
        let Place { world, target, manifest_text, .. } = self.place;
        if *manifest_text == self.manifest_text {
            return Ok(());
        }
        let path = &target.chain.manifest;
        let shown = world.paths.shown(path);
        if files::read_text(path)? != *manifest_text {
            anyhow::bail!("`{shown}` was changed while this ran; run it again");
        }
        let deed = match &self.manifest_text {
            Some(text) => {
                if let Some(folder) = path.parent() {
                    files::make_directory(folder)?;
                }
                files::replace(path, text)?;
                "wrote"
            }
            None => {
                files::remove(path)?;
                "removed"
            }
        };
        world.terminal.line(format!("{deed} {shown}"));
        Ok(())
    }
}

fn state_file(world: &World, target: &Target, ending: &str) -> PathBuf {
    let mut path = world.paths.beside("adoptions", &target.settings).into_os_string();
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
