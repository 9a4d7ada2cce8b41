//! A chain's manifests: what is committed, and that with the overlay over it.

use std::path::Path;

use anyhow::{Result, bail};

use super::Target;
use crate::machine::{World, files};
use crate::manifest::{self, Manifest, Problems, Source};
use crate::package::known::Known;
use crate::package::lock::Lock;
use crate::state::{Catalogue, chains};

fn wrong(problems: &Problems) -> anyhow::Error {
    anyhow::anyhow!("the manifest cannot be read\n{problems}")
}

#[derive(Default)]
pub(crate) struct Layers {
    /// Those of the manifest, without the overlay; a user's are all of them.
    pub(crate) committed: Manifest,
    pub(crate) all: Manifest,
}

impl Layers {
    /// Reads a target's manifests, with `edited` for the one it edits; `None` where there are none.
    pub(crate) fn of(world: &World, target: &Target, edited: Option<&str>) -> Result<Option<Self>> {
        Self::locked(world, target, edited, &Lock::default())
    }

    /// Refuses a manifest that was emptied: a command that adds to it would take out what was in it.
    pub(crate) fn check_filled(world: &World, target: &Target) -> Result<()> {
        chains::emptied(&world.paths, &target.chain)
            .map_or(Ok(()), |problems| Err(wrong(&problems)))
    }

    /// As [`Layers::of`], with what `lock` has of packages in the place of what is locked.
    pub(crate) fn locked(
        world: &World,
        target: &Target,
        edited: Option<&str>,
        lock: &Lock,
    ) -> Result<Option<Self>> {
        let read = |path: &Path| {
            let text = match edited {
                Some(text) if path == target.manifest => Some(text.to_owned()),
                _ => files::read_text(path)?,
            };
            let size = text.as_ref().map_or(0, String::len) as u64;
            chains::check_size(&world.paths, path, size).map_err(|it| wrong(&it))?;
            anyhow::Ok(text)
        };
        if edited.is_none() {
            Self::check_filled(world, target)?;
        }
        let base = read(&target.chain.manifest)?;
        let overlay = match &target.chain.overlay {
            Some(path) => read(path)?.map(|text| (world.paths.shown(path), text)),
            None => None,
        };
        if base.is_none() && overlay.is_none() {
            return Ok(None);
        }
        let file = world.paths.shown(&target.chain.manifest);
        let base = base.as_ref().map(|text| Source { file: &file, text });
        let overlay = overlay.as_ref().map(|(file, text)| Source { file, text });
        let known = Known::of(&world.paths, target.chain.files()).with(lock);
        let of = |overlay, is_whole| {
            let read = manifest::read(base, overlay, &Catalogue { known: known.clone(), is_whole });
            let is_project = target.project.is_some();
            if is_project { read.and_then(Manifest::of_project) } else { read }
        };
        let parsed = |overlay| {
            of(overlay, true).map_err(|problems| match of(overlay, false) {
                Ok(_) => anyhow::anyhow!("{}\n{problems}", chains::LACKING),
                Err(_) => wrong(&problems),
            })
        };
        Ok(Some(Self { committed: parsed(None)?, all: parsed(overlay)? }))
    }

    /// As [`Layers::locked`] with what is on the disk, where there has to be a manifest.
    pub(crate) fn required(world: &World, target: &Target, lock: &Lock) -> Result<Self> {
        match Self::locked(world, target, None, lock)? {
            Some(layers) => Ok(layers),
            None => bail!(
                "there is no manifest at `{}`; `hookman install{}` makes one{}",
                world.paths.shown(&target.manifest),
                target.flag(),
                target.elsewhere(world).map(|it| format!(", and {it}")).unwrap_or_default()
            ),
        }
    }
}
