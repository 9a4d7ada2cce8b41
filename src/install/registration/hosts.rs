//! The other programs that call a manifest's hooks: their files, what is to be in them, and what they
//! cannot honour.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::entries::demands;
use super::in_json;
use crate::client::call;
use crate::client::event::{Block, Event};
use crate::client::host::files::{FILES, Files};
use crate::client::host::{CLAUDE, HOSTS};
use crate::install::target::Target;
use crate::install::target::binary::{self, binary_path};
use crate::install::target::layers::Layers;
use crate::machine::world::World;
use crate::machine::{environment, files, paths, program};
use crate::manifest::{Hook, Manifest, OnError};
use crate::settings::{Registration, wanted};
use crate::state::{Chain, chains, host_files};
use crate::syntax::escaped::quoted;
use crate::syntax::suggestion::{did_you_mean, nearest};

/// Returns whether the program is on this machine: it can be started, or has a directory.
pub(crate) fn is_there(world: &World, of: &Files) -> bool {
    program::on_path(of.host.name, &environment::raw("PATH").unwrap_or_default()).is_some()
        || host_files::folder(&world.paths, of).is_some_and(|folder| folder.is_dir())
}

/// Reads names of programs as they are typed; `all` means those on this machine.
pub(crate) fn named(world: &World, typed: &[String]) -> Result<Vec<&'static str>> {
    let known = || std::iter::once(CLAUDE.name).chain(FILES.iter().map(|of| of.host.name));
    let mut named = Vec::new();
    for name in typed {
        if name == ALL {
            let claude = is_claude_there(world).then_some(CLAUDE.name);
            let others = FILES.iter().filter(|of| is_there(world, of)).map(|of| of.host.name);
            named.extend(claude.into_iter().chain(others));
        } else if let Some(name) = known().find(|known| known == name) {
            named.push(name);
        } else if HOSTS.iter().any(|host| host.name == name) {
            bail!(
                "hookman writes no file for `{name}`, which runs the hooks of others: see docs/hosts.md"
            );
        } else {
            let all: Vec<&str> = known().chain([ALL]).collect();
            let hint = nearest(name, all.iter().copied())
                .map_or_else(|| format!("; there are {}", all.join(", ")), did_you_mean);
            bail!("hookman knows no agent `{name}`{hint}");
        }
    }
    Ok(in_order(&named))
}

/// The word for every program on this machine.
const ALL: &str = "all";

fn is_claude_there(world: &World) -> bool {
    program::on_path("claude", &environment::raw("PATH").unwrap_or_default()).is_some()
        || world.paths.config.is_dir()
}

