//! `hookman replay`: what the hooks would have done with the tool calls of past sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::args::rehearse::Replay;
use super::exit::ExitStatus;
use super::since::earliest;
use crate::client::event::Event;
use crate::machine::signals::Endings;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{clock, files, folders};
use crate::rehearsal::call::{Call, Place};
use crate::rehearsal::stage::Stage;
use crate::rehearsal::transcript::{self, Made};
use crate::runtime::effects::Effects;
use crate::state::chains::{self, Chain};

/// The examples that are shown of a hook's rule.
const EXAMPLES: usize = 3;
/// The characters that are shown of a call.
const SHOWN: usize = 70;

/// Calls that a hook would stop or advise on, for one reason.
#[derive(Default, Serialize)]
struct Group {
    count: usize,
    examples: Vec<String>,
}

/// A call whose verdict another manifest changes.
#[derive(Serialize)]
struct Changed {
    call: String,
    now: String,
    then: String,
}

#[derive(Default, Serialize)]
struct Report {
    sessions: usize,
    days: usize,
    calls: usize,
    /// The time of all runs in microseconds, without the starts of processes.
    us: u64,
    /// By decision, hook and reason.
    groups: BTreeMap<(String, String, String), Group>,
    /// Reasons why no hook of a chain was asked.
    unasked: BTreeSet<String>,
    changed: Vec<Changed>,
}

/// The verdict on a call, with the hook and the reason that decided.
struct Verdict {
    decision: String,
    hook: String,
    reason: String,
    us: u64,
    unasked: Vec<String>,
}

pub(super) fn replay(args: &Replay, world: &World) -> Result<ExitStatus> {
    let mut calls = Vec::new();
    for file in transcripts(world) {
        calls.extend(transcript::calls(&files::read_text(&file)?.unwrap_or_default()));
    }
    narrow(&mut calls, args)?;
    if calls.is_empty() {
        world.terminal.line("no tool call of a past session fits; transcripts are in projects/ next to settings.json");
        return Ok(ExitStatus::Done);
    }
    let stage =
        Stage::empty(&world.paths, Effects::Held).context("failed to make room for the replay")?;
    let other = match &args.against {
        Some(manifest) => {
            let stage = Stage::empty(&world.paths, Effects::Held)?;
            Some((stage, absolute(manifest)?))
        }
        None => None,
    };
    let own = args.manifest.as_deref().map(absolute).transpose()?;
    let mut report = Report::default();
    let endings = Endings::watch();
    for (at, made) in calls.iter().enumerate() {
        if endings.is_some_and(|it| it.come().is_some()) {
            world.terminal.warn(format!("stopped after {at} of {} calls", calls.len()));
            break;
        }
        world.terminal.progress(at, calls.len(), "calls");
        let now = verdict(&stage, made, own.as_deref(), world)?;
        report.calls += 1;
        report.us += now.us;
        report.unasked.extend(now.unasked);
        if let Some((stage, manifest)) = &other {
            let then = verdict(stage, made, Some(manifest), world)?;
            if now.decision != then.decision {
                report.changed.push(Changed {
                    call: made.line(SHOWN),
                    now: now.decision.clone(),
                    then: then.decision,
                });
            }
        }
        if now.decision == "none" || args.hook.as_ref().is_some_and(|it| *it != now.hook) {
            continue;
        }
        let group = report.groups.entry((now.decision, now.hook, now.reason)).or_default();
        group.count += 1;
        if group.examples.len() < EXAMPLES {
            group.examples.push(made.line(SHOWN));
        }
    }
    let done = &calls[..report.calls];
    report.sessions = distinct(done.iter().map(|it| &*it.session));
    report.days = distinct(done.iter().map(|it| it.time.split('T').next().unwrap_or_default()));
    let is_found = !report.changed.is_empty() || !report.unasked.is_empty();
    for why in &report.unasked {
        world.terminal.warn(why);
    }
    if args.json {
        world.terminal.line(serde_json::to_string_pretty(&as_json(&report))?);
    } else {
        world.terminal.line(harmless(&text(&report, args.against.is_some())));
    }
    Ok(if is_found { ExitStatus::Found } else { ExitStatus::Done })
}

fn distinct<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.collect::<BTreeSet<_>>().len()
}

fn absolute(path: &Path) -> Result<PathBuf> {
    let whole = std::path::absolute(path)?;
    if !files::is_there(&whole) {
        bail!("`{}` is not there", path.display());
    }
    Ok(whole)
}

