//! Which hooks are on and off in a session, and which layer decided.

use std::path::Path;

use anyhow::Result;

use super::chains;
use super::switching::{self, Scene};
use crate::machine::paths::Paths;
use crate::manifest::Hook;
use crate::session::switches::{Moment, Off, label};

/// Why a hook is on or off: the layers are asked in this order and the first that speaks decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// `enabled = false` in a manifest, at this place.
    Permanent(String),
    /// A switch of the session.
    Session(Off),
    /// The type of agent: off for these, on for the others. Each with what says so.
    Agent(Vec<(String, String)>),
    /// Nothing switches it off.
    On,
}

/// A hook and what decided.
#[derive(Clone, Debug)]
pub struct Row {
    /// `user` or `project`.
    pub scope: &'static str,
    /// The hook's name.
    pub hook: String,
    /// What decided.
    pub layer: Layer,
}

/// The hooks that are configured, in a session or outside of any.
#[derive(Clone, Debug)]
pub struct Report {
    /// The hooks.
    pub rows: Vec<Row>,
    /// The session's switches file, for people.
    pub file: Option<String>,
    /// Whether it is damaged.
    pub damaged: bool,
}

impl Report {
    /// Looks.
    ///
    /// # Errors
    ///
    /// When a manifest or the switches cannot be read.
    pub fn of(paths: &Paths, project: Option<&Path>, session: Option<&str>) -> Result<Self> {
        let (switches, damaged) = session
            .map(|session| switching::switches(paths, session))
            .transpose()?
            .unwrap_or_default();
        let now = switching::moment(paths, session.unwrap_or_default());
        let mut rows = Vec::new();
        for chain in switching::chains_of(paths, project) {
            let hooks = chains::read(paths, &chain)?.unwrap_or_default().hooks;
            rows.extend(hooks.into_iter().map(|hook| {
                let at = Moment { user_only: hook.audience.user_only, ..now.at() };
                let off = switches.off(chain.scope, &hook.name, at).cloned();
                let agents = switches.off_for_agents(chain.scope, &hook.name, at);
                let layer = layer(&hook, off, agents);
                Row { scope: chain.scope, layer, hook: hook.name }
            }));
        }
        let file = session.map(|session| paths.shown(&switching::switches_file(paths, session)));
        Ok(Self { rows, file, damaged })
    }

    /// The hooks as lines, and what is wrong with the session's file.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        if let (true, Some(file)) = (self.damaged, &self.file) {
            lines.push(format!("The switches in {file} are damaged, so nothing is switched"));
        }
        if self.rows.is_empty() {
            lines.push(
                "No hooks are configured here; `hookman install HOOK` adds a ready-made one"
                    .to_owned(),
            );
        }
        let names: Vec<String> = self.rows.iter().map(|row| self.name(row)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        for (row, name) in self.rows.iter().zip(&names) {
            let state = if row.layer.is_on() { "on" } else { "off" };
            let line = format!("  {name:width$}  {state:3}  {}", row.layer.why());
            lines.push(line.trim_end().to_owned());
        }
        lines.join("\n")
    }

    // A name that stands in both chains is told apart as it can be typed.
    fn name(&self, row: &Row) -> String {
        let stands_twice = self.rows.iter().filter(|other| other.hook == row.hook).count() > 1;
        label(stands_twice.then_some(row.scope), &row.hook)
    }
}

impl Layer {
    /// Whether the hook runs for the main agent.
    pub fn is_on(&self) -> bool {
        matches!(self, Self::On | Self::Agent(_))
    }

    /// Its name, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Permanent(_) => "permanent",
            Self::Session(_) => "session",
            Self::Agent(_) => "agent",
            Self::On => "on",
        }
    }

    /// The reason in words; nothing for a hook that is simply on.
    pub fn why(&self) -> String {
        match self {
            Self::Permanent(origin) => format!("for good, {origin}"),
            Self::Session(off) => {
                let profile = off.profile.as_ref().map(|it| format!(", by the profile {it}"));
                let scope = switching::scope(off);
                format!("{scope}, since {}{}", off.since, profile.unwrap_or_default())
            }
            Self::Agent(agents) => {
                let each: Vec<String> = agents
                    .iter()
                    .map(|(agent, why)| format!("off in {agent} agents, {why}"))
                    .collect();
                each.join("; ")
            }
            Self::On => String::new(),
        }
    }
}

fn layer<'a>(hook: &Hook, off: Option<Off>, agents: impl Iterator<Item = &'a Off>) -> Layer {
    if !hook.enabled {
        let origin = hook.origins.get("enabled").map(ToString::to_string);
        return Layer::Permanent(origin.unwrap_or_default());
    }
    if let Some(off) = off {
        return Layer::Session(off);
    }
    let switched =
        agents.filter_map(|off| Some((off.agent.clone()?, format!("since {}", off.since))));
    let origin = hook.origins.get("when").map(ToString::to_string).unwrap_or_default();
    let never = hook.audience.when.agent_not.iter().map(|agent| (agent.clone(), origin.clone()));
    let agents: Vec<(String, String)> = switched.chain(never).collect();
    if agents.is_empty() { Layer::On } else { Layer::Agent(agents) }
}

/// The answer to a typed `/hook:status`.
///
/// # Errors
///
/// When a manifest or the switches cannot be read.
pub fn report(scene: &Scene<'_>, project: Option<&Path>) -> Result<String> {
    let report = Report::of(scene.paths, project, Some(scene.session))?;
    Ok(format!("Session {}\n{}", scene.session, report.text()))
}
