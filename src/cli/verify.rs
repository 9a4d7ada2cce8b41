//! `hookman verify`: does settings.json hold what the manifest asks for?

use anyhow::Result;
use serde_json::json;

use super::args::Verify;
use super::registering::{self, Target};
use super::{ExitStatus, World, hints};
use crate::runtime::chains;

pub(super) fn verify(args: &Verify, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let Some(manifest) = chains::read(&world.paths, &target.chain)? else {
        return Err(hints::no_manifest(world, &target));
    };
    let plan = registering::propose(world, &target, &manifest, None)?.plan;
    let shown = world.paths.shown(&target.settings);
    if args.json {
        let report = json!({
            "settings": target.settings,
            "drift": !plan.is_empty(),
            "changes": plan.changes,
        });
        world.terminal.line(report.to_string());
    } else if plan.is_empty() {
        world.terminal.line(format!("{shown} is what the manifest asks for"));
    } else {
        let apply = hints::call(&target, "apply");
        world.terminal.line(format!("{shown} drifted; `{apply}` {}", plan.summary()));
        for change in &plan.changes {
            world.terminal.line(format!("  {change}"));
        }
    }
    Ok(if plan.is_empty() { ExitStatus::Done } else { ExitStatus::Found })
}
