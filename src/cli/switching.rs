//! What switching a hook on and off and showing it have in common.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::args::{self, Switch};
use super::configured::{self, Switchable};
use super::{ExitStatus, World};
use crate::machine::lock::Lock;
use crate::machine::terminal::harmless;
use crate::machine::{clock, environment, files};
use crate::runtime::journal;
use crate::session::identity::safe_name;
use crate::session::names::{self, Found};
use crate::session::switches::Switches;

/// A session, and how it was found.
pub(super) struct Session {
    /// Its id as the client gave it.
    pub id: String,
    /// What named it: `--session` or `CLAUDE_CODE_SESSION_ID`.
    pub found_by: &'static str,
}

/// Finds the session a command is about.
///
/// # Errors
///
/// When nothing names one; the message says what would.
pub(super) fn session(args: &args::Session, world: &World) -> Result<Session> {
    if let Some(id) = &args.session {
        // A slash command that the client did not fill in must not switch a session of that name.
        if id.trim().is_empty() || id.contains("${") {
            bail!("--session was given no session id; leave it out inside a session");
        }
        return Ok(Session { id: id.clone(), found_by: "--session" });
    }
    if let Some(id) = environment::text("CLAUDE_CODE_SESSION_ID") {
        return Ok(Session { id, found_by: "CLAUDE_CODE_SESSION_ID" });
    }
    bail!(
        "which session? This shell does not run inside one; name it with --session ID\n{}",
        seen(world)
    )
}

/// The sessions that called hookman last, newest first, as lines.
fn seen(world: &World) -> String {
    const SHOWN: usize = 5;
    let text = journal::tail(&world.paths, 256 * 1024).unwrap_or_default();
    let mut sessions: Vec<journal::Entry<'_>> = Vec::new();
    for entry in journal::entries(&text).into_iter().rev() {
        let is_new = sessions.iter().all(|known| known.session != entry.session);
        if is_new && !entry.session.is_empty() && sessions.len() < SHOWN {
            sessions.push(entry);
        }
    }
    if sessions.is_empty() {
        return "No session has called hookman yet".to_owned();
    }
    let width = sessions.iter().map(|entry| entry.session.chars().count()).max();
    let lines = sessions.iter().map(|entry| {
        let cwd = world.paths.shown(std::path::Path::new(&*entry.cwd));
        let session = entry.session.escape_debug().to_string();
        format!("\n  {session:width$}  {}  {cwd}", entry.time, width = width.unwrap_or_default())
    });
    format!("Seen last:{}", lines.collect::<String>())
}

/// The file that holds a session's switches.
pub(super) fn switches_file(world: &World, session: &Session) -> PathBuf {
    world.paths.session(&safe_name(&session.id)).join("switches.json")
}

/// A session's switches as they are now, and whether their file was damaged.
///
/// # Errors
///
/// When the file cannot be read.
pub(super) fn switches(world: &World, session: &Session) -> Result<(Switches, bool)> {
    let text = files::read_text(&switches_file(world, session))?;
    Ok(match text.as_deref().map(Switches::parse) {
        None => (Switches::default(), false),
        Some(Ok(switches)) => (switches, false),
        Some(Err(_)) => (Switches::default(), true),
    })
}

/// Changes a session's switches under a lock and says whether anything changed.
///
/// # Errors
///
/// When the file cannot be read or written.
pub(super) fn change(
    world: &World,
    session: &Session,
    edit: impl FnOnce(&mut Switches) -> bool,
) -> Result<bool> {
    let path = switches_file(world, session);
    let _lock = Lock::take(&path.with_extension("lock"))?;
    let (mut switches, damaged) = switches(world, session)?;
    if damaged {
        let aside = path.with_extension(format!("damaged-{}", clock::file_stamp()));
        std::fs::rename(&path, &aside).context("failed to set the damaged switches aside")?;
        let aside = world.paths.shown(&aside);
        world
            .terminal
            .warn(format!("the session's switches were damaged; they are kept as {aside}"));
    }
    if !edit(&mut switches) {
        return Ok(false);
    }
    switches.session_id.clone_from(&session.id);
    if let Ok(directory) = environment::current_directory() {
        switches.working_directory = directory.display().to_string();
    }
    if let Some(transcript) = journal::transcript(&world.paths, &session.id) {
        switches.transcript_path = transcript;
    }
    switches.timestamp = clock::stamp();
    files::replace_private(&path, &switches.to_text()?)?;
    Ok(true)
}

