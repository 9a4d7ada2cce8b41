//! Switching hooks, for a session or for good: what `enable` and `disable` do.

use anyhow::{Result, bail};

use super::exit::ExitStatus;
use super::switching::{add_never_run, here, in_session, report, scene, switchable, told};
use super::{args, everywhere, permanent, which};
use crate::machine::{World, clock};
use crate::session::Verb;
use crate::session::request::{self, Command, Request, Term};
use crate::state::{configured, switchable, switching};

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
    let is_bare = request.hooks.is_empty() && !request.all;
    let is_meant = which.everywhere || which.permanent || request.term != Term::Session;
    if is_bare && is_meant && !which.slash {
        bail!("no hook is named: name one, or say `--all` for all hooks");
    }
    switching::end_of(&request.term, clock::unix_seconds())?;
    if which.everywhere {
        return everywhere::switch(verb, which, &request, world);
    }
    if which.permanent {
        let hooks = switchable(world, configured::project().as_deref())?;
        return match switchable::choose(&hooks, &request, &call) {
            Ok(hooks) => permanent::switch(verb, &hooks, request.is_several(), which, world),
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
    let mut reply = switching::perform(&scene(world, &session, &here()), verb, &hooks, &request)?;
    if !request.is_several() {
        add_never_run(world, &session, verb, &hooks, &mut reply);
    }
    Ok(report(which.json, which.slash, world, &session, reply))
}

// A slash command's words come as one, and its options with them.
fn request(verb: Verb, which: &args::Which, term: Term) -> Result<Request> {
    if which.slash {
        let request = Request::parse(&which.hooks.join(" "));
        return Ok(request?.of(Command::Switch(verb))?);
    }
    let agent = which.agent.as_deref().map(request::agent).transpose()?;
    // As it may be typed in a prompt.
    let hooks = which.hooks.iter().flat_map(|typed| typed.split(',')).map(str::to_owned).collect();
    Ok(Request { hooks, all: which.all, term, agent })
}
