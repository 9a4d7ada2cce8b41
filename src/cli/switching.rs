//! The steps that all commands for switching share.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::exit::ExitStatus;
use super::which::{self, Session};
use super::word::hint;
use super::{args, failure, registering};
use crate::client::event::Event;
use crate::client::host::CLAUDE;
use crate::client::host::Host;
use crate::client::host::files::{Files, Form};
use crate::install::registration::off_switches::{self, Own};
use crate::machine::{World, agents, clock, environment, harmless};
use crate::manifest::Manifest;
use crate::session::Verb;
use crate::session::switches::Off;
use crate::state::configured::Uncalled;
use crate::state::reply::Done;
use crate::state::status::{Layer, Report, Row};
use crate::state::{
    Chain, Reply, Scene, Switchable, chains, configured, host_files, session_switches, sessions,
    switchable,
};

/// Finds the session, and in it what `choose` finds. `choose` runs here and in running sessions first, so
/// that nobody is asked for a session only to learn that no hook has that name.
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

/// The session as this command, called in `directory`, switches it.
pub(super) fn scene<'a>(world: &'a World, session: &'a Session, directory: &'a str) -> Scene<'a> {
    Scene {
        paths: &world.paths,
        session: session.id.clone(),
        directory,
        person: agents::is_person(),
        profile: None,
        prompt: "",
        is_run: false,
    }
}

pub(super) fn here() -> String {
    environment::current_directory().unwrap_or_default().display().to_string()
}

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

/// Writes a request's result for programs, with the session and whether it is known, or the error.
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
        hint(world, harmless(&reply.text));
    }
    exit(reply.failed, reply.stays_off, which.slash)
}

// The client shows nothing of a slash command that fails.
pub(super) fn exit(failed: bool, is_stranger: bool, slash: bool) -> ExitStatus {
    match (failed, is_stranger) {
        _ if slash => ExitStatus::Done,
        (true, _) => ExitStatus::Error,
        (false, true) => ExitStatus::Found,
        (false, false) => ExitStatus::Done,
    }
}

/// The hooks that can be switched in a project; what is wrong with the manifests goes to standard error.
pub(super) fn switchable(world: &World, project: Option<&Path>) -> Result<Vec<Switchable>> {
    let (hooks, wrong) = switchable::switchable(&world.paths, project)?;
    for message in wrong {
        world.terminal.warn(message);
    }
    Ok(hooks)
}

/// A reply with the ways of switching here; a refusal is for the agent whose shell this is.
pub(super) fn ways(text: &str, refused: bool, session: Option<&Session>, world: &World) -> String {
    let around = || which::session_if_any(&args::Session::default(), world).ok().flatten();
    let around = refused.then(around).flatten();
    let session = around.as_ref().or(session);
    session.map_or_else(|| text.to_owned(), |session| session.host().ways(text))
}

/// Tells what came of a request in a session, and what keeps a hook that it switched on from running.
pub(super) fn report(
    json: bool,
    slash: bool,
    world: &World,
    session: &Session,
    mut reply: Reply,
) -> ExitStatus {
    reply.text = ways(&reply.text, reply.failed, Some(session), world);
    let lacking = lacking(world, session, &reply.hooks);
    for line in &lacking {
        reply.text.extend(["\n", line]);
    }
    if json {
        world.terminal.line(as_json(&reply, Some((session, session.is_known(world)))).to_string());
    } else {
        hint(world, harmless(&reply.text));
        if slash && session.is_stranger() {
            world.terminal.line(format!("Session: {}", session.id));
        } else {
            session.tell(world);
        }
    }
    let is_idle = reply.stays_off || !lacking.is_empty();
    exit(reply.failed, session.is_stranger() || is_idle, slash)
}

