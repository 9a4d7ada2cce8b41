//! The hooks that are on and off in a session, and the layer that decided.

use std::path::Path;

use anyhow::Result;

use super::careful::{self, Careful, Place};
use super::chains::{self, MANAGED};
use super::configured::{Obstacles, Uncalled};
use super::project_tools::Surroundings;
use super::session_switches::{self, Now};
use super::{Lost, Scene, configured, reply, sessions, switchable};
use crate::chain::Plan;
use crate::chain::condition::elsewhere;
use crate::client::host::CLAUDE;
use crate::client::permission_rule::Anchors;
use crate::machine::terminal::Paint;
use crate::machine::{Paths, Terminal, clock, environment};
use crate::manifest::Hook;
use crate::session::SessionId;
use crate::session::switches::{Moment, Off, label};

/// The reason why a hook is on or off: the layers are asked in this order and the first that speaks decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// `enabled = false` in a manifest, at this place.
    Permanent(String),
    /// The key of `when` by which it runs in no call of this project on this machine, and its place.
    Elsewhere {
        key: &'static str,
        origin: String,
    },
    /// The agent of the session never runs it, for a reason.
    Host {
        host: &'static str,
        why: String,
    },
    Session(Off),
    /// The type of agent: off for these, on for the others.
    Agent(Vec<ForAgent>),
    On,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForAgent {
    Switch(Off),
    Manifest {
        agent: String,
        origin: String,
    },
    /// `when` in a manifest, that names the only types it runs for; the main agent has none.
    Only {
        agents: Vec<String>,
        origin: String,
    },
}

#[derive(Clone, Debug)]
pub struct Row {
    /// `managed`, `user` or `project`.
    pub scope: &'static str,
    pub hook: String,
    pub layer: Layer,
    /// Set where it is on and an agent's settings do not call it whenever they should.
    pub uncalled: Option<Uncalled>,
    /// As [`configured::Configured::held`].
    pub held: Option<String>,
    /// The words for a hook that only watches, with the place where the manifest says so.
    pub watches: Option<String>,
}

/// The hooks that are configured, in a session or outside of any.
#[derive(Clone, Debug)]
pub struct Report {
    pub rows: Vec<Row>,
    /// The hooks that are off in the session and not configured where it works.
    pub unconfigured: Vec<Off>,
    pub file: Option<String>,
    pub damaged: bool,
    /// The mistakes of the manifests; their last good versions are shown, because these run.
    pub problems: Vec<String>,
}

impl Report {
    pub fn of(
        paths: &Paths,
        project: Option<&Path>,
        session: Option<&SessionId<'_>>,
        now: &Now,
    ) -> Result<Self> {
        let (switches, damaged) = session
            .map(|session| session_switches::switches(paths, session))
            .transpose()?
            .unwrap_or_default();
        let mut rows = Vec::new();
        let mut problems = Vec::new();
        let directory = environment::current_directory().unwrap_or_default();
        let directory = careful::project(paths, project.map(Path::to_owned), &directory);
        let directory = directory.to_string_lossy();
        let home = paths.home.as_deref().unwrap_or(Path::new("")).to_string_lossy();
        let here = Anchors { cwd: &directory, project: &directory, home: &home };
        for chain in chains::chains_of(paths, project) {
            let mut obstacles = Obstacles::default();
            let hooks = match chains::read(paths, &chain) {
                Ok(Some(manifest)) => {
                    obstacles = Obstacles::of(paths, &chain, &manifest, Path::new(&*directory));
                    problems.extend(obstacles.illegible.clone());
                    let named = manifest.hooks.iter().flat_map(|it| &it.audience.hosts);
                    let is_claudes = |it: &&'static str| *it == CLAUDE.name;
                    let is_of_one = manifest.hosts.iter().flatten().chain(named).all(is_claudes);
                    let host = session
                        .filter(|_| !is_of_one)
                        .and_then(|session| sessions::host(paths, session));
                    manifest.hooks.iter().map(|hook| Known::of(hook, here, host)).collect()
                }
                Ok(None) => {
                    problems.extend(Lost::of(paths, &chain).map(|lost| lost.text()));
                    Vec::new()
                }
                Err(wrong) => {
                    let plan = switchable::last_good(paths, &chain);
                    problems.push(switchable::broken(&wrong, plan.is_some()));
                    plan.map(|plan| Known::of_plan(&plan)).unwrap_or_default()
                }
            };
            rows.extend(hooks.into_iter().map(|hook| {
                let at = Moment { user_only: hook.user_only, ..now.at() };
                let layer = if chain.is_managed() {
                    layer(&hook, None, std::iter::empty())
                } else {
                    let off = switches.off(chain.scope, &hook.name, at).cloned();
                    layer(&hook, off, switches.off_for_agents(chain.scope, &hook.name, at))
                };
                let uncalled = obstacles.uncalled.remove(&hook.name);
                let (watches, held) = (hook.watches, obstacles.held.remove(&hook.name));
                Row { scope: chain.scope, layer, hook: hook.name, uncalled, held, watches }
            }));
        }
        let file =
            session.map(|session| paths.shown(&session_switches::switches_file(paths, session)));
        let is_row = |off: &Off| rows.iter().any(|row: &Row| row.hook == off.hook);
        let unconfigured = switches.current(now.at()).filter(|off| !is_row(off)).cloned().collect();
        Ok(Self { rows, unconfigured, file, damaged, problems })
    }

