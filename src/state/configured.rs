//! The hooks that are configured here: an administrator's, the user's, and those of the project around.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::reply::Done;
use super::{Chain, Lost, Reply, careful, chains, host_files, pins, switchable};
use crate::builtin::run_after_edit::offer;
use crate::chain::{Plan, relative};
use crate::client::Event;
use crate::client::call::LAUNCHER;
use crate::client::host::files::{FILES, Files};
use crate::client::host::{CLAUDE, HOSTS};
use crate::client::settings_schema;
use crate::machine::{Paths, World, environment, files};
use crate::manifest::{Action, Hook, Manifest, OnError};
use crate::session::Verb;
use crate::settings::own_handlers;
use crate::syntax::json::{Document, is_blank};

pub struct Configured {
    /// `managed`, `user` or `project`.
    pub scope: &'static str,
    pub hook: Hook,
    /// Set where it is on and an agent's settings do not call it whenever they should.
    pub uncalled: Option<Uncalled>,
    /// The reason why it does not run, if any: nobody has seen it, no agent has it, its program is gone.
    pub held: Option<String>,
    pub hosts: Vec<&'static str>,
}

/// A hook that an agent's settings do not call whenever they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncalled {
    /// The argument with which `apply` registers it.
    pub flag: &'static str,
    /// True if they call it for some of its events or tools.
    pub in_part: bool,
    /// True if the client ignores the file that calls it.
    pub is_ignored: bool,
}

/// The obstacles that keep hooks of a chain from running as its manifest has them, by their names.
#[derive(Default)]
pub struct Obstacles {
    pub uncalled: BTreeMap<String, Uncalled>,
    /// As [`Configured::held`].
    pub held: BTreeMap<String, String>,
    /// As [`illegible`], where an entry is missing.
    pub illegible: Option<String>,
}

impl Obstacles {
    pub fn of(paths: &Paths, chain: &Chain, manifest: &Manifest, here: &Path) -> Self {
        let uncalled = uncalled(paths, chain, manifest);
        let illegible = (!uncalled.is_empty()).then(|| illegible(paths, chain)).flatten();
        let (flag, is_ignored) = (chain.apply_flag(), illegible.is_some());
        let told = |(hook, in_part)| (hook, Uncalled { flag, in_part, is_ignored });
        let mut held = unable(paths, chain, manifest, here);
        held.extend(idle(paths, chain, manifest));
        Self { uncalled: uncalled.into_iter().map(told).collect(), held, illegible }
    }
}

impl Uncalled {
    pub fn told(self) -> String {
        if self.is_ignored {
            return "not in force: the client ignores its settings file".to_owned();
        }
        format!("{}; `hookman apply{}` registers it", Self::words(self.in_part), self.flag)
    }

    pub const fn words(in_part: bool) -> &'static str {
        if in_part {
            "registered for some of its calls only, and does not run for the others"
        } else {
            "not registered, so it does not run"
        }
    }
}

/// The hooks of an administrator's chain, then those of the user's, then those of the project's. Fails when
/// a manifest cannot be read; the message has every problem in it.
pub fn hooks(world: &World) -> Result<Vec<Configured>> {
    let mut found = Vec::new();
    let here = environment::current_directory().unwrap_or_default();
    let here = careful::project(&world.paths, project(), &here);
    for chain in chains(world) {
        if let Some(manifest) = chains::read(&world.paths, &chain)? {
            let scope = chain.scope;
            let mut obstacles = Obstacles::of(&world.paths, &chain, &manifest, &here);
            let hosts = manifest.hosts.unwrap_or_else(|| vec![CLAUDE.name]);
            found.extend(manifest.hooks.into_iter().map(|hook| {
                let uncalled = obstacles.uncalled.remove(&hook.name);
                let mut hosts = hosts.clone();
                hosts.retain(|host| kept_out(&hook, host).is_none());
                let held = obstacles.held.remove(&hook.name);
                Configured { scope, hook, uncalled, held, hosts }
            }));
        }
    }
    Ok(found)
}

/// The enabled hooks of a chain that a person has to see first, or no agent of the manifest runs, and why.
pub fn held(paths: &Paths, chain: &Chain, manifest: &Manifest) -> BTreeMap<String, String> {
    let mut held = pins::held(paths, chain, &manifest.hooks);
    let is_absent = |hook: &&Hook| hook.package.as_ref().is_some_and(|it| it.absent.is_some());
    let mut absent = manifest.hooks.iter().filter(is_absent).peekable();
    let plan = absent.peek().and_then(|_| switchable::last_good(paths, chain)).unwrap_or_default();
    let running: Vec<&str> = Plan::parse(&plan).iter().flat_map(Plan::running).collect();
    for hook in absent.filter(|hook| running.contains(&&*hook.name)) {
        let flag = chain.flag();
        let why =
            format!("{EARLIER}; `hookman trust{flag}` fetches this one and shows what is new");
        held.entry(hook.name.clone()).and_modify(|it| *it = why);
    }
    held.extend(homeless(chain, manifest));
    held
}

