//! The sessions that called hookman. The journal is the record: each run leaves there the session,
//! its directory, the client's process and the event, so that no run has to write a second file.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::journal::{self, Entry};
use super::{Chain, chains, session_index, session_switches, spill};
use crate::client::host::{HOSTS, Host};
use crate::machine::{Paths, clients, environment, files, folders};
use crate::manifest::{self, Manifest, Problems};
use crate::session::SessionId;

pub use super::session_index::Seen;

/// The depth of a session's state in the state directory: `sessions/ID/flags`.
const LEVELS: usize = 3;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of days that the state of a session is kept after its last use where the manifest names none.
const KEEP_DAYS: u64 = 30;

/// Tells how long the state of a session is kept after its last use, as the user's manifest says.
pub fn kept(paths: &Paths) -> Result<Duration, Problems> {
    Ok(kept_by(&chains::read(paths, &Chain::of_user(paths))?.unwrap_or_default()))
}

/// As [`kept`], by the text of a manifest that was read.
pub fn kept_by(manifest: &Manifest) -> Duration {
    days(manifest.keep.as_ref().map_or(KEEP_DAYS, |keep| keep.days))
}

/// As [`kept`], for a manifest that cannot be read: what it says anyway, or said at the last pruning.
pub fn kept_last(paths: &Paths) -> Duration {
    let written = || {
        let text = files::read_text(&paths.user_manifest()).ok().flatten()?;
        manifest::keep_days(&text)
    };
    let noted = || files::read_text(&mark(paths)).ok().flatten()?.trim().parse().ok();
    days(written().or_else(noted).unwrap_or(KEEP_DAYS))
}

/// So many sessions are removed a day, as the start of one waits for it.
const A_DAY: usize = 100;

fn days(days: u64) -> Duration {
    Duration::from_secs(days.saturating_mul(DAY.as_secs()))
}

/// The file whose time is that of the last daily pruning, and that holds the days it went by.
fn mark(paths: &Paths) -> PathBuf {
    paths.state.join("pruned")
}

pub fn live(paths: &Paths) -> Vec<Seen> {
    session_index::live(paths)
}

/// The sessions in the journal's end or, until each running client is known, all of it; live ones first.
pub fn seen(paths: &Paths) -> Vec<Seen> {
    session_index::gather(paths, false)
}

/// As [`seen`], of all that is left of the journal.
pub fn seen_ever(paths: &Paths) -> Vec<Seen> {
    session_index::gather(paths, true)
}

/// The running clients without a session in `seen`; `None` if the system does not tell.
pub fn strangers(paths: &Paths, seen: &[Seen]) -> Option<Vec<u32>> {
    let mut running = clients::running(&paths.config)?;
    running.retain(|process| !seen.iter().any(|it| it.live && it.client == *process));
    Some(running)
}

/// Returns whether hookman has state or a line of a session; switches alone may be of none.
pub fn is_known(paths: &Paths, id: &SessionId<'_>) -> bool {
    let is_switch = |path: &PathBuf| path.file_stem().is_some_and(|it| it == "switches");
    let kept = folders::entries(&paths.session(&id.file_name())).unwrap_or_default();
    !kept.iter().all(is_switch) || has_called(paths, id) || project(paths, id).is_some()
}

/// Returns whether the session `id` called hookman, as far as the journal goes back.
pub fn has_called(paths: &Paths, id: &SessionId<'_>) -> bool {
    journal::newest(paths, id.as_str(), |entry| entry.session == id.as_str()).is_some()
}

