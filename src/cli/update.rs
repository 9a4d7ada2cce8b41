//! `hookman update`: newer versions of packages, shown before they are written.

use anyhow::{Result, bail};

use super::args::Update;
use super::exit::ExitStatus;
use super::outdated::{self, Newer};
use super::packaging;
use crate::install::packages::Renewed;
use crate::install::target::Target;
use crate::machine::{World, files};
use crate::manifest::{package_edit, packages_of};
use crate::package::{known, store};

pub(super) fn update(args: &Update, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let before = files::read_text(&target.manifest)?;
    let there = before.as_deref().map(packages_of).unwrap_or_default();
    if let Some(name) = args.packages.iter().find(|name| there.iter().all(|it| it.name != **name)) {
        let shown = world.paths.shown(&target.manifest);
        bail!("`{shown}` names no package `{name}`{}", packaging::named(&there));
    }
    let is_meant =
        |name: &str| args.packages.is_empty() || args.packages.iter().any(|it| it == name);
    let looked = outdated::looked(world, &target, &is_meant)?;
    let is_left = || {
        let lock = known::read(&target.manifest).unwrap_or_default();
        lock.package.iter().any(|it| {
            let is_unseen = !it.git.is_empty() && !store::is_trusted(&world.paths, &it.tree);
            is_unseen || there.iter().all(|package| !it.is_of(package))
        })
    };
    if !args.check && looked.newer.is_empty() && looked.unknown.is_empty() && is_left() {
        return packaging::finish(world, target, &args.options, "update", before);
    }
    if args.check || looked.newer.is_empty() {
        outdated::tell(world, &looked);
        return Ok(looked.exit());
    }
    for (package, why) in &looked.unknown {
        world.terminal.warn(format!("warning: {package} could not be checked: {why}"));
    }
    let newer = looked.newer;
    let mut after = before.clone().unwrap_or_default();
    for Newer { package, rev, .. } in &newer {
        after = package_edit::set_rev(&after, package, rev).unwrap_or(after);
    }
    let names: Vec<String> = newer.into_iter().map(|it| it.package).collect();
    let renewed = Renewed::Named(&names);
    packaging::write(world, target, &args.options, "update", (before, after), renewed)
}
