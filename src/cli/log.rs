//! `hookman log`: what the journal tells of the last runs, and of those to come.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use std::{io, thread};

use anyhow::{Context, Result, bail};

use super::args::Log;
use super::args::log::{FAILED, LogFormat, SLOW};
use super::exit::ExitStatus;
use super::log_row::{self, Row};
use super::since::earliest;
use super::{silence, word};
use crate::client::Event;
use crate::client::host::CLAUDE;
use crate::machine::following::Following;
use crate::machine::{World, clock, files, harmless};
use crate::session::names;
use crate::state::journal::{self, Entry};
use crate::state::{StepEntry, configured, journal_files};
use crate::syntax::escaped::escaped;

/// The number of runs that are shown where nothing says how many.
const LINES: usize = 20;

/// From how many microseconds on a run is slow.
const SLOW_FROM: u64 = 100_000;

/// The pause between two looks at the journal while it is followed.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn log(args: &Log, world: &World) -> Result<ExitStatus> {
    let wanted = Wanted::of(args)?;
    let journal = world.paths.journal();
    let mut following = Following::new(&journal);
    let current =
        following.read().with_context(|| format!("failed to read `{}`", journal.display()))?;
    let shown = last(&wanted, current, world)?;
    if shown.is_empty() && !args.follow {
        if let Some(hook) = &args.hook {
            known(hook, world)?;
        }
        if !args.json && args.format == LogFormat::Text {
            world.terminal.warn(if is_empty(world) {
                silence::empty(world)
            } else {
                "no run in the journal matches".to_owned()
            });
            let is_narrow = args.since.is_some()
                || args.outcome.is_some()
                || args.event.is_some()
                || args.host.is_some()
                || args.session.is_some();
            let hook = args.hook.as_deref().filter(|_| !is_narrow);
            let hook = hook.and_then(|hook| silence::configured(hook, world).ok().flatten());
            if let Some(hook) = hook {
                let lines = silence::lines(&hook, world).join("\n  ");
                world.terminal.warn(word::typed(world, &lines));
            } else if is_narrow {
                world
                    .terminal
                    .warn("drop some of --hook, --event, --host, --outcome, --session, --since");
            }
        }
    }
    for line in shown {
        if world.terminal.try_line(&line).is_err() {
            return Ok(ExitStatus::Done);
        }
    }
    if !args.follow {
        return Ok(ExitStatus::Done);
    }
    loop {
        let text = following.read().context("failed to read the journal")?;
        for line in text.lines().filter_map(|line| wanted.row(line, world)) {
            // Whoever read along has gone away.
            if world.terminal.try_line(&line).is_err() {
                return Ok(ExitStatus::Done);
            }
        }
        if text.is_empty() {
            thread::sleep(PAUSE);
        }
    }
}

/// The hooks of packages that are configured here, each with its package.
fn packages(world: &World) -> BTreeMap<String, String> {
    let hooks = configured::hooks(world).unwrap_or_default().into_iter();
    hooks.filter_map(|it| Some((it.hook.name, it.hook.package?.version()))).collect()
}

/// Returns whether no run was ever written down.
fn is_empty(world: &World) -> bool {
    journal_files::volumes(&world.paths)
        .iter()
        .all(|it| it.metadata().map_or(true, |it| it.len() == 0))
}