/// The name of the agent that the session `id` is one of; `None` where nobody noted the session.
pub fn host(paths: &Paths, id: &SessionId<'_>) -> Option<&'static str> {
    let entry = journal::newest(paths, id.as_str(), |entry| entry.session == id.as_str())?;
    let is_it = |host: &&&Host| host.noted() == entry.host;
    HOSTS.iter().find(is_it).map(|host| host.name)
}

/// The directory a session was started in, whose project's hooks it has, where the client said so.
pub fn project(paths: &Paths, id: &SessionId<'_>) -> Option<PathBuf> {
    let said = |entry: &Entry<'_>| entry.session == id.as_str() && !entry.project.is_empty();
    let entry = journal::newest(paths, id.as_str(), said).map(|entry| entry.project.into_owned());
    let kept = || session_switches::switches(paths, id).ok().map(|(switches, _)| switches.project);
    entry.or_else(kept).filter(|project| !project.is_empty()).map(PathBuf::from)
}

/// The session's probable project: around its first directory, or of its last switch.
pub fn likely_project(paths: &Paths, id: &SessionId<'_>) -> Option<PathBuf> {
    let switched = || {
        let (switches, _) = session_switches::switches(paths, id).ok()?;
        Some(PathBuf::from(switches.working_directory))
    };
    let directory = session_index::first_directory(paths, id).or_else(switched)?;
    chains::project_around(&directory)
}

/// The session that a client's process had before `session`.
pub fn before(paths: &Paths, client: u32, session: &SessionId<'_>) -> Option<SessionId<'static>> {
    let is_meant = |entry: &Entry<'_>| {
        entry.client == client && entry.session != session.as_str() && !entry.session.is_empty()
    };
    if client == 0 {
        return None;
    }
    let entry = journal::newest(paths, &format!("\"client\":{client},"), is_meant)?;
    Some(SessionId::new(entry.session.into_owned()))
}

/// The session that `session` was forked from, by its client's earlier one or `--fork-session`. Clients up
/// to 2.1.213 call such a start `resume`, by the id of the origin (seen on 2.1.197).
pub fn forked_from(
    paths: &Paths,
    client: u32,
    session: &SessionId<'_>,
    source: &str,
) -> Option<SessionId<'static>> {
    let words = clients::words(client);
    let is_told = words.iter().any(|word| word == "--fork-session");
    if source == "resume" && !is_told {
        return None;
    }
    let before = before(paths, client, session);
    if before.is_some() || !is_told {
        return before.filter(|_| source == "fork");
    }
    if source == "resume" {
        return Some(session.clone().into_owned());
    }
    let mut others: Vec<Seen> = seen(paths).into_iter().filter(|it| it.id != *session).collect();
    let value = |word: &str| word.strip_prefix("--resume=").unwrap_or(word).to_owned();
    let named: Vec<SessionId<'_>> = words.iter().map(|word| SessionId::new(value(word))).collect();
    if let Some(named) = others.iter().find(|seen| named.contains(&seen.id)) {
        return Some(named.id.clone());
    }
    let last = words.iter().any(|word| matches!(word.as_str(), "-c" | "--continue"));
    let here = environment::current_directory().ok().filter(|_| last)?;
    others.retain(|seen| seen.started_in() == here);
    others.into_iter().max_by(|one, other| one.last.cmp(&other.last)).map(|seen| seen.id)
}

/// Removes the state of sessions unused for `kept` and not running, and leavings; gives how many.
pub fn prune(paths: &Paths, kept: Duration, dry_run: bool) -> io::Result<usize> {
    prune_some(paths, kept, dry_run, usize::MAX)
}

/// As [`prune`], of at most so many sessions.
fn prune_some(paths: &Paths, kept: Duration, dry_run: bool, most: usize) -> io::Result<usize> {
    // The client has a folder of this name too.
    if paths.config.starts_with(&paths.state) {
        return Ok(0);
    }
    let folders = folders::entries(&paths.state.join("sessions"))?;
    let is_old = |path: &Path| {
        folders::last_change(path).is_some_and(|used| used.elapsed().is_ok_and(|age| age >= kept))
    };
    // To remove something in a folder is a use of it by the time that it has then.
    let old: Vec<PathBuf> = folders.iter().filter(|it| is_old(it)).take(most).cloned().collect();
    if !dry_run {
        files::sweep_tree(&paths.state, LEVELS);
        for folder in &folders {
            spill::prune(folder, kept);
        }
    }
    if old.is_empty() {
        return Ok(0);
    }
    let seen = seen(paths);
    // A client that no line of the journal is left of may run any session that none is left of.
    let unsure = strangers(paths, &seen).is_some_and(|it| !it.is_empty());
    let known = names(&seen);
    let is_live = |path: &PathBuf| {
        name(path).and_then(|name| known.get(name)).map_or(unsure, |is_live| *is_live)
    };
    let ended = old.iter().filter(|path| !is_live(path));
    Ok(ended.filter(|path| dry_run || folders::remove(path)).count())
}

fn name(folder: &Path) -> Option<&str> {
    folder.file_name()?.to_str()
}

fn names(seen: &[Seen]) -> BTreeMap<String, bool> {
    seen.iter().map(|session| (session.id.file_name().into_owned(), session.live)).collect()
}

/// Prunes where that was not done for a day, and says whether it was to be done.
pub fn prune_daily(paths: &Paths) -> bool {
    let mark = mark(paths);
    let recent = folders::changed(&mark).is_some_and(|at| at.elapsed().is_ok_and(|age| age < DAY));
    if recent {
        return false;
    }
    let kept = kept(paths).ok();
    let days = kept.map(|kept| (kept.as_secs() / DAY.as_secs()).to_string());
    let note = days.or_else(|| files::read_text(&mark).ok().flatten()).unwrap_or_default();
    // The rest is removed tomorrow. Nothing is removed if it is unknown how long to keep it.
    if files::replace_private(&mark, &note).is_ok()
        && let Some(kept) = kept
    {
        let _ = prune_some(paths, kept, false, A_DAY);
    }
    true
}
