//! The hooks that a request means: their names, and the facts that a switch needs of them.

use std::path::Path;

use anyhow::Result;

use super::chains::{self, Loaded, MANAGED, chains_of};
use super::{Chain, Lost, Reply, session_switches};
use crate::builtin::catalogue;
use crate::chain::Plan;
use crate::machine::Paths;
use crate::manifest::{Hook, Problems};
use crate::session::SessionId;
use crate::session::names::{self, Found};
use crate::session::request::Request;
use crate::session::switches::{SCOPES, label};

/// The hook, or the hooks, of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switchable {
    pub name: String,
    /// Its name behind that of its package, where it has one.
    in_package: Option<String>,
    /// One line on what it is for; a plan has none.
    pub summary: String,
    /// The one chain that is meant where the name is in both.
    pub scope: Option<&'static str>,
    pub places: Vec<Declaration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub scope: &'static str,
    /// The place where the manifest has it off for good.
    pub off_at: Option<String>,
    /// True if only a person may switch it off.
    pub user_only: bool,
    /// The type of its handler, where the client runs it without hookman.
    pub passed: Option<&'static str>,
    /// True if its `hosts` names the agents that run it.
    pub has_hosts: bool,
}

impl Switchable {
    /// A hook that nothing but its name is known of; `scope` is one of [`SCOPES`].
    pub fn named(name: &str, scope: Option<&str>) -> Self {
        let scope = SCOPES.into_iter().find(|known| Some(*known) == scope);
        let (name, summary) = (name.to_owned(), String::new());
        Self { name, in_package: None, summary, scope, places: Vec::new() }
    }

    pub fn label(&self) -> String {
        label(self.scope, &self.name)
    }

    pub fn is_user_only(&self) -> bool {
        self.places.iter().any(|place| place.user_only)
    }

    /// The type of its handler, where the client runs it without hookman in every chain that is meant.
    pub fn passed(&self) -> Option<&'static str> {
        let mut places =
            self.places.iter().filter(|place| self.scope.is_none_or(|it| it == place.scope));
        let first = places.next()?.passed?;
        places.all(|place| place.passed.is_some()).then_some(first)
    }

    /// Returns whether it is an administrator's alone, in the chains that are meant.
    pub fn is_managed(&self) -> bool {
        let mut places =
            self.places.iter().filter(|place| self.scope.is_none_or(|it| it == place.scope));
        places.next().is_some_and(|it| it.scope == MANAGED) && places.all(|it| it.scope == MANAGED)
    }

    // A plan has a line for each event of a hook.
    fn add(&mut self, hook: Self) {
        for place in hook.places {
            if self.places.iter().all(|known| known.scope != place.scope) {
                self.places.push(place);
            }
        }
    }

    /// The hook in one chain and no other, if it is there.
    pub fn only_in(&self, scope: &'static str) -> Option<Self> {
        let places: Vec<Declaration> =
            self.places.iter().filter(|place| place.scope == scope).cloned().collect();
        (!places.is_empty()).then(|| Self { places, scope: Some(scope), ..self.clone() })
    }

    /// The hook of one chain alone, where its name is in both.
    fn within(mut self, scope: Option<&'static str>) -> Self {
        if let (Some(scope), true) = (scope, self.places.len() > 1) {
            self.places.retain(|place| place.scope == scope);
            self.scope = Some(scope);
        }
        self
    }
}

/// The hooks that can be switched, of a broken manifest those of its last good plan, with words for the
/// user; a chain that is unknown does not keep the other's from being switched.
pub fn switchable(
    paths: &Paths,
    project: Option<&Path>,
) -> std::result::Result<(Vec<Switchable>, Vec<String>), Problems> {
    let mut found: Vec<Switchable> = Vec::new();
    let mut told = Vec::new();
    let mut unknown = None;
    for chain in chains_of(paths, project) {
        let hooks = match chains::read(paths, &chain) {
            Ok(manifest) => {
                if manifest.is_none() {
                    told.extend(Lost::of(paths, &chain).map(|lost| lost.text()));
                }
                manifest.unwrap_or_default().hooks.into_iter().map(of_hook(chain.scope)).collect()
            }
            Err(problems) => {
                let plan = last_good(paths, &chain);
                told.push(broken(&problems, plan.is_some()));
                match plan {
                    Some(plan) => of_plan(&plan, chain.scope),
                    None => {
                        unknown.get_or_insert(problems);
                        Vec::new()
                    }
                }
            }
        };
        for hook in hooks {
            match found.iter_mut().find(|known| known.name == hook.name) {
                Some(known) => known.add(hook),
                None => found.push(hook),
            }
        }
    }
    match unknown {
        Some(problems) if found.is_empty() => Err(problems),
        _ => Ok((found, told)),
    }
}

/// Gives the hooks that run of a chain whose manifest cannot be read.
pub fn last_good(paths: &Paths, chain: &Chain) -> Option<String> {
    match chains::load(paths, chain) {
        Loaded::LastGood(plan, _) => Some(plan),
        _ => None,
    }
}

/// Gives the message about a manifest that cannot be read.
pub fn broken(problems: &Problems, has_last_good: bool) -> String {
    let what =
        if has_last_good { "its last good version is used" } else { "none of its hooks runs" };
    format!("the manifest cannot be read, so {what}\n{problems}")
}

fn of_hook(scope: &'static str) -> impl Fn(Hook) -> Switchable {
    move |hook| {
        let off_at = hook.origins.get("enabled").map(ToString::to_string).filter(|_| !hook.enabled);
        let passed = hook.passed().map(|passed| passed.handler.name());
        let (user_only, has_hosts) = (hook.audience.user_only, !hook.audience.hosts.is_empty());
        let places = vec![Declaration { scope, off_at, user_only, passed, has_hosts }];
        let in_package = hook.in_package();
        Switchable { name: hook.name, in_package, summary: hook.summary, scope: None, places }
    }
}

