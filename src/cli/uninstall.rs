//! `hookman uninstall`: take hookman out of settings.json again.

use anyhow::Result;

use super::args::Uninstall;
use super::companion::Companions;
use super::registering::{self, Target};
use super::{ExitStatus, World, consent};

pub(super) fn uninstall(args: &Uninstall, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let proposal = registering::propose_removal(world, &target)?;
    let companions = Companions::of(world, &target, None)?;
    proposal.show(world);
    companions.show_removal(world);
    if proposal.plan.is_empty() && !companions.has_any() {
        world.terminal.line("hookman is not installed here.");
        return Ok(ExitStatus::Done);
    }
    if !consent::given(world, &args.writing, "Remove it?")? {
        return Ok(ExitStatus::Done);
    }
    proposal.write(world, "uninstall")?;
    companions.remove()?;
    if target.chain.manifest.exists() {
        let manifest = world.paths.shown(&target.chain.manifest);
        world.terminal.line(format!("Done. {manifest} stays: it is yours."));
    } else {
        world.terminal.line("Done.");
    }
    Ok(ExitStatus::Done)
}
