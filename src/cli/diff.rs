//! `hookman diff`: show what apply would change.

use anyhow::Result;
use serde_json::json;

use super::args::{self, Format};
use super::companion::Companions;
use super::layers::Layers;
use super::proposal::Proposal;
use super::registering::{self, Target};
use super::settling::Written;
use super::{ExitStatus, World, adopting};

pub(super) fn diff(args: &args::Diff, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let layers = Layers::required(world, &target)?;
    let proposals = registering::propose(world, &target, &layers, None)?;
    let companions = Companions::required(world, &target, None)?;
    match args.format {
        Format::Unified => {
            companions.show(world);
            registering::show(world, &proposals);
            adopting::warn_of_losses(world, &target);
        }
        Format::JsonPatch => {
            // A patch is of one file; the other one's is given by --local.
            let patch = proposals[0].plan.patch();
            world.terminal.line(serde_json::to_string_pretty(&patch)?);
        }
        Format::Json => {
            let files: Vec<_> = proposals.iter().map(shown).collect();
            let missing = companions.missing(world);
            world
                .terminal
                .line(serde_json::to_string_pretty(&json!({"files": files, "missing": missing}))?);
        }
    }
    let is_done = companions.is_done() && proposals.iter().all(|it| it.plan.is_empty());
    Ok(if args.exit_code && !is_done { ExitStatus::Found } else { ExitStatus::Done })
}

fn shown(proposal: &Proposal) -> serde_json::Value {
    json!({
        "settings": proposal.settings(),
        "summary": proposal.plan.summary(),
        "changes": proposal.plan.changes,
        "patch": proposal.plan.patch(),
    })
}
