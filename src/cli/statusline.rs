//! `hookman statusline`: a short segment for the client's status line.
//!
//! Source: the client's documentation of `statusLine`: a JSON object on standard input with
//! `session_id`, `cwd` and `workspace.project_dir`; the first line of standard output is shown.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::args::rehearse::Statusline;
use super::exit::ExitStatus;
use super::switching::is_off;
use crate::machine::child::{self, Program, Spec};
use crate::machine::{World, clock};
use crate::runtime::overrides::Overrides;
use crate::session::SessionId;
use crate::state::chains::MANAGED;
use crate::state::journal::{self, Entry};
use crate::state::status::Report;
use crate::state::{StepEntry, chains, session_switches};

/// The time that the other command may take; the client asks again soon.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn statusline(args: &Statusline, world: &World) -> Result<ExitStatus> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    let own = segment(&serde_json::from_slice(&text).unwrap_or_default(), world)?;
    let other = if args.command.is_empty() { String::new() } else { other(&args.command, &text) };
    let mut lines = other.lines();
    let first = [lines.next().unwrap_or_default(), &own];
    let first: Vec<&str> = first.into_iter().filter(|it| !it.is_empty()).collect();
    // Another command's colours are meant for the client.
    world.terminal.print(&format!("{}\n", first.join(" | ")));
    lines.for_each(|line| world.terminal.print(&format!("{line}\n")));
    Ok(ExitStatus::Done)
}

/// The output of the command that was the status line; nothing of one that fails.
fn other(command: &[String], stdin: &[u8]) -> String {
    let spec = Spec { stdin, ..Spec::new(Program::Argv(command), TIMEOUT) };
    let ended = child::run(&[spec], None).pop().and_then(Result::ok);
    ended.map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default()
}

fn segment(input: &Value, world: &World) -> Result<String> {
    let text = |pointer: &str| input.pointer(pointer).and_then(Value::as_str);
    let id = text("/session_id").unwrap_or_default();
    let session = SessionId::new(id);
    let started = text("/workspace/project_dir").or_else(|| text("/cwd")).unwrap_or_default();
    let project = chains::project_around(Path::new(started));
    // An administrator's hooks run all the same.
    let is_off = Overrides::of_environment().off || is_off(world, project.as_deref());
    let now = session_switches::moment(&world.paths, &session);
    let report = Report::of(&world.paths, project.as_deref(), Some(&session), &now)?;
    let on = report
        .rows
        .iter()
        .filter(|row| row.layer.is_on() && row.uncalled.is_none() && row.held.is_none())
        .filter(|row| !is_off || row.scope == MANAGED)
        .count();
    let off = report.rows.iter().filter(|row| row.layer.switches().next().is_some()).count();
    let mut parts =
        vec![if is_off && on == 0 { "hooks off".to_owned() } else { format!("hooks {on}") }];
    if off > 0 && !is_off {
        parts.push(format!("{off} off"));
    }
    let is_denial = |entry: &Entry<'_>| entry.session == id && entry.verdict == "deny";
    if let Some(entry) = journal::newest(&world.paths, id, is_denial) {
        let denies = |step: &&StepEntry| step.outcome == "deny" || step.decided == "deny";
        let hook = entry.steps.iter().find(denies).map_or("hookman", |step| &step.hook);
        let time = clock::seconds(&entry.time).map(clock::local_time).unwrap_or_default();
        let minute = time.split(' ').nth(1).and_then(|it| it.get(..5)).unwrap_or_default();
        parts.push(format!("{hook} denied {minute}"));
    }
    Ok(parts.join(", "))
}
