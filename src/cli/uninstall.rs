//! `hookman uninstall`: take hookman out of settings.json again.

use anyhow::Result;

use super::adopting::Place;
use super::args::Uninstall;
use super::companion::Companions;
use super::registering::{self, Target};
use super::{ExitStatus, World, consent, release};

pub(super) fn uninstall(args: &Uninstall, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    if registering::read(world, &target.settings)?.is_some() {
        let place = Place::of(world, target.clone())?;
        if !place.adopted().is_empty() || !place.adoption.hooks.is_empty() {
            return with_adopted(args, &place);
        }
    }
    let proposal = registering::propose_removal(world, &target)?;
    let companions = Companions::of(world, &target, None)?;
    proposal.show(world);
    if proposal.plan.is_empty() && !companions.has_any() {
        world.terminal.line("hookman is not installed here.");
        return Ok(ExitStatus::Done);
    }
    if !consent::given(world, &args.writing, "Remove it?", "hookman uninstall --yes")? {
        return Ok(ExitStatus::Done);
    }
    proposal.write(world, "uninstall")?;
    companions.remove(world)?;
    let manifest = world.paths.shown(&target.chain.manifest);
    world.terminal.line(format!("Done. {manifest} stays: it is yours."));
    Ok(ExitStatus::Done)
}

/// Gives adopted hooks back on the way out, because nobody would run them any more.
fn with_adopted(args: &Uninstall, place: &Place<'_>) -> Result<ExitStatus> {
    let world = place.world;
    let step = release::plan(place, &place.adopted(), |_| Ok(Vec::new()))?;
    let companions = Companions::of(world, &place.target, None)?;
    step.show();
    if !consent::given(world, &args.writing, "Remove it?", "hookman uninstall --yes")? {
        return Ok(ExitStatus::Done);
    }
    step.write("uninstall")?;
    companions.remove(world)?;
    world.terminal.line("Done. The adopted hooks are back in the settings.");
    Ok(ExitStatus::Done)
}
