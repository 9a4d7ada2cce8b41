//! `hookman enable`: switch a hook on again for one session.

use anyhow::Result;

use super::args::Switch;
use super::switching::{self, Target};
use super::{ExitStatus, World};
use crate::machine::clock;

pub(super) fn enable(args: &Switch, world: &World) -> Result<ExitStatus> {
    let hook = match switching::target(args, "enable", world)? {
        Target::Hook(hook) => hook,
        Target::Told(status) => return Ok(status),
    };
    let session = switching::session(&args.session, world)?;
    let now = clock::unix_seconds();
    let changed = switching::change(world, &session, |switches| switches.enable(&hook.name, now))?;
    let name = &hook.name;
    let text = if changed {
        format!("✅ Re-enabled {name} for this session")
    } else {
        format!("ℹ️ Hook '{name}' is not currently disabled for this session")
    };
    switching::report(args, world, &session, &hook, (changed, text));
    Ok(ExitStatus::Done)
}