/// Names in the order of the table, each once.
pub(crate) fn in_order(names: &[&'static str]) -> Vec<&'static str> {
    HOSTS.iter().map(|host| host.name).filter(|name| names.contains(name)).collect()
}

/// The programs of a manifest with those that are wanted; `None` where it need not name any.
pub(crate) fn listed(
    manifest: &Manifest,
    is_new: bool,
    wanted: &[&'static str],
) -> Option<Vec<&'static str>> {
    if wanted.is_empty() {
        return None;
    }
    let before = manifest.hosts.clone();
    let now = before.clone().unwrap_or(if is_new { Vec::new() } else { vec![CLAUDE.name] });
    let listed = in_order(&[now.as_slice(), wanted].concat());
    (before.is_some() || listed != [CLAUDE.name]).then_some(listed)
}

/// The target of a program's file, for a target of Claude Code's; `None` where hookman writes none.
pub(crate) fn target(world: &World, target: &Target, of: &'static Files) -> Option<Target> {
    if target.local || target.managed().is_some() {
        return None;
    }
    let settings = host_files::file(&world.paths, target.project.as_deref(), of)?;
    Some(Target { settings, host: Some(of), ..target.clone() })
}

/// The target of the one program of that name, as it is typed.
pub(crate) fn one(world: &World, of: &Target, name: &str) -> Result<Target> {
    let names = named(world, &[name.to_owned()])?;
    let of_name = names.first().and_then(|name| Files::of(name));
    of_name.and_then(|files| target(world, of, files)).with_context(|| {
        format!(
            "hookman has no file for `{name}` there; leave --host out for Claude Code's settings"
        )
    })
}

pub(crate) fn hooks<'h>(hooks: &'h [Hook], of: &'static Files) -> impl Iterator<Item = &'h Hook> {
    hooks.iter().filter(|hook| hook.enabled && hook.audience.includes(of.host.name))
}

/// The entries that a program is to have in the file of `host`; `None` where it calls no hooks by it.
pub(crate) fn entries(
    world: &World,
    target: &Target,
    host: &Target,
    layers: &Layers,
    binary: Option<&Path>,
) -> Result<Option<Vec<Registration>>> {
    let Some(of) = host
        .host
        .filter(|of| host_files::has_file(&layers.committed, target.project.is_some(), of))
    else {
        return Ok(None);
    };
    check(&layers.all, of)?;
    let line = line(world, target, host, binary)?;
    Ok(Some(wanted::of_host(of, &demands(&layers.all.hooks, of.host), &line)))
}

pub(crate) fn targets(world: &World, of: &Target) -> Vec<Target> {
    FILES.iter().filter_map(|files| target(world, of, files)).collect()
}

/// The start of each line by which a program calls hookman. A path that is there stays as it is written,
/// because a program can ask for trust again for every letter.
fn line(world: &World, target: &Target, host: &Target, given: Option<&Path>) -> Result<String> {
    if target.project.is_some() {
        return Ok(call::HOST_LAUNCHER.to_owned());
    }
    let is_same = |path: &PathBuf| {
        given
            .is_none_or(|given| path.canonicalize().ok() == binary::file(given).canonicalize().ok())
    };
    let now = programs(host).into_iter().find(|path| files::is_executable(path)).filter(is_same);
    let path = match now.or_else(|| given.map(Path::to_owned)) {
        Some(path) => path,
        None => match binary::registered(&target.settings) {
            Some(path) => path,
            None => binary_path(world, None)?,
        },
    };
    Ok(quoted(&in_json(&binary::file(&path))?))
}

/// Returns whether a program's file calls hookman for this manifest; one that is a link to Claude Code's
/// settings has their lines and none of its own.
pub(crate) fn calls(world: &World, host: &Target) -> bool {
    let is_asked_for = |owner: Chain| {
        let manifest = chains::read(&world.paths, &owner).ok().flatten().unwrap_or_default();
        host.host.is_some_and(|of| host_files::has_file(&manifest, host.project.is_some(), of))
    };
    !lines(host).is_empty()
        && host.check_apart(world).is_ok()
        && !owner(host).is_some_and(is_asked_for)
}

/// The chain of the nearest manifest above another program's file, where that is not the target's: the
/// file's lines name no manifest, and a call of hookman can come with any configuration directory.
pub(crate) fn owner(host: &Target) -> Option<Chain> {
    host.host?;
    let file = paths::real(&host.settings);
    let chains = file.ancestors().skip(1).map(Chain::of_project);
    let mut chains = chains.filter(|chain| files::is_there(&chain.manifest));
    chains.next().filter(|it| paths::real(&it.manifest) != paths::real(&host.chain.manifest))
}

/// The settings by which programs that are to call hookman do not, each with its file.
pub(crate) fn switched_off(world: &World, of: &Target, layers: &Layers) -> Vec<String> {
    let mut found = Vec::new();
    for host in targets(world, of) {
        let (project, main) = (host.project.as_deref(), &host.settings);
        let asked = |of: &&Files| host_files::has_file(&layers.committed, project.is_some(), of);
        let Some(of) = host.host.filter(asked) else { continue };
        let more = host_files::more(&world.paths, project, main, of).into_iter();
        for file in std::iter::once(main.clone()).chain(more.filter(|file| file != main)) {
            let text = files::read_text(&file).ok().flatten().unwrap_or_default();
            if let Some(at) = of.switched_off(&host_files::value(&file, &text), file == *main) {
                let (shown, title) = (world.paths.shown(&file), of.title);
                found.push(format!("{shown}: `{at}` keeps {title} from running hookman's hooks"));
            }
        }
    }
    found
}

/// The lines by which a program's file calls hookman.
pub(crate) fn lines(host: &Target) -> Vec<String> {
    host.host.map(|of| host_files::lines(of, &host.settings)).unwrap_or_default()
}

pub(crate) fn programs(host: &Target) -> Vec<PathBuf> {
    let programs = lines(host).into_iter().filter_map(|line| call::program(&line));
    programs.map(PathBuf::from).filter(|path| path.is_absolute()).collect()
}

/// Refuses a gate on an event that a program does not have or lets no hook stop, as it would be open
/// there.
fn check(manifest: &Manifest, of: &'static Files) -> Result<()> {
    for hook in hooks(&manifest.hooks, of).filter(|hook| hook.on_error == OnError::Closed) {
        // A request for a permission comes after the call it is about.
        let is_held = |event: Event| {
            of.has(event) && of.host.lets_stop(event)
                || event.facts().block == Block::Never
                || event == Event::PermissionRequest && hook.events.contains(&Event::PreToolUse)
        };
        let Some(event) = hook.events.iter().find(|event| !is_held(**event)) else { continue };
        let (name, title) = (&hook.name, of.title);
        let why = if of.has(*event) { "lets no hook stop" } else { "does not have" };
        let others: Vec<String> = manifest
            .hosts
            .iter()
            .flatten()
            .copied()
            .filter(|host| *host != of.host.name)
            .map(|host| format!("\"{host}\""))
            .collect();
        let place = hook.origin().map(|origin| format!("{}: ", origin.place())).unwrap_or_default();
        bail!(
            "{place}`{name}` is a gate on {event}, which {title} {why}, so it would be open there; give the hook a line `hosts = [{}]` to leave {title} out",
            others.join(", ")
        );
    }
    Ok(())
}

/// A part of a hook that a program does not honour, and what is done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unhonoured {
    pub(crate) hook: String,
    /// The fact and its consequence, in words.
    pub(crate) what: String,
}

/// Lists the parts of hooks that a program does not honour.
pub(crate) fn unhonoured(manifest: &Manifest, of: &'static Files) -> Vec<Unhonoured> {
    let mut found = Vec::new();
    let title = of.title;
    for hook in hooks(&manifest.hooks, of) {
        let mut say = |what: String| found.push(Unhonoured { hook: hook.name.clone(), what });
        if let Some(passed) = hook.passed() {
            let kind = passed.handler.name();
            say(format!("Claude Code runs it itself (`{kind}`), and {title} does not"));
            continue;
        }
        if hook.manner.background {
            say(format!("`async` is Claude Code's, and {title} does not run it"));
            continue;
        }
        let lacking: Vec<Event> = hook.events.iter().copied().filter(|it| !of.has(*it)).collect();
        if !lacking.is_empty() {
            let names = Event::names(&lacking).join(", ");
            say(format!("{title} has no {names}, so it does not run there"));
        }
        let decides = |event: &Event| of.has(*event) && event.facts().block == Block::Permission;
        if !of.host.heeds.ask && asks(hook) && hook.events.iter().any(decides) {
            say(format!("{title} asks nobody, so it denies there where it would ask"));
        }
        let is_there = of.has(Event::PreCompact) && !of.host.lets_stop(Event::PreCompact);
        if is_there && refuses_compactions(hook) {
            say(format!("{title} compacts whatever a hook says, so it refuses nothing there"));
        }
    }
    found
}

/// Returns whether a hook may have the user asked, as far as its declaration says.
fn asks(hook: &Hook) -> bool {
    let options = serde_json::Value::Object((*hook.options).clone());
    hook.on_error == OnError::Ask || options.to_string().contains("\"ask\"")
}

/// Returns whether a hook may refuse a compaction, as far as its declaration says.
fn refuses_compactions(hook: &Hook) -> bool {
    let blocks = hook.options.get("block").is_some_and(|it| it != "never");
    hook.events.contains(&Event::PreCompact) && (hook.on_error != OnError::Open || blocks)
}

/// Says what the programs that the manifest names do not honour of its hooks.
pub(crate) fn warn(world: &World, target: &Target, layers: &Layers) {
    if target.local || target.managed().is_some() {
        return;
    }
    for of in FILES.iter().filter(|of| layers.committed.is_for(of.host.name)) {
        for Unhonoured { hook, what } in unhonoured(&layers.all, of) {
            world.terminal.warn(format!("warning: {hook}: {what}"));
        }
    }
}