    /// The hooks as lines, with the files of switches where `is_verbose`, painted for a terminal.
    pub fn text(&self, is_verbose: bool, terminal: &Terminal) -> String {
        let file = self.file.as_deref().filter(|_| is_verbose);
        let mut lines = self.problems.clone();
        if let (true, Some(file)) = (self.damaged, &self.file) {
            let told = format!("{file} are damaged, so nothing is switched");
            lines.push(terminal.row("The switches in ", &told, 2));
        }
        if self.rows.is_empty() && self.unconfigured.is_empty() && self.problems.is_empty() {
            lines.push(
                "No hooks are configured here; `hookman install HOOK` adds a ready-made one"
                    .to_owned(),
            );
        }
        let names: Vec<String> = self.rows.iter().map(|row| self.name(row)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        for (row, name) in self.rows.iter().zip(&names) {
            let uncalled = row.uncalled.filter(|_| row.layer.is_on() && row.held.is_none());
            let held = row.held.as_ref().filter(|_| row.layer.is_on());
            let state = if uncalled.is_some() || held.is_some() {
                terminal.painted("on", Paint::Yellow) + " "
            } else if row.layer.is_on() {
                terminal.painted("on", Paint::Green) + " "
            } else {
                terminal.painted("off", Paint::Yellow)
            };
            let start = format!("  {name:width$}  {state}  ");
            let mut why = Self::told(&row.layer, file);
            let mut add = |more: String| {
                why = if why.is_empty() { more } else { format!("{why}; {more}") };
            };
            if row.scope == MANAGED {
                add("managed: only an administrator switches it".to_owned());
            }
            row.watches.iter().filter(|_| row.layer.is_on()).cloned().for_each(&mut add);
            if let Some(uncalled) = uncalled {
                add(format!("⚠ {}", uncalled.told()));
            }
            if let Some(held) = held {
                add(format!("⚠ {}", configured::told_of(held)));
            }
            lines.push(terminal.row(&start, &why, width + 9));
        }
        for off in &self.unconfigured {
            let why = Self::told(&Layer::Session(off.clone()), file);
            let start = format!("  {}  off  ", off.label());
            lines.push(terminal.row(&start, &format!("{why}; not configured here"), width + 9));
        }
        lines.join("\n")
    }

    /// The reason in words, with the places; nothing for a hook that is simply on.
    pub fn why(&self, layer: &Layer) -> String {
        Self::told(layer, self.file.as_deref())
    }

    fn told(layer: &Layer, file: Option<&str>) -> String {
        let file = file.map(|file| format!(", {file}")).unwrap_or_default();
        match layer {
            Layer::Permanent(origin) => format!("for good, {origin}"),
            Layer::Elsewhere { key, origin } => format!("here, by `when.{key}`, {origin}"),
            Layer::Host { host, why } => format!("in {host}: {why}"),
            Layer::Session(off) => {
                let profile = off.profile.as_ref().map(|it| format!(", by the profile {it}"));
                let (scope, since) = (reply::scope(off), reply::since(off));
                format!("{scope}, since {since}{}{file}", profile.unwrap_or_default())
            }
            Layer::Agent(agents) => {
                let each: Vec<String> = agents.iter().map(|agent| agent.why(&file)).collect();
                each.join("; ")
            }
            Layer::On => String::new(),
        }
    }

    /// The places where what decided is written.
    pub fn written_in(&self, layer: &Layer) -> Vec<String> {
        let file = || self.file.clone().unwrap_or_default();
        let mut places = match layer {
            Layer::Permanent(origin) | Layer::Elsewhere { origin, .. } => vec![origin.clone()],
            Layer::Session(_) => vec![file()],
            Layer::Agent(agents) => {
                agents.iter().map(|it| it.origin().unwrap_or_else(file)).collect()
            }
            Layer::Host { .. } | Layer::On => Vec::new(),
        };
        places.dedup();
        places
    }

    // A name that is in both chains has its scope in front, as it can be typed.
    fn name(&self, row: &Row) -> String {
        let stands_twice = self.rows.iter().filter(|other| other.hook == row.hook).count() > 1;
        label(stands_twice.then_some(row.scope), &row.hook)
    }
}

impl Layer {
    pub fn is_on(&self) -> bool {
        match self {
            Self::On => true,
            Self::Agent(agents) => !agents.iter().any(|it| matches!(it, ForAgent::Only { .. })),
            Self::Permanent(_) | Self::Elsewhere { .. } | Self::Host { .. } | Self::Session(_) => {
                false
            }
        }
    }

