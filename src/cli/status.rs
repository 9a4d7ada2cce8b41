//! `hookman status`: which hooks are on and off in a session, and which layer decided.

use anyhow::Result;
use serde_json::json;

use super::args::Status;
use super::switching::off_as_json;
use super::which::{self, Session};
use super::{ExitStatus, World};
use crate::machine::terminal::harmless;
use crate::runtime::overrides::Overrides;
use crate::runtime::status::Report;
use crate::runtime::switching;

pub(super) fn status(args: &Status, world: &World) -> Result<ExitStatus> {
    let session = which::session_if_any(&args.session, world)?;
    let id = session.as_ref().map(|session| session.id.as_str());
    let overrides = Overrides::of_process();
    let project = which::project(session.as_ref(), world);
    let now = switching::moment(&world.paths, id.unwrap_or_default());
    let report = Report::of(&world.paths, project.as_deref(), id, &now)?;
    if args.json {
        let mut report = as_json(&report, session.as_ref(), &overrides);
        match &session {
            Some(session) => report["known"] = json!(session.is_known(world)),
            None => report["running"] = json!(running(world)),
        }
        world.terminal.line(report.to_string());
        return Ok(ExitStatus::Done);
    }
    match &session {
        // The user of a slash command named no session, and need not be told who did.
        Some(session) if args.slash => {
            world.terminal.line(format!("Session {}", which::shown(&session.id)));
        }
        Some(session) => {
            let id = which::shown(&session.id);
            world.terminal.line(format!("Session {id} ({})", session.how()));
        }
        None => {
            world.terminal.line("Not inside a session: only the permanent switches are shown");
            let running: Vec<String> = running(world).iter().map(|id| which::shown(id)).collect();
            if !running.is_empty() {
                world.terminal.line(format!(
                    "Running: {}; `hookman status --session ID` shows one, `hookman sessions` more",
                    running.join(", ")
                ));
            }
        }
    }
    let hooks: Vec<&str> = report.rows.iter().map(|row| row.hook.as_str()).collect();
    for line in overrides.lines(&hooks) {
        world.terminal.line(format!("In this environment {}", harmless(&line)));
    }
    world.hint(report.text());
    Ok(ExitStatus::Done)
}

/// The ids of the sessions that are running, one of which may be meant.
fn running(world: &World) -> Vec<String> {
    which::running(world).into_iter().map(|session| session.id).collect()
}

fn as_json(report: &Report, session: Option<&Session>, overrides: &Overrides) -> serde_json::Value {
    let hooks: Vec<_> = report
        .rows
        .iter()
        .map(|row| {
            json!({
                "hook": row.hook,
                "scope": row.scope,
                "on": row.layer.is_on(),
                "decided_by": row.layer.name(),
                "written_in": report.written_in(&row.layer),
                "why": report.why(&row.layer),
                "switches": row.layer.switches().map(off_as_json).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "session": session.map(|session| &session.id),
        "found_by": session.map(|session| session.found_by),
        "switches_damaged": report.damaged,
        "unconfigured": report.unconfigured.iter().map(off_as_json).collect::<Vec<_>>(),
        "problems": report.problems,
        "environment": {
            "off": overrides.off,
            "skip": overrides.skip,
            "debug": overrides.debug,
        },
        "hooks": hooks,
    })
}
