//! `hookman verify`: does settings.json hold what the manifest asks for?

use anyhow::Result;
use serde_json::json;

use super::adopting::{self, Place};
use super::args::Verify;
use super::companion::Companions;
use super::layers::Layers;
use super::proposal::Proposal;
use super::registering::{self, Target};
use super::settling::Written;
use super::{ExitStatus, World, caveats};

pub(super) fn verify(args: &Verify, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let lost = adopting::losses(world, &target);
    let layers = match Layers::of(world, &target, None)? {
        None if !lost.is_empty() => None,
        _ => Some(Layers::required(world, &target)?),
    };
    let propose = |layers| registering::propose(world, &target, layers, None);
    let proposals = layers.as_ref().map(propose).transpose()?.unwrap_or_default();
    // The launcher is the committed target's, and what is local runs through it all the same.
    let beside = target.of_launcher().unwrap_or_else(|| target.clone());
    let missing = match &layers {
        Some(_) => Companions::required(world, &beside, None)?.missing(world),
        None => Vec::new(),
    };
    let drifted: Vec<&Proposal> = proposals.iter().filter(|it| !it.plan.is_empty()).collect();
    let drift = !drifted.is_empty() || !missing.is_empty() || !lost.is_empty();
    let caveats = caveats::found(world, &target, &proposals.iter().collect::<Vec<_>>());
    if args.json {
        let files: Vec<_> = proposals
            .iter()
            .map(|it| json!({"settings": it.settings(), "changes": it.plan.changes}))
            .collect();
        let names: Vec<&str> = lost.iter().flat_map(Place::lost).collect();
        let report = json!({"drift": drift, "files": files, "missing": missing, "lost": names, "caveats": caveats});
        world.terminal.line(report.to_string());
    } else {
        for line in &missing {
            world.hint(format!("{line}; `hookman apply{}` writes it", beside.flag()));
        }
        for proposal in &drifted {
            say(world, &target, proposal);
        }
        for place in &lost {
            adopting::warn_of_lost(world, place);
        }
        for caveat in &caveats {
            world.terminal.warn(format!("warning: {caveat}"));
        }
        if !drift {
            let shown = world.paths.shown(&target.settings);
            world.terminal.line(format!("{shown} is what the manifest asks for"));
        }
    }
    Ok(if drift || !caveats.is_empty() { ExitStatus::Found } else { ExitStatus::Done })
}

fn say(world: &World, target: &Target, proposal: &Proposal) {
    let shown = world.paths.shown(proposal.settings());
    let (flag, summary) = (target.flag(), proposal.plan.summary());
    world.hint(format!("{shown} drifted; `hookman apply{flag}` {summary}"));
    for change in &proposal.plan.changes {
        world.terminal.line(format!("  {change}"));
    }
}
