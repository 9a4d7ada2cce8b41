//! Past sessions, replayed: what the chains would have said to each event.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::{io, thread};

use serde::Serialize;

use super::stage::Stage;
use super::tally::would_stop;
use super::transcript::{self, Past};
use crate::builtin::silence::Silence;
use crate::chain::merge::Verdict as Merged;
use crate::chain::plan::Plan;
use crate::client::answer::Decision;
use crate::client::event::Event;
use crate::machine::paths::{Paths, real};
use crate::machine::signals::Endings;
use crate::machine::terminal::Terminal;
use crate::machine::{clock, files, folders, memory};
use crate::manifest::Hook;
use crate::runtime::call::Kept;
use crate::runtime::overrides::Effects;
use crate::runtime::rehearse::Rehearsed;
use crate::session::memory::MemoryStore;
use crate::state::chains::{self, Chain, Loaded};
use crate::state::journal::StepEntry;

/// The characters that are shown of a call, and of a reason.
const SHOWN: usize = 70;
/// The most threads of a replay: as many as have memory of their own.
const THREADS: usize = memory::COUNT;
/// The decision where no hook said anything.
const NONE: &str = "none";
/// The decision where a hook only tells the model something.
const ADVISE: &str = "advise";
/// The decisions, the strictest first.
const ORDER: [&str; 7] = ["deny", "defer", "ask", "would-deny", "would-defer", "would-ask", ADVISE];

/// A call whose verdict another manifest changes.
#[derive(Serialize)]
pub struct Changed {
    pub session: String,
    pub time: String,
    pub tool_use_id: String,
    pub call: String,
    /// The hook that decides, now or then.
    pub hook: String,
    pub reason: String,
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
    /// The advice of other hooks, and what those would have said that only watch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Verdict>,
}

/// The verdict on an event, with the hook and the reason that decided.
#[derive(Clone, Default, Serialize)]
pub struct Verdict {
    pub decision: String,
    pub hook: String,
    pub reason: String,
}

#[derive(Default)]
pub struct Report {
    pub sessions: BTreeSet<String>,
    pub days: BTreeSet<String>,
    pub calls: usize,
    /// The transcripts that were not replayed, because a signal came.
    pub left: usize,
    /// The transcripts that could not be read, and why.
    pub unread: Vec<String>,
    /// The time of all runs in microseconds, without the starts of processes.
    pub us: u64,
    /// Reasons why no hook of a chain was asked.
    pub unasked: BTreeSet<String>,
    pub held: BTreeSet<String>,
    /// The hooks that the client runs itself, or without waiting for them.
    pub passed: BTreeSet<String>,
    pub hooks: BTreeSet<String>,
    /// The hooks that depend on what is not known of the past, and what that is.
    pub unknown: BTreeMap<String, BTreeSet<String>>,
    pub judged: Vec<Judged>,
    pub changed: Vec<Changed>,
    /// The ids of the events; true for a call.
    ids: BTreeMap<String, bool>,
}

pub struct Replay<'a> {
    pub paths: &'a Paths,
    /// The program that calls, where it is not Claude Code.
    pub host: Option<&'a str>,
    pub manifest: Option<PathBuf>,
    pub against: Option<PathBuf>,
    /// The second since 1970 from which on events count.
    pub since: i64,
    /// The directory whose sessions count.
    pub project: Option<PathBuf>,
}

