//! `hookman diff`: show what apply would change.

use anyhow::Result;
use serde_json::json;

use super::args::{self, Format};
use super::registering::{self, Target};
use super::{ExitStatus, World, hints};
use crate::runtime::chains;

pub(super) fn diff(args: &args::Diff, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let Some(manifest) = chains::read(&world.paths, &target.chain)? else {
        return Err(hints::no_manifest(world, &target));
    };
    let proposal = registering::propose(world, &target, &manifest, None)?;
    match args.format {
        Format::Unified => proposal.show(world),
        Format::JsonPatch => {
            world.terminal.line(serde_json::to_string_pretty(&proposal.plan.patch())?);
        }
        Format::Json => {
            let report = json!({
                "settings": target.settings,
                "summary": proposal.plan.summary(),
                "changes": proposal.plan.changes,
                "patch": proposal.plan.patch(),
            });
            world.terminal.line(serde_json::to_string_pretty(&report)?);
        }
    }
    Ok(ExitStatus::Done)
}
