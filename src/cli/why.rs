//! `hookman why`: of one run, why each hook did or did not run, and what it answered.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::ExitStatus;
use super::args::Why;
use crate::builtin::silence::Silence;
use crate::client::event::Event;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{clock, files};
use crate::runtime::debug::{self, Asked, Reasons, Told};
use crate::state::chains::{Chain, MANAGED, project_around};
use crate::state::journal::{self, Entry, StepEntry};
use crate::state::journal_files;
use crate::syntax::escaped::escaped;

pub(super) fn why(args: &Why, world: &World) -> Result<ExitStatus> {
    let runs = runs(args, world)?;
    if runs.is_empty() {
        match &args.run {
            Some(id) => bail!(
                "no run and no tool call in the journal has the id `{}`; `hookman log -v` shows the \
                 ids of runs",
                escaped(id)
            ),
            None => bail!("the journal has no run yet"),
        }
    }
    if args.json {
        let runs: Vec<Value> = runs.iter().map(|run| as_json(run, world)).collect();
        world.terminal.line(serde_json::to_string_pretty(&json!({ "runs": runs }))?);
        return Ok(ExitStatus::Done);
    }
    let texts: Vec<String> = runs.iter().map(|run| text(run, world).join("\n")).collect();
    world.terminal.line(harmless(&texts.join("\n\n")));
    Ok(ExitStatus::Done)
}

/// A run, and the name of its line.
struct Run {
    id: String,
    entry: Entry<'static>,
}

/// The runs that are asked for, oldest first.
fn runs(args: &Why, world: &World) -> Result<Vec<Run>> {
    let mut found = Vec::new();
    for volume in journal_files::volumes(&world.paths) {
        let text = files::read_tail(&volume, u64::MAX);
        let text = text.with_context(|| format!("failed to read `{}`", volume.display()))?;
        for line in text.lines().rev() {
            let is_asked = match &args.run {
                None => true,
                Some(id) => line.contains(&**id) || journal::id(journal::whole(line)) == *id,
            };
            let Some((whole, _)) = is_asked.then(|| journal::parse(line)).flatten() else {
                continue;
            };
            let mut entries = journal::entries(whole);
            let Some(mut entry) = entries.pop() else { continue };
            let id = journal::id(whole);
            if args.run.as_ref().is_none_or(|asked| *asked == id || *asked == entry.call) {
                entry.recall();
                let is_last = args.run.is_none();
                found.push(Run { id, entry });
                if is_last {
                    return Ok(found);
                }
            }
        }
    }
    found.reverse();
    Ok(found)
}

/// The chain that ran, as far as that can be told.
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

fn reasons(entry: &Entry<'_>, world: &World) -> Reasons {
    let event = Event::from_name(&entry.event);
    let (Some(chain), Some(event)) = (chain(entry, world), event) else {
        let before = "the chain that ran cannot be told any more".to_owned();
        return Reasons { before: Some(before), hooks: Vec::new() };
    };
    let only = Some(&*entry.only).filter(|only| !only.is_empty());
    let mut reasons = debug::reasons(&world.paths, Asked { chain: &chain, event, only }, entry);
    if reasons.before.is_none() && has_changed(&chain, entry) {
        let before = "the manifest was changed since; what is said of hooks that the journal does \
                      not name is so now";
        reasons.before = Some(before.to_owned());
    }
    tell_of_strikes(&mut reasons, entry, world);
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
            told.why.push_str(&format!(" (at {time})"));
        }
    }
}

fn has_changed(chain: &Chain, entry: &Entry<'_>) -> bool {
    let Some(ran) = clock::seconds(&entry.time) else { return false };
    chain
        .files()
        .filter_map(|file| files::stamp(file).ok()?)
        .any(|stamp| stamp.modified / 1_000_000_000 > i128::from(ran))
}

/// The hooks whose decision became the verdict.
fn deciders<'e>(entry: &'e Entry<'_>) -> impl Iterator<Item = &'e StepEntry> {
    let decided = |step: &&StepEntry| {
        step.outcome == entry.verdict || !step.decided.is_empty() && step.decided == entry.verdict
    };
    entry.steps.iter().filter(decided)
}

