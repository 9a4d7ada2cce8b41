//! The other programs that call a manifest's hooks: their files, the entries, and what they cannot honour.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::entries::demands;
use super::in_json;
use crate::builtin::transcript::{self, Needed};
use crate::client::call;
use crate::client::event::{Block, Event};
use crate::client::host::files::{FILES, Files, Form};
use crate::client::host::{CLAUDE, HOSTS};
use crate::client::{Subject, matcher, tools};
use crate::install::adoption::parts::besides;
use crate::install::target::Target;
use crate::install::target::binary::{self, binary_path};
use crate::install::target::layers::Layers;
use crate::machine::world::World;
use crate::machine::{environment, files, paths, program};
use crate::manifest::{Action, Hook, Manifest, OnError};
use crate::settings::{Registration, wanted};
use crate::state::{Chain, chains, configured, host_files};
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
            bail!(no_file(name));
        } else {
            let all: Vec<&str> = known().chain([ALL]).collect();
            let hint = nearest(name, all.iter().copied())
                .map_or_else(|| format!("; there are {}", all.join(", ")), did_you_mean);
            bail!("hookman knows no agent `{name}`{hint}");
        }
    }
    Ok(in_order(&named))
}

fn no_file(name: &str) -> String {
    format!(
        "hookman writes no file for `{name}`, which runs the hooks of others: see docs/hosts.md"
    )
}

/// Says which programs that a manifest names have no file, so that naming them has no effect.
pub(crate) fn unserved(manifest: &Manifest) -> Vec<String> {
    let named = manifest.hosts.iter().flatten();
    let without = named.filter(|name| **name != CLAUDE.name && Files::of(name).is_none());
    without.map(|name| format!("`hosts`: {}", no_file(name))).collect()
}

/// The word for every program on this machine.
pub(crate) const ALL: &str = "all";

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
    let wanted = match (wanted, manifest.hosts.as_deref()) {
        ([], Some([])) => &[CLAUDE.name],
        ([], _) => return None,
        _ => wanted,
    };
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

/// The target of the one program of that name, as it is typed; `NAME:FILE` is another file of its hooks.
pub(crate) fn one(world: &World, of: &Target, name: &str) -> Result<Target> {
    if let Some((name, file)) = name.split_once(':') {
        let found = besides(world, &one(world, of, name)?);
        let found = found.into_iter().find(|it| it.settings.ends_with(file));
        return found.with_context(|| format!("{name} has no other file of hooks `{file}` there"));
    }
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
    let in_project = target.project.is_some();
    let Some(of) = host.host.filter(|of| layers.committed.is_for(of.host.name)) else {
        return Ok(None);
    };
    check(layers)?;
    if !host_files::has_file(&layers.committed, in_project, of) {
        return Ok(None);
    }
    let line = line(world, target, host, binary)?;
    Ok(Some(wanted::of_host(of, &demands(&layers.all.hooks, of.host), &line)))
}

pub(crate) fn targets(world: &World, of: &Target) -> Vec<Target> {
    FILES.iter().filter_map(|files| target(world, of, files)).collect()
}

/// The start of each line by which a program calls hookman, as it is spelled there, for its trust.
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

/// Returns whether a program's own file, no link to Claude Code's, calls hookman for this manifest.
pub(crate) fn calls(world: &World, host: &Target) -> bool {
    !lines(host).is_empty() && host.check_apart(world).is_ok() && !is_anothers(world, host)
}

/// Returns whether another manifest has a program call hookman by this file.
pub(crate) fn is_anothers(world: &World, host: &Target) -> bool {
    let is_asked_for = |owner: Chain| {
        let manifest = chains::read(&world.paths, &owner).ok().flatten().unwrap_or_default();
        host.host.is_some_and(|of| host_files::has_file(&manifest, host.project.is_some(), of))
    };
    owner(host).is_some_and(is_asked_for)
}

