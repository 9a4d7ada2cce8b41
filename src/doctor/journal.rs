//! Does the client call hookman, with a usable session, and does nothing in the environment keep hooks
//! from running?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use super::check::{Check, Findings, Level};
use super::facts::Facts;
use crate::client::host::UNHEARD;
use crate::machine::{clients, clock, environment, files};
use crate::runtime::overrides;
use crate::session::SessionId;
use crate::state::journal::Entry;
use crate::syntax::escaped::quoted;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "environment", run: variables },
    Check { id: "journal-writable", run: writable },
    Check { id: "fired", run: fired },
    Check { id: "session-id", run: session_id },
    Check { id: "transcript-path", run: transcript_path },
    Check { id: "hook-failures", run: failures },
    Check { id: "run-notes", run: notes },
];

/// The variable in which the client tells its tools their session.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

const RECENT: usize = 200;

fn writable(facts: &Facts, findings: &mut Findings) {
    if let Some(problem) = &facts.journal_problem {
        // A link is not followed, which the system calls a loop.
        let is_link = facts.paths.journal().is_symlink();
        let problem = if is_link { "it is a link, which hookman does not follow" } else { problem };
        findings.say("journal-unwritable", facts.journal_place(), &[&problem, &in_the_way(facts)]);
    }
}

/// The way out where the journal cannot be kept.
fn in_the_way(facts: &Facts) -> String {
    let state = &facts.paths.state;
    let shown = |path: &Path| quoted(&path.display().to_string());
    let or_else = "or set HOOKMAN_STATE_DIR to a directory of yours";
    let journal = facts.paths.journal();
    let (other, is_other) = if state.is_dir() {
        (&journal, journal.is_dir() || journal.is_symlink())
    } else {
        (state, state.exists())
    };
    if is_other {
        let other = shown(other);
        return format!("run `mv {other} {other}.old`, as it is in the way, {or_else}");
    }
    format!("run `chmod -R u+rwX {}`, {or_else}", shown(state))
}

fn fired(facts: &Facts, findings: &mut Findings) {
    if facts.client_runs().next().is_none() && facts.journal_problem.is_none() {
        let by_hand = match facts.journal.len() {
            0 => String::new(),
            1 => "; the one run was called by hand".to_owned(),
            several => format!("; {several} runs were called by hand"),
        };
        findings.say("never-called", facts.journal_place(), &[&by_hand]);
    }
}

fn session_id(facts: &Facts, findings: &mut Findings) {
    let recent = of_client(facts);
    let missing = recent.iter().filter(|entry| entry.session.is_empty()).count();
    if missing > 0 {
        findings.say("session-missing", facts.journal_place(), &[&of_last(missing, recent.len())]);
    }
    let is_odd = |entry: &&&Entry<'_>| {
        !entry.session.is_empty() && !SessionId::new(&*entry.session).is_file_name()
    };
    if let Some(entry) = recent.iter().rev().find(is_odd) {
        findings.say("session-odd", facts.journal_place(), &[&SessionId::new(&*entry.session)]);
    }
    if let Some(variable) = environment::text(SESSION_VARIABLE)
        && let Some(call) = own_call(&recent)
        && call.session != variable
    {
        let [called, set] = [&*call.session, &variable].map(SessionId::new);
        let values: [&dyn Display; 4] = [&called, &SESSION_VARIABLE, &set, &call.session];
        findings.say("session-other", facts.journal_place(), &values);
    }
}

/// The run that the client made for the tool call which this process is, where it made one.
fn own_call<'e>(recent: &[&'e Entry<'static>]) -> Option<&'e Entry<'static>> {
    /// Seconds from a shell's hook to this process.
    const SHORTLY: i64 = 10;
    let call = recent.iter().rev().find(|entry| entry.subject == "Bash")?;
    let age = clock::unix_seconds() - clock::seconds(&call.time)?;
    let is_own = call.event == "PreToolUse" && call.host.is_empty() && age <= SHORTLY;
    (is_own && clients::ancestors().processes.contains(&call.client)).then_some(call)
}

