//! `hookman replay`: what the hooks would have done in past sessions.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;

use super::args::rehearse::Replay;
use super::exit::ExitStatus;
use super::since::earliest;
use super::word::counted;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{files, paths};
use crate::manifest::{self, Source};
use crate::package::known::Known;
use crate::rehearsal::replay::{Changed, Judged, Replay as Rehearsal, Report, Verdict};
use crate::session::names;
use crate::state::catalogue::Catalogue;

const EXAMPLES: usize = 3;

/// Events that a hook would stop or advise on, for one reason.
#[derive(Serialize)]
struct Group<'r> {
    decision: &'r str,
    hook: &'r str,
    reason: &'r str,
    count: usize,
    examples: Vec<&'r str>,
}

pub(super) fn replay(args: &Replay, world: &World) -> Result<ExitStatus> {
    let replay = Rehearsal {
        paths: &world.paths,
        host: args.host.as_deref(),
        manifest: args.manifest.as_deref().map(|it| readable(it, world)).transpose()?,
        against: args.against.as_deref().map(|it| readable(it, world)).transpose()?,
        since: args.since.as_deref().map(earliest).transpose()?.unwrap_or(i64::MIN),
        project: args.project.as_deref().map(paths::real),
    };
    let mut report = replay.run().context("failed to replay")?;
    if report.left > 0 {
        let calls = counted(report.calls, "call");
        let left = counted(report.left, "transcript");
        world.terminal.warn(format!("stopped after {calls}, with {left} left"));
    }
    report.unread.iter().for_each(|it| world.terminal.warn(it));
    if report.calls == 0 && !args.json {
        world.terminal.line(
            "no tool call of a past session matches; transcripts are in projects/ \
                             next to settings.json",
        );
        return Ok(ExitStatus::Done);
    }
    if let Some(hook) = args.hook.as_ref().filter(|_| report.unasked.is_empty()) {
        let names: Vec<&str> = report.hooks.iter().map(String::as_str).collect();
        let meant = names::one(hook, &names, ["hook", "hooks"], "`hookman list` names them")?;
        report.judged.retain_mut(|it| {
            let mut all = std::iter::once(&it.verdict).chain(&it.also);
            let Some(verdict) = all.find(|it| it.hook == meant).cloned() else { return false };
            (it.verdict, it.also) = (verdict, Vec::new());
            true
        });
        report.changed.retain(|it| it.hook == meant);
    }
    for why in &report.unasked {
        world.terminal.warn(why);
    }
    if args.json {
        world.terminal.line(serde_json::to_string_pretty(&as_json(&report))?);
    } else {
        world.terminal.line(harmless(&text(&report, args.against.is_some())));
    }
    let is_found = !report.changed.is_empty() || !report.unasked.is_empty();
    Ok(if is_found { ExitStatus::Found } else { ExitStatus::Done })
}

fn groups(report: &Report) -> Vec<Group<'_>> {
    let mut groups = BTreeMap::new();
    let all = report.judged.iter().flat_map(|Judged { call, verdict, also, .. }| {
        std::iter::once(verdict).chain(also).map(move |verdict| (call, verdict))
    });
    for (call, Verdict { decision, hook, reason }) in all {
        let new = Group { decision, hook, reason, count: 0, examples: Vec::new() };
        let group = groups.entry((decision, hook, reason)).or_insert(new);
        group.count += 1;
        if group.examples.len() < EXAMPLES {
            group.examples.push(call);
        }
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().collect();
    groups.sort_by_key(|it| Reverse(it.count));
    groups
}

fn readable(path: &Path, world: &World) -> Result<PathBuf> {
    let whole = std::path::absolute(path)?;
    let Some(text) = files::read_text(&whole)? else { bail!("`{}` is not there", path.display()) };
    let source = Source { file: &path.display().to_string(), text: &text };
    let known = Known::of(&world.paths, std::iter::once(whole.as_path()));
    manifest::read(Some(source), None, &Catalogue { known, is_whole: true })
        .map_err(|error| anyhow!("the manifest cannot be read\n{error}"))?;
    Ok(whole)
}

fn as_json(report: &Report) -> serde_json::Value {
    serde_json::json!({
        "sessions": report.sessions.len(),
        "days": report.days.len(),
        "us": report.us,
        "calls": report.calls,
        "groups": groups(report),
        "verdicts": report.judged,
        "left_out": report.held.union(&report.passed).collect::<Vec<_>>(),
        "unknown": report.unknown,
        "changed": report.changed,
        "unasked": report.unasked,
    })
}

fn text(report: &Report, compares: bool) -> String {
    let each = report.us.checked_div(report.calls as u64).unwrap_or_default();
    let mut lines = vec![format!(
        "{}, {}, {}; {each} us a call",
        counted(report.calls, "call"),
        counted(report.sessions.len(), "session"),
        counted(report.days.len(), "day")
    )];
    for (hooks, why) in [
        (&report.held, "they start programs"),
        (&report.passed, "Claude Code runs them itself or does not wait for them"),
    ] {
        if !hooks.is_empty() {
            let hooks: Vec<&str> = hooks.iter().map(String::as_str).collect();
            lines.push(format!("left out, as {why}: {}", hooks.join(", ")));
        }
    }
    if !report.unknown.is_empty() {
        lines.push(
            "may have answered differently, because they read data that replay does not have:"
                .to_owned(),
        );
        lines.extend(report.unknown.iter().map(|(hook, what)| {
            let what: Vec<&str> = what.iter().map(String::as_str).collect();
            format!("  {hook}: {}", what.join(", "))
        }));
    }
    for Group { decision, hook, reason, count, examples } in groups(report) {
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        lines.push(format!("{count:>6} × {decision}, {hook}{reason}"));
        lines.extend(examples.iter().map(|example| format!("           {example}")));
    }
    if report.judged.is_empty() && report.unasked.is_empty() {
        lines.push("no hook would stop one or say anything".to_owned());
    }
    if compares {
        let changed = counted(report.changed.len(), "verdict");
        lines.push(format!("{changed} would change"));
        let mut groups: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for Changed { now, then, call, hook, reason, .. } in &report.changed {
            groups.entry((now, then, hook, reason)).or_default().push(call);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, calls)| Reverse(calls.len()));
        for ((now, then, hook, reason), calls) in groups {
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            lines.push(format!("{:>6} × {now} → {then}, {hook}{reason}", calls.len()));
            lines.extend(calls.iter().take(EXAMPLES).map(|call| format!("           {call}")));
        }
    }
    lines.join("\n")
}