/// The words about a hook of a package whose version in the manifest is not here, while an earlier one runs.
pub const EARLIER: &str = "runs in its earlier version";

/// The words about a hook that is held for this reason, behind its name.
pub fn told_of(why: &str) -> String {
    if why.starts_with(EARLIER) { why.to_owned() } else { format!("does not run: {why}") }
}

/// The hooks that are on and whose `hosts` leave all agents of the manifest out, by name, with the reason.
pub fn homeless(chain: &Chain, manifest: &Manifest) -> BTreeMap<String, String> {
    let is_in_none = |hook: &&Hook| hook.enabled && !has_host(manifest, hook);
    let why = |hook: &Hook| {
        let (flag, name) = (chain.flag(), hook.audience.hosts.first().unwrap_or(&CLAUDE.name));
        let why = format!(
            "its `hosts` names no agent that its manifest is for; `hookman install --host {name}{flag}` adds one"
        );
        (hook.name.clone(), why)
    };
    manifest.hooks.iter().filter(is_in_none).map(why).collect()
}

/// The reason why an agent never runs a hook, where that is so.
pub fn kept_out(hook: &Hook, host: &str) -> Option<String> {
    if !hook.audience.includes(host) {
        let origin = hook.origins.get("hosts").map(|it| format!(", {it}")).unwrap_or_default();
        return Some(format!("its `hosts` leaves it out{origin}"));
    }
    let of = Files::of(host)?;
    if let Some(passed) = hook.passed() {
        return Some(format!("only Claude Code runs type {}", passed.handler.name()));
    }
    if hook.manner.background {
        return Some("only Claude Code runs `async`".to_owned());
    }
    let has_none = !hook.events.iter().any(|event| of.has(*event));
    has_none.then(|| format!("it has no {}", Event::names(&hook.events).join(", ")))
}

/// Adds to a reply which of the hooks that were named the agent of the session never runs.
pub fn add_never_run(
    paths: &Paths,
    project: Option<&Path>,
    host: &str,
    verb: Verb,
    reply: &mut Reply,
) {
    for Done { hook: name, scope, result, .. } in &reply.hooks {
        let mut whys = Vec::new();
        for chain in chains::chains_of(paths, project) {
            let manifest = chains::read(paths, &chain).ok().flatten().unwrap_or_default();
            let is_meant = scope.as_ref().is_none_or(|it| it == chain.scope);
            let hook = manifest.hooks.iter().find(|it| is_meant && it.name == *name);
            // What no agent runs is said of a hook that is switched on, too.
            let is_told = verb == Verb::Enable && hook.is_some_and(|it| !has_host(&manifest, it));
            whys.extend(hook.filter(|_| !is_told).map(|hook| kept_out(hook, host)));
        }
        let whys: Option<Vec<String>> = whys.into_iter().collect();
        if let Some(why) = whys.iter().flatten().next().filter(|_| *result != "refused") {
            write!(reply.text, "\n⚠ {name} never runs in {host}: {why}").ok();
            reply.stays_off = true;
        }
    }
}

/// As [`held`], and those that do not run as the project's launcher is gone.
pub fn idle(paths: &Paths, chain: &Chain, manifest: &Manifest) -> BTreeMap<String, String> {
    let mut held = held(paths, chain, manifest);
    if let Some(why) = without_launcher(paths, chain) {
        let is_called =
            |it: &&Hook| it.enabled && it.passed().is_none() && it.audience.includes(CLAUDE.name);
        for hook in manifest.hooks.iter().filter(is_called) {
            held.entry(hook.name.clone()).or_insert_with(|| why.clone());
        }
    }
    held
}

/// The enabled hooks of a chain that cannot work in `here`, as a program or a tool is missing, and why.
pub fn unable(
    paths: &Paths,
    chain: &Chain,
    manifest: &Manifest,
    here: &Path,
) -> BTreeMap<String, String> {
    let of = |hook: &Hook| match &hook.action {
        Action::Builtin { kind, .. } if kind == offer::KIND => {
            let is_project = paths.home.as_deref() != Some(here);
            let (names, true) = offer::missing(&hook.options, here) else { return None };
            let is_any = is_project && !names.is_empty();
            is_any.then(|| {
                format!("the project configures {}, and there is no such program", names.join(", "))
            })
        }
        action => {
            let of_manifest = || chain.manifest.parent().unwrap_or(&chain.manifest);
            let directory = match &hook.package {
                Some(package) if !package.foreign => Path::new(&*package.root),
                Some(_) => return None,
                None if hook.manner.adopted => Path::new(""),
                None => of_manifest(),
            };
            let program = relative::path(action, directory).filter(|it| it.is_absolute())?;
            let is_gone = matches!(program.try_exists(), Ok(false));
            is_gone.then(|| {
                let blocks = match hook.on_error {
                    OnError::Closed => ", and each call that it is asked about is blocked",
                    _ => "",
                };
                format!("there is no file `{}`{blocks}", paths.shown(&program))
            })
        }
    };
    let on = manifest.hooks.iter().filter(|hook| hook.enabled);
    on.filter_map(|hook| Some((hook.name.clone(), of(hook)?))).collect()
}

