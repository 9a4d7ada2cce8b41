//! `hookman apply`: bring settings.json in line with the manifest.

use anyhow::Result;

use super::args::Apply;
use super::companion::Companions;
use super::layers::Layers;
use super::registering::{self, Target};
use super::writes::Writes;
use super::{ExitStatus, World, adopting, caveats, consent, fence, settling};

pub(super) fn apply(args: &Apply, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    fence::check_program(world, &target, args.binary.as_deref())?;
    let layers = Layers::required(world, &target)?;
    let binary = match (&target.project, &args.binary) {
        (None, Some(binary)) => Some(registering::binary_path(world, Some(binary))?),
        _ => None,
    };
    let proposals = registering::propose(world, &target, &layers, binary.as_deref())?;
    let companions = Companions::required(world, &target, binary.as_deref())?;
    let mut companions = Some(companions).filter(|it| !it.is_done());
    if let Some(companions) = &companions {
        companions.show(world);
    }
    registering::show(world, &proposals);
    caveats::show(world, &target, &proposals.iter().collect::<Vec<_>>());
    adopting::warn_of_losses(world, &target);
    if companions.is_none() && proposals.iter().all(|proposal| proposal.plan.is_empty()) {
        return Ok(ExitStatus::Done);
    }
    if !consent::given(world, &args.writing, "Write this?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    for proposal in &proposals {
        proposal.check(world)?;
    }
    if let Some(companions) = &mut companions {
        companions.check()?;
    }
    Writes::all(world, |writes| {
        if let Some(companions) = &mut companions {
            companions.write(world, writes)?;
        }
        proposals.iter().try_for_each(|it| it.write(world, "apply", &lock, writes))
    })?;
    drop(lock);
    settling::settle(world, &target, wait, &registering::written(&proposals))?;
    Ok(ExitStatus::Done)
}
