//! `hookman uninstall`: take hookman out of settings.json again.

use anyhow::Result;

use super::adopting::{Place, Step};
use super::args::Uninstall;
use super::companion::Companions;
use super::registering::{self, Proposal, Target};
use super::settling::Written;
use super::writes::Writes;
use super::{ExitStatus, World, consent, release, settling};
use crate::runtime::chains;

pub(super) fn uninstall(args: &Uninstall, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let places = places(world, &target)?;
    let steps: Vec<Step<'_>> = places
        .iter()
        .map(|place| release::plan(world, place, &place.adopted(), |_| Ok(Vec::new())))
        .collect::<Result<_>>()?;
    let mut proposals = registering::propose_removal(world, &target)?;
    // Where a step gives hooks back, it takes our entries out too.
    proposals.retain(|proposal| {
        !places.iter().any(|place| place.target.settings == proposal.settings())
    });
    let companions = Companions::of(world, &target, None)?;
    for step in &steps {
        step.show(world);
    }
    if steps.is_empty() {
        registering::show(world, &proposals);
    } else {
        registering::show_changing(world, &proposals);
    }
    companions.show_removal(world);
    if steps.is_empty() && proposals.iter().all(|it| it.plan.is_empty()) && !companions.has_any() {
        world.terminal.line("hookman is not installed here.");
        return Ok(ExitStatus::Done);
    }
    if !consent::given(world, &args.writing, "Remove it?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    for step in &steps {
        step.check(world)?;
    }
    for proposal in &proposals {
        proposal.check(world)?;
    }
    Writes::all(world, |writes| {
        steps.iter().try_for_each(|step| step.write(world, "uninstall", &lock, writes))?;
        proposals.iter().try_for_each(|it| it.write(world, "uninstall", &lock, writes))
    })?;
    companions.remove()?;
    if !steps.is_empty() {
        let _ = chains::compile(&world.paths, &target.chain);
    }
    drop(lock);
    settling::settle(world, &target, wait, &written(&steps, &proposals))?;
    let back = if steps.is_empty() { "" } else { " The adopted hooks are back in the settings." };
    if target.manifest.exists() {
        let manifest = world.paths.shown(&target.manifest);
        world.terminal.line(format!("Done.{back} {manifest} stays: it is yours."));
    } else {
        world.terminal.line(format!("Done.{back}"));
    }
    Ok(ExitStatus::Done)
}

/// The settings files that hooks were adopted from; nobody would run those any more.
fn places(world: &World, target: &Target) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for target in std::iter::once(target.clone()).chain(target.overlay()) {
        if !Place::is_worth_a_look(world, &target)? {
            continue;
        }
        let place = Place::of(world, target)?;
        if !place.adopted().is_empty() || !place.adoption.hooks.is_empty() {
            places.push(place);
        }
    }
    Ok(places)
}

fn written<'w>(steps: &'w [Step<'_>], proposals: &'w [Proposal]) -> Vec<&'w dyn Written> {
    let mut written = registering::written(proposals);
    written.extend(steps.iter().map(|step| step as &dyn Written));
    written
}