/// Says of hooks that are on now what keeps them from running all the same.
fn lacking(world: &World, session: &Session, done: &[Done]) -> Vec<String> {
    let is_on = |done: &&Done| matches!(done.result, "enabled" | "not-disabled");
    let on: Vec<&Done> = done.iter().filter(is_on).collect();
    if on.is_empty() {
        return Vec::new();
    }
    let is_meant = |scope: &str, name: &str| {
        let is_in_chain = |it: &Done| it.scope.as_ref().is_none_or(|it| it == scope);
        on.iter().any(|it| it.hook == name && is_in_chain(it))
    };
    let project = which::project(Some(session), world);
    // What is wrong with a manifest was told where its hooks were looked for.
    let project = project.as_deref();
    let off = still_off(world, project, &is_meant).unwrap_or_default();
    let mut lines = not_in_force(world, project, &is_meant);
    for (chain, manifest) in chains_read(world, project) {
        let meant = manifest.hooks.iter().filter(|hook| is_meant(chain.scope, &hook.name));
        let never = meant.flat_map(registering::never);
        lines.extend(never.map(|line| format!("⚠ Not in force: {line}")));
    }
    lines.retain(|line| !off.contains(line));
    off.into_iter().chain(lines).collect()
}

/// Adds to a reply which of the hooks that were named the agent of the session never runs.
pub(super) fn add_never_run(
    world: &World,
    session: &Session,
    verb: Verb,
    hooks: &[Switchable],
    reply: &mut Reply,
) {
    let noted = || sessions::host(&world.paths, &session.id);
    let host = session.host_of_variable().or_else(noted);
    // Claude Code runs every hook without `hosts`, and reading the manifests once more takes long.
    let has_hosts = || hooks.iter().flat_map(|hook| &hook.places).any(|place| place.has_hosts);
    if let Some(host) = host.filter(|host| *host != CLAUDE.name || has_hosts()) {
        let project = which::project(Some(session), world);
        configured::add_never_run(&world.paths, project.as_deref(), host, verb, reply);
    }
}

/// Says what keeps hooks, told by chain and name, off whatever is switched: `when`, `hosts`, or pins.
pub(super) fn still_off(
    world: &World,
    project: Option<&Path>,
    is_meant: &dyn Fn(&str, &str) -> bool,
) -> Result<Vec<String>> {
    let now = session_switches::moment_in(String::new());
    let report = Report::of(&world.paths, project, None, &now)?;
    let told = |row: &Row| match (&row.layer, &row.held) {
        (Layer::Elsewhere { .. }, _) => {
            Some(format!("⚠ {} stays off: {}", row.hook, report.why(&row.layer)))
        }
        (layer, Some(why)) if layer.is_on() => {
            Some(format!("⚠ {} {}", row.hook, configured::told_of(why)))
        }
        _ => None,
    };
    let rows = report.rows.iter().filter(|row| is_meant(row.scope, &row.hook));
    Ok(rows.filter_map(told).collect())
}

/// Says what keeps hooks, told by chain and name, from running: no entry, or a switch for all.
pub(super) fn not_in_force(
    world: &World,
    project: Option<&Path>,
    is_meant: &dyn Fn(&str, &str) -> bool,
) -> Vec<String> {
    let of_chain = |(chain, manifest): &(Chain, Manifest)| {
        // Of one that cannot be read nobody knows the hooks, and so their names.
        if is_meant(chain.scope, "")
            && chains::entries(chain).is_empty()
            && chains::read(&world.paths, chain).is_err()
        {
            let flag = chain.apply_flag();
            return vec![format!("⚠ Not in force: no entry; `hookman apply{flag}` writes it")];
        }
        let mut held = configured::idle(&world.paths, chain, manifest);
        held.retain(|name, _| is_meant(chain.scope, name));
        let mut lines: Vec<String> = held
            .iter()
            .map(|(name, why)| format!("⚠ {name} {}", configured::told_of(why)))
            .collect();
        let mut uncalled = configured::uncalled(&world.paths, chain, manifest);
        uncalled.retain(|name, _| is_meant(chain.scope, name));
        if uncalled.is_empty() {
            return lines;
        }
        let names: Vec<&str> = uncalled.keys().map(String::as_str).collect();
        let (does, them) = if let [in_part] = uncalled.values().collect::<Vec<_>>()[..] {
            (format!("is {}", Uncalled::words(*in_part)), "it")
        } else if uncalled.values().any(|in_part| *in_part) {
            ("are not registered for all of their calls".to_owned(), "them")
        } else {
            ("are not registered, so they do not run".to_owned(), "them")
        };
        let (names, flag) = (names.join(", "), chain.apply_flag());
        lines.push(match configured::illegible(&world.paths, chain) {
            Some(why) => format!("⚠ {names}: not in force: {why}"),
            None => format!("⚠ {names} {does}; `hookman apply{flag}` registers {them}"),
        });
        lines
    };
    let chains = chains_read(world, project);
    let files = off_switches::files_of(&world.paths, project);
    let keeps_any = |own: &Own| {
        chains.iter().any(|(chain, manifest)| {
            let mut names = manifest.hooks.iter().map(|hook| &*hook.name);
            names.any(|name| is_meant(chain.scope, name) && own.keeps(name))
        })
    };
    let mut own = off_switches::of_hookman(&world.paths, &files);
    own.retain(|own| own.is_of_all() || keeps_any(own));
    let own = own.into_iter().map(|own| own.line).chain(off_switches::gone(&world.paths, &files));
    let own = own.map(|line| format!("⚠ Not in force: {line}"));
    let lines = chains.iter().flat_map(of_chain);
    lines.chain(all_off(world, project)).chain(own).collect()
}