impl Replay<'_> {
    /// Replays the sessions that have a call which counts, several at a time, up to a signal.
    pub fn run(&self) -> io::Result<Report> {
        Endings::watch();
        let mut transcripts = transcript::files(&self.paths.config);
        let is_new = |file: &PathBuf| folders::changed_second(file) >= Some(self.since);
        transcripts.retain(|_, files| files.iter().any(is_new));
        let mut transcripts: Vec<_> = transcripts.into_iter().collect();
        // A fork is younger than the session that it was made of, whose calls it has too.
        transcripts.sort_by_key(|(_, files)| files.iter().filter_map(|it| folders::made(it)).min());
        let work = Work { transcripts, ..Work::default() };
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
        let reports = thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|_| {
                    scope.spawn(|| {
                        memory::take();
                        self.work(&work)
                    })
                })
                .collect();
            let mut reports = vec![self.work(&work)];
            reports.extend(
                others.into_iter().map(|it| it.join().unwrap_or_else(|it| resume_unwind(it))),
            );
            reports.into_iter().collect::<io::Result<Vec<_>>>()
        })?;
        Terminal::progress_ends();
        let mut reports: Vec<_> = reports.into_iter().flatten().collect();
        reports.sort_by_key(|(number, _)| *number);
        let mut whole = Report::default();
        for (_, report) in reports {
            whole.add(report);
        }
        whole.judged.sort_by(|one, other| one.time.cmp(&other.time));
        Ok(whole)
    }

    /// Replays transcripts while there are some, and gives the report on each with its number.
    fn work(&self, work: &Work) -> io::Result<Vec<(usize, Report)>> {
        let mut asked = Asked::new(self, self.manifest.as_deref())?;
        let against = self.against.as_deref();
        let mut against = against.map(|it| Asked::new(self, Some(it))).transpose()?;
        let is_ended = || Endings::watch().is_some_and(|it| it.come().is_some());
        let mut reports = Vec::new();
        loop {
            let number = work.taken.fetch_add(1, Relaxed);
            let Some((name, files)) = work.transcripts.get(number) else { break };
            let mut report = Report { left: usize::from(is_ended()), ..Report::default() };
            let is_main = |it: &&PathBuf| it.file_stem().is_some_and(|stem| *stem == **name);
            let main = files.iter().find(is_main).map(|it| it.display().to_string());
            let main = main.unwrap_or_default();
            let files = if report.left == 0 { &**files } else { &[] };
            let wants = |event, cwd: &str| {
                asked.chains.hear(event, cwd)
                    || against.as_mut().is_some_and(|it| it.chains.hear(event, cwd))
            };
            for past in self.sessions(files, wants, &mut report.unread).values().flatten() {
                Terminal::progress(|| work.progress());
                if is_ended() {
                    report.left = 1;
                    break;
                }
                let verdicts = asked.ask(past, &main, &mut report);
                let other = against.as_mut();
                let mut of_other = Report::default();
                let other = other.map(|it| it.ask(past, &main, &mut of_other));
                report.held.append(&mut of_other.held);
                if self.is_meant(past) {
                    report.count(past, verdicts, other);
                    work.events.fetch_add(1, Relaxed);
                }
            }
            work.done.fetch_add(1, Relaxed);
            reports.push((number, report));
        }
        let mut last = Report::default();
        let others = against.iter().flat_map(|it| it.chains.known.values()).flatten();
        for it in asked.chains.known.values().flatten().chain(others) {
            last.passed.extend(it.passed.clone());
            last.hooks.extend(it.hooks.clone());
        }
        reports.push((usize::MAX, last));
        Ok(reports)
    }

    /// Reads the sessions of transcripts that have a call which counts, with the results a chain wants.
    fn sessions(
        &self,
        files: &[PathBuf],
        mut wants: impl FnMut(Event, &str) -> bool,
        unread: &mut Vec<String>,
    ) -> BTreeMap<String, Vec<Past>> {
        let mut sessions: BTreeMap<String, Vec<Past>> = BTreeMap::new();
        for file in files {
            let text = files::read_tail(file, u64::MAX).unwrap_or_else(|error| {
                unread.push(format!("`{}` is left out: {error}", self.paths.shown(file)));
                String::new()
            });
            for past in transcript::events(&text, &mut wants) {
                sessions.entry(past.session.clone()).or_default().push(past);
            }
        }
        sessions.retain(|_, events| events.iter().any(|it| self.is_counted(it)));
        for events in sessions.values_mut() {
            events.sort_by(|one, other| one.time.cmp(&other.time));
        }
        sessions
    }

    fn is_meant(&self, past: &Past) -> bool {
        let is_new = || clock::seconds(&past.time).is_some_and(|it| it >= self.since);
        (self.since == i64::MIN || is_new())
            && self.project.as_ref().is_none_or(|project| Path::new(&past.cwd).starts_with(project))
    }

    fn is_counted(&self, past: &Past) -> bool {
        past.event == Event::PreToolUse && self.is_meant(past)
    }
}

/// The transcripts that the threads of a replay share, and how far they have come.
#[derive(Default)]
struct Work {
    transcripts: Vec<(String, Vec<PathBuf>)>,
    taken: AtomicUsize,
    done: AtomicUsize,
    events: AtomicUsize,
}

impl Work {
    fn progress(&self) -> String {
        let (done, events) = (self.done.load(Relaxed), self.events.load(Relaxed));
        format!("{done} of {} transcripts, {events} events", self.transcripts.len())
    }
}