/// Says of each program whose file calls another manifest's hooks whose they are, and the way out.
pub(crate) fn of_others(world: &World, of: &Target, names: &[&str]) -> Vec<String> {
    let hosts = targets(world, of).into_iter();
    let told = |host: Target| {
        let name = host.host.map(|of| of.host.name).filter(|name| names.contains(name))?;
        let owner =
            owner(&host).filter(|_| !lines(&host).is_empty() && is_anothers(world, &host))?;
        let [file, manifest] = [&host.settings, &owner.manifest].map(|it| world.paths.shown(it));
        let folder = quoted(&owner.manifest.parent()?.to_string_lossy());
        Some(format!(
            "`{file}` calls the hooks of `{manifest}`; `CLAUDE_CONFIG_DIR={folder} hookman uninstall \
             --host {name}` takes its entries out"
        ))
    };
    hosts.filter_map(told).collect()
}

/// Says of each program whose file hookman cannot read but has its lines that they stay.
pub(crate) fn unreadable(world: &World, of: &Target, names: &[&str]) -> Vec<String> {
    let told = |host: Target| {
        let of = host.host.filter(|of| of.form != Form::Plugin && names.contains(&of.host.name))?;
        if is_anothers(world, &host) {
            return None;
        }
        let (name, title, shown) = (of.host.name, of.title, world.paths.shown(&host.settings));
        let text = files::read_text(&host.settings).ok().flatten()?;
        let has_ours = ["hookman", "--host", name].iter().all(|word| text.contains(word));
        (has_ours && host_files::value(&host.settings, &text).is_null()).then(|| {
            format!(
                "`{shown}` is no JSON that {title} or hookman can read, so hookman's lines stay there; correct it, then \
                 run `hookman uninstall --host {name}`"
            )
        })
    };
    targets(world, of).into_iter().filter_map(told).collect()
}

/// The chain of the nearest manifest above another program's file, if it is not the target's.
pub(crate) fn owner(host: &Target) -> Option<Chain> {
    host.host?;
    let file = paths::real(&host.settings);
    let project = host.project.as_deref().map(paths::real);
    let is_one = |folder: &&Path| {
        Some(*folder) == project.as_deref() || files::is_there(&Chain::of_project(folder).manifest)
    };
    let owner = file.ancestors().skip(1).find(is_one).map(Chain::of_project);
    owner.filter(|it| paths::real(&it.manifest) != paths::real(&host.chain.manifest))
}

/// The settings, with their files, by which programs that are to call hookman do not.
pub(crate) fn switched_off(world: &World, of: &Target, layers: &Layers) -> Vec<String> {
    let mut found = Vec::new();
    let is_users =
        |it: &PathBuf| paths::real(&it.join(".claude")) == paths::real(&world.paths.config);
    let around = configured::project().filter(|project| !is_users(project));
    let around = around.or_else(|| environment::current_directory().ok());
    for host in targets(world, of) {
        let main = &host.settings;
        let asked =
            |of: &&Files| host_files::has_file(&layers.committed, host.project.is_some(), of);
        let Some(of) = host.host.filter(asked) else { continue };
        let mut all = host_files::all(&world.paths, host.project.as_deref(), of);
        if let Some(around) = around.as_deref().filter(|_| host.project.is_none()) {
            all.extend(host_files::all(&world.paths, Some(around), of));
        }
        let mut seen = Vec::new();
        for file in all.into_iter().filter(|file| files::is_there(file)) {
            if seen.contains(&file) {
                continue;
            }
            let text = files::read_text(&file).ok().flatten().unwrap_or_default();
            let value = host_files::value(&file, &text);
            if let Some(at) = of.switched_off(&value, &file, file == *main) {
                let (shown, title) = (world.paths.shown(&file), of.title);
                found.push(format!("{shown}: `{at}` keeps {title} from running hookman's hooks"));
            }
            seen.push(file);
        }
    }
    found
}

pub(crate) fn lines(host: &Target) -> Vec<String> {
    host.host.map(|of| host_files::lines(of, &host.settings)).unwrap_or_default()
}

pub(crate) fn programs(host: &Target) -> Vec<PathBuf> {
    let programs = lines(host).into_iter().filter_map(|line| call::program(&line));
    programs.map(PathBuf::from).filter(|path| path.is_absolute()).collect()
}

