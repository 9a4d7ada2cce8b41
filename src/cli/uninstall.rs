//! `hookman uninstall`: take hookman out of settings.json again.

use anyhow::Result;

use super::args::Uninstall;
use super::companion::Companions;
use super::registering::{self, Target};
use super::{ExitStatus, World, consent, settling};

pub(super) fn uninstall(args: &Uninstall, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let proposals = registering::propose_removal(world, &target)?;
    let companions = Companions::of(world, &target, None)?;
    registering::show(world, &proposals);
    if proposals.iter().all(|it| it.plan.is_empty()) && !companions.has_any() {
        world.terminal.line("hookman is not installed here.");
        return Ok(ExitStatus::Done);
    }
    let how = format!("hookman uninstall{} --yes", target.flag());
    if !consent::given(world, &args.writing, "Remove it?", &how)? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    for proposal in &proposals {
        proposal.write(world, "uninstall", &lock)?;
    }
    companions.remove(world)?;
    drop(lock);
    settling::settle(world, &target, wait, &registering::written(&proposals))?;
    let manifest = world.paths.shown(&target.manifest);
    world.terminal.line(format!("Done. {manifest} stays: it is yours."));
    Ok(ExitStatus::Done)
}