impl Report {
    fn add(&mut self, mut other: Self) {
        // A session that was forked has the events of the one before it, under their ids.
        let is_new = |id: &String| !self.ids.contains_key(id);
        other.calls -= other.ids.iter().filter(|(id, is_call)| **is_call && !is_new(id)).count();
        other.judged.retain(|it| is_new(&it.tool_use_id));
        other.changed.retain(|it| is_new(&it.tool_use_id));
        self.ids.append(&mut other.ids);
        self.sessions.extend(other.sessions);
        self.days.extend(other.days);
        self.calls += other.calls;
        self.left += other.left;
        self.unread.extend(other.unread);
        self.us += other.us;
        self.unasked.extend(other.unasked);
        self.held.extend(other.held);
        self.passed.extend(other.passed);
        self.hooks.extend(other.hooks);
        for (hook, mut what) in other.unknown {
            self.unknown.entry(hook).or_default().append(&mut what);
        }
        self.judged.extend(other.judged);
        self.changed.extend(other.changed);
    }

    fn count(&mut self, past: &Past, verdicts: Vec<Verdict>, other: Option<Vec<Verdict>>) {
        let is_call = past.event == Event::PreToolUse;
        if !past.id.is_empty() {
            self.ids.entry(past.id.clone()).and_modify(|it| *it |= is_call).or_insert(is_call);
        }
        if is_call {
            self.calls += 1;
            self.sessions.insert(past.session.clone());
            self.days.extend(past.time.split('T').next().map(str::to_owned));
        }
        let first = |verdicts: &[Verdict]| {
            let none = || Verdict { decision: NONE.to_owned(), ..Verdict::default() };
            verdicts.first().cloned().unwrap_or_else(none)
        };
        let verdict = first(&verdicts);
        let other = other.map(|it| first(&it));
        if let Some(other) = other.filter(|it| it.decision != verdict.decision) {
            let decides = if verdict.hook.is_empty() { &other } else { &verdict };
            let Verdict { hook, reason, .. } = decides.clone();
            self.changed.push(Changed {
                session: past.session.clone(),
                time: past.time.clone(),
                tool_use_id: past.id.clone(),
                call: past.line(SHOWN),
                hook,
                reason,
                now: verdict.decision.clone(),
                then: other.decision,
            });
        }
        let mut verdicts = verdicts.into_iter();
        self.judged.extend(verdicts.next().map(|verdict| Judged {
            session: past.session.clone(),
            time: past.time.clone(),
            event: past.event.name(),
            tool_use_id: past.id.clone(),
            call: past.line(SHOWN),
            verdict,
            also: verdicts.collect(),
        }));
    }
}

struct Planned {
    chain: Chain,
    plan: Option<String>,
    hooks: Vec<String>,
    /// Those that nobody waits for, or that the client runs itself.
    passed: Vec<String>,
}

impl Planned {
    fn of(chain: Chain, paths: &Paths) -> Self {
        let mut on = chains::read(paths, &chain).ok().flatten().unwrap_or_default().hooks;
        on.retain(|it| it.enabled);
        let is_passed = |it: &&Hook| it.manner.background || it.passed().is_some();
        let passed = on.iter().filter(is_passed).map(|it| it.name.clone()).collect();
        let hooks = on.into_iter().map(|it| it.name).collect();
        let plan = match chains::load(paths, &chain) {
            Loaded::Plan(plan) | Loaded::Mended(plan) => Some(plan),
            Loaded::LastGood(..) | Loaded::Absent | Loaded::Broken { .. } => None,
        };
        Self { chain, plan, hooks, passed }
    }

    /// Returns whether a run may say anything on an event. A typed switch is answered without a hook.
    fn hears(&self, event: Event) -> bool {
        let Some(plan) = &self.plan else { return files::is_there(&self.chain.manifest) };
        matches!(event, Event::SessionStart | Event::UserPromptSubmit)
            || Plan::parse(plan).is_none_or(|plan| plan.hears(event))
    }
}

struct Chains<'a> {
    manifest: Option<&'a Path>,
    /// With the state of a copy, where the plans go.
    paths: Paths,
    known: BTreeMap<String, Vec<Planned>>,
}

