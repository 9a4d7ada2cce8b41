//! Switching hooks in a session: what the commands and typed prompts have in common.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::chains::{self, Chain, Loaded};
use super::{journal, sessions};
use crate::builtin::catalogue;
use crate::chain::plan::Plan;
use crate::client::payload::Payload;
use crate::machine::lock::Lock;
use crate::machine::paths::{Paths, real};
use crate::machine::{clock, files};
use crate::manifest::{Hook, Problems};
use crate::session::identity::safe_name;
use crate::session::names::{self, Found};
use crate::session::period;
use crate::session::request::{Request, Term, Verb};
use crate::session::switches::{Moment, Off, Switches};

/// What a switch needs to know of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switchable {
    /// Its name.
    pub name: String,
    /// One line on what it is for; a plan has none.
    pub summary: String,
    /// Where the manifest has it off for good.
    pub off_at: Option<String>,
    /// Whether only a person may switch it off.
    pub user_only: bool,
}

/// The chains that apply in a project, or outside of any.
pub fn chains_of(paths: &Paths, project: Option<&Path>) -> Vec<Chain> {
    let mut chains = vec![Chain::of_user(paths)];
    // A home directory that is a project has one manifest, and it is the user's.
    let of_project = project.map(Chain::of_project);
    let is_another = |chain: &Chain| real(&chain.manifest) != real(&chains[0].manifest);
    chains.extend(of_project.filter(is_another));
    chains
}

/// The nearest directory upwards with a manifest.
pub fn project_around(directory: &Path) -> Option<PathBuf> {
    let has_manifest = |folder: &&Path| {
        ["hookman.toml", "hookman.local.toml"]
            .iter()
            .any(|name| folder.join(".claude").join(name).is_file())
    };
    directory.ancestors().find(has_manifest).map(PathBuf::from)
}

/// The hooks that can be switched: those that run, so where a manifest cannot be read, those of its
/// last good version, with what is wrong with it.
///
/// # Errors
///
/// When a manifest cannot be read and nothing of it runs.
pub fn switchable(
    paths: &Paths,
    project: Option<&Path>,
) -> Result<(Vec<Switchable>, Vec<Problems>), Problems> {
    let mut found: Vec<Switchable> = Vec::new();
    let mut wrong = Vec::new();
    for chain in chains_of(paths, project) {
        let hooks = match chains::read(paths, &chain) {
            Ok(manifest) => of_manifest(manifest.map(|manifest| manifest.hooks)),
            Err(problems) => match chains::load(paths, &chain) {
                Loaded::LastGood(plan, _) => {
                    wrong.push(problems);
                    of_plan(&plan)
                }
                _ => return Err(problems),
            },
        };
        // A switch is for all hooks of its name.
        for hook in hooks {
            match found.iter_mut().find(|known| known.name == hook.name) {
                Some(known) => known.user_only |= hook.user_only,
                None => found.push(hook),
            }
        }
    }
    Ok((found, wrong))
}

fn of_manifest(hooks: Option<Vec<Hook>>) -> Vec<Switchable> {
    let off_at = |hook: &Hook| {
        (!hook.enabled).then(|| hook.origins.get("enabled").map(ToString::to_string)).flatten()
    };
    hooks
        .unwrap_or_default()
        .into_iter()
        .map(|hook| Switchable {
            off_at: off_at(&hook),
            user_only: hook.audience.user_only,
            name: hook.name,
            summary: hook.summary,
        })
        .collect()
}

fn of_plan(plan: &str) -> Vec<Switchable> {
    let hook = |(name, user_only): (&str, bool)| Switchable {
        name: name.to_owned(),
        summary: String::new(),
        off_at: None,
        user_only,
    };
    Plan::parse(plan).map(|plan| plan.hooks().map(hook).collect()).unwrap_or_default()
}

/// An answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What the user is told.
    pub text: String,
    /// Whether anything changed.
    pub changed: bool,
    /// Whether something of what was asked could not be done.
    pub failed: bool,
}

