//! `hookman sessions`: the sessions that called hookman, and what is off in each.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::json;

use super::args::Sessions;
use super::exit::ExitStatus;
use super::switching::off_as_json;
use crate::client::host::CLAUDE;
use crate::machine::{World, agents, clock};
use crate::session::request;
use crate::session::switches::Off;
use crate::state::session_switches;
use crate::state::sessions::{self, Seen};

pub(super) fn sessions(args: &Sessions, world: &World) -> anyhow::Result<ExitStatus> {
    if args.prune {
        return prune(args, world);
    }
    let mut seen = sessions::seen(&world.paths);
    let is_meant = |it: &Seen| args.host.as_ref().is_none_or(|name| *name == host(it));
    seen.retain(|session| (session.live || !args.live) && is_meant(session));
    let has_none = seen.is_empty();
    seen.truncate(args.limit.unwrap_or(usize::MAX));
    let rows: Vec<(&Seen, anyhow::Result<Vec<Off>>)> =
        seen.iter().map(|session| (session, off(session, world))).collect();
    if args.json {
        let rows: Vec<_> = rows.iter().map(|(session, off)| as_json(session, off)).collect();
        world.terminal.line(json!(rows).to_string());
        return Ok(ExitStatus::Done);
    }
    if has_none {
        let none = match (args.live, &args.host) {
            (false, None) => "No session has called hookman yet",
            (true, None) => "No session is running",
            (false, _) => "No session of that agent has called hookman yet",
            (true, _) => "No session of that agent is running",
        };
        world.terminal.line(none);
    }
    for (session, off) in rows {
        let state = if session.live { "running" } else { "ended" };
        world.terminal.line(format!("{}  {state}{}", session.id, session.of_host()));
        if !session.started_in().as_os_str().is_empty() {
            world.terminal.line(format!("  in     {}", world.paths.shown(session.started_in())));
        }
        if session.started_in() != Path::new(&session.cwd) {
            world.terminal.line(format!("  now in {}", world.paths.shown(Path::new(&session.cwd))));
        }
        world.terminal.line(format!("  since  {}", clock::local_stamp(&session.since)));
        let last = clock::local_stamp(&session.last);
        world.terminal.line(format!("  last   {}, {last}", session.event));
        match off {
            Ok(off) if off.is_empty() => {}
            Ok(off) => {
                let names: Vec<String> = off.iter().map(Off::label).collect();
                world.terminal.print_row("  off    ", &names.join(", "), 9);
            }
            Err(problem) => {
                world.terminal.print_row("  off    nothing: ", &format!("{problem:#}"), 9);
            }
        }
    }
    Ok(ExitStatus::Done)
}

fn host(session: &Seen) -> &str {
    if session.host.is_empty() { CLAUDE.name } else { &session.host }
}

/// Lists the hooks that are off in a session, or the reason why none is though something was switched.
fn off(session: &Seen, world: &World) -> anyhow::Result<Vec<Off>> {
    let (switches, damaged) = session_switches::switches(&world.paths, &session.id)?;
    if damaged {
        let file = session_switches::switches_file(&world.paths, &session.id);
        bail!("the switches in {} are damaged", world.paths.shown(&file));
    }
    let now = session_switches::moment_in(session.prompt.clone());
    Ok(switches.current(now.at()).cloned().collect())
}

fn as_json(session: &Seen, off: &anyhow::Result<Vec<Off>>) -> serde_json::Value {
    json!({
        "session": session.id,
        "live": session.live,
        "cwd": session.cwd,
        "project": session.started_in(),
        "since": session.since,
        "last": session.last,
        "event": session.event,
        "host": host(session),
        "off": off.iter().flatten().map(off_as_json).collect::<Vec<_>>(),
        "problem": off.as_ref().err().map(|problem| format!("{problem:#}")),
    })
}

fn prune(args: &Sessions, world: &World) -> anyhow::Result<ExitStatus> {
    let kept = match &args.older_than {
        Some(text) => request::seconds(text).map(Duration::from_secs).with_context(|| {
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
    let usual = sessions::kept(&world.paths).unwrap_or_else(|_| sessions::kept_last(&world.paths));
    // The state of a session holds its careful mode, which an agent must not end.
    if kept < usual && !args.dry_run && !agents::is_person() {
        bail!(
            "only a person removes the state of sessions before {} days are over, in another terminal",
            usual.as_secs() / (24 * 60 * 60)
        );
    }
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