/// Refuses gates on events that a program does not have or lets no hook stop, as they would be open there.
fn check(layers: &Layers) -> Result<()> {
    let manifest = &layers.all;
    let called = FILES.iter().filter(|of| layers.committed.is_for(of.host.name));
    let called: Vec<&'static Files> = called.collect();
    let told = |hook: &Hook| {
        let is_there = |of: &&&'static Files| hooks(std::slice::from_ref(hook), of).count() > 0;
        let what = called.iter().filter(is_there).find_map(|of| open_gate(hook, of))?;
        let place = hook.origin().map(|origin| format!("{}: ", origin.place())).unwrap_or_default();
        let way = match line_without(manifest, hook, &|of| open_gate(hook, of).is_some()) {
            Some(line) => {
                format!("give the hook a line {line}, which leaves out who cannot hold it")
            }
            None => "take the hook out, as no agent of the manifest can hold it".to_owned(),
        };
        Some(format!("{place}{what}; {way}"))
    };
    let all: Vec<String> = manifest.hooks.iter().filter_map(told).collect();
    if all.is_empty() { Ok(()) } else { bail!(all.join("\n")) }
}

/// Says that a hook is a gate on an event that a program does not have or lets no hook stop.
fn open_gate(hook: &Hook, of: &Files) -> Option<String> {
    // A request for a permission comes after the call it is about.
    let is_held = |event: Event| {
        of.has(event) && of.host.lets_stop(event)
            || event.facts().block == Block::Never
            || event == Event::PermissionRequest && hook.events.contains(&Event::PreToolUse)
    };
    let is_open = |event: &&Event| hook.on_error == OnError::Closed && !is_held(**event);
    let (name, title) = (&hook.name, of.title);
    if hook.on_error == OnError::Closed && unread(hook, of) == Some(Needed::Decision) {
        return Some(format!(
            "`{name}` is a gate that reads Claude Code's transcript, and hookman does not read that of {title}, so it \
             would be open there"
        ));
    }
    if hook.on_error == OnError::Closed
        && let Some(own) = unhit(hook, of)
    {
        return Some(format!(
            "`{name}` is a gate on a tool that {title} calls `{own}`, which its matcher does not hit, so it would \
             be open there"
        ));
    }
    let event = hook.events.iter().find(is_open)?;
    let why = if of.has(*event) { "lets no hook stop" } else { "does not have" };
    Some(format!("`{name}` is a gate on {event}, which {title} {why}, so it would be open there"))
}

/// The line that leaves programs which cannot honour a hook out of it; `None` where none is left.
pub(crate) fn line_without(
    manifest: &Manifest,
    hook: &Hook,
    cannot: &dyn Fn(&'static Files) -> bool,
) -> Option<String> {
    let can =
        |name: &str| name == CLAUDE.name || Files::of(name).is_some_and(|files| !cannot(files));
    let named = manifest.hosts.clone().unwrap_or_else(|| vec![CLAUDE.name]);
    let left = named.into_iter().filter(|name| hook.audience.includes(name) && can(name));
    let left: Vec<String> = left.map(|name| format!("\"{name}\"")).collect();
    (!left.is_empty()).then(|| format!("`hosts = [{}]`", left.join(", ")))
}

/// A part of a hook that a program does not honour, and what is done instead.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unhonoured<'m> {
    pub(crate) hook: &'m Hook,
    /// The fact and its consequence, in words.
    pub(crate) what: String,
    /// True if it is a gate, which is open there.
    pub(crate) is_open: bool,
}