/// Finds the hooks that a request means.
///
/// # Errors
///
/// What to tell the user where it means none, or it is not clear which.
pub fn choose(
    hooks: &[Switchable],
    request: &Request,
    call: &str,
) -> std::result::Result<Vec<Switchable>, Reply> {
    let told = |failed, text: String| Err(Reply { text, changed: false, failed });
    let typed: Vec<&str> =
        request.hooks.iter().map(|typed| typed.trim()).filter(|typed| !typed.is_empty()).collect();
    if typed.is_empty() && !request.all {
        let list = available(hooks);
        return told(false, format!("{list}\nUsage: {call} [hook-name-or-partial]"));
    }
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    let mut meant: Vec<&str> = Vec::new();
    for typed in typed {
        let hits = match names::matching(typed, &names) {
            Some(hits) if hits.is_empty() => return told(true, no_match(hooks, typed, None, call)),
            Some(hits) => hits,
            None => match names::resolve(typed, &names) {
                Found::One(name) => vec![name],
                Found::Several(several) => {
                    let list: Vec<String> =
                        several.iter().map(|name| format!("  - {name}")).collect();
                    let list = list.join("\n");
                    return told(
                        true,
                        format!(
                            "🤔 Multiple hooks match '{typed}':\n{list}\n\
                             Be more specific: {call} [exact-name]"
                        ),
                    );
                }
                Found::None(nearest) => return told(true, no_match(hooks, typed, nearest, call)),
            },
        };
        meant.extend(hits);
    }
    let chosen = hooks.iter().filter(|hook| request.all || meant.contains(&hook.name.as_str()));
    let chosen: Vec<Switchable> = chosen.cloned().collect();
    if chosen.is_empty() {
        return told(true, available(hooks));
    }
    Ok(chosen)
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

/// The session that is switched, and on whose behalf.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Where things are.
    pub paths: &'a Paths,
    /// The session's id.
    pub session: &'a str,
    /// The directory the switch is made in.
    pub directory: &'a str,
    /// Whether a person asks, and not an agent's tool.
    pub person: bool,
    /// The profile that is switched, if it is one.
    pub profile: Option<&'a str>,
}

impl<'a> Scene<'a> {
    /// The session that a run is for.
    pub fn of_run(paths: &'a Paths, payload: &'a Payload<'_>) -> Self {
        let (session, directory) = (&*payload.session_id, &*payload.cwd);
        Self { paths, session, directory, person: false, profile: None }
    }
}

/// Switches hooks and says what came of it.
///
/// # Errors
///
/// When a time cannot be read, or the session's files cannot be read or written.
pub fn perform(
    scene: &Scene<'_>,
    verb: Verb,
    hooks: &[Switchable],
    request: &Request,
) -> Result<Reply> {
    let sample = off_of(scene, request)?;
    let now = moment(scene.paths, scene.session);
    let mut done = Vec::with_capacity(hooks.len());
    let changed = change(scene, |switches| {
        for hook in hooks {
            let refused = verb == Verb::Disable && hook.user_only && !scene.person;
            let changed = !refused
                && match verb {
                    Verb::Disable => switches
                        .disable(Off { hook: hook.name.clone(), ..sample.clone() }, now.at()),
                    _ => switches.enable(&hook.name, request.agent.as_deref(), now.at()),
                };
            done.push((refused, changed));
        }
        done.iter().any(|(_, changed)| *changed)
    })?;
    let scope = scope(&sample);
    let mut lines = changed.aside.into_iter().collect::<Vec<String>>();
    for (hook, (refused, changed)) in hooks.iter().zip(&done) {
        lines.push(sentence(verb, hook, (*refused, *changed), &scope));
        lines.extend(
            hook.off_at
                .iter()
                .map(|place| format!("It is off for good: enabled = false at {place}")),
        );
    }
    Ok(Reply {
        text: lines.join("\n"),
        changed: changed.written,
        failed: done.iter().any(|(refused, _)| *refused),
    })
}

fn sentence(
    verb: Verb,
    hook: &Switchable,
    (refused, changed): (bool, bool),
    scope: &str,
) -> String {
    let name = &hook.name;
    match (verb, refused, changed) {
        (_, true, _) => format!(
            "✋ Hook '{name}' can be switched off only by the user: as a prompt, \
             `/hook:disable {name}`, or in another terminal"
        ),
        (Verb::Disable, _, true) => format!("🔒 Disabled {name} {scope}"),
        (Verb::Disable, _, false) => format!("⚠️ Hook '{name}' is already disabled {scope}"),
        (_, _, true) => format!("✅ Re-enabled {name} {scope}"),
        (_, _, false) => format!("ℹ️ Hook '{name}' is not currently disabled {scope}"),
    }
}

/// For how long and for whom a switch is, in words.
pub fn scope(off: &Off) -> String {
    let length = match (&off.turn, off.until) {
        (Some(_), _) => "for this turn".to_owned(),
        (None, Some(until)) => format!("for this session until {}", clock::local(until)),
        (None, None) => "for this session".to_owned(),
    };
    let agent = off.agent.as_ref().map(|agent| format!(", in {agent} agents"));
    length + &agent.unwrap_or_default()
}

