//! `hookman status`: which hooks are on and off in a session, and which layer decided.

use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::args::Status;
use super::exit::ExitStatus;
use super::switching::{as_json as as_json_of_reply, off_as_json};
use super::which::{self, Session};
use super::word::hint;
use crate::client::off_switch::Off;
use crate::install::registration::off_switches;
use crate::machine::{World, clock, environment, harmless};
use crate::runtime::overrides::Overrides;
use crate::session::request::Request;
use crate::state::careful::{self, Careful, Place};
use crate::state::chains::MANAGED;
use crate::state::sessions::Seen;
use crate::state::status::Report;
use crate::state::{Reply, everywhere, session_switches, sessions, switchable};

pub(super) fn status(args: &Status, world: &World) -> Result<ExitStatus> {
    let session = which::session_if_any(&args.session, world)?;
    let for_all = which::everywhere();
    let has_any = !everywhere::current(&world.paths).is_empty();
    let of_all = Some(&for_all.id).filter(|_| has_any);
    let id = session.as_ref().map(|session| &session.id).or(of_all);
    let overrides = Overrides::of_environment();
    let project = which::project(session.as_ref(), world);
    let now = match id {
        Some(id) => session_switches::moment(&world.paths, id),
        None => session_switches::moment_in(String::new()),
    };
    let mut report = Report::of(&world.paths, project.as_deref(), id, &now)?;
    if let Err(told) = keep(&mut report, &args.hooks, project.as_deref(), world)? {
        if args.json {
            world.terminal.line(as_json_of_reply(&told, None).to_string());
        } else {
            hint(world, harmless(&told.text));
        }
        return Ok(ExitStatus::Error);
    }
    let project_files = project.clone();
    let here = environment::current_directory().unwrap_or_default();
    let project = careful::project(&world.paths, project, &here);
    let place = Place { paths: &world.paths, session: id, project, person: false };
    let is_careful = careful::now(&place)?;
    let files = off_switches::files_of(&world.paths, project_files.as_deref());
    let off = off_switches::on(&world.paths, &files, &off_switches::read);
    let running = || sessions::live(&world.paths).into_iter();
    if args.json {
        let mut report = as_json(&report, session.as_ref(), &overrides);
        match &session {
            Some(session) => report["known"] = json!(session.is_known(world)),
            None => report["running"] = json!(running().map(|it| it.id).collect::<Vec<_>>()),
        }
        let off = off.iter().map(|off| json!({"place": off.place, "message": off.message}));
        report["all_off"] = json!(off.collect::<Vec<_>>());
        report["careful"] = json!({
            "session": is_careful.session,
            "until": is_careful.until.map(clock::utc),
            "project": is_careful.project.is_some(),
        });
        world.terminal.line(report.to_string());
        return Ok(ExitStatus::Done);
    }
    match &session {
        // The user of a slash command named no session, and need not be told who did.
        Some(session) if args.slash => {
            world.terminal.line(format!("Session {}", session.id));
        }
        Some(session) => {
            world.terminal.line(format!("Session {} ({})", session.id, session.how()));
        }
        None => {
            let and = if has_any { " and those for every session" } else { "" };
            let told = format!("only the permanent switches{and} are shown");
            world.terminal.print_row("Not inside a session: ", &told, 2);
            let one = |it: Seen| format!("{}{}", it.id, it.of_host().replace("  ", " "));
            let running: Vec<String> = running().map(one).collect();
            if !running.is_empty() {
                let told = format!(
                    "{}; `hookman status --session ID` shows one, `hookman sessions` more",
                    running.join(", ")
                );
                world.terminal.print_row("Running: ", &told, 2);
            }
        }
    }
    for Off { place, message, fix, .. } in &off {
        world.terminal.warn(harmless(&format!("error: {place}: {message}; {fix}")));
    }
    let own = off_switches::of_hookman(&world.paths, &files).into_iter().map(|own| own.line);
    let own = own.chain(off_switches::gone(&world.paths, &files));
    // An administrator's hooks run all the same.
    for line in own.filter(|_| report.rows.iter().any(|row| row.scope != MANAGED)) {
        world.terminal.warn(harmless(&format!("⚠ Not in force: {line}")));
    }
    let hooks: Vec<&str> = report.rows.iter().map(|row| row.hook.as_str()).collect();
    for line in overrides.lines(&hooks) {
        world.terminal.print_row("In this environment ", &harmless(&line), 2);
    }
    if is_careful != Careful::default() {
        hint(world, careful::text(&place, &is_careful));
    }
    let text = report.text(args.verbose, &world.terminal);
    let is_of_one = session.is_some();
    hint(
        world,
        if is_of_one { text } else { text.replace("for this session", "in every session") },
    );
    Ok(ExitStatus::Done)
}

/// Keeps the hooks that are named in the report; what is wrong with the names is an answer.
fn keep(
    report: &mut Report,
    names: &[String],
    project: Option<&Path>,
    world: &World,
) -> Result<std::result::Result<(), Reply>> {
    if names.is_empty() {
        return Ok(Ok(()));
    }
    let (hooks, _) = switchable::switchable(&world.paths, project)?;
    let request = Request { hooks: names.to_vec(), ..Request::default() };
    let hooks = match switchable::choose(&hooks, &request, "hookman status") {
        Ok(hooks) => hooks,
        Err(told) => return Ok(Err(told)),
    };
    let is_meant = |name: &str, scope: Option<&str>| {
        hooks.iter().any(|hook| {
            let is_there = |scope| hook.places.iter().any(|place| place.scope == scope);
            hook.name == name && scope.is_none_or(is_there)
        })
    };
    report.rows.retain(|row| is_meant(&row.hook, Some(row.scope)));
    report.unconfigured.retain(|off| is_meant(&off.hook, None));
    Ok(Ok(()))
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
                "registered": row.uncalled.is_none() && row.layer.name() != "permanent",
                "watches": row.watches,
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
