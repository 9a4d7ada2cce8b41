//! Switching hooks in a session: what the commands and typed prompts have in common.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::chains::Chain;
use super::switchable::{Place, Switchable};
use super::{journal, sessions};
use crate::client::payload::Payload;
use crate::machine::lock::Lock;
use crate::machine::paths::{Paths, real};
use crate::machine::{clients, clock, files};
use crate::session::identity::safe_name;
use crate::session::period;
use crate::session::request::{Request, Term, Verb};
use crate::session::switches::{Moment, Off, SCOPES, Switches, TURN_WITHOUT_PROMPT, label};

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

/// An answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What the user is told.
    pub text: String,
    /// Whether anything changed.
    pub changed: bool,
    /// Whether something of what was asked could not be done.
    pub failed: bool,
    /// What came of it hook by hook.
    pub hooks: Vec<Done>,
}

/// What came of a request for one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The hook.
    pub hook: String,
    /// The chain, where only that in one was meant.
    pub scope: Option<String>,
    /// `disabled`, `already-disabled`, `enabled`, `not-disabled`, `still-disabled` or `refused`.
    pub result: &'static str,
    /// For how long and for whom it is or was asked for.
    pub term: Off,
}

impl Done {
    /// What came of a switch of a hook that `off` describes.
    pub fn of(off: Off, result: &'static str) -> Self {
        Self { hook: off.hook.clone(), scope: off.scope.clone(), result, term: off }
    }
}

fn result(verb: Verb, (refused, changed): (bool, bool)) -> &'static str {
    match (verb, refused, changed) {
        (_, true, _) => "refused",
        (Verb::Disable, _, true) => "disabled",
        (Verb::Disable, _, false) => "already-disabled",
        (_, _, true) => "enabled",
        (_, _, false) => "not-disabled",
    }
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
    /// The prompt as which the switch is typed, or empty.
    pub prompt: &'a str,
    /// Whether it is a run's, which the client waits for.
    pub is_run: bool,
}

impl<'a> Scene<'a> {
    /// The session that a run is for.
    pub fn of_run(paths: &'a Paths, payload: &'a Payload<'_>) -> Self {
        let (session, directory) = (&*payload.session_id, &*payload.cwd);
        Self { paths, session, directory, person: false, profile: None, prompt: "", is_run: true }
    }
}

impl Scene<'_> {
    /// The moment a switch is made in, or asked about.
    pub fn moment(&self) -> Now {
        if self.prompt.is_empty() {
            return moment(self.paths, self.session);
        }
        moment_in(self.prompt.to_owned())
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
    perform_at(scene, &scene.moment(), verb, hooks, request)
}

/// As [`perform`], at one moment for several that belong together.
///
/// # Errors
///
/// As [`perform`].
pub fn perform_at(
    scene: &Scene<'_>,
    now: &Now,
    verb: Verb,
    hooks: &[Switchable],
    request: &Request,
) -> Result<Reply> {
    let sample = off_of(scene, request, now)?;
    let mut done = Vec::with_capacity(hooks.len());
    let changed = change(scene, |switches| {
        for hook in hooks {
            let fenced = hook.is_user_only() && !scene.person;
            let refused = verb == Verb::Disable && (fenced || hook.passed().is_some());
            let agent = request.agent.as_deref();
            let changed = !refused
                && match verb {
                    Verb::Disable => switches.disable(off(hook, &sample), now.at()),
                    _ => switches.enable(hook.scope, &hook.name, agent, now.at()),
                };
            let left = match agent {
                Some(_) if verb == Verb::Enable => off_for_all(switches, hook, now.at()),
                _ => None,
            };
            let at = Moment { user_only: hook.is_user_only(), ..now.at() };
            let is_layered = changed && scene.profile.is_some();
            let beside =
                is_layered.then(|| off_beside(switches, &off(hook, &sample), at)).flatten();
            done.push((refused, changed, left, beside));
        }
        done.iter().any(|(_, changed, ..)| *changed)
    })?;
    let scope = scope(&sample);
    let mut lines =
        changed.aside.iter().map(|aside| format!("The {aside}")).collect::<Vec<String>>();
    let mut results = Vec::with_capacity(hooks.len());
    for (hook, (refused, changed, left, beside)) in hooks.iter().zip(&done) {
        lines.push(sentence(verb, hook, (*refused, *changed), &scope));
        results.push(Done::of(off(hook, &sample), result(verb, (*refused, *changed))));
        lines.extend(left.as_ref().map(|left| {
            let name = hook.label();
            format!("It stays off {left}, for everyone; `enable {name}` without --agent ends that")
        }));
        lines.extend(beside.as_ref().map(|it| format!("Beside the profile it is off {it}")));
        if *changed && hook.places.len() > 1 {
            let [one, other] = SCOPES.map(|scope| label(Some(scope), &hook.name));
            lines.push(format!("It is in both chains; `{one}` and `{other}` switch them apart"));
        }
        lines.extend(hook.places.iter().filter_map(|place| off_for_good(verb, hook, place)));
    }
    Ok(Reply {
        text: lines.join("\n"),
        changed: changed.written,
        failed: done.iter().any(|(refused, ..)| *refused),
        hooks: results,
    })
}