fn off_of(scene: &Scene<'_>, request: &Request) -> Result<Off> {
    let now = clock::unix_seconds();
    let (until, turn) = match &request.term {
        Term::Session => (None, None),
        Term::Turn => (None, Some(String::new())),
        Term::For(text) => match period::seconds(text).filter(|seconds| *seconds > 0) {
            Some(seconds) => (Some(now.saturating_add_unsigned(seconds)), None),
            None => bail!("--for takes a time such as 90s, 30m, 2h or 1d, not `{text}`"),
        },
        Term::Until(text) => match clock::next(text) {
            Some(until) if until > now => (Some(until), None),
            Some(_) => bail!("--until takes a time to come, and `{text}` has passed"),
            None => {
                bail!("--until takes a time such as 18:00 or 2026-01-31T18:00:00Z, not `{text}`")
            }
        },
    };
    Ok(Off {
        hook: String::new(),
        since: clock::stamp(),
        until,
        turn,
        agent: request.agent.clone(),
        profile: scene.profile.map(str::to_owned),
    })
}

/// Now, in a session.
#[derive(Clone, Debug)]
pub struct Now {
    seconds: i64,
    prompt: String,
}

impl Now {
    /// As switches are asked.
    pub fn at(&self) -> Moment<'_> {
        Moment { now: self.seconds, prompt: &self.prompt, agent: "" }
    }
}

/// The moment in a session, with the prompt that it was seen working on last.
pub fn moment(paths: &Paths, session: &str) -> Now {
    let prompt = journal::last(paths, session).map(|entry| entry.prompt.into_owned());
    Now { seconds: clock::unix_seconds(), prompt: prompt.unwrap_or_default() }
}

/// The file that holds a session's switches.
pub fn switches_file(paths: &Paths, session: &str) -> PathBuf {
    paths.session(&safe_name(session)).join("switches.json")
}

/// A session's switches as they are now, and whether their file was damaged.
///
/// # Errors
///
/// When the file cannot be read, or is not the user's alone.
pub fn switches(paths: &Paths, session: &str) -> Result<(Switches, bool)> {
    let path = switches_file(paths, session);
    let mut text = String::new();
    let found = files::read_own(&path, &mut text)
        .with_context(|| format!("failed to read `{}`", paths.shown(&path)))?;
    if !found {
        return Ok((Switches::default(), false));
    }
    Ok(Switches::parse(&text).map_or((Switches::default(), true), |switches| (switches, false)))
}

/// What a change of a session's switches came to.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// Whether the file was written.
    pub written: bool,
    /// What to tell the user of a damaged file.
    pub aside: Option<String>,
}

/// Changes a session's switches under a lock.
///
/// # Errors
///
/// When the file cannot be read or written.
pub fn change(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    let path = switches_file(scene.paths, scene.session);
    let _lock = Lock::take(&path.with_extension("lock"))?;
    let (mut switches, damaged) = switches(scene.paths, scene.session)?;
    let mut changed = Changed::default();
    if damaged {
        let aside = path.with_extension(format!("damaged-{}", clock::file_stamp()));
        fs::rename(&path, &aside).context("failed to set the damaged switches aside")?;
        changed.aside = Some(format!(
            "The session's switches were damaged; they are kept as {}",
            scene.paths.shown(&aside)
        ));
    }
    if !edit(&mut switches) {
        return Ok(changed);
    }
    scene.session.clone_into(&mut switches.session_id);
    scene.directory.clone_into(&mut switches.working_directory);
    if let Some(seen) = journal::last(scene.paths, scene.session) {
        switches.transcript_path = seen.transcript.into_owned();
    }
    switches.timestamp = clock::stamp();
    files::replace_private(&path, &switches.to_text()?)?;
    changed.written = true;
    Ok(changed)
}

/// Gives a session that goes on under a new id the switches of the one before, and tells a fork
/// what it does not have from the session it came from.
pub fn inherit(scene: &Scene<'_>, source: &str, client: u32) -> Option<String> {
    if !matches!(source, "clear" | "fork") {
        return None;
    }
    let before = sessions::before(scene.paths, client, scene.session)?;
    let (old, _) = switches(scene.paths, &before).ok()?;
    let now = moment(scene.paths, &before);
    let current: Vec<Off> = old.current(now.at()).cloned().collect();
    if current.is_empty() {
        return None;
    }
    if source == "fork" {
        let names: Vec<&str> = current.iter().map(|off| off.hook.as_str()).collect();
        return Some(format!(
            "hookman: all hooks are on in this fork; off in the session it came from: {}",
            names.join(", ")
        ));
    }
    // A session that cannot be given its switches has all hooks on, which is the safe side.
    let _ = change(scene, |switches| {
        let new = switches.disabled.is_empty();
        if new {
            switches.disabled = current;
        }
        new
    });
    None
}
