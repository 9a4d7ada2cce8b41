//! `hookman remove`: take hooks out of the manifest, and out of the settings.

use anyhow::Result;

use super::args::Remove;
use super::exit::ExitStatus;
use super::packaging;
use super::registering::Registering;
use crate::install::addition::edition::Edition;
use crate::install::target::Target;
use crate::machine::World;

pub(super) fn remove(args: &Remove, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    if let Some(status) = packaging::remove(world, &target, &args.names, &args.options)? {
        return Ok(status);
    }
    let registering = Registering::begin(world, target, &args.options)?;
    let edition = Edition::without(world, &registering.target, &args.names)?;
    let ended = registering.end("remove", &edition.manifest, &edition.layers, &[])?;
    Ok(ended.1)
}
