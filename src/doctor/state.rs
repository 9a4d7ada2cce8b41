//! Can hookman keep what it keeps, for this user alone, and does it run in live sessions?

use super::check::{Check, Findings, Mend};
use super::facts::Facts;
use crate::machine::{clock, folders};
use crate::syntax::escaped::quoted;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "state-private", run: private },
    Check { id: "state-space", run: space },
    Check { id: "alive", run: alive },
];

/// Less free space than this is a finding, in bytes.
const ROOM: u64 = 16 * 1024 * 1024;

/// The seconds after the registration from which on a session that writes counts.
const MARGIN: i64 = 120;

fn private(facts: &Facts, findings: &mut Findings) {
    let state = &facts.paths.state;
    let Some(access) = folders::access(state).filter(|_| state.is_dir()) else { return };
    let (shown, path) = (facts.paths.shown(state), quoted(&state.display().to_string()));
    if !access.is_own {
        findings.say("state-of-another", shown, &[&path]);
    } else if access.mode & 0o077 != 0 {
        let mode = format!("{:04o}", access.mode & 0o7777);
        findings.say("state-open", shown, &[&mode, &path]).mend(Mend::MakePrivate(state.clone()));
    }
}

fn space(facts: &Facts, findings: &mut Findings) {
    let state = &facts.paths.state;
    let Some(free) = state.ancestors().find_map(folders::free_space) else { return };
    if free < ROOM {
        findings.say("state-full", facts.paths.shown(state), &[&(free / 1024)]);
    }
}

/// A session that wrote its transcript well after hookman was registered, and is not in the journal.
fn alive(facts: &Facts, findings: &mut Findings) {
    let user = facts.settings.iter().find(|file| file.scope == "user");
    let is_registered = user.is_some_and(|file| file.handlers().iter().any(|handler| handler.ours));
    let settings = folders::changed_second(&facts.paths.user_settings());
    let (true, Some(registered)) = (is_registered, settings) else { return };
    // Older runs than those that were read may have been of that session.
    let oldest = facts.journal.first().and_then(|entry| clock::seconds(&entry.time));
    let from = oldest.filter(|_| facts.journal_is_cut).unwrap_or(0).max(registered + MARGIN);
    let transcripts = folders::newest_below(&facts.paths.config.join("projects"), "jsonl", 3);
    let missing = transcripts.into_iter().find(|(path, changed)| {
        let session = path.file_stem().unwrap_or_default().to_string_lossy();
        *changed > from && !facts.client_runs().any(|entry| entry.session == session)
    });
    if let Some((path, changed)) = missing {
        let time = clock::local_time(changed);
        findings.say("session-without-hookman", facts.paths.shown(&path), &[&time]);
    }
}