/// By what the verdict came about, a line for each hook: a built-in hook's rule, and of a command's words
/// the first line.
fn given(entry: &Entry<'_>) -> Vec<String> {
    if matches!(&*entry.verdict, "none" | "allow" | "answered") {
        return Vec::new();
    }
    let reason = |step: &StepEntry| {
        let failed = step.error.as_ref().map(|error| format!("it {error}"));
        let said = step.reason.clone().or(failed).or_else(|| step.why.clone());
        format!("{}: {}", step.hook, said.as_deref().unwrap_or("the journal has no reason of it"))
    };
    let given: Vec<String> = deciders(entry).map(reason).collect();
    if given.is_empty() { entry.notes.clone() } else { given }
}

fn text(run: &Run, world: &World) -> Vec<String> {
    let Run { id, entry } = run;
    let subject =
        if entry.subject.is_empty() { String::new() } else { format!("({})", entry.subject) };
    let time = clock::seconds(&entry.time).map(clock::local_time).unwrap_or_default();
    let run = format!("{time}, {}{subject}, {} hooks, {}", entry.event, entry.scope, caller(entry));
    let mut lines = vec![world.terminal.row(&format!("run {id}: "), &run, 2)];
    for (what, value) in [
        ("session", &entry.session),
        ("tool call", &entry.call),
        ("prompt", &entry.prompt),
        ("all hooks off by", &entry.off),
    ] {
        if !value.is_empty() {
            lines.push(format!("  {what} {value}"));
        }
    }
    let Reasons { before, hooks } = reasons(entry, world);
    lines.extend(before.map(|before| world.terminal.row("  ", &before, 2)));
    let width = hooks.iter().map(|told| told.hook.chars().count()).max().unwrap_or(0);
    let row = |told: &Told| {
        world.terminal.row(&format!("  {:width$}  ", told.hook), &told.why, width + 4)
    };
    lines.extend(hooks.iter().map(row));
    lines.push(format!("verdict: {}, exit {}", entry.verdict, entry.exit));
    let given = given(entry);
    if !given.is_empty() {
        lines.push("decided by:".to_owned());
        lines.extend(given.iter().map(|line| world.terminal.row("  ", line, 4)));
        if !(entry.by_hand || entry.call.is_empty() || entry.transcript.is_empty()) {
            let transcript = world.paths.shown(Path::new(&*entry.transcript));
            let words = format!("the words themselves are in {transcript}, at this tool call");
            lines.push(world.terminal.row("  ", &words, 4));
        }
    }
    let notes = entry.notes.iter().filter(|note| !given.contains(note));
    lines.extend(notes.map(|note| world.terminal.row("hookman: ", note, 2)));
    lines
}

fn as_json(Run { id, entry }: &Run, world: &World) -> Value {
    let Reasons { before, hooks } = reasons(entry, world);
    let hooks: Vec<Value> = hooks
        .iter()
        .map(|told| {
            let step = entry.steps.iter().find(|step| step.hook == told.hook);
            json!({
                "hook": told.hook,
                "ran": step.is_some_and(|step| step.why.is_none()),
                "why": told.why,
                "step": step,
            })
        })
        .collect();
    json!({
        "run": id,
        "time": entry.time,
        "event": entry.event,
        "subject": entry.subject,
        "scope": entry.scope,
        "session": entry.session,
        "tool_use_id": entry.call,
        "prompt_id": entry.prompt,
        "by_client": !entry.by_hand,
        "off": entry.off,
        "before": before,
        "hooks": hooks,
        "verdict": entry.verdict,
        "exit": entry.exit,
        "decided_by": given(entry),
        "notes": entry.notes,
    })
}

fn caller(entry: &Entry<'_>) -> String {
    match (&*entry.host, entry.by_hand) {
        ("", true) => "called by hand or by another program".to_owned(),
        ("", false) => "called by the client".to_owned(),
        (host, _) => format!("called by {host}"),
    }
}
