//! `hookman why`: of one run, why each hook did or did not run, and what it answered.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::args::{Log, Why};
use super::exit::ExitStatus;
use super::log::{Wanted, known};
use super::silence::{self, reasons};
use super::switching::all_off;
use super::word::hint;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{clock, files};
use crate::rehearsal::transcript::{self, Past};
use crate::runtime::debug::{Reasons, Told};
use crate::state::configured::{self, Configured};
use crate::state::journal::{self, Entry, StepEntry};
use crate::state::journal_files;
use crate::syntax::escaped::escaped;

const SHOWN: usize = 400;

pub(super) fn why(args: &Why, world: &World) -> Result<ExitStatus> {
    let filters = Log {
        hook: args.hook.clone(),
        host: args.host.clone(),
        outcome: args.outcome.clone(),
        since: args.since.clone(),
        ..Log::default()
    };
    let mut runs = runs(args, &filters, |_| true, args.run.as_deref(), world)?;
    let mut since: Vec<String> = match &args.run {
        Some(_) => Vec::new(),
        None => all_off(world, configured::project().as_deref()).collect(),
    };
    if let (true, Some(typed)) = (runs.is_empty(), &args.run) {
        let Some(hook) = silence::configured(typed, world)? else {
            bail!(
                "no run, no tool call and no hook here is called `{}`; `hookman log -v` shows the ids of \
                 runs, `hookman list` the hooks",
                escaped(typed)
            )
        };
        let name = &hook.hook.name;
        let filters = Log { hook: filters.outcome.is_some().then(|| name.clone()), ..filters };
        runs = self::runs(args, &filters, |entry| has_part(name, entry), None, world)?;
        match runs.last() {
            Some(run) => since = silence::since(&hook, &run.entry, world),
            None if args.outcome.is_none() && has_never_run(name, world)? => {
                return Ok(never(args, &hook, world));
            }
            None => {}
        }
    }
    if let (true, Some(hook)) = (runs.is_empty(), &args.hook) {
        known(hook, world)?;
    }
    let is_narrow = args.since.is_some() || args.outcome.is_some() || args.host.is_some();
    if runs.is_empty() && (args.hook.is_some() || is_narrow) {
        bail!("no run in the journal matches; drop some of --hook, --host, --outcome, --since");
    }
    if runs.is_empty() {
        bail!("the journal has no run yet: {}", silence::empty(world));
    }
    if args.json {
        let runs: Vec<Value> = runs.iter().map(|run| as_json(run, world)).collect();
        let report = json!({ "runs": runs, "since": since });
        world.terminal.line(serde_json::to_string_pretty(&report)?);
        return Ok(ExitStatus::Done);
    }
    let texts: Vec<String> = runs.iter().map(|run| text(run, world).join("\n")).collect();
    world.terminal.line(harmless(&texts.join("\n\n")));
    for line in since {
        hint(world, harmless(&line));
    }
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

/// Returns whether a hook ran in a run, or was kept from it by more than its event and its matcher.
fn has_part(hook: &str, entry: &Entry<'_>) -> bool {
    entry.steps.iter().any(|step| step.hook == hook)
        || entry.passed.iter().any(|passed| passed.hook == hook)
}

fn has_never_run(hook: &str, world: &World) -> Result<bool> {
    Ok(runs(&Why::default(), &Log::default(), |entry| has_part(hook, entry), None, world)?
        .is_empty())
}

struct Run {
    id: String,
    entry: Entry<'static>,
}

/// The runs that are asked for, oldest first: those of an id, those of a time, or the last that fits.
fn runs(
    args: &Why,
    filters: &Log,
    is_meant: impl Fn(&Entry<'_>) -> bool,
    asked: Option<&str>,
    world: &World,
) -> Result<Vec<Run>> {
    let wanted = Wanted::of(filters)?;
    let mut found = Vec::new();
    for volume in journal_files::volumes(&world.paths) {
        let text = files::read_tail(&volume, u64::MAX);
        let text = text.with_context(|| format!("failed to read `{}`", volume.display()))?;
        for line in text.lines().rev() {
            if asked.is_some_and(|id| !line.contains(id) && journal::id(journal::whole(line)) != id)
            {
                continue;
            }
            let Some((whole, entry)) = wanted.found(line) else { continue };
            let id = journal::id(whole);
            if !asked.is_none_or(|asked| *asked == id || *asked == entry.call) || !is_meant(&entry)
            {
                continue;
            }
            let Some(mut entry) = journal::entries(whole).pop() else { continue };
            entry.recall();
            found.push(Run { id, entry });
            if asked.is_none() && args.since.is_none() {
                return Ok(found);
            }
        }
    }
    found.reverse();
    Ok(found)
}

/// The part of the client's transcript that is about a run's call.
#[derive(Default)]
struct Recorded {
    call: Option<Past>,
    told: Option<String>,
    is_gone: bool,
}

impl Recorded {
    fn of(entry: &Entry<'_>) -> Self {
        if entry.call.is_empty() || entry.transcript.is_empty() {
            return Self::default();
        }
        let transcript = Path::new(&*entry.transcript);
        let mut found = Self { is_gone: true, ..Self::default() };
        for file in [transcript.to_owned()].into_iter().chain(transcript::of_subagents(transcript))
        {
            let Ok(Some(text)) = files::read_text(&file) else { continue };
            let (call, told) = transcript::find(&text, &entry.call);
            // The result of a call that ran is the tool's own.
            let told = told.filter(|_| entry.verdict == "deny" && entry.event == "PreToolUse");
            found = Self { call, told, is_gone: false };
            if found.call.is_some() {
                break;
            }
        }
        found
    }

    /// Says what the model was told, as far as that is known.
    fn lines(&self, entry: &Entry<'_>, world: &World) -> Vec<String> {
        let transcript = world.paths.shown(Path::new(&*entry.transcript));
        match &self.told {
            Some(told) => {
                let rows = told.lines().map(|line| world.terminal.row("  ", line, 4));
                std::iter::once("the model was told:".to_owned()).chain(rows).collect()
            }
            None if entry.by_hand || entry.call.is_empty() => Vec::new(),
            None if self.is_gone => {
                vec![format!(
                    "the transcript {transcript}, with the call and the text for the model, is gone"
                )]
            }
            None if self.call.is_none() => {
                vec![format!("the call is not in {transcript}, nor in that of a subagent")]
            }
            None => Vec::new(),
        }
    }
}

/// The cause of the verdict, a line for each hook: a built-in's rule, or a command's first line.
fn given(entry: &Entry<'_>) -> Vec<String> {
    if matches!(&*entry.verdict, "none" | "allow" | "answered") {
        return Vec::new();
    }
    let reason = |step: &StepEntry| {
        let failed = step.error.as_ref().map(|error| format!("it {error}"));
        let said = step.reason.clone().or(failed).or_else(|| step.why.clone());
        if step.is_unheeded() {
            let (hook, said) = (&step.hook, said.map(|it| format!(": {it}")).unwrap_or_default());
            return format!(
                "{hook}: {} does not heed its answer, and got a denial{said}",
                entry.host
            );
        }
        format!("{}: {}", step.hook, said.as_deref().unwrap_or("the journal has no reason for it"))
    };
    let decided = |step: &&StepEntry| step.came_to(&entry.verdict);
    let given: Vec<String> = entry.steps.iter().filter(decided).map(reason).collect();
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
    let recorded = Recorded::of(entry);
    lines.extend(recorded.call.iter().map(|made| world.terminal.row("  ", &made.line(SHOWN), 4)));
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
        lines.extend(recorded.lines(entry, world));
    }
    let notes = entry.notes.iter().filter(|note| !given.contains(note));
    lines.extend(notes.map(|note| world.terminal.row("hookman: ", note, 2)));
    lines
}

fn as_json(Run { id, entry }: &Run, world: &World) -> Value {
    let recorded = Recorded::of(entry);
    let Reasons { before, hooks } = reasons(entry, world);
    let hooks: Vec<Value> = hooks
        .iter()
        .map(|told| {
            let steps = || entry.steps.iter().filter(|step| step.hook == told.hook);
            let step = steps().find(|step| step.came_to(&entry.verdict)).or(steps().next());
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
        "input": recorded.call.map(|made| made.fields()["tool_input"].take()),
        "told": recorded.told,
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
