//! The fit of manifests, their locks and the files that hooks run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::target::{Layers, Target};
use crate::machine::{World, files, git};
use crate::manifest::edit::string;
use crate::manifest::package::{NotHere, Package};
use crate::manifest::{Hook, packages_of};
use crate::package::lock::{self, Locked};
use crate::package::{definition, known, store};

/// Lists where the manifests of a target, their locks and the files that hooks run do not fit each other.
pub(crate) fn mismatches(world: &World, target: &Target, layers: &Layers) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let known = known::Known::of(&world.paths, target.chain.files());
    for manifest in target.chain.files() {
        let path = lock::next_to(manifest);
        let shown = world.paths.shown(&path);
        let lock = match known::read(manifest) {
            Ok(lock) => lock,
            Err(why) => {
                found.push(format!("{shown} cannot be read: {why}"));
                continue;
            }
        };
        let is_base = manifest == target.chain.manifest;
        let layer = if is_base { &layers.committed.hooks } else { &layers.all.hooks };
        let text = files::read_text(manifest)?.unwrap_or_default();
        let wanted = packages_of(&text);
        for package in &wanted {
            let Some(locked) = lock.of(package) else { continue };
            let place = known.place(package).ok();
            if place.is_some_and(|place| !store::is_whole(&place, &locked.tree)) {
                found.push(format!(
                    "the files of the package `{}` are not those that {shown} names",
                    package.name
                ));
            }
            let of_package = |hook: &&Hook| is_of(hook, &package.name);
            let hooks = layer.iter().filter(of_package);
            let lines: Vec<String> =
                hooks.map(|hook| definition::line(&world.paths, hook, manifest)).collect();
            found.extend(differing(&locked.hooks, &lines, &shown));
        }
        let is_wanted = |locked: &&Locked| wanted.iter().any(|package| locked.is_of(package));
        for locked in lock.package.iter().filter(|it| !is_wanted(it)) {
            found.push(format!(
                "{shown} locks `{}`, which the manifest does not name so",
                locked.name
            ));
        }
        if !lock.own.is_empty() {
            let lines = own_lines(world, layer, manifest);
            found.extend(differing(&lock.own, &lines, &shown));
        }
    }
    Ok(found)
}

/// The lock of a chain's manifest, before and after with the lines of changed hooks, if it has any.
pub(crate) fn renewed(
    world: &World,
    target: &Target,
    after: &str,
) -> Option<(PathBuf, String, String)> {
    let manifest = &target.chain.manifest;
    let path = lock::next_to(manifest);
    let before = files::read_text(&path).ok()??;
    let lines = |edited| {
        let hooks = Layers::of(world, target, edited).ok()??.committed.hooks.into_iter();
        let line = |hook: &Hook| string(&definition::line(&world.paths, hook, manifest));
        Some(hooks.map(|hook| (hook.name.clone(), line(&hook))).collect())
    };
    let (was, now): (BTreeMap<_, _>, BTreeMap<_, _>) = (lines(None)?, lines(Some(after))?);
    let changed = was.iter().filter_map(|(name, was)| Some((was, now.get(name)?)));
    let text = changed.fold(before.clone(), |text, (was, now)| text.replace(was, now));
    (text != before).then_some((path, before, text))
}

/// Names the packages of a target's manifests of which their locks say nothing.
pub(crate) fn unlocked(world: &World, target: &Target) -> Result<Vec<String>> {
    let known = known::Known::of(&world.paths, target.chain.files());
    let mut found = Vec::new();
    for manifest in target.chain.files() {
        let text = files::read_text(manifest)?.unwrap_or_default();
        let why = packages_of(&text).into_iter().filter_map(|package| known.place(&package).err());
        found.extend(
            why.filter(|why| matches!(why, NotHere::Unlocked(_) | NotHere::LockedOther(..)))
                .map(|it| it.to_string()),
        );
    }
    Ok(found)
}

/// Says which packages in a project's own tree have files that git ignores, so that nobody else gets them.
pub(crate) fn ignored(world: &World, target: &Target) -> Vec<String> {
    let Some(project) = &target.project else { return Vec::new() };
    let text = files::read_text(&target.chain.manifest).ok().flatten().unwrap_or_default();
    let known = known::Known::of(&world.paths, target.chain.files());
    let of = |package: Package| {
        let place = known.place(&package).ok().filter(|place| place.starts_with(project))?;
        let ignored = git::ignored(&place);
        let (first, shown) = (ignored.first()?, world.paths.shown(&place));
        let more = if ignored.len() == 1 { "" } else { " and more" };
        Some(format!(
            "git ignores `{first}`{more} in {shown}, so that a clone lacks it: type `git add -f {shown}`"
        ))
    };
    packages_of(&text).into_iter().filter_map(of).collect()
}

/// The words about a hook that is not as a lock has it.
pub(crate) const ANOTHER: &str = "is another one than in";

/// Names the hooks whose lines in a lock are not what they are now.
pub(crate) fn differing(locked: &[String], now: &[String], shown: &str) -> Vec<String> {
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for line in now.iter().filter(|line| !locked.contains(line)) {
        let is_new = !locked.iter().any(|it| name(it) == name(line));
        let what = if is_new { "is not in" } else { ANOTHER };
        found.push(format!("`{}` {what} {shown}", name(line)));
    }
    for line in locked.iter().filter(|line| !now.iter().any(|it| name(it) == name(line))) {
        found.push(format!("`{}` is in {shown} but no longer runs", name(line)));
    }
    found
}

pub(crate) fn is_of(hook: &Hook, package: &str) -> bool {
    hook.package.as_ref().is_some_and(|it| it.package == package)
}

/// The lines of a lock about a manifest's own hooks, but for those that the client runs.
pub(crate) fn own_lines(world: &World, hooks: &[Hook], manifest: &Path) -> Vec<String> {
    let shown = world.paths.shown(manifest);
    let is_own = |hook: &&Hook| {
        let is_here = hook.origin().is_some_and(|origin| origin.file == shown);
        is_here && hook.package.is_none() && hook.passed().is_none()
    };
    let own = hooks.iter().filter(is_own);
    own.map(|hook| definition::line(&world.paths, hook, manifest)).collect()
}
