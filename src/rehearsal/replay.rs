//! Past sessions, replayed: what the chains would have said to each event.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use super::call::Place;
use super::stage::Stage;
use super::transcript::{self, Past};
use crate::builtin::silence::Silence;
use crate::client::event::Event;
use crate::machine::paths::Paths;
use crate::machine::signals::Endings;
use crate::machine::terminal::Terminal;
use crate::machine::{clock, files};
use crate::runtime::effects::Effects;
use crate::state::chains::{self, Chain};

/// The characters that are shown of a call.
const SHOWN: usize = 70;
/// The decision where no hook said anything.
const NONE: &str = "none";

/// A call whose verdict another manifest changes.
#[derive(Serialize)]
pub struct Changed {
    pub call: String,
    pub now: String,
    pub then: String,
}

/// An event that a hook would stop or advise on.
#[derive(Serialize)]
pub struct Judged {
    pub session: String,
    pub time: String,
    pub event: &'static str,
    pub tool_use_id: String,
    pub call: String,
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The verdict on an event, with the hook and the reason that decided.
#[derive(Clone, Default, Serialize)]
pub struct Verdict {
    pub decision: String,
    pub hook: String,
    pub reason: String,
}

/// The result of a replay.
#[derive(Default)]
pub struct Report {
    pub sessions: BTreeSet<String>,
    pub days: BTreeSet<String>,
    pub calls: usize,
    /// The calls of all sessions that are meant.
    pub all: usize,
    /// The time of all runs in microseconds, without the starts of processes.
    pub us: u64,
    /// Reasons why no hook of a chain was asked.
    pub unasked: BTreeSet<String>,
    /// The hooks that would have run a program.
    pub held: BTreeSet<String>,
    pub judged: Vec<Judged>,
    pub changed: Vec<Changed>,
}

/// A replay: the sessions and the manifests that are asked.
pub struct Replay<'a> {
    pub paths: &'a Paths,
    /// The manifest in the place of the user's and the project's.
    pub manifest: Option<PathBuf>,
    /// The manifest to compare with.
    pub against: Option<PathBuf>,
    /// The second since 1970 from which on events count.
    pub since: i64,
    /// The directory whose sessions count.
    pub project: Option<PathBuf>,
}

impl Replay<'_> {
    /// Replays the sessions that have a call which counts, each from its beginning, several at a time,
    /// up to the end or a signal.
    pub fn run(&self) -> io::Result<Report> {
        let sessions = self.sessions()?;
        let all = sessions.iter().flatten().filter(|it| self.is_counted(it)).count();
        let mut report = Report { all, ..Report::default() };
        // The watch is set up before there are threads.
        Endings::watch();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || -> io::Result<Report> {
            let mut part = Report { all, ..Report::default() };
            let mut asked = Asked::new(self.manifest.as_deref(), self.paths)?;
            let against = self.against.as_deref();
            let mut against = against.map(|it| Asked::new(Some(it), self.paths)).transpose()?;
            while let Some(events) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                for past in events {
                    if Endings::watch().is_some_and(|it| it.come().is_some()) {
                        return Ok(part);
                    }
                    let verdict = asked.ask(past, &mut part)?;
                    let other = against.as_mut().map(|it| it.ask(past, &mut Report::default()));
                    if self.is_meant(past) {
                        part.count(past, verdict, other.transpose()?, &done);
                    }
                }
            }
            Ok(part)
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(sessions.len());
        thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                report.join(thread.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            io::Result::Ok(())
        })?;
        report.judged.sort_by(|one, other| one.time.cmp(&other.time));
        Ok(report)
    }

    /// Reads the sessions that have a call which counts, each with its events in their order.
    fn sessions(&self) -> io::Result<Vec<Vec<Past>>> {
        let mut sessions: BTreeMap<String, Vec<Past>> = BTreeMap::new();
        for file in transcript::files(&self.paths.config) {
            for past in transcript::events(&files::read_tail(&file, u64::MAX)?) {
                sessions.entry(past.session.clone()).or_default().push(past);
            }
        }
        let counts = |events: &Vec<Past>| events.iter().any(|it| self.is_counted(it));
        let mut sessions: Vec<Vec<Past>> = sessions.into_values().filter(counts).collect();
        for events in &mut sessions {
            events.sort_by(|one, other| one.time.cmp(&other.time));
        }
        Ok(sessions)
    }

    fn is_meant(&self, past: &Past) -> bool {
        let is_new = || clock::seconds(&past.time).is_some_and(|it| it >= self.since);
        (self.since == i64::MIN || is_new())
            && self.project.as_ref().is_none_or(|project| Path::new(&past.cwd).starts_with(project))
    }

    fn is_counted(&self, past: &Past) -> bool {
        past.call.event == Event::PreToolUse && self.is_meant(past)
    }
}