fn chains_read(world: &World, project: Option<&Path>) -> Vec<(Chain, Manifest)> {
    let read = |chain: Chain| {
        let manifest = chains::read(&world.paths, &chain).ok().flatten().unwrap_or_default();
        (chain, manifest)
    };
    chains::chains_of(&world.paths, project).into_iter().map(read).collect()
}

/// Returns whether the client calls a hook of a chain, by its scope, for none of its calls.
pub(super) fn is_idle(world: &World, project: Option<&Path>, scope: &str, name: &str) -> bool {
    let files = off_switches::files_of(&world.paths, project);
    let own = off_switches::of_hookman(&world.paths, &files);
    let is_held = |(chain, manifest): &(Chain, Manifest)| {
        configured::idle(&world.paths, chain, manifest).contains_key(name)
            || configured::uncalled(&world.paths, chain, manifest).get(name) == Some(&false)
            || manifest.hooks.is_empty() && chains::entries(chain).is_empty()
    };
    own.iter().any(|own| own.keeps(name))
        || off_switches::gone(&world.paths, &files).is_some()
        || chains_read(world, project).iter().filter(|(it, _)| it.scope == scope).any(is_held)
}

/// Says that a program never asks about an event, or that no file of it calls hookman.
pub(super) fn unregistered(
    world: &World,
    project: Option<&Path>,
    host: &Host,
    event: Event,
) -> Option<String> {
    let of = Files::of(host.name)?;
    if !of.has(event) {
        return Some(format!("⚠ Not in force: {} has no {}", of.title, event.name()));
    }
    let calls = |chain: &Chain| {
        // Copilot runs the entries of a project's Claude Code settings.
        of.form == Form::Own && chain.project().is_some() && !chains::entries(chain).is_empty()
            || host_files::file(&world.paths, chain.project(), of)
                .is_some_and(|file| !host_files::lines(of, &file).is_empty())
    };
    let is_any = chains::chains_of(&world.paths, project).iter().any(calls);
    let (name, title) = (host.name, of.title);
    (!is_any).then(|| {
        format!("⚠ Not in force: {title} has no entry; `hookman install --host {name}` writes it")
    })
}

/// Returns whether no hook of the user's or the project's runs at all.
pub(super) fn is_off(world: &World, project: Option<&Path>) -> bool {
    let files = off_switches::files_of(&world.paths, project);
    off_switches::of_hookman(&world.paths, &files).iter().any(Own::is_of_all)
        || all_off(world, project).next().is_some()
}

pub(super) fn all_off(world: &World, project: Option<&Path>) -> impl Iterator<Item = String> {
    let files = off_switches::files_of(&world.paths, project);
    let off = off_switches::on(&world.paths, &files, &off_switches::read).into_iter();
    let off = off.filter(|off| !off.spares_exec_form);
    off.map(|off| format!("⚠ Not in force: {}: {}; {}", off.place, off.message, off.fix))
}
