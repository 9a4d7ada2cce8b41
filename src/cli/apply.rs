//! `hookman apply`: bring settings.json in line with the manifest.

use anyhow::Result;

use super::args::Apply;
use super::registering::{self, Target};
use super::{ExitStatus, World, caveats, consent, hints};
use crate::runtime::chains;

pub(super) fn apply(args: &Apply, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let Some(manifest) = chains::read(&world.paths, &target.chain)? else {
        return Err(hints::no_manifest(world, &target));
    };
    let binary = match (&target.project, &args.binary) {
        (None, Some(binary)) => Some(registering::binary_path(world, Some(binary))?),
        _ => None,
    };
    let proposal = registering::propose(world, &target, &manifest, binary.as_deref())?;
    proposal.show(world);
    caveats::show(world, &target, &proposal);
    if proposal.plan.is_empty() {
        return Ok(ExitStatus::Done);
    }
    if consent::given(world, &args.writing, "Write this?")? {
        proposal.write(world, "apply")?;
    }
    Ok(ExitStatus::Done)
}
