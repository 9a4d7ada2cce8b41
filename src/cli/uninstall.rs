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
    companions.show_removal(world);
    if proposals.iter().all(|it| it.plan.is_empty()) && !companions.has_any() {
        world.terminal.line("hookman is not installed here.");
        return Ok(ExitStatus::Done);
    }
    if !consent::given(world, &args.writing, "Remove it?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    for proposal in &proposals {
        proposal.write(world, "uninstall", &lock)?;
    }
    companions.remove()?;
    drop(lock);
    settling::settle(world, &target, wait, &registering::written(&proposals))?;
    if target.manifest.exists() {
        let manifest = world.paths.shown(&target.manifest);
        world.terminal.line(format!("Done. {manifest} stays: it is yours."));
    } else {
        world.terminal.line("Done.");
    }
    Ok(ExitStatus::Done)
}
