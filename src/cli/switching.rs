//! What switching hooks on and off has in common.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::args;
use super::configured;
use super::failure;
use super::permanent;
use super::which::{self, Session};
use super::{ExitStatus, World};
use crate::machine::terminal::harmless;
use crate::machine::{clients, clock, environment};
use crate::runtime::switchable::{self, Switchable};
use crate::runtime::switching::{self, Done, Reply, Scene};
use crate::session::request::{self, Command, Request, Term, Verb};
use crate::session::switches::Off;

/// The hooks that can be switched in a project; what is wrong with the manifests goes to standard error.
///
/// # Errors
///
/// When manifests cannot be read and nothing runs.
pub(super) fn switchable(world: &World, project: Option<&Path>) -> Result<Vec<Switchable>> {
    let (hooks, wrong) = switchable::switchable(&world.paths, project)?;
    for message in wrong {
        world.terminal.warn(message);
    }
    Ok(hooks)
}

/// Switches what the command line names.
///
/// # Errors
///
/// When a manifest or the session's files cannot be read or written, or no session is named.
pub(super) fn switch(
    verb: Verb,
    which: &args::Which,
    term: Term,
    world: &World,
) -> Result<ExitStatus> {
    let request = request(verb, which, term)?;
    let call = if which.slash {
        format!("/hook:{}", verb.name())
    } else {
        format!("hookman {}", verb.name())
    };
    if which.permanent {
        let hooks = switchable(world, configured::project().as_deref())?;
        return match switchable::choose(&hooks, &request, &call) {
            Ok(hooks) => permanent::switch(verb, &hooks, is_several(&request), which, world),
            Err(reply) => Ok(told(which, world, &reply)),
        };
    }
    let chosen = in_session(&which.session, world, |session| {
        let mut hooks = switchable(world, which::project(session, world).as_deref())?;
        if let (Verb::Enable, Some(session)) = (verb, session) {
            switchable::add_switched(&mut hooks, &world.paths, &session.id)?;
        }
        Ok(switchable::choose(&hooks, &request, &call))
    })?;
    let (session, hooks) = match chosen {
        Ok(chosen) => chosen,
        Err(reply) => return Ok(told(which, world, &reply)),
    };
    let reply = switching::perform(&scene(world, &session, &here()), verb, &hooks, &request)?;
    Ok(report(which, world, &session, &reply))
}

/// Finds the session that is meant, and in it what `choose` does. That is looked for first, here and
/// in the sessions that run, so that nobody is asked for a session who is told then that there is no
/// such thing; and again in the one that the user picks.
///
/// # Errors
///
/// When no session is named, and what `choose` says.
pub(super) fn in_session<T, E>(
    args: &args::Session,
    world: &World,
    choose: impl Fn(Option<&Session>) -> Result<std::result::Result<T, E>>,
) -> Result<std::result::Result<(Session, T), E>> {
    if let Some(session) = which::session_if_any(args, world)? {
        return Ok(choose(Some(&session))?.map(|chosen| (session, chosen)));
    }
    if let Err(told) = choose(None)? {
        let is_there = |session| matches!(choose(Some(&session)), Ok(Ok(_)));
        if !which::running(world).into_iter().any(is_there) {
            return Ok(Err(told));
        }
    }
    let session = which::session(args, world)?;
    Ok(choose(Some(&session))?.map(|chosen| (session, chosen)))
}

fn is_several(request: &Request) -> bool {
    request.all || request.hooks.iter().any(|typed| typed.contains(['*', '?']))
}

// A slash command's words come as one, and its options with them.
fn request(verb: Verb, which: &args::Which, term: Term) -> Result<Request> {
    if which.slash {
        let request = Request::parse(&which.hooks.join(" "));
        return request.and_then(|it| it.of(Command::Switch(verb))).map_err(anyhow::Error::msg);
    }
    let agent = which.agent.as_deref().map(request::agent).transpose();
    let agent = agent.map_err(anyhow::Error::msg)?;
    // As it may be typed in a prompt.
    let hooks = which.hooks.iter().flat_map(|typed| typed.split(',')).map(str::to_owned).collect();
    Ok(Request { hooks, all: which.all, term, agent })
}

/// The session as this command, called in `directory`, switches it.
pub(super) fn scene<'a>(world: &'a World, session: &'a Session, directory: &'a str) -> Scene<'a> {
    Scene {
        paths: &world.paths,
        session: &session.id,
        directory,
        person: is_person(),
        profile: None,
        prompt: "",
        is_run: false,
    }
}

/// The directory this command is called in.
pub(super) fn here() -> String {
    environment::current_directory().unwrap_or_default().display().to_string()
}

/// Whether this was not called by an agent's tool, as far as that can be seen.
pub(super) fn is_person() -> bool {
    environment::raw("CLAUDECODE").is_none()
        && environment::raw("CLAUDE_CODE_SESSION_ID").is_none()
        && !clients::ancestors().into_iter().any(clients::is_any_client)
}

/// A switch for programs.
pub(super) fn off_as_json(off: &Off) -> Value {
    json!({
        "hook": off.hook,
        "scope": off.scope,
        "agent": off.agent,
        "since": off.since,
        "until": off.until.map(clock::utc),
        "turn": off.turn.is_some(),
        "profile": off.profile,
        "person": off.person,
    })
}

/// What came of a request, for programs, with the session and whether it called hookman before; and
/// with what every error has where something failed.
pub(super) fn as_json(reply: &Reply, session: Option<(&Session, bool)>) -> Value {
    let mut report = json!({"changed": reply.changed});
    if let Some((session, is_known)) = session {
        report["session"] = json!(session.id);
        report["found_by"] = json!(session.found_by);
        report["known"] = json!(is_known);
        report["hooks"] = reply.hooks.iter().map(done_as_json).collect();
    }
    report["message"] = json!(reply.text);
    if reply.failed {
        failure::add(&mut report, &reply.text);
    }
    report
}

fn done_as_json(done: &Done) -> Value {
    json!({
        "hook": done.hook,
        "scope": done.scope,
        "result": done.result,
        "agent": done.term.agent,
        "until": done.term.until.map(clock::utc),
        "turn": done.term.turn.is_some(),
    })
}

/// Tells what came of a request that is about no session.
pub(super) fn told(which: &args::Which, world: &World, reply: &Reply) -> ExitStatus {
    if which.json {
        world.terminal.line(as_json(reply, None).to_string());
    } else {
        world.hint(harmless(&reply.text));
    }
    status(which, reply)
}

// The client shows nothing of a slash command that fails.
fn status(which: &args::Which, reply: &Reply) -> ExitStatus {
    if reply.failed && !which.slash { ExitStatus::Error } else { ExitStatus::Done }
}

fn report(which: &args::Which, world: &World, session: &Session, reply: &Reply) -> ExitStatus {
    if which.json {
        world.terminal.line(as_json(reply, Some((session, session.is_known(world)))).to_string());
    } else {
        world.hint(harmless(&reply.text));
        session.tell(world);
    }
    status(which, reply)
}
