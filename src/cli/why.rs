//! `hookman why`: of one run, why each hook did or did not run, and what it answered.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::args::Why;
use super::silence::{self, reasons};
use super::{ExitStatus, hint};
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{clock, files};
use crate::runtime::debug::{Reasons, Told};
use crate::state::configured::Configured;
use crate::state::journal::{self, Entry, StepEntry};
use crate::state::journal_files;
use crate::syntax::escaped::escaped;

pub(super) fn why(args: &Why, world: &World) -> Result<ExitStatus> {
    let mut runs = runs(args, world)?;
    if let (true, Some(typed)) = (runs.is_empty(), &args.run) {
        let Some(hook) = silence::configured(typed, world) else {
            bail!(
                "no run, no tool call and no hook here is called `{}`; `hookman log -v` shows the ids of \
                 runs, `hookman list` the hooks",
                escaped(typed)
            )
        };
        match last_of(&hook.hook.name, world)? {
            Some(run) => runs.push(run),
            None => return Ok(never(args, &hook, world)),
        }
    }
    if runs.is_empty() {
        bail!(
            "the journal has no run yet: the client has not called hookman; `hookman doctor` says whether \
             it would"
        );
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

/// Says of a hook that never ran why it did not.
fn never(args: &Why, hook: &Configured, world: &World) -> ExitStatus {
    let mut lines = silence::lines(hook, world);
    if args.json {
        let reasons = lines.split_off(1);
        let report = json!({"runs": [], "hook": hook.hook.name, "reasons": reasons});
        world.terminal.line(report.to_string());
    } else {
        hint(world, harmless(&lines.join("\n  ")));
    }
    ExitStatus::Done
}

/// The last run that a hook had a part in.
fn last_of(hook: &str, world: &World) -> Result<Option<Run>> {
    for volume in journal_files::volumes(&world.paths) {
        let text = files::read_tail(&volume, u64::MAX);
        let text = text.with_context(|| format!("failed to read `{}`", volume.display()))?;
        for line in text.lines().rev().filter(|line| line.contains(hook)) {
            let Some((whole, _)) = journal::parse(line) else { continue };
            let Some(mut entry) = journal::entries(whole).pop() else { continue };
            let ran = |step: &StepEntry| step.hook == hook && step.why.is_none();
            if entry.steps.iter().any(ran) {
                entry.recall();
                return Ok(Some(Run { id: journal::id(whole), entry }));
            }
        }
    }
    Ok(None)
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
