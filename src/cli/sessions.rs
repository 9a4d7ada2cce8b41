//! `hookman sessions`: the sessions that called hookman, and what is off in each.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;

use super::args::Sessions;
use super::switching::off_as_json;
use super::which::shown;
use super::{ExitStatus, World};
use crate::runtime::sessions::{self, Seen};
use crate::runtime::switching;
use crate::session::period;
use crate::session::switches::Off;

pub(super) fn sessions(args: &Sessions, world: &World) -> Result<ExitStatus> {
    if args.prune {
        return prune(args, world);
    }
    let seen = sessions::seen(&world.paths);
    let rows: Vec<(&Seen, Vec<Off>)> =
        seen.iter().map(|session| (session, off(session, world))).collect();
    if args.json {
        let rows: Vec<_> = rows.iter().map(|(session, off)| as_json(session, off)).collect();
        world.terminal.line(json!(rows).to_string());
        return Ok(ExitStatus::Done);
    }
    if rows.is_empty() {
        world.terminal.line("No session has called hookman yet");
    }
    for (session, off) in rows {
        let state = if session.live { "running" } else { "ended" };
        world.terminal.line(format!("{}  {state}", shown(&session.id)));
        world.terminal.line(format!("  in     {}", world.paths.shown(Path::new(&session.cwd))));
        world.terminal.line(format!("  since  {}", session.since));
        world.terminal.line(format!("  last   {}, {}", session.event, session.last));
        if !off.is_empty() {
            let names: Vec<String> = off.iter().map(Off::label).collect();
            world.terminal.line(format!("  off    {}", names.join(", ")));
        }
    }
    Ok(ExitStatus::Done)
}

fn off(session: &Seen, world: &World) -> Vec<Off> {
    let Ok((switches, _)) = switching::switches(&world.paths, &session.id) else {
        return Vec::new();
    };
    let now = switching::moment(&world.paths, &session.id);
    switches.current(now.at()).cloned().collect()
}

fn as_json(session: &Seen, off: &[Off]) -> serde_json::Value {
    json!({
        "session": session.id,
        "live": session.live,
        "cwd": session.cwd,
        "since": session.since,
        "last": session.last,
        "event": session.event,
        "off": off.iter().map(off_as_json).collect::<Vec<_>>(),
    })
}

fn prune(args: &Sessions, world: &World) -> Result<ExitStatus> {
    let kept = match &args.older_than {
        Some(text) => period::seconds(text).map(Duration::from_secs).with_context(|| {
            format!("--older-than takes a time such as 12h or 30d, not `{text}`")
        })?,
        None => sessions::kept(&world.paths).unwrap_or_else(|problems| {
            let kept = sessions::kept_last(&world.paths);
            world.terminal.warn(format!(
                "the manifest cannot be read, so the state of sessions is kept for {} days\n{problems}",
                kept.as_secs() / (24 * 60 * 60)
            ));
            kept
        }),
    };
    let pruned = sessions::prune(&world.paths, kept, args.dry_run)
        .context("failed to list the state of sessions")?;
    let (done, sessions) = (
        if args.dry_run { "would remove" } else { "removed" },
        if pruned == 1 { "session" } else { "sessions" },
    );
    if args.json {
        let key = if args.dry_run { "would_remove" } else { "removed" };
        world.terminal.line(json!({ key: pruned }).to_string());
    } else {
        world.terminal.line(format!("{done} the state of {pruned} {sessions}"));
    }
    Ok(ExitStatus::Done)
}
