//! `hookman apply`: bring settings.json in line with the manifest.

use anyhow::Result;

use super::args::Apply;
use super::exit::ExitStatus;
use super::packaging;
use super::registering::{status, warn_of_dropped};
use super::word::hint;
use super::written::{Written, told};
use crate::install::change::{Assets, Change, Outcome, SettingsChange, Transaction, each};
use crate::install::packages::{Packages, Renewed};
use crate::install::registration::{causes, codex_trust};
use crate::install::target::{Layers, Target, protection};
use crate::install::trusting::Trusting;
use crate::machine::World;
use crate::state::configured;

pub(super) fn apply(args: &Apply, world: &World) -> Result<ExitStatus> {
    told(world, args.json, &args.options.writing, |world| perform(args, world))
}

fn perform(args: &Apply, world: &World) -> Result<Written> {
    let target = Target::of(&args.options.scope, world)?;
    let transaction = Transaction::begin(world, &target, &args.options.writing)?;
    let binary = protection::binary(world, &target, args.options.binary.as_deref())?;
    let binary = binary.as_deref();
    let packages = Packages::of(world, &target, None, Renewed::None)?;
    let layers = Layers::required(world, &target, &packages.lock())?;
    let packages = packages.completed(world, None, &layers);
    let settings = SettingsChange::of(world, &target, &layers, binary)?;
    let assets = Assets::required(world, &target, &layers, binary)?;
    let mut changes: Vec<&dyn Change> = vec![&packages, &assets];
    changes.extend(each(&settings));
    let trusting = Trusting::of(world, &target, &layers.all.hooks);
    changes.push(&trusting);
    transaction.show(&changes);
    let warned = transaction.warn(&changes, &layers.all.hooks);
    causes::warn(world, &target, &layers);
    for (hook, why) in configured::homeless(&target.chain, &layers.all) {
        world.terminal.warn(format!("warning: {hook} does not run: {why}"));
    }
    if layers.all.hooks.iter().any(|hook| hook.package.is_some()) {
        packaging::name_twins(world, &layers.all.hooks);
    }
    let outcome = transaction.commit("apply", "Write this?", &changes)?;
    match outcome {
        Outcome::Nothing => trusting.tell_unseen(world),
        Outcome::Written => codex_trust::warn(world, &target),
        Outcome::Shown => {}
    }
    name_project(world, &target, "apply", "writes it into the project's settings.json");
    let is_dropped = warn_of_dropped(world, &target, &layers, outcome);
    let is_odd = warned.is_deaf || is_dropped || !warned.skipped.is_empty();
    let ended = (outcome, status(outcome, is_odd));
    Ok(Written::of(ended, &target, &changes, &SettingsChange::listed(&settings), &layers.all.hooks))
}

/// Names `--project` to who is in a project with a manifest of its own and did not ask for it.
pub(super) fn name_project(world: &World, target: &Target, verb: &str, does: &str) {
    if let Some(manifest) = target.project_around(configured::project().as_deref()) {
        let shown = world.paths.shown(&manifest);
        hint(world, format!("{shown} is the project's: `hookman {verb} --project` {does}"));
    }
}
