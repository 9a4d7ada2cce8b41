//! The sessions that are in the journal, gathered in one reading of it.

use std::collections::BTreeSet;
use std::collections::hash_map::{self, HashMap};
use std::path::{Path, PathBuf};

use super::journal::{self, Entry};
use super::{chains, journal_files};
use crate::machine::{Paths, agents, clients, files};
use crate::session::SessionId;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub id: SessionId<'static>,
    pub cwd: String,
    /// Its directory at the first event that the journal still has.
    pub first_cwd: String,
    /// The directory it was started in, as the client said; empty where it did not.
    pub project: String,
    /// The prompt that it worked on last, where the client says.
    pub prompt: String,
    /// The first event that the journal still has.
    pub since: String,
    pub last: String,
    pub event: String,
    /// The agent that it is one of, as the journal has it: nothing for Claude Code.
    pub host: String,
    /// The client's process, or 0.
    pub client: u32,
    /// True if that process still runs and has no later session.
    pub live: bool,
}

impl Seen {
    /// The directory it was started in, as far as the journal tells.
    pub fn started_in(&self) -> &Path {
        Path::new(if self.project.is_empty() { &self.first_cwd } else { &self.project })
    }

    /// Its agent's name behind a line about it, where that is not Claude Code.
    pub fn of_host(&self) -> String {
        if self.host.is_empty() { String::new() } else { format!("  ({})", self.host) }
    }

    pub fn project(&self) -> Option<PathBuf> {
        if self.project.is_empty() {
            return chains::project_around(Path::new(&self.first_cwd));
        }
        Some(PathBuf::from(&self.project))
    }
}

/// So many bytes of the journal are read even where its end knows each client that runs.
const ENOUGH: usize = 4 * 1024 * 1024;

/// The sessions of the clients that run, newest first. Nothing is read where the system knows of none.
pub fn live(paths: &Paths) -> Vec<Seen> {
    let is_none = clients::running(&paths.config).is_some_and(|running| running.is_empty())
        && !agents::are_any(paths);
    let mut live = if is_none { Vec::new() } else { gather(paths, false) };
    live.retain(|session| session.live);
    live
}

/// The journal's sessions, live and new ones first, back to the start of each live one, or of `all`.
pub fn gather(paths: &Paths, all: bool) -> Vec<Seen> {
    let running = clients::running(&paths.config);
    let is_client = |process: u32| match &running {
        Some(running) => running.contains(&process) || agents::is_one(&paths.state, process),
        None => clients::is_client(process, &paths.config),
    };
    let mut roll = Roll::default();
    let mut read = 0;
    for volume in journal_files::volumes(paths) {
        // What cannot be read is like what is no longer there.
        let text = files::read_tail(&volume, u64::MAX).unwrap_or_default();
        roll.add(&text);
        read += text.len();
        let is_enough = || running.as_ref().is_some_and(|it| it.iter().all(|it| roll.knows(*it)));
        if !all && read >= ENOUGH && is_enough() {
            break;
        }
    }
    roll.finish(is_client)
}

/// The directory of the session `id` at the first event that the journal still has.
pub fn first_directory(paths: &Paths, id: &SessionId<'_>) -> Option<PathBuf> {
    let volumes = journal_files::volumes(paths);
    volumes.iter().rev().find_map(|volume| {
        let text = files::read_tail(volume, u64::MAX).unwrap_or_default();
        let entries = text.lines().map(journal::whole).filter(|line| line.contains(id.as_str()));
        entries.filter_map(journal::parse).find_map(|(_, entry)| {
            (entry.session == id.as_str()).then(|| PathBuf::from(&*entry.cwd))
        })
    })
}

impl Seen {
    fn of(entry: Entry<'_>) -> Self {
        Self {
            id: SessionId::new(entry.session.into_owned()),
            cwd: entry.cwd.clone().into_owned(),
            first_cwd: entry.cwd.into_owned(),
            since: entry.time.clone(),
            last: entry.time,
            event: entry.event.into_owned(),
            host: entry.host.into_owned(),
            ..Self::default()
        }
    }

