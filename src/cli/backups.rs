//! `hookman backups`: the copies of settings.json from before each write.

use anyhow::Result;
use serde_json::json;

use super::args;
use super::registering::{self, Target};
use super::{ExitStatus, World};
use crate::machine::backups::{self, KEPT};

pub(super) fn backups(args: &args::Backups, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let all = backups::list(&registering::backup_directory(world, &target.settings))?;
    if args.json {
        let rows: Vec<_> = all
            .iter()
            .enumerate()
            .map(|(index, backup)| {
                json!({
                    "number": index + 1,
                    "time": backup.stamp,
                    "before": backup.verb,
                    "bytes": backup.size,
                    "path": backup.path,
                })
            })
            .collect();
        world.terminal.line(json!({"settings": target.settings, "backups": rows}).to_string());
        return Ok(ExitStatus::Done);
    }
    let shown = world.paths.shown(&target.settings);
    if all.is_empty() {
        world.terminal.line(format!("No backups of {shown} yet: every write makes one."));
        return Ok(ExitStatus::Done);
    }
    world.terminal.line(format!("{shown} as it was; up to {KEPT} copies are kept:"));
    for (index, backup) in all.iter().enumerate() {
        world.terminal.line(format!(
            "{:3}  {}  before {:9}  {:>8} bytes  {}",
            index + 1,
            backup.time(),
            backup.verb,
            backup.size,
            world.paths.shown(&backup.path)
        ));
    }
    world.hint(format!("`hookman restore N{}` puts one back.", target.flag()));
    Ok(ExitStatus::Done)
}
