//! Can hookman keep what it keeps, for this user alone, and do live sessions call it?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level, Mend};
use crate::machine::clock;
use crate::machine::folders;
use crate::syntax::quoting::quoted;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "state-private",
        about: "the state directory is yours alone",
        notice: "others on this machine can read which hooks ran, or switch them off",
        run: private,
    },
    Check {
        id: "state-space",
        about: "there is room for what hookman keeps",
        notice: "runs are not written down, and switches cannot be made",
        run: space,
    },
    Check {
        id: "alive",
        about: "sessions that worked have called hookman",
        notice: "no hook ran in them, and no gate held",
        run: alive,
    },
];

/// Less free space than this is a finding, in bytes.
const ROOM: u64 = 16 * 1024 * 1024;

/// The seconds after the registration from which on a session that writes counts.
const MARGIN: i64 = 120;

fn private(facts: &Facts, findings: &mut Findings) {
    let state = &facts.paths.state;
    let Some(access) = folders::access(state).filter(|_| state.is_dir()) else { return };
    let shown = facts.paths.shown(state);
    if !access.is_own {
        findings.add(
            Level::Error,
            shown,
            "it belongs to another user",
            format!(
                "run `sudo chown -R \"$(id -un)\" {}`, or set HOOKMAN_STATE_DIR to a directory of yours",
                quoted(&state.display().to_string())
            ),
        );
    } else if access.mode & 0o077 != 0 {
        findings
            .add(
                Level::Warning,
                shown.clone(),
                format!("others may look into it: its mode is {:04o}", access.mode & 0o7777),
                format!("run `chmod 700 {}`", quoted(&state.display().to_string())),
            )
            .mend(Mend::MakePrivate(state.clone()));
    }
}

fn space(facts: &Facts, findings: &mut Findings) {
    let state = &facts.paths.state;
    let Some(free) = state.ancestors().find_map(folders::free_space) else { return };
    if free < ROOM {
        findings.add(
            Level::Warning,
            facts.paths.shown(state),
            format!("there are {} KiB left on its file system", free / 1024),
            "free some space, or set HOOKMAN_STATE_DIR to a directory elsewhere",
        );
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
        findings.add(
            Level::Warning,
            facts.paths.shown(&path),
            format!(
                "this session went on until {}, after hookman was registered, and never called it",
                clock::local_time(changed)
            ),
            "run `hookman doctor --ask-client`, which asks the client why",
        );
    }
}
