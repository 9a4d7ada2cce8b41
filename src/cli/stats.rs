//! `hookman stats`: what each hook did and took, from the journal.

use anyhow::{Context, Result};
use serde_json::json;

use super::args::rehearse::{Stats, StatsFormat};
use super::exit::ExitStatus;
use super::since::earliest;
use super::written;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{clock, files};
use crate::rehearsal::tally::{self, Tally};
use crate::state::journal::{self, Entry, StepEntry};
use crate::state::journal_files;

/// The width of a bar for the time that a hook took of all.
const BAR: u64 = 20;

pub(super) fn stats(args: &Stats, world: &World) -> Result<ExitStatus> {
    let since = args.since.as_deref().map(earliest).transpose()?.unwrap_or(i64::MIN);
    let mut entries: Vec<Entry<'static>> = Vec::new();
    for volume in journal_files::volumes(&world.paths) {
        let text = files::read_tail(&volume, u64::MAX);
        let text = text.with_context(|| format!("failed to read `{}`", volume.display()))?;
        entries.extend(journal::entries(&text));
    }
    entries.retain(|entry| clock::seconds(&entry.time).is_some_and(|it| it >= since));
    let all = entries.len();
    entries.retain(|entry| args.by_hand || !entry.by_hand);
    let by_hand = all - entries.len();
    let tallies = tally::tallies(entries.iter());
    if let Some(path) = &args.html {
        written::report(path, &page(&tallies, &entries)?)?;
        world.terminal.line(format!("wrote `{}`", path.display()));
        return Ok(ExitStatus::Done);
    }
    match args.format {
        StatsFormat::Json => world.terminal.line(serde_json::to_string_pretty(&tallies)?),
        StatsFormat::Openmetrics => world.terminal.print(&tally::openmetrics(&tallies)),
        StatsFormat::Text if tallies.is_empty() => {
            let counted = match by_hand {
                0 => String::new(),
                n => format!(" but {n} by hand (--by-hand counts them)"),
            };
            world.terminal.line(format!(
                "no hook has run in that time{counted}; `hookman doctor` says whether one would"
            ));
        }
        StatsFormat::Text => world.terminal.line(harmless(&text(&tallies))),
    }
    Ok(ExitStatus::Done)
}

fn text(tallies: &[Tally]) -> String {
    let width = tallies.iter().map(|it| it.hook.chars().count()).max().unwrap_or(4).max(4);
    let all: u64 = tallies.iter().map(Tally::sum).sum();
    let ms = |us: u64| format!("{}.{} ms", us / 1000, us % 1000 / 100);
    let row =
        |hook: &str, [runs, stopped, advised, failed, tokens, p50, p95, max, time]: [&str; 9]| {
            let row = format!(
                "{hook:width$}  {runs:>6} {stopped:>7} {advised:>7} {failed:>6} {tokens:>6} {p50:>10} \
             {p95:>10} {max:>10}  {time}"
            );
            row.trim_end().to_owned()
        };
    let titles = ["runs", "stopped", "advised", "failed", "tokens", "p50", "p95", "max", "time"];
    let mut lines = vec![row("hook", titles)];
    for it in tallies {
        let filled = (it.sum() * BAR).checked_div(all).unwrap_or_default();
        let bar = "█".repeat(usize::try_from(filled).unwrap_or_default());
        let counts =
            [it.runs, it.stopped, it.advised, it.failed, it.tokens].map(|it| it.to_string());
        let times = [it.p50, it.p95, it.max].map(ms);
        let ([runs, stopped, advised, failed, tokens], [p50, p95, max]) = (&counts, &times);
        lines.push(row(&it.hook, [runs, stopped, advised, failed, tokens, p50, p95, max, &bar]));
        let mut reasons: Vec<_> = it.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let row =
            |(reason, count): (&String, &usize)| format!("{:width$}  {count:>14} {reason}", "");
        if it.watched > 0 {
            let words = "it only watches, and would have stopped so many";
            lines.push(format!("{:width$}  {:>14} {words}", "", it.watched));
        }
        lines.extend(reasons.into_iter().map(row));
    }
    lines.join("\n")
}

/// The page: the numbers, and the time line of what was stopped, drawn by the page itself.
fn page(tallies: &[Tally], entries: &[Entry<'_>]) -> serde_json::Result<String> {
    let stopped = entries.iter().flat_map(|entry| {
        let stops = |step: &&StepEntry| tally::has_stopped(step);
        entry.steps.iter().filter(stops).map(|step| {
            json!({
                "time": entry.time, "hook": step.hook, "event": entry.event,
                "outcome": step.outcome, "reason": step.reason,
            })
        })
    });
    let data = json!({
        "hooks": tallies,
        "stopped": stopped.collect::<Vec<_>>(),
        "from": entries.first().map(|it| &it.time),
        "to": entries.last().map(|it| &it.time),
        "calls": entries.len(),
    });
    // No text of the journal can end the element that it is in.
    let data = serde_json::to_string(&data)?.replace('<', "\\u003c");
    Ok(include_str!("stats.html").replacen("{{data}}", &data, 1))
}
