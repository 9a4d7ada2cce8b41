//! The reason why hooks did or did not run, as far as the journal and the manifests tell.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::switching::all_off;
use crate::builtin::silence::Silence;
use crate::client::Event;
use crate::machine::{World, clock, files};
use crate::runtime::debug::{self, Asked, Reasons, Told};
use crate::state::chains::{MANAGED, project_around};
use crate::state::journal::{self, Entry};
use crate::state::{Chain, Configured, StepEntry, configured, journal_files};

/// The hook of a name, or of part of one, that is configured here.
pub(super) fn configured(typed: &str, world: &World) -> Result<Option<Configured>> {
    use crate::session::names::{Found, resolve};
    let mut hooks = configured::hooks(world)?;
    let names: Vec<&str> = hooks.iter().map(|it| it.hook.name.as_str()).collect();
    let Found::One(name) = resolve(typed, &names) else { return Ok(None) };
    let at = names.iter().position(|it| *it == name);
    Ok(at.map(|at| hooks.swap_remove(at)))
}

/// Explains why a hook never ran, in lines: the first says that, the others are the reasons.
pub(super) fn lines(configured: &Configured, world: &World) -> Vec<String> {
    let mut lines =
        vec![format!("{} has not run, as far back as the journal goes", configured.hook.name)];
    lines.extend(reasons_now(configured, None, world));
    lines
}

/// Explains why a hook did not run since a run that it had a part in, in lines; none where nothing came.
pub(super) fn since(configured: &Configured, run: &Entry<'_>, world: &World) -> Vec<String> {
    reasons_now(configured, Some(&run.time), world)
}

/// Says that the journal cannot be written, so that it is silent about what runs.
fn unkept(world: &World) -> Option<String> {
    let error = files::check_writable(&world.paths.journal()).err()?;
    Some(format!("the journal cannot be kept: {error}; `hookman doctor` says what to do"))
}

pub(super) fn empty(world: &World) -> String {
    unkept(world).unwrap_or_else(|| {
        "the client has not called hookman yet; `hookman doctor` says whether it would".to_owned()
    })
}

fn reasons_now(configured: &Configured, after: Option<&str>, world: &World) -> Vec<String> {
    let Configured { hook, scope, uncalled, held, .. } = configured;
    let name = &hook.name;
    let mut lines: Vec<String> = unkept(world).into_iter().collect();
    if let Some(passed) = hook.passed().filter(|_| hook.enabled) {
        let kind = passed.handler.name();
        lines
            .push(format!("it is of type {kind}: the client runs it, and hookman does not see it"));
        return lines;
    }
    if !hook.enabled {
        let at = hook.origins.get("enabled").map(|at| format!(" ({at})")).unwrap_or_default();
        lines.push(format!(
            "it is off for good: enabled = false{at}; `hookman enable {name} --permanent` switches it on"
        ));
    }
    lines.extend(uncalled.map(|it| format!("it is {}", it.told())));
    if *scope != MANAGED {
        lines.extend(all_off(world, configured::project().as_deref()));
    }
    lines.extend(held.iter().map(|why| format!("it does not run: {why}")));
    for event in &hook.events {
        let found = last(*event, scope, after, world);
        lines.extend(match (found, after) {
            (None, None) => Some(format!("no {event} has come yet")),
            (None, Some(_)) => None,
            (Some((entry, count)), _) => {
                let time = clock::seconds(&entry.time).map(clock::local_time).unwrap_or_default();
                let is_it = |told: &Told| told.hook == *name;
                let told = reasons(&entry, world).hooks.into_iter().find(is_it);
                let why = told.map_or("not run".to_owned(), |told| told.why);
                let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
                let since = if after.is_some() { "since then " } else { "" };
                Some(format!("{since}{event} came {times}; the last time, {time}: {why}"))
            }
        });
    }
    lines
}

