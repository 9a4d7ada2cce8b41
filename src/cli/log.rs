//! `hookman log`: what the journal tells of the last runs, and of those to come.

use std::io;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::args::Log;
use super::log_args::Came;
use super::{ExitStatus, World};
use crate::client::event::Event;
use crate::machine::following::Following;
use crate::machine::terminal::harmless;
use crate::machine::{clock, files};
use crate::runtime::journal::{self, Entry, StepEntry};
use crate::runtime::upkeep;
use crate::session::{names, period};

/// How many runs are shown where nothing says how many.
const LINES: usize = 20;

/// From how many microseconds on a run is slow.
const SLOW: u64 = 100_000;

/// How often the journal is looked at while it is followed.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn log(args: &Log, world: &World) -> Result<ExitStatus> {
    let wanted = Wanted::of(args)?;
    let journal = world.paths.journal();
    let mut following = Following::new(&journal);
    let current =
        following.read().with_context(|| format!("failed to read `{}`", journal.display()))?;
    let shown = last(&wanted, current, world)?;
    if shown.is_empty() && !args.follow && !args.json {
        world.terminal.warn("no run fits; `hookman log --help` says what can be asked for");
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

/// The last rows that fit, oldest first; older journals are read only as far as they are needed.
fn last(wanted: &Wanted<'_>, current: String, world: &World) -> Result<Vec<String>> {
    let mut older = upkeep::put_aside(&world.paths)
        .context("failed to list the journals that were put aside")?;
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

/// What is asked for.
struct Wanted<'a> {
    args: &'a Log,
    /// The earliest second since 1970.
    from: Option<i64>,
    most: usize,
}

impl<'a> Wanted<'a> {
    fn of(args: &'a Log) -> Result<Self> {
        let from = match &args.since {
            None => None,
            Some(text) => {
                let seconds = period::seconds(text).and_then(|it| i64::try_from(it).ok());
                let seconds = seconds.with_context(|| {
                    format!("--since takes a time such as 90s, 10m or 1d, not `{text}`")
                })?;
                Some(clock::unix_seconds().saturating_sub(seconds))
            }
        };
        let is_event =
            |name: &str| Event::ALL.iter().any(|event| event.name().eq_ignore_ascii_case(name));
        if let Some(event) = args.event.as_deref().filter(|it| !is_event(it)) {
            let names: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
            bail!(match names::resolve(event, &names) {
                names::Found::One(near) | names::Found::None(Some(near)) =>
                    format!("there is no event `{event}`; `{near}` is one"),
                _ => format!("there is no event `{event}`"),
            });
        }
        let most = args.lines.unwrap_or(if from.is_some() { usize::MAX } else { LINES });
        Ok(Self { args, from, most })
    }

    /// The row of a journal's line; nothing for one that does not fit or is none.
    fn row(&self, line: &str, world: &World) -> Option<String> {
        let (line, entry) = journal::parse(line)?;
        let seconds = clock::seconds(&entry.time)?;
        let args = self.args;
        let fits = self.from.is_none_or(|from| seconds >= from)
            && args.session.as_ref().is_none_or(|session| entry.session.starts_with(&**session))
            && args.event.as_ref().is_none_or(|event| entry.event.eq_ignore_ascii_case(event))
            && (args.hook.is_none() || self.steps(&entry).next().is_some())
            && args.outcome.is_none_or(|outcome| self.came(&entry, outcome));
        fits.then(|| if args.json { line.to_owned() } else { self.text(&entry, seconds, world) })
    }

    /// The steps that are asked for.
    fn steps<'e>(&self, entry: &'e Entry<'_>) -> impl Iterator<Item = &'e StepEntry> {
        let wanted = self.args.hook.clone();
        entry.steps.iter().filter(move |step| {
            wanted.as_ref().is_none_or(|wanted| {
                *wanted == step.hook
                    || names::matching(wanted, &[&step.hook]).is_some_and(|hits| !hits.is_empty())
            })
        })
    }

    fn came(&self, entry: &Entry<'_>, came: Came) -> bool {
        let word = match came {
            Came::Failed => {
                return self.steps(entry).any(|step| step.error.is_some())
                    || self.args.hook.is_none() && !entry.notes.is_empty();
            }
            Came::Slow if self.args.hook.is_none() => return entry.us >= SLOW,
            Came::Slow => return self.steps(entry).any(|step| step.us >= SLOW),
            Came::Off => {
                return !entry.off.is_empty() || self.steps(entry).any(|it| it.outcome == "off");
            }
            Came::Silent => {
                return entry.off.is_empty()
                    && entry.verdict == "none"
                    && self.steps(entry).all(|step| step.outcome == "silent");
            }
            Came::Deny => "deny",
            Came::Ask => "ask",
            Came::Allow => "allow",
            Came::Defer => "defer",
        };
        match self.args.hook {
            None => entry.verdict == word,
            Some(_) => self.steps(entry).any(|step| step.outcome == word),
        }
    }

    fn text(&self, entry: &Entry<'_>, seconds: i64, world: &World) -> String {
        let session: String = entry.session.chars().take(8).collect();
        let place = if entry.subject.is_empty() {
            entry.event.to_string()
        } else {
            format!("{}({})", entry.event, entry.subject)
        };
        let spoke: Vec<&StepEntry> = self
            .steps(entry)
            .filter(|step| self.args.hook.is_some() || step.outcome != "silent")
            .collect();
        let hooks: Vec<&str> = spoke.iter().map(|step| step.hook.as_str()).collect();
        let hooks = match (hooks.as_slice(), entry.steps.len()) {
            ([], 0) => "-".to_owned(),
            ([], 1) => "1 hook".to_owned(),
            ([], all) => format!("{all} hooks"),
            (hooks, all) if self.args.hook.is_none() && hooks.len() < all => {
                format!("{} +{}", hooks.join(","), all - hooks.len())
            }
            (hooks, _) => hooks.join(","),
        };
        let outcome = self.outcome(entry, &spoke);
        let us = match &self.args.hook {
            Some(_) => spoke.iter().map(|step| step.us).sum(),
            None => entry.us,
        };
        let (whole, tenth) = (us / 1000, us % 1000 / 100);
        let error = spoke.iter().find_map(|step| step.error.as_deref());
        let remark = error.map(str::to_owned).or_else(|| {
            let why = spoke.iter().find_map(|step| step.why.clone());
            why.or_else(|| (!entry.off.is_empty()).then(|| entry.off.to_string()))
                .or_else(|| entry.notes.first().cloned())
        });
        let when = clock::local_time(seconds);
        let row = format!(
            "{when}  {session:8}  {place:28}  {hooks:20}  {outcome:9}  {:>8}  {}",
            format!("{whole}.{tenth} ms"),
            remark.unwrap_or_default().lines().next().unwrap_or_default(),
        );
        // A row is one line, whatever stands in the payload.
        let row = harmless(row.trim_end()).replace('\n', "\\n");
        let colour = match outcome.as_str() {
            "deny" => "31",
            "ask" | "defer" | "off" => "33",
            _ if error.is_some() => "31",
            _ => return row,
        };
        if world.terminal.colours { format!("\u{1b}[{colour}m{row}\u{1b}[0m") } else { row }
    }

    fn outcome(&self, entry: &Entry<'_>, spoke: &[&StepEntry]) -> String {
        if !entry.off.is_empty() {
            return "off".to_owned();
        }
        if self.args.hook.is_none() && entry.verdict != "none" {
            return entry.verdict.to_string();
        }
        let outcomes = || spoke.iter().map(|step| &*step.outcome);
        // The failure first, and what is off last.
        let failed = spoke.iter().find(|step| step.error.is_some()).map(|step| &*step.outcome);
        let said = failed.or_else(|| outcomes().find(|it| !matches!(*it, "off" | "silent")));
        said.or_else(|| outcomes().next()).unwrap_or("silent").to_owned()
    }
}
