//! What switching hooks on and off has in common.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::json;

use super::args;
use super::configured;
use super::permanent;
use super::which::{self, Session};
use super::{ExitStatus, World};
use crate::machine::terminal::harmless;
use crate::machine::{clients, environment};
use crate::runtime::switchable::{self, Switchable};
use crate::runtime::switching::{self, Reply, Scene};
use crate::session::request::{Request, Term, Verb};

/// The hooks that can be switched in a project; what is wrong with the manifests goes to standard error.
///
/// # Errors
///
/// When a manifest cannot be read and nothing of it runs.
pub(super) fn switchable(world: &World, project: Option<&Path>) -> Result<Vec<Switchable>> {
    let (hooks, wrong) = switchable::switchable(&world.paths, project)?;
    for problems in wrong {
        world.terminal.warn(format!(
            "the manifest cannot be read, so its last good version is used\n{problems}"
        ));
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
    let request = request(which, term)?;
    let call = if which.slash {
        format!("/hook:{}", verb.name())
    } else {
        format!("hookman {}", verb.name())
    };
    if which.permanent {
        let hooks = switchable(world, configured::project().as_deref())?;
        return match switchable::choose(&hooks, &request, &call) {
            Ok(hooks) => Ok(told(
                which,
                world,
                &permanent::switch(verb, &hooks, (which.project, is_several(&request)), world)?,
            )),
            Err(reply) => Ok(told(which, world, &reply)),
        };
    }
    let found = which::session_if_any(&which.session, world)?;
    let hooks = match chosen(verb, found.as_ref(), &request, &call, world)? {
        Ok(hooks) => hooks,
        Err(reply) => return Ok(told(which, world, &reply)),
    };
    let (session, hooks) = match found {
        Some(session) => (session, hooks),
        // The one that the user picks may run elsewhere.
        None => {
            let session = which::session(&which.session, world)?;
            match chosen(verb, Some(&session), &request, &call, world)? {
                Ok(hooks) => (session, hooks),
                Err(reply) => return Ok(told(which, world, &reply)),
            }
        }
    };
    let reply = switching::perform(&scene(world, &session, &here()), verb, &hooks, &request)?;
    Ok(report(which, world, &session, &reply))
}

fn is_several(request: &Request) -> bool {
    request.all || request.hooks.iter().any(|typed| typed.contains(['*', '?']))
}

/// The hooks that a request means in a session.
fn chosen(
    verb: Verb,
    session: Option<&Session>,
    request: &Request,
    call: &str,
    world: &World,
) -> Result<std::result::Result<Vec<Switchable>, Reply>> {
    let mut hooks = switchable(world, which::project(session, world).as_deref())?;
    if let (Verb::Enable, Some(session)) = (verb, session) {
        switchable::add_switched(&mut hooks, &world.paths, &session.id)?;
    }
    Ok(switchable::choose(&hooks, request, call))
}

// A slash command's words come as one, and its options with them.
fn request(which: &args::Which, term: Term) -> Result<Request> {
    if which.slash {
        return Request::parse(&which.hooks.join(" ")).map_err(anyhow::Error::msg);
    }
    let agent = which.agent.clone();
    if agent.as_deref().is_some_and(|agent| agent.trim().is_empty()) {
        bail!("--agent was given no type of agent");
    }
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

fn told(which: &args::Which, world: &World, reply: &Reply) -> ExitStatus {
    if which.json {
        let report = json!({"changed": reply.changed, "message": reply.text});
        world.terminal.line(report.to_string());
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
        let report = json!({
            "changed": reply.changed,
            "session": session.id,
            "found_by": session.found_by,
            "message": reply.text,
        });
        world.terminal.line(report.to_string());
    } else {
        world.hint(harmless(&reply.text));
        session.tell(world);
    }
    status(which, reply)
}