/// Refuses a name that neither a hook here nor one in the journal has.
pub(super) fn known(hook: &str, world: &World) -> Result<()> {
    let configured = configured::hooks(world).unwrap_or_default();
    let mut names: Vec<String> = configured.into_iter().map(|it| it.hook.name).collect();
    for volume in journal_files::volumes(&world.paths) {
        let text = files::read_tail(&volume, u64::MAX).unwrap_or_default();
        let steps = journal::parsed(&text).flat_map(|entry| entry.steps);
        names.extend(steps.map(|step| step.hook));
        names.sort_unstable();
        names.dedup();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_known = match names::matching(hook, &names) {
        Some(hits) => !hits.is_empty(),
        None => names.contains(&hook),
    };
    if is_known {
        return Ok(());
    }
    let near = names::near(hook, &names);
    bail!("no hook here or in the journal is called `{}`{near}", escaped(hook))
}

/// The last rows that fit, oldest first; older journals are read only as far as they are needed.
fn last(wanted: &Wanted<'_>, current: String, world: &World) -> Result<Vec<String>> {
    let mut older = journal_files::put_aside(&world.paths)
        .with_context(|| format!("failed to list `{}`", world.paths.state.display()))?;
    let mut rows = Vec::new();
    let mut text = current;
    loop {
        let left = wanted.most - rows.len();
        let lines = text.lines().rev();
        rows.extend(lines.filter_map(|line| wanted.row(line, world)).take(left));
        let Some(path) = older.pop().filter(|_| rows.len() < wanted.most) else { break };
        text = match files::read_tail(&path, u64::MAX) {
            Ok(text) => text,
            // It was the oldest one and has just gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => bail!("failed to read `{}`: {error}", path.display()),
        };
    }
    rows.reverse();
    Ok(rows)
}

pub(super) struct Wanted<'a> {
    args: &'a Log,
    /// The earliest second since 1970.
    from: Option<i64>,
    most: usize,
    /// The hooks of packages by name, each with its package, once they were asked for.
    packages: OnceCell<BTreeMap<String, String>>,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(args: &'a Log) -> Result<Self> {
        let from = args.since.as_deref().map(earliest).transpose()?;
        if let Some(event) = &args.event {
            Event::meant(event)?;
        }
        let exports = args.format == LogFormat::OtlpJson && !args.follow;
        let all = from.is_some() || exports;
        let most = args.lines.unwrap_or(if all { usize::MAX } else { LINES });
        Ok(Self { args, from, most, packages: OnceCell::new() })
    }

    /// The row of a journal's line; nothing for one that does not fit or is none.
    fn row(&self, line: &str, world: &World) -> Option<String> {
        let (line, entry) = self.found(line)?;
        let seconds = clock::seconds(&entry.time)?;
        Some(match self.args.format {
            _ if self.args.json => line.to_owned(),
            LogFormat::OtlpJson => log_row::line(&entry, self.args.with_input),
            LogFormat::Text => self.text(line, &entry, seconds, world),
        })
    }

    /// A journal's line, and the run that it is of; nothing for one that does not fit or is none.
    pub(super) fn found<'l>(&self, line: &'l str) -> Option<(&'l str, Entry<'l>)> {
        let (line, entry) = journal::parse(line)?;
        let seconds = clock::seconds(&entry.time)?;
        let args = self.args;
        let host = if entry.host.is_empty() { CLAUDE.name } else { &entry.host };
        let fits = self.from.is_none_or(|from| seconds >= from)
            && args.session.as_ref().is_none_or(|session| entry.session.starts_with(&**session))
            && args.event.as_ref().is_none_or(|event| entry.event.eq_ignore_ascii_case(event))
            && args.host.as_ref().is_none_or(|it| it == host)
            && (args.hook.is_none()
                || self.steps(&entry).next().is_some()
                || decided_for_all(&entry))
            && args.outcome.as_ref().is_none_or(|outcome| self.came(&entry, outcome));
        fits.then_some((line, entry))
    }

    fn steps<'e>(&self, entry: &'e Entry<'_>) -> impl Iterator<Item = &'e StepEntry> {
        let wanted = self.args.hook.clone();
        entry.steps.iter().filter(move |step| {
            wanted.as_ref().is_none_or(|wanted| {
                *wanted == step.hook
                    || names::matching(wanted, &[&step.hook]).is_some_and(|hits| !hits.is_empty())
            })
        })
    }

    fn came(&self, entry: &Entry<'_>, word: &str) -> bool {
        let is_of_all = self.args.hook.is_none();
        let has = |word: &str| self.steps(entry).any(|step| step.outcome == word);
        match word {
            FAILED => {
                self.steps(entry).any(|step| step.error.is_some() || step.outcome == "no-payload")
                    || is_of_all && !entry.notes.is_empty()
            }
            SLOW if is_of_all => entry.us >= SLOW_FROM,
            SLOW => self.steps(entry).any(|step| step.us >= SLOW_FROM),
            "off" => !entry.off.is_empty() || has("off"),
            "silent" if is_of_all => {
                let quiet = |step: &StepEntry| log_row::is_quiet(step) && step.outcome != "off";
                entry.off.is_empty() && entry.verdict == "none" && entry.steps.iter().all(quiet)
            }
            "answered" | "deny" | "ask" | "allow" | "defer"
                if is_of_all || decided_for_all(entry) =>
            {
                entry.verdict == word
            }
            _ => has(word) || self.steps(entry).any(|step| step.decided == word),
        }
    }

    fn text(&self, line: &str, entry: &Entry<'_>, seconds: i64, world: &World) -> String {
        let steps: Vec<&StepEntry> = self.steps(entry).collect();
        let row = Row::of(entry, &steps, self.args.hook.is_some());
        let mut text = row.text(&clock::local_time(seconds), &world.terminal);
        if self.args.verbose {
            let by_hand = entry.by_hand && entry.host.is_empty();
            let by_hand = if by_hand { ", called by hand" } else { "" };
            let call = if entry.call.is_empty() { "" } else { ", tool call " };
            let call = harmless(&format!("{call}{}", entry.call));
            let _ = write!(text, "\n    run {}{by_hand}{call}", journal::id(line));
            let packages = self.packages.get_or_init(|| packages(world));
            let mut origins: Vec<String> = Vec::new();
            for step in steps.iter().filter(|step| packages.contains_key(&step.hook)) {
                let line = format!("{} is of {}", step.hook, packages[&step.hook]);
                origins.extend((!origins.contains(&line)).then_some(line));
            }
            for line in origins.into_iter().chain(row.details()) {
                text.extend(["\n    ", &line]);
            }
        }
        text
    }
}

/// Returns whether a run denied or asked without any hook, as with a manifest that cannot be read.
fn decided_for_all(entry: &Entry<'_>) -> bool {
    entry.steps.is_empty() && matches!(&*entry.verdict, "deny" | "ask") && !entry.notes.is_empty()
}