/// The last run on an event in a chain after a time, and how many the journal has.
fn last(
    event: Event,
    scope: &str,
    after: Option<&str>,
    world: &World,
) -> Option<(Entry<'static>, usize)> {
    let project = configured::project().map(|it| it.display().to_string()).unwrap_or_default();
    let is_asked = |entry: &Entry<'_>| {
        entry.event == event.name()
            && entry.scope == scope
            && after.is_none_or(|after| *entry.time > *after)
            && (scope != "project" || entry.project.is_empty() || entry.project == project)
    };
    let (mut newest, mut count) = (None, 0);
    for volume in journal_files::volumes(&world.paths) {
        let Ok(text) = files::read_tail(&volume, u64::MAX) else { continue };
        let of_event = |line: &&str| line.contains(event.name());
        for line in text.lines().rev().filter(of_event) {
            let Some((whole, _)) = journal::parse(line) else { continue };
            let Some(mut entry) = journal::entries(whole).pop().filter(|it| is_asked(it)) else {
                continue;
            };
            count += 1;
            if newest.is_none() {
                entry.recall();
                newest = Some(entry);
            }
        }
    }
    newest.map(|entry| (entry, count))
}

fn chain(entry: &Entry<'_>, world: &World) -> Option<Chain> {
    if entry.scope == MANAGED {
        return Some(Chain::of_managed(&world.paths.managed_folder()));
    }
    if entry.scope == "user" {
        return Some(Chain::of_user(&world.paths));
    }
    let project = Some(PathBuf::from(&*entry.project)).filter(|it| it.is_absolute());
    let project = project.or_else(|| project_around(Path::new(&*entry.cwd)));
    project.map(|project| Chain::of_project(&project))
}

/// Explains why each hook of a run's chain did or did not run.
pub(super) fn reasons(entry: &Entry<'_>, world: &World) -> Reasons {
    let event = Event::from_name(&entry.event);
    let (Some(chain), Some(event)) = (chain(entry, world), event) else {
        let before = "the chain that ran is no longer known".to_owned();
        return Reasons { before: Some(before), hooks: Vec::new() };
    };
    let only = Some(&*entry.only).filter(|only| !only.is_empty());
    let mut reasons = debug::reasons(&world.paths, Asked { chain: &chain, event, only }, entry);
    if reasons.before.is_none() && has_changed(&chain, entry) {
        let before = "the manifest has changed since; hooks that the journal does not name are \
                      shown as they are now";
        reasons.before = Some(before.to_owned());
    }
    tell_of_strikes(&mut reasons, entry, world);
    tell_of_switches(&mut reasons, entry);
    // Those that are no longer in the manifest.
    for step in &entry.steps {
        if !reasons.hooks.iter().any(|told| told.hook == step.hook) {
            reasons.hooks.push(debug::of_gone(step));
        }
    }
    reasons
}

/// Adds to what is said of a hook whose strike was used up when that was.
fn tell_of_strikes(reasons: &mut Reasons, entry: &Entry<'_>, world: &World) {
    let ended = clock::seconds(&entry.time);
    let quiet = |step: &&StepEntry| step.quiet == Silence::Strike.word();
    for step in entry.steps.iter().filter(quiet) {
        let denied = |run: &Entry<'_>| {
            run.session == entry.session
                && clock::seconds(&run.time) <= ended
                && run.steps.iter().any(|it| it.hook == step.hook && it.outcome == "deny")
        };
        let run = journal::newest(&world.paths, &entry.session, denied);
        let time = run.and_then(|run| clock::seconds(&run.time)).map(clock::local_time);
        let told = reasons.hooks.iter_mut().find(|told| told.hook == step.hook);
        if let (Some(told), Some(time)) = (told, time) {
            told.why.extend([" (at ", &time, ")"]);
        }
    }
}

/// Adds to what is said of a hook that a switch had off how to switch it on.
fn tell_of_switches(reasons: &mut Reasons, entry: &Entry<'_>) {
    let is_off = |hook: &str, entry: &Entry<'_>| {
        let switched = |why: &String| why.starts_with("a switch since ");
        entry.steps.iter().any(|it| it.hook == hook && it.why.as_ref().is_some_and(switched))
    };
    for Told { hook, why } in reasons.hooks.iter_mut().filter(|told| is_off(&told.hook, entry)) {
        let session = &entry.session;
        why.extend(["; `hookman enable ", hook, " --session ", session, "` switches it on"]);
    }
}

fn has_changed(chain: &Chain, entry: &Entry<'_>) -> bool {
    let Some(ran) = clock::seconds(&entry.time) else { return false };
    chain
        .files()
        .filter_map(|file| files::stamp(file).ok()?)
        .any(|stamp| stamp.modified / 1_000_000_000 > i128::from(ran))
}
