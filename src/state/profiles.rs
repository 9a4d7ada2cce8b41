//! Profiles: hooks that are switched off together in a session.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::bail;

use super::chains::{self, chains_of};
use super::reply::{self, Done};
use super::{Reply, Scene, Switchable, session_switches, switchable, switching};
use crate::machine::Paths;
use crate::manifest::Problems;
use crate::session::Verb;
use crate::session::request::{Request, Term};
use crate::session::switches::{SCOPES, label};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// The chain whose manifest declares it, `user` or `project`.
    pub scope: &'static str,
    /// The hooks it switches off: names, parts of names or patterns.
    pub disable: Vec<String>,
}

/// The profiles of the manifests, the user's first, and what to say of one that cannot be read.
pub fn profiles(
    paths: &Paths,
    project: Option<&Path>,
) -> Result<(Vec<Profile>, Vec<String>), Problems> {
    let mut found = Vec::new();
    let mut told = Vec::new();
    let mut unknown = None;
    // No profile reaches what an administrator has everybody run.
    for chain in chains_of(paths, project).into_iter().filter(|it| !it.is_managed()) {
        let manifest = match chains::read(paths, &chain) {
            Ok(manifest) => manifest.unwrap_or_default(),
            Err(problems) => {
                told.push(format!(
                    "the manifest cannot be read, so none of its profiles is known\n{problems}"
                ));
                unknown.get_or_insert(problems);
                continue;
            }
        };
        found.extend(manifest.profiles.into_iter().map(|(name, disable)| Profile {
            name,
            scope: chain.scope,
            disable,
        }));
    }
    match unknown {
        Some(problems) if found.is_empty() => Err(problems),
        _ => Ok((found, told)),
    }
}

/// The profiles as lines; what is wrong where there are none.
pub fn listed(profiles: &[Profile]) -> String {
    if profiles.is_empty() {
        return "No profiles; `[profiles.quiet]` with `disable = [\"HOOK\"]` makes one".to_owned();
    }
    let line = |it: &Profile| {
        let is_twice = profiles.iter().any(|other| other.name == it.name && other != it);
        let name = label(is_twice.then_some(it.scope), &it.name);
        format!("{name}: {}", it.disable.join(", ")).trim_end().to_owned()
    };
    profiles.iter().map(line).collect::<Vec<String>>().join("\n")
}

/// The profile to be switched: for each manifest that declares it, its name and its hooks.
#[derive(Clone, Debug)]
pub struct Chosen {
    parts: Vec<(String, Vec<Switchable>)>,
    /// The parts of it that do not apply here, as lines for the user.
    left_out: Vec<String>,
}

/// Finds a profile, also as `user:NAME` or `project:NAME`, and its hooks, a project's in its own chain.
pub fn choose(profiles: &[Profile], hooks: &[Switchable], name: &str) -> anyhow::Result<Chosen> {
    let name = name.trim();
    let is_meant = |it: &&Profile| {
        it.name.eq_ignore_ascii_case(name)
            || label(Some(it.scope), &it.name).eq_ignore_ascii_case(name)
    };
    let meant: Vec<&Profile> = profiles.iter().filter(is_meant).collect();
    if meant.is_empty() {
        let known: BTreeSet<&str> = profiles.iter().map(|it| it.name.as_str()).collect();
        let known: Vec<&str> = known.into_iter().collect();
        match known.as_slice() {
            [] => bail!("no profile `{name}`; the manifest has no [profiles.NAME]"),
            known => bail!("no profile `{name}`; there are {}", known.join(", ")),
        }
    }
    let mut chosen = Chosen { parts: Vec::new(), left_out: Vec::new() };
    for profile in &meant {
        let title = label((meant.len() > 1).then_some(profile.scope), &profile.name);
        if profile.disable.is_empty() {
            chosen
                .left_out
                .push(format!("the profile `{title}` names no hook: its `disable` is empty"));
            continue;
        }
        let within = if profile.scope == "user" {
            hooks.to_vec()
        } else {
            hooks.iter().filter_map(|hook| hook.only_in(profile.scope)).collect()
        };
        let is_known = |typed: &&String| {
            let request = Request { hooks: vec![(*typed).clone()], ..Request::default() };
            switchable::choose(&within, &request, "hookman disable")
                .map_err(|reply| {
                    let why = reply.text;
                    chosen.left_out.push(format!("the profile `{title}`: {why}"));
                })
                .is_ok()
        };
        let known: Vec<String> = profile.disable.iter().filter(is_known).cloned().collect();
        let request = Request { hooks: known, ..Request::default() };
        if !request.hooks.is_empty()
            && let Ok(hooks) = switchable::choose(&within, &request, "hookman disable")
        {
            chosen.parts.push((profile.name.clone(), hooks));
        }
    }
    if chosen.parts.is_empty() {
        bail!("{}", chosen.left_out.join("\n"));
    }
    Ok(chosen)
}

