//! `hookman lock`: the lock of a manifest, made again where a merge left it in two minds.

use anyhow::Result;

use super::args::Lock;
use super::exit::ExitStatus;
use super::packaging;
use crate::install::packages::Renewed;
use crate::install::target::Target;
use crate::machine::{World, files};

pub(super) fn lock(args: &Lock, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let Some(text) = files::read_text(&target.manifest)? else {
        anyhow::bail!("there is no manifest at `{}`", world.paths.shown(&target.manifest));
    };
    let texts = (Some(text.clone()), text);
    packaging::write(world, target, &args.options, "lock", texts, Renewed::Settled)
}
