//! The session that a command is about.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::args;
use super::word::hint;
use crate::client::host::{CLAUDE, HOSTS, Host};
use crate::machine::paths::real;
use crate::machine::{World, agents, clients, clock, environment};
use crate::session::SessionId;
use crate::state::journal::PROJECT;
use crate::state::sessions::{self, Seen};
use crate::state::{configured, everywhere};

pub(super) struct Session {
    pub id: SessionId<'static>,
    pub found_by: &'static str,
    /// True if hookman knows it, where that was looked at.
    is_known: Option<bool>,
    /// The journal's record of it, where all of that was read.
    seen: Option<Seen>,
}

const FROM_CLIENT: &str = "CLAUDE_CODE_SESSION_ID";

const NAMED: &str = "--session";

const EVERYWHERE: &str = "--everywhere";

impl Session {
    fn found(seen: &Seen, found_by: &'static str) -> Self {
        Self { id: seen.id.clone(), found_by, is_known: Some(true), seen: Some(seen.clone()) }
    }

    pub(super) fn tell(&self, world: &World) {
        match self.how() {
            how if how == everywhere().found_by => {}
            _ if self.is_stranger() => hint(
                world,
                format!(
                    "⚠ No session {} has called hookman yet; `hookman sessions` lists those that did. The switch \
                     holds once it does",
                    self.id
                ),
            ),
            NAMED => world.terminal.line(format!("Session: {}", self.id)),
            how => world.terminal.line(format!("Session: {} ({how})", self.id)),
        }
    }

    /// The agent that it is one of, as far as that is known without a look into the journal.
    pub(super) fn host(&self) -> &'static Host {
        let noted = self.seen.as_ref().map_or("", |seen| &seen.host);
        let is_it = |host: &&Host| host.name == noted || host.session == self.found_by;
        HOSTS.iter().copied().find(is_it).unwrap_or(&CLAUDE)
    }

    pub(super) fn host_of_variable(&self) -> Option<&'static str> {
        let is_it = |host: &&&Host| host.session == self.found_by;
        HOSTS.iter().find(is_it).map(|host| host.name)
    }

    /// Returns whether it was named and nobody knows it.
    pub(super) fn is_stranger(&self) -> bool {
        // A slash command names the session that it is in, which may not have called a hook yet.
        let is_own =
            || environment::text(FROM_CLIENT).is_some_and(|id| self.id == SessionId::new(id));
        self.found_by == NAMED && self.is_known == Some(false) && !is_own()
    }

    /// As [`Session::tell`] where nothing named it, on standard error: standard output is a value.
    pub(super) fn warn_of_guess(&self, world: &World) {
        let is_told = HOSTS.iter().any(|host| host.session == self.found_by);
        if self.found_by != NAMED && !is_told {
            world.terminal.warn(format!("Session: {} ({})", self.id, self.found_by));
        }
    }

    pub(super) fn how(&self) -> &'static str {
        if self.is_known == Some(false) {
            return "no such session has called hookman yet";
        }
        self.found_by
    }

    /// Returns whether it called hookman before, for programs.
    pub(super) fn is_known(&self, world: &World) -> bool {
        self.is_known.unwrap_or_else(|| sessions::has_called(&world.paths, &self.id))
    }
}

pub(super) fn everywhere() -> Session {
    let id = everywhere::session();
    Session { id, found_by: EVERYWHERE, is_known: Some(true), seen: None }
}

/// The project whose hooks a session has, or that of this process where there is none.
pub(super) fn project(session: Option<&Session>, world: &World) -> Option<PathBuf> {
    let Some(session) =
        session.filter(|it| it.is_known != Some(false) && it.found_by != EVERYWHERE)
    else {
        return configured::project();
    };
    if let Some(seen) = &session.seen {
        return seen.project();
    }
    let said = || sessions::project(&world.paths, &session.id);
    if session.found_by == FROM_CLIENT {
        // Its hooks get the project; its Bash tool does not, and may have walked elsewhere.
        let told = environment::raw(PROJECT).map(PathBuf::from);
        return told.or_else(said).or_else(configured::project);
    }
    said().or_else(|| sessions::likely_project(&world.paths, &session.id))
}

/// Finds the session a command is about: the one that is named, that the client names, whose client
/// runs this command, or that alone is running in this directory; else the user is asked.
pub(super) fn session(args: &args::Session, world: &World) -> Result<Session> {
    if let Some(session) = named(args, world)? {
        return Ok(session);
    }
    if let Some(session) = unasked(&sessions::live(&world.paths), world) {
        return Ok(session);
    }
    let seen = sessions::seen(&world.paths);
    if world.terminal.can_choose()
        && !seen.is_empty()
        && let Some(index) = world.terminal.choose_one("Which session?", &lines(&seen, world))?
    {
        return Ok(Session::found(&seen[index], "chosen"));
    }
    bail!(
        "which session? This shell does not run inside one; name it with --session ID\n{}",
        listed(&seen, world)
    )
}

/// As [`session`], for a report that has something to say without one too; nobody is asked.
pub(super) fn session_if_any(args: &args::Session, world: &World) -> Result<Option<Session>> {
    if let Some(session) = named(args, world)? {
        return Ok(Some(session));
    }
    Ok(unasked(&sessions::live(&world.paths), world))
}