/// What no switch of a session changes, and what does.
fn off_for_good(verb: Verb, hook: &Switchable, place: &Place) -> Option<String> {
    let at = place.off_at.as_ref()?;
    let told = format!("It is off for good: enabled = false at {at}");
    let (name, is_local) = (&hook.name, at.contains("hookman.local.toml:"));
    Some(match (verb, place.scope) {
        (Verb::Enable, "project") if is_local => format!("{told}; take that out to switch it on"),
        (Verb::Enable, "project") => {
            format!("{told}; `hookman enable {name} --permanent --project` switches it on")
        }
        (Verb::Enable, _) => format!("{told}; `hookman enable {name} --permanent` switches it on"),
        _ => told,
    })
}

/// How long a switch for everyone has a hook off, in words, where there is one.
fn off_for_all(switches: &Switches, hook: &Switchable, moment: Moment<'_>) -> Option<String> {
    let moment = Moment { user_only: hook.is_user_only(), ..moment };
    let mut places = hook.places.iter();
    places.find_map(|place| switches.off(place.scope, &hook.name, moment)).map(scope)
}

/// What else than the profile of `own` has a hook off for everyone, and how long, in words.
fn off_beside(switches: &Switches, own: &Off, moment: Moment<'_>) -> Option<String> {
    let mut others = switches.current(moment).filter(|off| {
        off.overlaps(own)
            && off.hook == own.hook
            && off.agent.is_none()
            && off.profile != own.profile
    });
    let other = others.next()?;
    let by =
        other.profile.as_ref().map_or("by hand".to_owned(), |it| format!("by the profile {it}"));
    Some(format!("{}, {by}", scope(other)))
}

fn off(hook: &Switchable, sample: &Off) -> Off {
    Off { hook: hook.name.clone(), scope: hook.scope.map(str::to_owned), ..sample.clone() }
}

fn sentence(
    verb: Verb,
    hook: &Switchable,
    (refused, changed): (bool, bool),
    scope: &str,
) -> String {
    let name = &hook.label();
    if let (true, Some(handler)) = (refused, hook.passed()) {
        return format!(
            "✋ Hook '{name}' is of type {handler}: the client runs it, so hookman cannot mute it \
             for a session. `hookman disable {name} --permanent` and `hookman apply` take it out"
        );
    }
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
    let length = length(off);
    let agent = off.agent.as_ref().map(|agent| format!(", in {agent} agents"));
    length + &agent.unwrap_or_default()
}

/// For how long a switch is, in words.
pub fn length(off: &Off) -> String {
    match (&off.turn, off.until) {
        (Some(_), _) => "for this turn".to_owned(),
        (None, Some(until)) => format!("for this session until {}", clock::local(until)),
        (None, None) => "for this session".to_owned(),
    }
}

/// Since when a switch holds, for people.
pub fn since(off: &Off) -> String {
    clock::seconds(&off.since).map_or_else(|| off.since.clone(), clock::local)
}

fn off_of(scene: &Scene<'_>, request: &Request, moment: &Now) -> Result<Off> {
    let now = moment.seconds;
    let (until, turn) = match &request.term {
        Term::Session => (None, None),
        Term::Turn => {
            let end = now.saturating_add(TURN_WITHOUT_PROMPT);
            (moment.prompt.is_empty().then_some(end), Some(String::new()))
        }
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
        scope: None,
        since: clock::stamp(),
        until,
        typed_as: turn
            .as_ref()
            .filter(|_| !scene.prompt.is_empty())
            .map(|_| scene.prompt.to_owned()),
        turn,
        agent: request.agent.clone(),
        profile: scene.profile.map(str::to_owned),
        person: scene.person,
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
        Moment { now: self.seconds, prompt: &self.prompt, ..Moment::default() }
    }
}