    fn goes_on(&self) -> bool {
        self.event != "SessionEnd"
    }
}

#[derive(Default)]
struct Roll {
    seen: Vec<Row>,
    by_id: HashMap<String, usize>,
}

struct Row {
    seen: Seen,
    /// True if a line with a transcript was met, which is the one that knows the prompt.
    has_prompt: bool,
}

impl Row {
    // Most of a long journal need not be parsed: of a session that is known, only what it lacks is
    // looked for.
    fn may_learn(&self, line: &str) -> bool {
        let says = |key: &str, nothing: &str| {
            line.split_once(key).is_some_and(|(_, value)| !value.starts_with(nothing))
        };
        (self.seen.client == 0 && says("\"client\":", "0"))
            || (!self.has_prompt && says("\"transcript\":", "\"\""))
            || (self.seen.project.is_empty() && says("\"project\":", "\"\""))
    }

    fn learn(&mut self, entry: &mut Entry<'_>) {
        if self.seen.client == 0 {
            self.seen.client = entry.client;
        }
        if !self.has_prompt && !entry.transcript.is_empty() {
            self.has_prompt = true;
            self.seen.prompt = std::mem::take(&mut entry.prompt).into_owned();
        }
        if self.seen.project.is_empty() {
            self.seen.project = std::mem::take(&mut entry.project).into_owned();
        }
    }
}

impl Roll {
    /// Adds the lines of a file that is older than those before it.
    fn add(&mut self, text: &str) {
        let mut oldest: HashMap<usize, &str> = HashMap::new();
        for line in text.lines().rev().map(journal::whole) {
            let known = session_of(line).and_then(|id| self.by_id.get(id));
            if let Some(index) = known {
                oldest.insert(*index, line);
                if !self.seen[*index].may_learn(line) {
                    continue;
                }
            }
            let Some((_, mut entry)) = journal::parse(line) else { continue };
            if entry.session.is_empty() {
                continue;
            }
            let index = match self.by_id.entry(entry.session.clone().into_owned()) {
                hash_map::Entry::Occupied(known) => *known.get(),
                hash_map::Entry::Vacant(place) => *place.insert(self.seen.len()),
            };
            oldest.insert(index, line);
            if let Some(row) = self.seen.get_mut(index) {
                row.learn(&mut entry);
            } else {
                let mut row = Row { seen: Seen::default(), has_prompt: false };
                row.learn(&mut entry);
                let Seen { project, prompt, client, .. } = row.seen;
                row.seen = Seen { project, prompt, client, ..Seen::of(entry) };
                self.seen.push(row);
            }
        }
        for (index, line) in oldest {
            let Some((_, entry)) = journal::parse(line) else { continue };
            let seen = &mut self.seen[index].seen;
            if entry.session == seen.id.as_str() {
                seen.since = entry.time;
                seen.first_cwd = entry.cwd.into_owned();
            }
        }
    }

    /// Returns whether a client has a session here that did not end.
    fn knows(&self, process: u32) -> bool {
        self.seen.iter().any(|Row { seen, .. }| seen.client == process && seen.goes_on())
    }

    fn finish(self, is_client: impl Fn(u32) -> bool) -> Vec<Seen> {
        let mut seen: Vec<Seen> = self.seen.into_iter().map(|row| row.seen).collect();
        // After /clear a client goes on under another id.
        let mut clients = BTreeSet::new();
        for session in &mut seen {
            session.live = session.client != 0
                && session.goes_on()
                && clients.insert(session.client)
                && is_client(session.client);
        }
        seen.sort_by_key(|session| !session.live);
        seen
    }
}

/// The session of a line that hookman wrote, unparsed; `None` where its spelling is not plain.
fn session_of(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("\"session\":\"")?;
    let (id, _) = rest.split_once('"')?;
    (!id.is_empty() && !id.contains('\\')).then_some(id)
}
