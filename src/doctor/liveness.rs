//! Did hookman run for the calls that went through?

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::settings_file::SettingsFile;
use super::{Check, Facts, Findings, Level};
use crate::client::event::Event;
use crate::client::matcher;
use crate::machine::{clock, files, folders};
use crate::settings::Handler;
use crate::state::chains::MANAGED;
use crate::state::journal::Entry;

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

/// The entries of a settings file that the client calls before tools.
struct Entries {
    /// The chain they call, as the journal names it.
    chain: &'static str,
    matchers: Vec<Option<String>>,
    /// The second from which on each call must have a run.
    from: i64,
}

// A run writes its line into the journal when it ends. Where there is none for a call that went
// through, the client did not call hookman, or hookman was killed.
fn calls(facts: &Facts, findings: &mut Findings) {
    let entries: Vec<Entries> =
        facts.registered().filter_map(|file| entries(facts, file)).collect();
    for (path, _) in folders::newest_below(&facts.paths.config.join("projects"), "jsonl", 3) {
        let session = path.file_stem().unwrap_or_default().to_string_lossy();
        let calls = went_through(&path);
        for chain in ["user", "project", MANAGED] {
            let runs = || facts.client_runs().filter(|run| is_of(run, chain, facts));
            // `alive` finds a session that never called hookman, and a session can be without a scope.
            if !runs().any(|run| run.session == session) {
                continue;
            }
            let known: BTreeSet<&str> = runs().map(|run| &*run.call).collect();
            let is_missing = |call: &&Call| {
                let mut of_chain = entries.iter().filter(|it| it.chain == chain);
                of_chain.any(|it| it.hit(call)) && !known.contains(call.id.as_str())
            };
            let missing: Vec<&Call> = calls.iter().filter(is_missing).collect();
            let Some(last) = missing.last() else { continue };
            let (what, them) = match missing.len() {
                1 => ("1 call".into(), "it"),
                several => (format!("{several} calls"), "them"),
            };
            findings.add(
                Level::Warning,
                facts.paths.shown(&path),
                format!(
                    "{what} went through and the journal has no run of the {chain} chain for {them}, the \
                     last one of {} at {}: the client did not call hookman, or hookman was killed",
                    last.tool,
                    clock::local_time(last.second)
                ),
                "run `hookman doctor --ask-client`, and look for what kills processes on this machine",
            );
        }
    }
}

impl Entries {
    fn hit(&self, call: &Call) -> bool {
        let hits = |it: &Option<String>| {
            matcher::matches(it.as_deref(), Event::PreToolUse, Some(&call.tool))
        };
        call.second > self.from && self.matchers.iter().any(hits)
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
    let oldest = oldest.filter(|_| facts.journal_is_cut).unwrap_or(0);
    let from = oldest.max(folders::changed_second(&file.path)? + MARGIN);
    Some(Entries { chain, matchers, from })
}

/// Whether a run was of a chain that applies here.
fn is_of(run: &Entry<'_>, chain: &str, facts: &Facts) -> bool {
    let is_here = || {
        let place = if run.project.is_empty() { &run.cwd } else { &run.project };
        facts.project.as_ref().is_some_and(|project| Path::new(&**place).starts_with(project))
    };
    run.scope == chain && (chain != "project" || is_here())
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