/// The moment in a session, with the prompt that it was seen working on last.
pub fn moment(paths: &Paths, session: &str) -> Now {
    let prompt = journal::last(paths, session).map(|entry| entry.prompt.into_owned());
    moment_in(prompt.unwrap_or_default())
}

/// The moment in a session that works on `prompt`, or empty where that is not known.
pub fn moment_in(prompt: String) -> Now {
    Now { seconds: clock::unix_seconds(), prompt }
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
    let found = read(&path).with_context(|| format!("failed to read `{}`", paths.shown(&path)))?;
    Ok(match found {
        Found::Nothing => (Switches::default(), false),
        Found::Switches(switches) => (switches, false),
        Found::Damaged(_) => (Switches::default(), true),
    })
}

/// What a switches file holds.
pub(super) enum Found {
    /// There is none.
    Nothing,
    /// Switches.
    Switches(Switches),
    /// What hookman did not write, and why.
    Damaged(String),
}

/// Reads a switches file.
///
/// # Errors
///
/// When it cannot be read, or is not the user's alone.
pub(super) fn read(path: &Path) -> io::Result<Found> {
    let mut text = String::new();
    match files::read_own(path, &mut text) {
        Ok(false) => Ok(Found::Nothing),
        Ok(true) => Ok(Switches::parse(&text)
            .map_or_else(|error| Found::Damaged(error.to_string()), Found::Switches)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Ok(Found::Damaged(error.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// What a change of a session's switches came to.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// Whether the file was written.
    pub written: bool,
    /// What to tell the user of a damaged file, without the article.
    pub aside: Option<String>,
}

/// Changes a session's switches under a lock.
///
/// # Errors
///
/// When the file cannot be read or written, or another process keeps it for too long.
pub fn change(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    if scene.is_run {
        return change_soon(scene, edit);
    }
    let _lock = Lock::take(&switches_file(scene.paths, scene.session).with_extension("lock"))?;
    change_locked(scene, edit)
}

/// As [`change`], for a run, which does not wait for long.
///
/// # Errors
///
/// When the file cannot be read or written, or another process keeps it.
pub fn change_soon(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    let lock = switches_file(scene.paths, scene.session).with_extension("lock");
    let _lock = Lock::take_within(&lock, WAIT)?;
    change_locked(scene, edit)
}

/// How long a run waits for another process that changes the session's switches.
const WAIT: Duration = Duration::from_millis(250);

fn change_locked(scene: &Scene<'_>, edit: impl FnOnce(&mut Switches) -> bool) -> Result<Changed> {
    let path = switches_file(scene.paths, scene.session);
    let (mut switches, damaged) = switches(scene.paths, scene.session)?;
    let mut changed = Changed::default();
    if damaged {
        let aside = path.with_extension(format!("damaged-{}", clock::file_stamp()));
        files::rename(&path, &aside).context("failed to set the damaged switches aside")?;
        changed.aside = Some(format!(
            "session's switches were damaged and no longer hold; they are kept as {}",
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
        if !seen.project.is_empty() {
            switches.project = seen.project.into_owned();
        }
    }
    switches.timestamp = clock::stamp();
    files::replace_private(&path, &switches.to_text()?)?;
    changed.written = true;
    Ok(changed)
}

/// Gives a session that goes on under a new id the switches of the one before, and tells a fork
/// what it does not have from the session it came from.
pub fn inherit(scene: &Scene<'_>, source: &str, client: u32) -> Option<String> {
    let before = match source {
        "clear" => sessions::before(scene.paths, client, scene.session)?,
        "fork" | "resume" => sessions::forked_from(scene.paths, client, scene.session, source)?,
        _ => return None,
    };
    let (old, _) = switches(scene.paths, &before).ok()?;
    let now = moment(scene.paths, &before);
    let mut current: Vec<Off> = old.current(now.at()).cloned().collect();
    if current.is_empty() {
        return None;
    }
    if source != "clear" {
        let names: Vec<String> = current.iter().map(Off::label).collect();
        return Some(format!(
            "all hooks are on in this fork; off in the session it came from: {}",
            names.join(", ")
        ));
    }
    // Only the client's own word that a session goes on brings what a person switched in another.
    let is_told = clients::is_called_by_client(&scene.paths.config);
    for off in &mut current {
        off.person &= is_told;
    }
    // A session that cannot be given its switches has all hooks on, which is the safe side.
    let _ = change_soon(scene, |switches| {
        let new = switches.disabled.is_empty();
        if new {
            switches.disabled = current;
        }
        new
    });
    None
}