    /// The switches of the session that have the hook off, for everyone or for some agents.
    pub fn switches(&self) -> impl Iterator<Item = &Off> {
        let (own, agents) = match self {
            Self::Session(off) => (Some(off), &[][..]),
            Self::Agent(agents) => (None, &agents[..]),
            Self::Permanent(_) | Self::Elsewhere { .. } | Self::Host { .. } | Self::On => {
                (None, &[][..])
            }
        };
        own.into_iter().chain(agents.iter().filter_map(|it| match it {
            ForAgent::Switch(off) => Some(off),
            ForAgent::Manifest { .. } | ForAgent::Only { .. } => None,
        }))
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Permanent(_) => "permanent",
            Self::Elsewhere { .. } => "when",
            Self::Host { .. } => "host",
            Self::Session(_) => "session",
            Self::Agent(_) => "agent",
            Self::On => "on",
        }
    }
}

impl ForAgent {
    fn why(&self, file: &str) -> String {
        match self {
            Self::Manifest { agent, origin } => format!("off in {agent} agents, {origin}"),
            Self::Only { agents, origin } => {
                format!("only in {} agents, {origin}", agents.join(" and "))
            }
            Self::Switch(off) => {
                let agent = off.agent.as_deref().unwrap_or_default();
                let (length, since) = (reply::length(off), reply::since(off));
                format!("off in {agent} agents {length}, since {since}{file}")
            }
        }
    }

    /// Gives the place of the switch, if it is not among the session's.
    fn origin(&self) -> Option<String> {
        match self {
            Self::Manifest { origin, .. } | Self::Only { origin, .. } => Some(origin.clone()),
            Self::Switch(_) => None,
        }
    }
}

/// The facts about a hook without the session.
#[derive(Default)]
struct Known {
    name: String,
    user_only: bool,
    /// The words for a hook that only watches, with their place.
    watches: Option<String>,
    /// The place where the manifest has it off for good.
    off_at: Option<String>,
    /// The key of `when` by which it runs in no call of this project, and where that is said.
    elsewhere: Option<(&'static str, String)>,
    /// The session's agent, where that never runs it, and why.
    kept_out: Option<(&'static str, String)>,
    /// The types of agents it never runs in, and where that is said.
    agent_not: Vec<(String, String)>,
    /// The only types of agents it runs in, where those are named, and where that is said.
    agent: Option<(Vec<String>, String)>,
}

impl Known {
    fn of(hook: &Hook, here: Anchors<'_>, host: Option<&'static str>) -> Self {
        let origin = |key: &str| hook.origins.get(key).map(ToString::to_string).unwrap_or_default();
        let when = &hook.audience.when;
        let agents = when.agent_not.iter();
        Self {
            name: hook.name.clone(),
            user_only: hook.audience.user_only,
            watches: {
                let words = hook.manner.observe.words(clock::today);
                words.map(|words| format!("{words}, {}", origin("mode")))
            },
            off_at: (!hook.enabled).then(|| origin("enabled")),
            elsewhere: elsewhere(when, here, &Surroundings { host: CLAUDE.name })
                .map(|key| (key, origin("when"))),
            kept_out: host.and_then(|it| Some((it, configured::kept_out(hook, it)?))),
            agent_not: agents.map(|agent| (agent.clone(), origin("when"))).collect(),
            agent: (!when.agent.is_empty()).then(|| (when.agent.clone(), origin("when"))),
        }
    }

    // A plan has no hooks that are off for good, and a line for each event of a hook.
    fn of_plan(plan: &str) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let hooks = Plan::parse(plan);
        for (name, user_only) in hooks.iter().flat_map(Plan::hooks) {
            if found.iter().all(|known| known.name != name) {
                let name = name.to_owned();
                found.push(Self { name, user_only, ..Self::default() });
            }
        }
        found
    }
}

fn layer<'a>(hook: &Known, off: Option<Off>, agents: impl Iterator<Item = &'a Off>) -> Layer {
    if let Some(origin) = &hook.off_at {
        return Layer::Permanent(origin.clone());
    }
    if let Some((key, origin)) = &hook.elsewhere {
        return Layer::Elsewhere { key, origin: origin.clone() };
    }
    if let Some((host, why)) = &hook.kept_out {
        return Layer::Host { host, why: why.clone() };
    }
    if let Some(off) = off {
        return Layer::Session(off);
    }
    let by_manifest = hook.agent_not.iter().cloned();
    let by_manifest = by_manifest.map(|(agent, origin)| ForAgent::Manifest { agent, origin });
    let only = hook.agent.iter().cloned().map(|(agents, origin)| ForAgent::Only { agents, origin });
    let switched = agents.cloned().map(ForAgent::Switch);
    let agents: Vec<ForAgent> = only.chain(switched).chain(by_manifest).collect();
    if agents.is_empty() { Layer::On } else { Layer::Agent(agents) }
}

/// The answer to a typed `/hook:status`.
pub fn report(scene: &Scene<'_>, project: Option<&Path>) -> Result<String> {
    let report = Report::of(scene.paths, project, Some(&scene.session), &scene.moment())?;
    let place = Place::of(scene, project);
    let is_careful = careful::now(&place)?;
    let careful = if is_careful == Careful::default() {
        String::new()
    } else {
        format!("{}\n", careful::text(&place, &is_careful))
    };
    Ok(format!("Session {}\n{careful}{}", scene.session, report.text(false, &Terminal::keeping())))
}
