//! `hookman verify`: does settings.json hold what the manifest asks for?

use anyhow::Result;
use serde_json::json;

use super::args::Verify;
use super::companion::Companions;
use super::layers::Layers;
use super::registering::{self, Proposal, Target};
use super::settling::Written;
use super::{ExitStatus, World};

pub(super) fn verify(args: &Verify, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let layers = Layers::required(world, &target)?;
    let proposals = registering::propose(world, &target, &layers, None)?;
    let missing = Companions::required(world, &target, None)?.missing(world);
    let drifted: Vec<&Proposal> = proposals.iter().filter(|it| !it.plan.is_empty()).collect();
    let drift = !drifted.is_empty() || !missing.is_empty();
    if args.json {
        let files: Vec<_> = proposals
            .iter()
            .map(|it| json!({"settings": it.settings(), "changes": it.plan.changes}))
            .collect();
        let report = json!({"drift": drift, "files": files, "missing": missing});
        world.terminal.line(report.to_string());
    } else {
        for line in &missing {
            world.hint(format!("{line}; `hookman apply{}` writes it", target.flag()));
        }
        for proposal in &drifted {
            say(world, &target, proposal);
        }
        if !drift {
            let shown = world.paths.shown(&target.settings);
            world.terminal.line(format!("{shown} is what the manifest asks for"));
        }
    }
    Ok(if drift { ExitStatus::Found } else { ExitStatus::Done })
}

fn say(world: &World, target: &Target, proposal: &Proposal) {
    let shown = world.paths.shown(proposal.settings());
    let (flag, summary) = (target.flag(), proposal.plan.summary());
    world.hint(format!("{shown} drifted; `hookman apply{flag}` {summary}"));
    for change in &proposal.plan.changes {
        world.terminal.line(format!("  {change}"));
    }
}
