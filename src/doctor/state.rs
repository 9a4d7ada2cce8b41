//! Can hookman keep what it keeps, for this user alone, and does it run in live sessions, for each of
//! their calls?

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::check::{Check, Findings, Mend};
use super::facts::Facts;
use super::settings_file::SettingsFile;
use crate::client::{Event, matcher};
use crate::machine::{clock, files, folders};
use crate::settings::Handler;
use crate::state::chains::MANAGED;
use crate::state::journal::Entry;
use crate::syntax::escaped::quoted;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "state-private", run: private },
    Check { id: "state-space", run: space },
    Check { id: "alive", run: alive },
    Check { id: "alive-calls", run: calls },
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
        let says = "it belongs to another user";
        let fix = format!(
            "run `sudo chown -R \"$(id -un)\" {}`, or set HOOKMAN_STATE_DIR to a directory of \
             yours",
            quoted(&state.display().to_string())
        );
        findings.error(shown, says, fix);
    } else if access.mode & 0o077 != 0 {
        let says = format!("others can read it: its mode is {:04o}", access.mode & 0o7777);
        let fix = format!("run `chmod 700 {}`", quoted(&state.display().to_string()));
        findings.warn(shown.clone(), says, fix).mend(Mend::MakePrivate(state.clone()));
    }
}

fn space(facts: &Facts, findings: &mut Findings) {
    let state = &facts.paths.state;
    let Some(free) = state.ancestors().find_map(folders::free_space) else { return };
    if free < ROOM {
        let says = format!("there are {} KiB left on its file system", free / 1024);
        let fix = "free some space, or set HOOKMAN_STATE_DIR to a directory elsewhere";
        findings.warn(facts.paths.shown(state), says, fix);
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
        let says = format!(
            "this session went on until {}, after hookman was registered, and never called it",
            clock::local_time(changed)
        );
        let fix = "run `hookman doctor --ask-client`, which asks the client why";
        findings.warn(facts.paths.shown(&path), says, fix);
    }
}

const TAIL: u64 = 256 * 1024;

/// So many subagents of a session are looked at.
const AGENTS: usize = 8;

/// The beginnings of results that show by themselves that the call was not carried out.
const REFUSALS: &[&str] = &[
    "<tool_use_error>",
    "The user doesn't want to",
    "Permission ",
    "PreToolUse:",
    "Hook PreToolUse:",
    "[Request interrupted",
    "[Tool ",
];

struct Call {
    id: String,
    tool: String,
    second: i64,
}

/// The entries of a settings file that the client calls before tools.
struct Entries {
    /// The chain they call, as the journal names it.
    chain: &'static str,
    matchers: Vec<Option<String>>,
    /// The second at which what is known of runs begins.
    known_from: i64,
    /// The second in which the settings were last written by anybody.
    changed: i64,
    /// The second in which hookman last wrote the entries.
    written: i64,
}

// A run writes its line into the journal when it ends. Where there is none for a call that went
// through, the client did not call hookman, or hookman was killed.
fn calls(facts: &Facts, findings: &mut Findings) {
    let entries: Vec<Entries> =
        facts.registered().filter_map(|file| entries(facts, file)).collect();
    for (path, _) in folders::newest_below(&facts.paths.config.join("projects"), "jsonl", 3) {
        let session = path.file_stem().unwrap_or_default().to_string_lossy();
        let agents =
            folders::newest_in(&path.with_extension("").join("subagents"), "jsonl", AGENTS);
        let mut calls = went_through(&path);
        calls.extend(agents.iter().flat_map(|(path, _)| went_through(path)));
        calls.sort_by_key(|call| call.second);
        for chain in ["user", "project", MANAGED] {
            let runs = || facts.client_runs().filter(|run| is_of(run, chain, facts));
            // `alive` finds a session that never called hookman, and a session can be without a scope.
            let of_session: Vec<&Entry<'_>> = runs().filter(|run| run.session == session).collect();
            if of_session.is_empty() {
                continue;
            }
            let known: BTreeSet<&str> = runs().map(|run| &*run.call).collect();
            let is_missing = |call: &&Call| {
                let mut of_chain = entries.iter().filter(|it| it.chain == chain);
                !known.contains(call.id.as_str()) && of_chain.any(|it| it.hit(call, &of_session))
            };
            let missing: Vec<&Call> = calls.iter().filter(is_missing).collect();
            let Some(last) = missing.last() else { continue };
            let (what, them) = match missing.len() {
                1 => ("1 call".into(), "it"),
                several => (format!("{several} calls"), "them"),
            };
            let says = format!(
                "{what} went through and the journal has no run of the {chain} chain for {them}, \
                 the last one of {} at {}: the client did not call hookman, or hookman was killed",
                last.tool,
                clock::local_time(last.second)
            );
            let fix = "run `hookman doctor --ask-client`, and look for what kills processes on \
                       this machine";
            findings.warn(facts.paths.shown(&path), says, fix);
        }
    }
}

