//! `hookman lock`: the lock of a manifest, made again where a merge left it in two minds.

use anyhow::Result;

use super::args::Lock;
use super::exit::ExitStatus;
use super::{packaging, word};
use crate::install::packages::Renewed;
use crate::install::target::Target;
use crate::machine::files;
use crate::machine::world::World;

pub(super) fn lock(args: &Lock, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let Some(text) = files::read_text(&target.manifest)? else {
        anyhow::bail!("there is no manifest at `{}`", world.paths.shown(&target.manifest));
    };
    let call = format!("{} lock{} --yes", word::hookman(world), target.flag());
    let texts = (Some(text.clone()), text);
    packaging::write(world, target, &args.options, "lock", texts, Renewed::Settled, Some(call))
}