fn transcript_path(facts: &Facts, findings: &mut Findings) {
    let recent = of_client(facts);
    let missing = recent.iter().filter(|entry| entry.transcript.is_empty()).count();
    if missing > 0 {
        let runs = of_last(missing, recent.len());
        findings.say("transcript-missing", facts.journal_place(), &[&runs]);
    }
    let Some(last) = recent.iter().rev().find(|entry| !entry.transcript.is_empty()) else { return };
    let path = Path::new(&*last.transcript);
    if !path.is_absolute() {
        findings.say("transcript-relative", &*last.transcript, &[]);
    } else if path.is_dir() {
        findings.say("transcript-directory", &*last.transcript, &[]);
    } else if files::is_there(path) && files::read_tail(path, 1).is_err() {
        findings.say("transcript-unreadable", &*last.transcript, &[&quoted(&last.transcript)]);
    } else if let Some(sessions) = without_transcripts(&recent) {
        findings.say("transcript-never", &*last.transcript, &[&sessions]);
    } else if !path.exists() {
        findings.say("transcript-late", &*last.transcript, &[]);
    }
}

/// The number of sessions of some runs, where they are several and none has a transcript.
fn without_transcripts(recent: &[&Entry<'_>]) -> Option<usize> {
    let sessions: BTreeSet<&str> = recent.iter().map(|entry| &*entry.session).collect();
    let has_one = recent.iter().any(|entry| Path::new(&*entry.transcript).exists());
    (sessions.len() > 2 && !has_one).then_some(sessions.len())
}

fn of_last(some: usize, all: usize) -> String {
    if all == 1 { "the last run".to_owned() } else { format!("{some} of the last {all} runs") }
}

fn failures(facts: &Facts, findings: &mut Findings) {
    let mut runs: BTreeMap<&str, (usize, usize, &str)> = BTreeMap::new();
    for step in recent(facts).iter().flat_map(|entry| &entry.steps) {
        let (all, failed, last) = runs.entry(&step.hook).or_default();
        *all += 1;
        if let Some(error) = &step.error {
            *failed += 1;
            *last = error;
        }
    }
    for (hook, (all, failed, last)) in runs {
        if failed > 0 {
            let says = match all {
                1 => format!("`{hook}` failed in its last run: it {last}"),
                _ => format!("`{hook}` failed in {failed} of its last {all} runs: it {last}"),
            };
            findings.say("hook-failed", facts.journal_place(), &[&says, &hook]);
        }
    }
}

fn notes(facts: &Facts, findings: &mut Findings) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let is_usual = |note: &&String| UNHEARD.iter().any(|why| note.ends_with(why));
    for note in recent(facts).iter().flat_map(|entry| &entry.notes).filter(|it| !is_usual(it)) {
        *seen.entry(note).or_default() += 1;
    }
    for (note, times) in seen {
        findings.say("run-note", facts.journal_place(), &[&note, &times]);
    }
}

fn recent(facts: &Facts) -> &[Entry<'static>] {
    let start = facts.journal.len().saturating_sub(RECENT);
    &facts.journal[start..]
}

/// The last runs that Claude Code made.
fn of_client(facts: &Facts) -> Vec<&Entry<'static>> {
    let runs = facts.client_runs().filter(|entry| entry.host.is_empty());
    let mut runs: Vec<_> = runs.rev().take(RECENT).collect();
    runs.reverse();
    runs
}

fn variables(facts: &Facts, findings: &mut Findings) {
    let hooks: Vec<&str> = facts.hooks().map(|hook| hook.name.as_str()).collect();
    for line in facts.overrides.lines(&hooks) {
        let level = if line.starts_with(overrides::DEBUG) { Level::Info } else { Level::Warning };
        let name = line.split('=').next().unwrap_or_default();
        findings.say("variable-here", "this environment", &[&line, &name]).level = level;
    }
    for file in &facts.settings {
        for name in [overrides::OFF, overrides::SKIP, overrides::DEBUG] {
            let Some((_, place)) = file.value(&format!("/env/{name}")) else { continue };
            let level = if name == overrides::DEBUG { Level::Info } else { Level::Warning };
            findings.say("variable-in-settings", place, &[&name]).level = level;
        }
    }
}
