//! The sessions that called hookman. The journal is the record: each run leaves there the session,
//! its directory, the client's process and the event, so that no run has to write a second file.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use super::{journal, texts};
use crate::machine::paths::Paths;
use crate::machine::{clients, files};
use crate::session::identity::safe_name;

/// A session that called hookman.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its id.
    pub id: String,
    /// Its directory at the last event.
    pub cwd: String,
    /// The first event that the journal still has.
    pub since: String,
    /// The last event's time.
    pub last: String,
    /// The last event.
    pub event: String,
    /// The client's process, or 0.
    pub client: u32,
    /// Whether that process still runs and has no later session.
    pub live: bool,
}

const TAIL: u64 = 4 * 1024 * 1024;

/// How long the state of a session is kept after its last use.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The sessions in the journal, live ones first, newest first among each.
pub fn seen(paths: &Paths) -> Vec<Seen> {
    let text = journal::tail(paths, TAIL).unwrap_or_default();
    let mut seen: Vec<Seen> = Vec::new();
    for entry in journal::parsed(&text).rev().filter(|entry| !entry.session.is_empty()) {
        if let Some(known) = seen.iter_mut().find(|known| known.id == entry.session) {
            known.since.clone_from(&entry.time);
            if known.client == 0 {
                known.client = entry.client;
            }
            continue;
        }
        seen.push(Seen {
            id: entry.session.into_owned(),
            cwd: entry.cwd.into_owned(),
            since: entry.time.clone(),
            last: entry.time,
            event: entry.event.into_owned(),
            client: entry.client,
            live: false,
        });
    }
    // After /clear a client goes on under another id.
    let mut clients = BTreeSet::new();
    for session in &mut seen {
        session.live = session.client != 0
            && session.event != "SessionEnd"
            && clients.insert(session.client)
            && clients::is_client(session.client, &paths.config);
    }
    seen.sort_by_key(|session| !session.live);
    seen
}

/// The session that a client's process had before `session`.
pub fn before(paths: &Paths, client: u32, session: &str) -> Option<String> {
    let text = journal::tail(paths, TAIL).ok()?;
    journal::parsed(&text)
        .rev()
        .find(|entry| client != 0 && entry.client == client && entry.session != session)
        .map(|entry| entry.session.into_owned())
        .filter(|session| !session.is_empty())
}

/// Removes the state of sessions that were not used for `kept` and are not running; gives how many.
///
/// # Errors
///
/// When the sessions cannot be listed.
pub fn prune(paths: &Paths, kept: Duration, dry_run: bool) -> io::Result<usize> {
    let live: BTreeSet<String> = seen(paths)
        .into_iter()
        .filter(|session| session.live)
        .map(|session| safe_name(&session.id).into_owned())
        .collect();
    let folders = match fs::read_dir(paths.state.join("sessions")) {
        Ok(folders) => folders,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut pruned = 0;
    for folder in folders.flatten() {
        let path = folder.path();
        let is_live = folder.file_name().to_str().is_some_and(|name| live.contains(name));
        let old = last_use(&path).is_some_and(|used| used.elapsed().is_ok_and(|age| age >= kept));
        if !dry_run {
            texts::prune(&path, kept);
        }
        if !is_live && old && (dry_run || fs::remove_dir_all(&path).is_ok()) {
            pruned += 1;
        }
    }
    Ok(pruned)
}

fn last_use(folder: &std::path::Path) -> Option<SystemTime> {
    let modified = |path: &std::path::Path| fs::metadata(path).ok()?.modified().ok();
    let mut newest = modified(folder)?;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            newest = newest.max(modified(&entry.path()).unwrap_or(newest));
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    Some(newest)
}

/// Prunes where that was not done for a day.
pub fn prune_daily(paths: &Paths, kept: Duration) {
    let mark = paths.state.join("pruned");
    let recent = fs::metadata(&mark)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|at| at.elapsed().is_ok_and(|age| age < DAY));
    // What is not tidied today is tidied tomorrow.
    if !recent && files::replace_private(&mark, "").is_ok() {
        let _ = prune(paths, kept, false);
    }
}