fn of_plan(plan: &str, scope: &'static str) -> Vec<Switchable> {
    let hook = |(name, user_only): (&str, bool)| Switchable {
        places: vec![Declaration {
            scope,
            off_at: None,
            user_only,
            passed: None,
            has_hosts: false,
        }],
        ..Switchable::named(name, None)
    };
    Plan::parse(plan).map(|plan| plan.hooks().map(hook).collect()).unwrap_or_default()
}

/// Adds what is off in a session and not among its hooks, as after a renaming.
pub fn add_switched(
    hooks: &mut Vec<Switchable>,
    paths: &Paths,
    session: &SessionId<'_>,
) -> Result<()> {
    let (switches, _) = session_switches::switches(paths, session)?;
    let now = session_switches::moment(paths, session);
    for off in switches.current(now.at()) {
        if hooks.iter().all(|hook| hook.name != off.hook) {
            let summary = "switched off in this session and not configured here".to_owned();
            hooks.push(Switchable { summary, ..Switchable::named(&off.hook, None) });
        }
    }
    Ok(())
}

pub fn choose(
    hooks: &[Switchable],
    request: &Request,
    call: &str,
) -> std::result::Result<Vec<Switchable>, Reply> {
    let told = |failed, text: String| Err(Reply { text, failed, ..Reply::default() });
    let typed: Vec<&str> =
        request.hooks.iter().map(|typed| typed.trim()).filter(|typed| !typed.is_empty()).collect();
    if typed.is_empty() && !request.all {
        let list = available(hooks);
        return told(false, format!("{list}\nUsage: {call} [hook-name-or-partial]"));
    }
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let mut meant: Vec<(Option<&'static str>, &str)> = Vec::new();
    for typed in typed {
        let (scope, part) = scoped(typed, &names);
        let names: Vec<&str> = hooks
            .iter()
            .filter(|hook| {
                let is_there = |scope| hook.places.iter().any(|place| place.scope == scope);
                hook.places.is_empty() || scope.is_none_or(is_there)
            })
            .map(|hook| hook.name.as_str())
            .collect();
        let is_of = |hook: &&Switchable| hook.in_package.as_deref() == Some(part);
        let part = hooks.iter().find(is_of).map_or(part, |hook| &hook.name);
        let hits = match names::matching(part, &names) {
            Some(hits) if hits.is_empty() => return told(true, no_match(hooks, typed, None, call)),
            Some(hits) => hits,
            None => match names::resolve(part, &names) {
                Found::One(name) => vec![name],
                Found::Several(several) => return told(true, too_many(typed, &several, call)),
                Found::None(nearest) => return told(true, no_match(hooks, typed, nearest, call)),
            },
        };
        meant.extend(hits.into_iter().map(|hit| (scope, hit)));
    }
    let chosen: Vec<Switchable> = hooks
        .iter()
        .filter_map(|hook| {
            let mut of_hook = meant.iter().filter(|(_, name)| *name == hook.name);
            let first = of_hook.next().map(|(scope, _)| *scope);
            let both = request.all || of_hook.any(|(scope, _)| Some(*scope) != first);
            if both { Some(hook.clone()) } else { Some(hook.clone().within(first?)) }
        })
        .collect();
    if chosen.is_empty() {
        return told(true, available(hooks));
    }
    Ok(chosen)
}

/// The chain in front of a name, as in `project:lint`, and the rest; a hook may be called so itself.
fn scoped<'a>(typed: &'a str, names: &[&str]) -> (Option<&'static str>, &'a str) {
    let of = |scope: &'static str| {
        let (start, rest) = typed.split_once(':')?;
        (start.eq_ignore_ascii_case(scope) && !rest.trim().is_empty())
            .then_some((Some(scope), rest))
    };
    let is_name = names.iter().any(|name| name.eq_ignore_ascii_case(typed));
    SCOPES.into_iter().find_map(of).filter(|_| !is_name).unwrap_or((None, typed))
}

fn too_many(typed: &str, several: &[&str], call: &str) -> String {
    let list: Vec<String> = several.iter().map(|name| format!("  - {name}")).collect();
    let list = list.join("\n");
    format!("🤔 Multiple hooks match '{typed}':\n{list}\nBe more specific: {call} [exact-name]")
}

fn no_match(hooks: &[Switchable], typed: &str, nearest: Option<&str>, call: &str) -> String {
    let mut lines = vec![format!("❌ No hook found matching '{typed}'")];
    lines.extend(nearest.map(|name| format!("Did you mean '{name}'?")));
    if let Found::One(name) = names::resolve(typed, catalogue::names()) {
        lines.push(format!(
            "{name} is ready-made and not configured here; `hookman install {name}` adds it"
        ));
    }
    lines.push(available(hooks));
    if !hooks.is_empty() {
        lines.push(format!("Try: {call} [exact-name-from-above]"));
    }
    lines.join("\n")
}

fn available(hooks: &[Switchable]) -> String {
    if hooks.is_empty() {
        return "No hooks are configured here; `hookman install HOOK` adds a ready-made one"
            .to_owned();
    }
    let width = hooks.iter().map(|hook| hook.name.chars().count()).max();
    let lines = hooks.iter().map(|hook| match hook.summary.as_str() {
        "" => format!("  {}", hook.name),
        summary => format!("  {:1$} - {summary}", hook.name, width.unwrap_or_default()),
    });
    let list: Vec<String> = lines.collect();
    format!("Available hooks for this project:\n{}", list.join("\n"))
}
