//! `hookman apply`: bring settings.json in line with the manifest.

use anyhow::{Result, bail};

use super::args::Apply;
use super::registering::{self, Target};
use super::{ExitStatus, World, consent};
use crate::runtime::chains;

pub(super) fn apply(args: &Apply, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let Some(manifest) = chains::read(&world.paths, &target.chain)? else {
        bail!(
            "there is no manifest at `{}`; `hookman install` makes one",
            world.paths.shown(&target.chain.manifest)
        );
    };
    let binary = match (&target.project, &args.binary) {
        (None, Some(binary)) => Some(registering::binary_path(world, Some(binary))?),
        _ => None,
    };
    let proposal = registering::propose(world, &target, &manifest, binary.as_deref())?;
    proposal.show(world);
    if proposal.plan.is_empty() {
        return Ok(ExitStatus::Done);
    }
    if consent::given(world, &args.writing, "Write this?", "hookman apply --yes")? {
        proposal.write(world, "apply")?;
    }
    Ok(ExitStatus::Done)
}
