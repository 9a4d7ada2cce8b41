//! `hookman profile`: switch the hooks of a profile off in a session.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde_json::json;

use super::args::Profile;
use super::configured;
use super::switching as commands;
use super::which::{self, Session};
use super::{ExitStatus, World};
use crate::runtime::chains;
use crate::runtime::switchable::{self, Switchable};
use crate::runtime::switching::{self, Reply};
use crate::session::request::{Request, Verb};

pub(super) fn profile(args: &Profile, world: &World) -> Result<ExitStatus> {
    let profiles = profiles(world)?;
    if args.off {
        return off(args, world);
    }
    let Some(name) = &args.name else {
        list(args, world, &profiles);
        return Ok(ExitStatus::Done);
    };
    let Some((name, hooks)) = profiles.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
    else {
        let known: Vec<&str> = profiles.keys().map(String::as_str).collect();
        match known.as_slice() {
            [] => bail!("no profile `{name}`; the manifest has no [profiles.NAME]"),
            known => bail!("no profile `{name}`; there are {}", known.join(", ")),
        }
    };
    let request = Request { hooks: hooks.clone(), term: args.term.as_term(), ..Request::default() };
    let hooks = match switchable::choose(&commands::switchable(world)?, &request, "hookman disable")
    {
        Ok(hooks) => hooks,
        Err(reply) => bail!("the profile `{name}` cannot be used\n{}", reply.text),
    };
    let session = which::session(&args.session, world)?;
    let reply = commands::perform(Verb::Disable, &session, &hooks, &request, (Some(name), world))?;
    Ok(report(args, world, &session, &reply))
}

fn profiles(world: &World) -> Result<BTreeMap<String, Vec<String>>> {
    let mut found = BTreeMap::new();
    for chain in configured::chains(world) {
        found.extend(chains::read(&world.paths, &chain)?.unwrap_or_default().profiles);
    }
    Ok(found)
}

fn list(args: &Profile, world: &World, profiles: &BTreeMap<String, Vec<String>>) {
    if args.json {
        world.terminal.line(json!(profiles).to_string());
    } else if profiles.is_empty() {
        world
            .terminal
            .line("No profiles; `[profiles.quiet]` with `disable = [\"HOOK\"]` makes one");
    } else {
        for (name, hooks) in profiles {
            world.terminal.line(format!("{name}: {}", hooks.join(", ")));
        }
    }
}

/// Switches on what profiles switched off.
fn off(args: &Profile, world: &World) -> Result<ExitStatus> {
    let session = which::session(&args.session, world)?;
    let (switches, _) = switching::switches(&world.paths, &session.id)?;
    let wanted =
        |profile: &str| args.name.as_ref().is_none_or(|it| it.eq_ignore_ascii_case(profile));
    let hooks: Vec<Switchable> = switches
        .disabled
        .iter()
        .filter(|off| off.profile.as_deref().is_some_and(wanted))
        .map(|off| Switchable::named(&off.hook, off.scope.as_deref()))
        .collect();
    if hooks.is_empty() {
        let text = "ℹ️ No profile is on in this session".to_owned();
        return Ok(report(args, world, &session, &Reply { text, ..Reply::default() }));
    }
    let reply =
        commands::perform(Verb::Enable, &session, &hooks, &Request::default(), (None, world))?;
    Ok(report(args, world, &session, &reply))
}

fn report(args: &Profile, world: &World, session: &Session, reply: &Reply) -> ExitStatus {
    if args.json {
        let report =
            json!({"changed": reply.changed, "session": session.id, "message": reply.text});
        world.terminal.line(report.to_string());
    } else {
        world.terminal.line(&reply.text);
        session.tell(world);
    }
    if reply.failed { ExitStatus::Error } else { ExitStatus::Done }
}