/// Lists the parts of hooks that a program does not honour.
pub(crate) fn unhonoured<'m>(manifest: &'m Manifest, of: &'static Files) -> Vec<Unhonoured<'m>> {
    let mut found = Vec::new();
    let title = of.title;
    for hook in hooks(&manifest.hooks, of) {
        let mut say = |what: String| found.push(Unhonoured { hook, what, is_open: false });
        if let Some(passed) = hook.passed() {
            let kind = passed.handler.name();
            say(format!("Claude Code runs it itself (`{kind}`), and {title} does not"));
            continue;
        }
        if hook.manner.background {
            say(format!("`async` is Claude Code's, and {title} does not run it"));
            continue;
        }
        if let Some(what) = open_gate(hook, of) {
            found.push(Unhonoured { hook, what, is_open: true });
            continue;
        }
        let lacking: Vec<Event> = hook.events.iter().copied().filter(|it| !of.has(*it)).collect();
        if !lacking.is_empty() {
            let names = Event::names(&lacking).join(", ");
            say(format!("{title} has no {names}, so it does not run there"));
        }
        if let Some(what) = no_tool(hook, of) {
            say(what);
        }
        if !of.host.heeds.terminal && rings_only(hook) {
            say(format!(
                "a hook of {title} has no terminal to ring, so nobody sees the notice there; `desktop = true` has the \
                 desktop show it"
            ));
        }
        if let Some(needed) = unread(hook, of) {
            let so = match needed {
                Needed::Decision => "it does not decide by it there",
                Needed::Text => "its text has nothing of it there",
            };
            say(format!("hookman does not read the transcript of {title}, so {so}"));
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

/// Returns whether a hook gives notices, and by the terminal alone.
fn rings_only(hook: &Hook) -> bool {
    let option = |name: &str| hook.options.get(name).cloned().unwrap_or_default();
    matches!(&hook.action, Action::Builtin { kind, .. } if kind == "notify")
        && option("message").as_str().is_some_and(|it| !it.is_empty())
        && option("desktop") != true
        && option("command").as_array().is_none_or(Vec::is_empty)
        && option("terminal").as_array().is_none_or(|it| !it.is_empty())
}

/// The parts of a hook that need a transcript, where a program gives none that hookman reads.
fn unread(hook: &Hook, of: &Files) -> Option<Needed> {
    let Action::Builtin { kind, .. } = &hook.action else { return None };
    transcript::needed(kind, &hook.options).filter(|_| !of.host.heeds.transcript)
}

/// The name that a program with plugins has for a tool of an MCP server, where a matcher hits the one of others alone.
fn unhit(hook: &Hook, of: &Files) -> Option<String> {
    let matcher = hook.matcher.as_deref().filter(|_| of.form == Form::Plugin)?;
    let is_of_tools = |event: &&Event| of.has(**event) && event.facts().subject == Subject::Tool;
    let event = *hook.events.iter().find(is_of_tools)?;
    let is_word =
        |own: &String| own.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it));
    let own = |name: &str| {
        let own = name.strip_prefix("mcp__")?.replacen("__", "_", 1);
        Some(own).filter(is_word).or(Some("SERVER_TOOL".to_owned()))
    };
    let hits = |tool: &String| matcher::matches(Some(matcher), event, Some(tool));
    matcher.split('|').filter_map(own).find(|own| !hits(own))
}

/// Says that a matcher names tools, and none that hookman knows in a program.
fn no_tool(hook: &Hook, of: &Files) -> Option<String> {
    let is_of_tools = |event: &&Event| of.has(**event) && event.facts().subject == Subject::Tool;
    let event = *hook.events.iter().find(is_of_tools)?;
    let matcher = hook.matcher.as_deref()?;
    let hits = |tool: &str| matcher::matches(Some(matcher), event, Some(tool));
    if let Some(own) = unhit(hook, of) {
        let title = of.title;
        return Some(format!(
            "`{matcher}` does not hit `{own}`, as {title} calls the tool, so it may not run there; name both"
        ));
    }
    if of.tools().any(hits) || matcher.contains("mcp") {
        return None;
    }
    let own = of.host.tools.iter().find(|(theirs, _)| hits(theirs));
    let way = own.map(|(_, ours)| format!("; hookman's word is `{ours}`")).unwrap_or_default();
    let is_known = own.is_some() || tools::KNOWN.iter().any(|tool| hits(tool));
    is_known.then(|| {
        let title = of.title;
        format!(
            "`{matcher}` names no tool of {title} that hookman knows, so it may not run there{way}"
        )
    })
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
