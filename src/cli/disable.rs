//! `hookman disable`: switch a hook off for one session.

use anyhow::Result;

use super::args::Switch;
use super::switching::{self, Target};
use super::{ExitStatus, World};
use crate::machine::clock;
use crate::session::switches::Off;

pub(super) fn disable(args: &Switch, world: &World) -> Result<ExitStatus> {
    let hook = match switching::target(args, "disable", world)? {
        Target::Hook(hook) => hook,
        Target::Told(status) => return Ok(status),
    };
    let session = switching::session(&args.session, world)?;
    let now = clock::unix_seconds();
    let off = Off { hook: hook.name.clone(), since: clock::stamp(), until: None };
    let changed = switching::change(world, &session, |switches| switches.disable(off, now))?;
    let name = &hook.name;
    let text = if changed {
        format!("🔒 Disabled {name} for this session")
    } else {
        format!("⚠️ Hook '{name}' is already disabled for this session")
    };
    switching::report(args, world, &session, &hook, (changed, text));
    Ok(ExitStatus::Done)
}
