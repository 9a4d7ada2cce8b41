//! Switching hooks, for a session or for good: what `enable` and `disable` do.

use anyhow::{Result, bail};

use super::exit::ExitStatus;
use super::switching::{here, in_session, report, scene, switchable, told};
use super::which;
use super::which::Session;
use super::{args, everywhere, permanent};
use crate::machine::clock;
use crate::machine::world::World;
use crate::session::request::{self, Command, Request, Term, Verb};
use crate::state::chains::{self, Chain};
use crate::state::switchable::{self, Switchable};
use crate::state::{configured, switching};

/// Switches what the command line names.
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
    let mut reply = switching::perform(&scene(world, &session, &here()), verb, &hooks, &request)?;
    let lacking = match verb {
        Verb::Enable => uncalled(world, &session, &hooks),
        _ => Vec::new(),
    };
    for line in &lacking {
        reply.text.extend(["\n", line]);
    }
    match report(which.json, which.slash, world, &session, &reply) {
        ExitStatus::Done if !lacking.is_empty() && !which.slash => Ok(ExitStatus::Found),
        status => Ok(status),
    }
}

/// Says of hooks that were to be switched on which of them the client's settings do not call.
fn uncalled(world: &World, session: &Session, hooks: &[Switchable]) -> Vec<String> {
    let project = which::project(Some(session), world);
    let chains = chains::chains_of(&world.paths, project.as_deref());
    let of_chain = |chain: &Chain| {
        let manifest = chains::read(&world.paths, chain).ok().flatten().unwrap_or_default();
        let mut uncalled = configured::uncalled(&world.paths, chain, &manifest);
        uncalled
            .retain(|name| hooks.iter().any(|hook| hook.name == *name && hook.is_in(chain.scope)));
        let names: Vec<&str> = uncalled.iter().map(String::as_str).collect();
        let (does, them) = if names.len() == 1 {
            ("is not registered, so it does not run", "it")
        } else {
            ("are not registered, so they do not run", "them")
        };
        let (names, flag) = (names.join(", "), chain.apply_flag());
        let line = format!("⚠ {names} {does}; `hookman apply{flag}` registers {them}");
        (!uncalled.is_empty()).then_some(line)
    };
    chains.iter().filter_map(of_chain).collect()
}

fn is_several(request: &Request) -> bool {
    request.all || request.hooks.iter().any(|typed| typed.contains(['*', '?']))
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