pub(super) fn running(world: &World) -> Vec<Session> {
    sessions::live(&world.paths).iter().map(|seen| Session::found(seen, "running")).collect()
}

fn named(args: &args::Session, world: &World) -> Result<Option<Session>> {
    if let Some(id) = &args.session {
        let id = id.trim();
        // A slash command that the client did not fill in must not switch a session of that name.
        if id.is_empty() || id.contains("${") {
            bail!("--session was given no session id; leave it out inside a session");
        }
        return by_name(id, world).map(Some);
    }
    // What is in its journal is read where it is asked for: hooks call `hookman state` often.
    let session = |host: &&Host| {
        let id = environment::text(host.session).filter(|_| !host.session.is_empty())?;
        Some(Session { id: SessionId::new(id), found_by: host.session, is_known: None, seen: None })
    };
    let named: Vec<Session> = HOSTS.iter().filter_map(session).collect();
    if !named.is_empty()
        && let Some(nearest) = of_nearest(&named, world)
    {
        return Ok(Some(nearest));
    }
    let session = named.into_iter().next();
    // Copilot gives a subagent's shell an id of its own, by which it calls no hook.
    let is_subagent = |it: &Session| it.host().name == "copilot" && !it.is_known(world);
    if session.as_ref().is_some_and(is_subagent)
        && let Some(main) = of_ancestor(&sessions::live(&world.paths))
    {
        return Ok(Some(main));
    }
    Ok(session)
}

/// The session of the nearest agent, where an agent's shell runs another agent: its variables are inherited.
fn of_nearest(named: &[Session], world: &World) -> Option<Session> {
    let is_agent = |process: &u32| {
        agents::is_one(&world.paths.state, *process) || clients::is_any_client(*process)
    };
    let mut above = clients::ancestors().processes.into_iter().filter(is_agent);
    let (nearest, _) = (above.next()?, above.next()?);
    let mut seen = sessions::seen(&world.paths);
    seen.retain(|it| it.client == nearest);
    let is_it = |named: &&Session| seen.iter().any(|it| it.id == named.id);
    if let Some(Session { id, found_by, .. }) = named.iter().find(is_it) {
        return Some(Session { id: id.clone(), found_by, is_known: Some(true), seen: None });
    }
    of_ancestor(&seen.into_iter().filter(|it| it.live).collect::<Vec<_>>())
}

fn by_name(id: &str, world: &World) -> Result<Session> {
    let session = SessionId::new(id.to_owned());
    let is_known = Some(sessions::is_known(&world.paths, &session));
    let exact = Session { id: session, found_by: NAMED, is_known, seen: None };
    if is_known == Some(true) {
        return Ok(exact);
    }
    let mut seen = sessions::seen_ever(&world.paths);
    seen.retain(|session| session.id.as_str().starts_with(id));
    match seen.as_slice() {
        [] => Ok(exact),
        [one] => Ok(Session::found(one, "the only one that begins so")),
        _ => bail!("--session {id} may be any of several\n{}", listed(&seen, world)),
    }
}

fn unasked(live: &[Seen], world: &World) -> Option<Session> {
    if let Some(session) = of_ancestor(live) {
        return Some(session);
    }
    let here = environment::current_directory().ok()?;
    // A client that never called hookman, or long ago, may be the one that is meant.
    let strangers = sessions::strangers(&world.paths, live).unwrap_or_default();
    let strangers: Vec<PathBuf> =
        strangers.into_iter().filter_map(clients::directory).map(|it| real(&it)).collect();
    let project = configured::project().map(|it| real(&it));
    // The nearest directory upwards in which any was started.
    for folder in real(&here).ancestors() {
        let mut of_folder = live.iter().filter(|session| real(session.started_in()) == folder);
        let first = of_folder.next();
        if strangers.iter().any(|it| it == folder) || of_folder.next().is_some() {
            return None;
        }
        if let Some(session) = first {
            let is_here = folder == real(&here);
            let how = if is_here {
                "the only one started here"
            } else {
                "the only one started above here"
            };
            return Some(Session::found(session, how));
        }
        // A project within another has hooks that the sessions of the other do not have.
        if project.as_deref() == Some(folder) {
            return None;
        }
    }
    None
}

fn of_ancestor(live: &[Seen]) -> Option<Session> {
    let above = clients::ancestors().processes;
    let session = above.iter().find_map(|process| live.iter().find(|it| it.client == *process))?;
    Some(Session::found(session, "its client runs this shell"))
}

fn lines(sessions: &[Seen], world: &World) -> Vec<String> {
    let width = sessions.iter().map(|session| session.id.to_string().chars().count()).max();
    let width = width.unwrap_or_default();
    let line = |session: &Seen| {
        let state = if session.live { "running" } else { "ended" };
        let folder = world.paths.shown(session.started_in());
        let last = clock::local_stamp(&session.last);
        let host = session.of_host();
        format!("{:width$}  {last}  {state:7}  {folder}{host}", session.id).trim_end().to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::agents::MARKS;

    #[test]
    fn each_agent_that_names_its_session_is_known_by_the_variable() {
        let unknown = |host: &&&Host| !host.session.is_empty() && !MARKS.contains(&host.session);
        let unknown: Vec<_> = HOSTS.iter().filter(unknown).map(|host| host.session).collect();
        assert!(unknown.is_empty(), "not in `MARKS`: {unknown:?}");
    }
}