impl Chains<'_> {
    fn of(&mut self, cwd: &str) -> &[Planned] {
        if !self.known.contains_key(cwd) {
            let paths = &self.paths;
            let project = chains::project_around(Path::new(cwd));
            let mut chains = chains::chains_of(paths, project.as_deref());
            if let Some(manifest) = self.manifest {
                // A draft of the project's own is not asked twice.
                chains.retain(|chain| real(&chain.manifest) != real(manifest));
                let of_user = Chain { manifest: manifest.to_owned(), ..Chain::of_user(paths) };
                match chains.iter_mut().find(|chain| chain.scope == of_user.scope) {
                    Some(chain) => *chain = of_user,
                    None => chains.insert(0, of_user),
                }
            }
            let planned = chains.into_iter().map(|chain| Planned::of(chain, paths));
            self.known.insert(cwd.to_owned(), planned.collect());
        }
        &self.known[cwd]
    }

    fn hear(&mut self, event: Event, cwd: &str) -> bool {
        self.of(cwd).iter().any(|it| it.hears(event))
    }
}

/// A manifest that is asked, with the state of the session that it was asked about.
struct Asked<'a> {
    chains: Chains<'a>,
    stage: Stage,
    session: (String, MemoryStore),
    /// The calls that it denied, which have no result.
    denied: BTreeSet<String>,
}

impl<'a> Asked<'a> {
    fn new(replay: &'a Replay<'a>, manifest: Option<&'a Path>) -> io::Result<Self> {
        let mut stage = Stage::empty(replay.paths, Effects::Held)?;
        stage.host = replay.host.map(str::to_owned);
        let (session, denied) = ((String::new(), MemoryStore::default()), BTreeSet::new());
        let chains = Chains { manifest, paths: stage.paths().clone(), known: BTreeMap::new() };
        Ok(Self { chains, stage, session, denied })
    }

    /// Asks the chains about an event; gives the deciding answer, then those of other hooks.
    fn ask(&mut self, past: &Past, transcript: &str, report: &mut Report) -> Vec<Verdict> {
        let mut found = Vec::new();
        let event = past.event;
        if event == Event::PostToolUse && self.denied.contains(&past.id) {
            return found;
        }
        let Self { chains, stage, .. } = self;
        let mut asked = chains.of(&past.cwd).iter().filter(|it| it.hears(event)).peekable();
        if asked.peek().is_none() {
            return found;
        }
        if self.session.0 != past.session {
            self.session = (past.session.clone(), MemoryStore::default());
        }
        let store = &self.session.1;
        store.set_now(clock::seconds(&past.time).unwrap_or_default().unsigned_abs());
        let payload = past.payload(transcript);
        for Planned { chain, plan, .. } in asked {
            let kept = Kept { plan: plan.as_deref(), store };
            let Rehearsed { entry, verdict, .. } = stage.run(chain, event, &payload, Some(kept));
            report.us += entry.us;
            if !entry.unasked.is_empty() {
                report.unasked.insert(entry.unasked);
                continue;
            }
            let held = entry.steps.iter().filter(|it| it.quiet == Silence::Held.word());
            report.held.extend(held.map(|it| it.hook.clone()));
            found.extend(judged(&verdict, &entry.steps));
        }
        found.sort_by_key(|it| ORDER.iter().position(|word| *word == it.decision));
        for (hook, mut what) in store.take_unknown() {
            report.unknown.entry(hook).or_default().append(&mut what);
        }
        if found.first().is_some_and(|it| it.decision == "deny") {
            self.denied.insert(past.id.clone());
        }
        found
    }
}

/// Names the hook that decided and those that advise or would have, each with its rule or first line.
fn judged(verdict: &Merged, steps: &[StepEntry]) -> Vec<Verdict> {
    let decided = verdict.answer.decision.filter(|it| *it != Decision::Allow).map(Decision::name);
    let of = |words: [&str; 3]| {
        steps.iter().find(|it| words.contains(&&*it.outcome) || words.contains(&&*it.decided))
    };
    let first = decided
        .map(|word| (of([word; 3]).or_else(|| of(["ask", "defer", "context"])), word.to_owned()));
    let by = first.as_ref().and_then(|(step, _)| step.map(|it| &*it.hook));
    let is_other = |it: &&StepEntry| !it.again && by != Some(&it.hook);
    let others = steps.iter().filter(is_other).filter_map(|step| match &*step.outcome {
        "context" => Some((Some(step), ADVISE.to_owned())),
        word if would_stop(step) => Some((Some(step), word.to_owned())),
        _ => None,
    });
    let named = |(step, decision): (Option<&StepEntry>, String)| {
        let reason = step.and_then(|step| step.reason.as_ref().or(step.error.as_ref()));
        let reason = reason.map(|it| it.chars().take(SHOWN).collect()).unwrap_or_default();
        let hook = step.map(|step| step.hook.clone()).unwrap_or_default();
        Verdict { decision, hook, reason }
    };
    first.into_iter().chain(others).map(named).collect()
}