fn transcripts(world: &World) -> Vec<PathBuf> {
    let inside = |folder: &Path| folders::entries(folder).unwrap_or_default();
    let projects = inside(&world.paths.config.join("projects"));
    let mut found: Vec<PathBuf> = projects.iter().flat_map(|it| inside(it)).collect();
    found.retain(|it| it.extension().is_some_and(|it| it == "jsonl"));
    found.sort();
    found
}

fn narrow(calls: &mut Vec<Made>, args: &Replay) -> Result<()> {
    if let Some(since) = &args.since {
        let since = earliest(since)?;
        calls.retain(|it| clock::seconds(&it.time).is_some_and(|it| it >= since));
    }
    if let Some(project) = &args.project {
        let project = std::path::absolute(project)?;
        calls.retain(|it| Path::new(&it.cwd).starts_with(&project));
    }
    calls.sort_by(|one, other| one.time.cmp(&other.time));
    Ok(())
}

fn verdict(stage: &Stage, made: &Made, manifest: Option<&Path>, world: &World) -> Result<Verdict> {
    let call = Call::of_tool(Event::PreToolUse, &made.tool, &made.input);
    let place = Place { session: &made.session, transcript: "", cwd: &made.cwd };
    let payload = call.payload(place);
    let project = chains::project_around(Path::new(&made.cwd));
    let chains = match manifest {
        Some(manifest) => {
            vec![Chain { manifest: manifest.to_owned(), ..Chain::of_user(&world.paths) }]
        }
        None => chains::chains_of(&world.paths, project.as_deref()),
    };
    let mut found = Verdict {
        decision: "none".to_owned(),
        hook: String::new(),
        reason: String::new(),
        us: 0,
        unasked: Vec::new(),
    };
    for chain in chains {
        let entry = stage.run(&chain, call.event, &payload)?.entry;
        found.us += entry.us;
        if !entry.unasked.is_empty() {
            found.unasked.push(entry.unasked);
            continue;
        }
        let of = |words: [&str; 3]| entry.steps.iter().find(|it| words.contains(&&*it.outcome));
        let step =
            of(["deny", "ask", "defer"]).or_else(|| of(["would-deny", "would-ask", "would-defer"]));
        let advice = || entry.steps.iter().find(|step| step.outcome == "context");
        let Some(step) = step.or_else(advice) else { continue };
        let decision = if step.outcome == "context" { "advise" } else { &*step.outcome };
        if found.decision == "none" || decision == "deny" {
            found = Verdict {
                decision: decision.to_owned(),
                hook: step.hook.clone(),
                reason: step.reason.clone().unwrap_or_default(),
                ..found
            };
        }
    }
    Ok(found)
}

fn as_json(report: &Report) -> serde_json::Value {
    let groups = report.groups.iter().map(|((decision, hook, reason), group)| {
        serde_json::json!({
            "decision": decision, "hook": hook, "reason": reason,
            "count": group.count, "examples": group.examples,
        })
    });
    serde_json::json!({
        "sessions": report.sessions,
        "days": report.days,
        "us": report.us,
        "calls": report.calls,
        "groups": groups.collect::<Vec<_>>(),
        "changed": report.changed,
        "unasked": report.unasked,
    })
}

fn number(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn text(report: &Report, compares: bool) -> String {
    let each = report.us.checked_div(report.calls as u64).unwrap_or_default();
    let mut lines = vec![format!(
        "{}, {}, {}; {each} us a call",
        number(report.calls, "call"),
        number(report.sessions, "session"),
        number(report.days, "day")
    )];
    let mut groups: Vec<_> = report.groups.iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
    for ((decision, hook, reason), group) in groups {
        lines.push(format!("{:>6} × {decision}, {hook}: {reason}", group.count));
        lines.extend(group.examples.iter().map(|example| format!("           {example}")));
    }
    if report.groups.is_empty() && report.unasked.is_empty() {
        lines.push("no hook would stop one or say anything".to_owned());
    }
    if compares {
        let changed = number(report.changed.len(), "verdict");
        lines.push(format!("{changed} would change"));
        let row = |it: &Changed| format!("  {} → {}  {}", it.now, it.then, it.call);
        lines.extend(report.changed.iter().map(row));
    }
    lines.join("\n")
}
