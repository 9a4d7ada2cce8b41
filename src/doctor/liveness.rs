//! Did hookman run for the calls that went through?

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::{Check, Facts, Findings, Level};
use crate::client::event::Event;
use crate::client::matcher;
use crate::machine::{clock, files, folders};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "alive-calls",
    about: "hookman ran for each tool call that went through",
    notice: "no hook ran for the call, and no gate held",
    run: calls,
}];

/// How much of a transcript is looked at, in bytes.
const TAIL: u64 = 256 * 1024;

/// How much later than the registration a call must be to count, in seconds.
const MARGIN: i64 = 120;

/// A call in a transcript.
struct Call {
    id: String,
    tool: String,
    second: i64,
}

// A run writes its line into the journal when it ends. Where there is none for a call that went
// through, the client did not call hookman, or hookman was killed.
fn calls(facts: &Facts, findings: &mut Findings) {
    let Some(user) = facts.settings.iter().find(|file| file.scope == "user") else { return };
    let event = Event::PreToolUse;
    let ours = user.handlers().into_iter().filter(|it| it.ours && it.event == event.name());
    let matchers: Vec<Option<String>> = ours.map(|handler| handler.matcher).collect();
    let Some(registered) = folders::changed_second(&user.path) else { return };
    if matchers.is_empty() {
        return;
    }
    let oldest = facts.journal.first().and_then(|entry| clock::seconds(&entry.time));
    let from = oldest.filter(|_| facts.journal_is_cut).unwrap_or(0).max(registered + MARGIN);
    let known: BTreeSet<&str> = facts.journal.iter().map(|entry| &*entry.call).collect();
    let sessions: BTreeSet<&str> = facts.client_runs().map(|entry| &*entry.session).collect();
    for (path, _) in folders::newest_below(&facts.paths.config.join("projects"), "jsonl", 3) {
        // `alive` finds a session that never called hookman.
        let session = path.file_stem().unwrap_or_default().to_string_lossy();
        if !sessions.contains(&*session) {
            continue;
        }
        let hits = |call: &Call| {
            let hit =
                |it: &Option<String>| matcher::matches(it.as_deref(), event, Some(&call.tool));
            call.second > from && matchers.iter().any(hit) && !known.contains(call.id.as_str())
        };
        let missing: Vec<Call> = went_through(&path).into_iter().filter(hits).collect();
        let Some(last) = missing.last() else { continue };
        findings.add(
            Level::Warning,
            facts.paths.shown(&path),
            format!(
                "{} went through and {} not in the journal, the last one of {} at {}: the client \
                 did not call hookman, or hookman was killed",
                if missing.len() == 1 {
                    "1 call".into()
                } else {
                    format!("{} calls", missing.len())
                },
                if missing.len() == 1 { "is" } else { "are" },
                last.tool,
                clock::local_time(last.second)
            ),
            "run `hookman doctor --ask-client`, and look for what kills processes on this machine",
        );
    }
}

/// The calls at the end of a transcript that were carried out without an error.
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
                Some("tool_result") if block["is_error"] != true => {
                    done.insert(text("tool_use_id"));
                }
                _ => {}
            }
        }
    }
    calls.retain(|call| done.contains(&call.id));
    calls
}
