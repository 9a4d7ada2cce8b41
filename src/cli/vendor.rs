//! `hookman vendor`: a package becomes a directory next to the manifest.

use anyhow::{Context, Result, bail};

use super::args::Vendor;
use super::exit::ExitStatus;
use super::packaging;
use crate::install::locks::{self, is_of};
use crate::install::packages::Renewed;
use crate::install::target::{Layers, Target, protection};
use crate::machine::{World, files, harmless, trees};
use crate::manifest::package::Provenance;
use crate::manifest::{Hook, package_edit, packages_of};
use crate::package::known::Known;
use crate::package::store;
use crate::state::chains;
use crate::state::pins::{self, Pin, Rule};

pub(super) fn vendor(args: &Vendor, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let before = files::read_text(&target.manifest)?.unwrap_or_default();
    let there = packages_of(&before);
    let shown = world.paths.shown(&target.manifest);
    let Some(package) = there.iter().find(|it| it.name == args.package) else {
        bail!("`{shown}` names no package `{}`{}", args.package, packaging::named(&there));
    };
    if let Provenance::Path(path) = &package.from {
        let there = format!("the package `{}` is a directory already: `{path}`", package.name);
        if *path != packaging::copy_of(&package.name) {
            bail!("{there}");
        }
        world.terminal.line(there);
        return packaging::finish(world, target, &args.options, "vendor", Some(before));
    }
    // From a directory it runs as it is, so whoever may write there can change a gate.
    let layers = Layers::of(world, &target, None)?.unwrap_or_default();
    for hook in layers.all.hooks.iter().filter(|hook| is_of(hook, &package.name)) {
        protection::check(&hook.name, hook.enabled && hook.audience.user_only)?;
    }
    let held = pins::held(&world.paths, &target.chain, &layers.all.hooks);
    let known = Known::of(&world.paths, target.chain.files());
    let tree = trees::read(&known.place(package)?)?;
    let locked = known.lock()?.of(package).cloned().unwrap_or_default();
    let path = packaging::copy_of(&package.name);
    let folder = target.manifest.with_file_name(&path);
    let is_new = !folder.exists();
    if !is_new && trees::read(&folder).map(|it| it == tree).ok() != Some(true) {
        bail!(
            "`{}` is there, with other files; move it elsewhere, then run this again",
            world.paths.shown(&folder)
        );
    }
    let after = package_edit::set_path(&before, &package.name, &path);
    let after = after.with_context(|| format!("hookman cannot safely edit `{shown}`"))?;
    let texts = (Some(before), after.clone());
    let manifest = target.manifest.clone();
    let renewed = Renewed::Copied(&folder, &locked);
    let written = packaging::write(world, target.clone(), &args.options, "vendor", texts, renewed);
    let is_written = files::read_text(&manifest)?.as_deref() == Some(&after);
    if is_written && store::is_trusted(&world.paths, &locked.tree) {
        keep_seen(world, &target, |hook| {
            is_of(hook, &package.name) && !held.contains_key(&hook.name)
        })?;
    } else if is_new && !is_written {
        trees::remove(&folder);
    }
    for line in is_written.then(|| locks::ignored(world, &target)).into_iter().flatten() {
        world.terminal.warn(harmless(&format!("warning: {line}")));
    }
    written
}

/// Keeps hooks of a package as seen: its files are those that were, in another directory.
fn keep_seen(world: &World, target: &Target, was_seen: impl Fn(&Hook) -> bool) -> Result<()> {
    let paths = &world.paths;
    let Some(mut pinned) = pins::read(paths, &target.chain) else { return Ok(()) };
    let hooks = chains::read(paths, &target.chain)?.unwrap_or_default().hooks;
    let hooks = hooks.iter().filter(|hook| was_seen(hook));
    let rule = Rule::of(paths, &target.chain);
    pinned.extend(hooks.map(|hook| (hook.name.clone(), Pin::of(&rule, hook))));
    pins::keep_contents(paths, pinned.values());
    files::replace_private(&pins::file(paths, &target.chain), &serde_json::to_string(&pinned)?)?;
    chains::refresh(paths, &target.chain);
    Ok(())
}