impl Entries {
    /// Returns whether the client had to call them for a call of a session that had these runs.
    fn hit(&self, call: &Call, of_session: &[&Entry<'_>]) -> bool {
        let hits = |it: &Option<String>| {
            matcher::matches(it.as_deref(), Event::PreToolUse, Some(&call.tool))
        };
        // Anybody may have written the settings since; a run for the same tool shows that the entries
        // were in force before the call.
        let was_called = |run: &&Entry<'_>| {
            run.event == Event::PreToolUse.name()
                && run.subject == call.tool
                && clock::seconds(&run.time)
                    .is_some_and(|ended| (self.written..=call.second).contains(&ended))
        };
        call.second > self.known_from
            && self.matchers.iter().any(hits)
            && (call.second > self.changed + MARGIN || of_session.iter().any(was_called))
    }
}

fn entries(facts: &Facts, file: &SettingsFile) -> Option<Entries> {
    let chain = match file.scope {
        "local" | "project" => "project",
        MANAGED => MANAGED,
        _ => "user",
    };
    let is_called = |it: &Handler| {
        it.ours && it.event == Event::PreToolUse.name() && it.value.get("if").is_none()
    };
    let ours = file.handlers().into_iter().filter(is_called);
    let matchers: Vec<Option<String>> = ours.map(|handler| handler.matcher).collect();
    let oldest = facts.journal.first().and_then(|entry| clock::seconds(&entry.time));
    let changed = folders::changed_second(&file.path)?;
    let undo = facts.paths.kept("undo", &file.path);
    Some(Entries {
        chain,
        matchers,
        known_from: oldest.filter(|_| facts.journal_is_cut).unwrap_or(0),
        changed,
        written: folders::changed_second(&undo).unwrap_or(changed),
    })
}

/// Returns whether a run was of a chain that applies here.
fn is_of(run: &Entry<'_>, chain: &str, facts: &Facts) -> bool {
    let is_here = || {
        let place = if run.project.is_empty() { &run.cwd } else { &run.project };
        facts.project.as_ref().is_some_and(|project| Path::new(&**place).starts_with(project))
    };
    run.scope == chain && (chain != "project" || is_here())
}

/// The calls at the end of a transcript that were carried out, whatever came of them.
fn went_through(path: &Path) -> Vec<Call> {
    let text = files::read_tail(path, TAIL).unwrap_or_default();
    let (mut calls, mut done): (Vec<Call>, BTreeSet<String>) = (Vec::new(), BTreeSet::new());
    for line in text.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let second = line["timestamp"].as_str().and_then(clock::seconds).unwrap_or_default();
        for block in line["message"]["content"].as_array().into_iter().flatten() {
            let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
            match block["type"].as_str() {
                Some("tool_use") => {
                    calls.push(Call { id: text("id"), tool: text("name"), second });
                }
                Some("tool_result") if ran(&line, block) => {
                    done.insert(text("tool_use_id"));
                }
                _ => {}
            }
        }
    }
    calls.retain(|call| done.contains(&call.id));
    calls
}

/// Returns whether a result is that of a call that was carried out. Newer clients say so; of the others
/// the text
/// must do.
fn ran(line: &Value, result: &Value) -> bool {
    if result["is_error"] != true {
        return true;
    }
    match line["permissionDecision"]["decision"].as_str() {
        Some(decision) => decision == "accept",
        None => {
            let content = &result["content"];
            let text = content.as_str().or_else(|| content[0]["text"].as_str()).unwrap_or_default();
            line.get("toolDenialKind").is_none()
                && !REFUSALS.iter().any(|start| text.starts_with(start))
        }
    }
}
