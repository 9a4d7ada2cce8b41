//! `hookman diff`: show what apply would change.

use anyhow::Result;
use serde_json::json;

use super::args::{self, Format};
use super::exit::ExitStatus;
use crate::install::adoption::warnings as adoption_warnings;
use crate::install::change::{Assets, Change, SettingsChange, each, is_empty};
use crate::install::target::{Layers, Target};
use crate::machine::World;
use crate::package::lock::Lock;

pub(super) fn diff(args: &args::Diff, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let layers = Layers::required(world, &target, &Lock::default())?;
    let settings = SettingsChange::of(world, &target, &layers, None)?;
    let assets = Assets::required(world, &target, &layers, None)?;
    let mut changes: Vec<&dyn Change> = vec![&assets];
    changes.extend(each(&settings));
    match args.format {
        Format::Unified => {
            for change in &changes {
                change.show(world);
            }
            adoption_warnings::of_losses(world, &target);
        }
        Format::JsonPatch => {
            // A patch is of one file; the other one's is given by --local.
            let patch = settings[0].plan.patch();
            world.terminal.line(serde_json::to_string_pretty(&patch)?);
        }
        Format::Json => {
            let files: Vec<_> = settings.iter().map(shown).collect();
            let report = json!({"files": files, "missing": assets.missing(world)});
            world.terminal.line(serde_json::to_string_pretty(&report)?);
        }
    }
    let found = args.exit_code && !is_empty(&changes);
    Ok(if found { ExitStatus::Found } else { ExitStatus::Done })
}

fn shown(change: &SettingsChange) -> serde_json::Value {
    json!({
        "settings": change.path(),
        "summary": change.plan.summary(),
        "changes": change.plan.changes,
        "patch": change.plan.patch(),
    })
}