impl Report {
    fn count(&mut self, past: &Past, verdict: Verdict, other: Option<Verdict>, done: &AtomicUsize) {
        if past.call.event == Event::PreToolUse {
            Terminal::progress(done.fetch_add(1, Ordering::Relaxed), self.all, "calls");
            self.calls += 1;
            self.sessions.insert(past.session.clone());
            self.days.extend(past.time.split('T').next().map(str::to_owned));
        }
        if let Some(other) = other.filter(|it| it.decision != verdict.decision) {
            let (now, then) = (verdict.decision.clone(), other.decision);
            self.changed.push(Changed { call: past.line(SHOWN), now, then });
        }
        if verdict.decision != NONE {
            self.judged.push(Judged {
                session: past.session.clone(),
                time: past.time.clone(),
                event: past.call.event.name(),
                tool_use_id: past.id().to_owned(),
                call: past.line(SHOWN),
                verdict,
            });
        }
    }

    fn join(&mut self, part: Self) {
        self.sessions.extend(part.sessions);
        self.days.extend(part.days);
        self.calls += part.calls;
        self.us += part.us;
        self.unasked.extend(part.unasked);
        self.held.extend(part.held);
        self.judged.extend(part.judged);
        self.changed.extend(part.changed);
    }
}

/// A manifest that is asked, with the state of the sessions that it was asked about.
struct Asked<'a> {
    manifest: Option<&'a Path>,
    paths: &'a Paths,
    stage: Stage,
    /// The last directory, and its chains.
    here: (String, Vec<Chain>),
    /// The calls that it denied, which have no result.
    denied: BTreeSet<String>,
}

impl<'a> Asked<'a> {
    fn new(manifest: Option<&'a Path>, paths: &'a Paths) -> io::Result<Self> {
        let stage = Stage::empty(paths, Effects::Held)?;
        let here = (String::new(), Vec::new());
        Ok(Self { manifest, paths, stage, here, denied: BTreeSet::new() })
    }

    fn ask(&mut self, past: &Past, report: &mut Report) -> io::Result<Verdict> {
        let mut found = Verdict { decision: NONE.to_owned(), ..Verdict::default() };
        if past.call.event == Event::PostToolUse && self.denied.contains(past.id()) {
            return Ok(found);
        }
        if self.here.1.is_empty() || self.here.0 != past.cwd {
            self.here = (past.cwd.clone(), self.chains(Path::new(&past.cwd)));
        }
        let place = Place { session: &past.session, transcript: "", cwd: &past.cwd };
        let payload = past.call.payload(place);
        for chain in &self.here.1 {
            let entry = self.stage.run(chain, past.call.event, &payload)?.entry;
            report.us += entry.us;
            if !entry.unasked.is_empty() {
                report.unasked.insert(entry.unasked);
                continue;
            }
            let held = entry.steps.iter().filter(|it| it.quiet == Silence::Held.word());
            report.held.extend(held.map(|it| it.hook.clone()));
            let of = |words: [&str; 3]| entry.steps.iter().find(|it| words.contains(&&*it.outcome));
            let stops = of(["deny", "ask", "defer"]);
            let stops = stops.or_else(|| of(["would-deny", "would-ask", "would-defer"]));
            let Some(step) = stops.or_else(|| of(["context"; 3])) else { continue };
            let decision = if step.outcome == "context" { "advise" } else { &*step.outcome };
            if found.decision == NONE || decision == "deny" {
                found = Verdict {
                    decision: decision.to_owned(),
                    hook: step.hook.clone(),
                    reason: step.reason.clone().unwrap_or_default(),
                };
            }
        }
        if found.decision == "deny" {
            self.denied.insert(past.id().to_owned());
        }
        Ok(found)
    }

    fn chains(&self, cwd: &Path) -> Vec<Chain> {
        match self.manifest {
            Some(manifest) => {
                vec![Chain { manifest: manifest.to_owned(), ..Chain::of_user(self.paths) }]
            }
            None => chains::chains_of(self.paths, chains::project_around(cwd).as_deref()),
        }
    }
}
