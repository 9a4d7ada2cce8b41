//! Which session a command is about.

use std::path::Path;

use anyhow::{Result, bail};

use super::{World, args};
use crate::machine::{clients, environment};
use crate::runtime::sessions::{self, Seen};

/// A session, and how it was found.
pub(super) struct Session {
    /// Its id as the client gave it.
    pub id: String,
    /// What named it.
    pub found_by: &'static str,
}

const FROM_CLIENT: &str = "CLAUDE_CODE_SESSION_ID";

impl Session {
    /// Says which session was meant, where the user could not know.
    pub(super) fn tell(&self, world: &World) {
        match self.found_by {
            FROM_CLIENT => {}
            "--session" => world.terminal.line(format!("Session: {}", shown(&self.id))),
            found_by => world.terminal.line(format!("Session: {} ({found_by})", shown(&self.id))),
        }
    }
}

/// A session's id for people: it comes from outside and may hold anything.
pub(super) fn shown(id: &str) -> String {
    id.escape_debug().to_string()
}

/// Finds the session a command is about: the one that is named, that the client names, whose client
/// runs this command, or that alone is running in this directory; else the user is asked.
///
/// # Errors
///
/// When none can be told; the message lists the candidates.
pub(super) fn session(args: &args::Session, world: &World) -> Result<Session> {
    if let Some(session) = named(args)? {
        return Ok(session);
    }
    let seen = sessions::seen(&world.paths);
    if let Some(session) = unasked(&seen) {
        return Ok(session);
    }
    if world.terminal.can_choose()
        && !seen.is_empty()
        && let Some(index) = world.terminal.choose_one("Which session?", &lines(&seen, world))?
    {
        return Ok(Session { id: seen[index].id.clone(), found_by: "chosen" });
    }
    bail!(
        "which session? This shell does not run inside one; name it with --session ID\n{}",
        listed(&seen, world)
    )
}

/// As [`session`], for a report that has something to say without one too; nobody is asked.
///
/// # Errors
///
/// When `--session` names none.
pub(super) fn session_if_any(args: &args::Session, world: &World) -> Result<Option<Session>> {
    Ok(named(args)?.or_else(|| unasked(&sessions::seen(&world.paths))))
}

fn named(args: &args::Session) -> Result<Option<Session>> {
    if let Some(id) = &args.session {
        // A slash command that the client did not fill in must not switch a session of that name.
        if id.trim().is_empty() || id.contains("${") {
            bail!("--session was given no session id; leave it out inside a session");
        }
        return Ok(Some(Session { id: id.clone(), found_by: "--session" }));
    }
    let id = environment::text(FROM_CLIENT);
    Ok(id.map(|id| Session { id, found_by: FROM_CLIENT }))
}

fn unasked(seen: &[Seen]) -> Option<Session> {
    let live = || seen.iter().filter(|session| session.live);
    let above = clients::ancestors();
    if let Some(session) = live().find(|session| above.contains(&session.client)) {
        return Some(Session { id: session.id.clone(), found_by: "its client runs this shell" });
    }
    let here = environment::current_directory().ok()?;
    let mut of_here = live().filter(|session| is_same(Path::new(&session.cwd), &here));
    match (of_here.next(), of_here.next()) {
        (Some(session), None) => {
            Some(Session { id: session.id.clone(), found_by: "the only one running here" })
        }
        _ => None,
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn lines(sessions: &[Seen], world: &World) -> Vec<String> {
    let width = sessions.iter().map(|session| shown(&session.id).chars().count()).max();
    let width = width.unwrap_or_default();
    let line = |session: &Seen| {
        let state = if session.live { "running" } else { "ended" };
        let cwd = world.paths.shown(Path::new(&session.cwd));
        format!("{:width$}  {}  {state:7}  {cwd}", shown(&session.id), session.last)
    };
    sessions.iter().map(line).collect()
}

fn listed(seen: &[Seen], world: &World) -> String {
    const SHOWN: usize = 5;
    if seen.is_empty() {
        return "No session has called hookman yet".to_owned();
    }
    let lines = lines(&seen[..seen.len().min(SHOWN)], world);
    format!("Seen last:\n  {}", lines.join("\n  "))
}