/// Says that the launcher which the entries of a project's settings call cannot be started.
fn without_launcher(paths: &Paths, chain: &Chain) -> Option<String> {
    let launcher = chain.project()?.join(".claude/hookman");
    let calls = |path: &PathBuf| {
        let text = files::read_text(path).ok().flatten().unwrap_or_default();
        let handlers = Document::parse(&text).map(|it| own_handlers(&it)).unwrap_or_default();
        let lines: Vec<&str> =
            handlers.iter().filter_map(|it| it.get("command")?.as_str()).collect();
        lines.iter().any(|line| line.starts_with(LAUNCHER))
    };
    if files::is_executable(&launcher) || !chain.settings().iter().any(calls) {
        return None;
    }
    let (shown, is_there) = (paths.shown(&launcher), launcher.is_file());
    Some(if is_there {
        format!(
            "{shown}, which the settings call, may not be run; `hookman doctor --fix` mends that"
        )
    } else {
        format!(
            "{shown}, which the settings call, is not there; `hookman apply --project` writes it"
        )
    })
}

pub fn has_host(manifest: &Manifest, hook: &Hook) -> bool {
    HOSTS.iter().any(|it| manifest.is_for(it.name) && hook.audience.includes(it.name))
}

/// The enabled hooks that a program's settings do not call as they should; true for some of their calls.
pub fn uncalled(paths: &Paths, chain: &Chain, manifest: &Manifest) -> BTreeMap<String, bool> {
    let mut uncalled = BTreeMap::new();
    let mut add = |hook: &Hook, host: &str, in_part| {
        if hook.enabled && hook.audience.includes(host) {
            let kept = uncalled.entry(hook.name.clone()).or_insert(in_part);
            *kept &= in_part;
        }
    };
    let project = chain.project();
    if manifest.is_for(CLAUDE.name) {
        let is_heeded = |text: &str| {
            Document::parse(text).is_ok_and(|it| settings_schema::drops("", &it).is_empty())
        };
        let entries = chains::entries_of(chain, is_heeded);
        let of_claude = entries.uncalled(&manifest.hooks);
        for hook in of_claude {
            add(hook, CLAUDE.name, entries.call_in_part(hook));
            let is_for = |of: &&Files| {
                host_files::runs_claudes(manifest, project.is_some(), of)
                    && host_files::calls(of, hook)
                    && hook.events.iter().all(|event| of.has(*event))
            };
            if let Some(of) = FILES.iter().find(is_for) {
                add(hook, of.host.name, entries.call_in_part(hook));
            }
        }
    }
    for of in FILES.iter().filter(|of| host_files::has_file(manifest, project.is_some(), of)) {
        let file = host_files::file(paths, project, of);
        // There is an entry for each event, or none.
        if file.is_none_or(|file| host_files::lines(of, &file).is_empty()) {
            for hook in &manifest.hooks {
                add(hook, of.host.name, false);
            }
        }
    }
    uncalled
}

/// The sentence about settings of a chain that the client ignores as a whole.
pub fn illegible(paths: &Paths, chain: &Chain) -> Option<String> {
    chain.settings().iter().find_map(|path| {
        let text = files::read_text(path).ok().flatten().filter(|text| !is_blank(text))?;
        let (shown, flag) = (paths.shown(path), chain.apply_flag());
        match Document::parse(&text) {
            Ok(document) => settings_schema::drops(&shown, &document).into_iter().next(),
            Err(error) => Some(format!(
                "{shown} is not JSON: {error}. Correct it by hand, then run `hookman apply{flag}`"
            )),
        }
    })
}

pub fn none(world: &World) -> String {
    let chains = chains(world);
    let manifests: Vec<String> = chains
        .iter()
        .flat_map(Chain::files)
        .filter(|path| path.exists())
        .map(|path| world.paths.shown(path))
        .collect();
    let lost = chains.iter().filter_map(|chain| Lost::of(&world.paths, chain));
    let lost: Vec<String> = lost.map(|lost| lost.text()).collect();
    match manifests.as_slice() {
        _ if !lost.is_empty() => lost.join("\n"),
        [] => "No hooks are configured here; `hookman install` makes a manifest".to_owned(),
        [one] => format!("No hooks are configured here: {one} declares none"),
        several => format!("No hooks are configured here: {} declare none", several.join(" and ")),
    }
}

pub fn chains(world: &World) -> Vec<Chain> {
    chains::chains_of(&world.paths, project().as_deref())
}

/// The project: what the client says, else the nearest directory upwards with a manifest.
pub fn project() -> Option<PathBuf> {
    if let Some(project) = environment::raw("CLAUDE_PROJECT_DIR") {
        return Some(PathBuf::from(project));
    }
    chains::project_around(&environment::current_directory().ok()?)
}