/// What a switch command was told to switch.
pub(super) enum Target {
    /// This hook.
    Hook(Switchable),
    /// Nothing that can be switched, and the user was told.
    Told(ExitStatus),
}

/// Finds the hook a switch command means, or tells the user why there is none.
///
/// # Errors
///
/// When a manifest cannot be read.
pub(super) fn target(args: &Switch, verb: &str, world: &World) -> Result<Target> {
    let hooks = configured::switchable(world)?;
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let typed = args.hook.as_deref().unwrap_or_default().trim();
    let found = names::resolve(typed, &names);
    let told = |status, text: String| {
        if args.json {
            world.terminal.line(json!({"changed": false, "message": text}).to_string());
        } else {
            world.terminal.line(harmless(&text));
        }
        Ok(Target::Told(if args.slash { ExitStatus::Done } else { status }))
    };
    let call = if args.slash { format!("/hook:{verb}") } else { format!("hookman {verb}") };
    match found {
        Found::One(name) => {
            let hook = hooks.iter().find(|hook| hook.name == name).cloned();
            hook.map(Target::Hook).context("the hook was not found again")
        }
        Found::Several(several) => {
            let list: Vec<String> = several.iter().map(|name| format!("  - {name}")).collect();
            let list = list.join("\n");
            let text = format!(
                "🤔 Multiple hooks match '{typed}':\n{list}\nBe more specific: {call} [exact-name]"
            );
            told(ExitStatus::Error, text)
        }
        Found::None(_) if typed.is_empty() => {
            let list = available(&hooks, world);
            told(ExitStatus::Done, format!("{list}\nUsage: {call} [hook-name-or-partial]"))
        }
        Found::None(_) if hooks.is_empty() => {
            let list = available(&hooks, world);
            told(ExitStatus::Error, format!("❌ No hook found matching '{typed}'\n{list}"))
        }
        Found::None(nearest) => {
            let hint = nearest.map(|name| format!("Did you mean '{name}'?\n")).unwrap_or_default();
            let text = format!(
                "❌ No hook found matching '{typed}'\n{hint}{}\nTry: {call} [exact-name-from-above]",
                available(&hooks, world)
            );
            told(ExitStatus::Error, text)
        }
    }
}

fn available(hooks: &[Switchable], world: &World) -> String {
    if hooks.is_empty() {
        return configured::none(world);
    }
    let width = hooks.iter().map(|hook| hook.name.chars().count()).max();
    let lines = hooks.iter().map(|hook| match hook.summary.as_str() {
        "" => format!("  {}", hook.name),
        summary => format!("  {:1$} - {summary}", hook.name, width.unwrap_or_default()),
    });
    let list: Vec<String> = lines.collect();
    format!("Available hooks for this project:\n{}", list.join("\n"))
}

/// Reports a switch that was or was not made, and whether it matters.
pub(super) fn report(
    args: &Switch,
    world: &World,
    session: &Session,
    hook: &Switchable,
    (changed, mut text): (bool, String),
) {
    if let Some(place) = &hook.off_at {
        text.push_str("\nIt is off for good: enabled = false at ");
        text.push_str(place);
    }
    if args.json {
        let report = json!({
            "changed": changed,
            "session": session.id,
            "found_by": session.found_by,
            "message": text,
        });
        world.terminal.line(report.to_string());
        return;
    }
    world.terminal.line(&text);
    // Inside its own session a user does not need to be told which one was meant.
    if session.found_by == "--session" && !args.slash {
        world.terminal.line(format!("Session: {}", session.id));
    }
}