pub fn disable(scene: &Scene<'_>, chosen: &Chosen, term: &Term) -> anyhow::Result<Reply> {
    let request = Request { term: term.clone(), ..Request::default() };
    let mut replies = Vec::new();
    // What begins together also ends together, though a second may pass between.
    let now = scene.moment();
    for (name, hooks) in &chosen.parts {
        let scene = Scene { profile: Some(name), ..scene.clone() };
        replies.push(switching::perform_at(&scene, &now, Verb::Disable, hooks, &request)?);
    }
    let left_out = chosen.left_out.iter().map(String::as_str);
    let text: Vec<&str> = left_out.chain(replies.iter().map(|it| it.text.as_str())).collect();
    Ok(Reply {
        text: text.join("\n"),
        changed: replies.iter().any(|reply| reply.changed),
        failed: replies.iter().any(|reply| reply.failed),
        stays_off: !chosen.left_out.is_empty(),
        hooks: replies.into_iter().flat_map(|reply| reply.hooks).collect(),
    })
}

/// Switches on again what the profile `name` or any switched off, of the hooks `known`; the rest stays off.
pub fn end(scene: &Scene<'_>, name: Option<&str>, known: &[Switchable]) -> anyhow::Result<Reply> {
    let now = session_switches::moment(scene.paths, &scene.session);
    let name = name.map(str::trim);
    let mut lines: Vec<String> = Vec::new();
    let mut on: Vec<String> = Vec::new();
    let mut hooks: Vec<Done> = Vec::new();
    let mut stays_off = false;
    let changed = session_switches::change(scene, |switches| {
        on.extend(switches.current(now.at()).filter_map(|off| off.profile.clone()));
        let before = switches.disabled.len();
        for off in switches.end_profiles(name, now.at()) {
            let mut others = switches.current(now.at());
            let left = others.find(|it| it.hook == off.hook && it.overlaps(&off));
            let hook = off.label();
            let result = if left.is_some() { "still-disabled" } else { "enabled" };
            hooks.push(Done::of(left.unwrap_or(&off).clone(), result));
            lines.push(match left {
                Some(left) => format!("ℹ️ Hook '{hook}' stays off {}", reply::scope(left)),
                None => format!("✅ Re-enabled {hook} for this session"),
            });
            let meant = known.iter().filter(|it| it.name == off.hook);
            let only = SCOPES.into_iter().find(|scope| off.scope.as_deref() == Some(*scope));
            let meant =
                meant.filter_map(|it| only.map_or(Some(it.clone()), |scope| it.only_in(scope)));
            for hook in meant.filter(|_| left.is_none()) {
                let kept = switching::kept_off(Verb::Enable, &hook);
                stays_off |= !kept.is_empty() && kept.len() == hook.places.len();
                lines.extend(kept);
            }
        }
        switches.disabled.len() != before
    })?;
    let mut text: Vec<String> = changed.aside.iter().map(|aside| format!("The {aside}")).collect();
    on.sort();
    on.dedup();
    if lines.is_empty() {
        lines.push(match (name, on.as_slice()) {
            (_, []) | (None, _) => "ℹ️ No profile is on in this session".to_owned(),
            (Some(name), on) => {
                format!("ℹ️ The profile '{name}' is not on in this session; on: {}", on.join(", "))
            }
        });
    }
    // Two profiles may have had one hook off.
    lines.dedup();
    text.extend(lines);
    let text = text.join("\n");
    Ok(Reply { text, changed: changed.written, hooks, stays_off, ..Reply::default() })
}
