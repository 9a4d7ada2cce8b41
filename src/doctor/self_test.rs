//! Calling each registered hookman as the client does, with a payload of its event and no effect.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use super::facts::Facts;
use crate::install::command_faults::Layer;
use crate::machine::child::{self, Ended, Finished, Program, Spec};
use crate::machine::{Paths, Scratch};
use crate::runtime::overrides::SKIP;
use crate::settings::Handler;
use crate::state::journal::{self, Entry, PROJECT};

const SESSION: &str = "hookman-self-test";

const ANSWER_TIME: Duration = Duration::from_secs(10);

/// A registered command, and what came of calling it.
#[derive(Debug, Serialize)]
pub struct Tested {
    pub place: String,
    pub event: String,
    pub problem: Option<String>,
    pub us: u64,
    pub rests_on: Layer,
}

/// Calls each hookman entry with a payload of its event; no hook runs, and its state is thrown away.
pub fn run(facts: &Facts) -> Result<Vec<Tested>> {
    let mut tested = Vec::new();
    for file in &facts.settings {
        for handler in file.handlers().iter().filter(|handler| handler.ours) {
            let scratch = Scratch::new().context("failed to make a directory for the test")?;
            let (problem, us) = match call(facts, handler, &scratch) {
                Ok(us) => (None, us),
                Err(problem) => (Some(problem.to_string()), 0),
            };
            let (place, event) = (file.at(handler.position), handler.event.clone());
            tested.push(Tested { place, event, problem, us, rests_on: Layer::Run });
        }
    }
    Ok(tested)
}

fn call(facts: &Facts, handler: &Handler, scratch: &Scratch) -> Result<u64> {
    let command = handler.text("command").unwrap_or_default();
    let args = handler.value.get("args").and_then(Value::as_array);
    let words: Vec<String> = std::iter::once(command.to_owned())
        .chain(args.into_iter().flatten().filter_map(|it| Some(it.as_str()?.to_owned())))
        .collect();
    let program = if args.is_some() { Program::Argv(&words) } else { Program::Shell(command) };
    let project = facts.project.as_deref().unwrap_or(Path::new("/"));
    let transcript = scratch.path("transcript.jsonl");
    let payload = json!({
        "session_id": SESSION, "transcript_path": transcript, "cwd": project,
        "hook_event_name": handler.event, "tool_name": "HookmanSelfTest", "tool_input": {},
        "tool_use_id": SESSION, "prompt": "", "source": "startup",
    })
    .to_string();
    let state = scratch.path("state");
    let variables = [
        ("HOOKMAN_STATE_DIR", state.as_os_str()),
        (SKIP, OsStr::new("*")),
        (PROJECT, project.as_os_str()),
        ("CLAUDECODE", OsStr::new("1")),
    ];
    let (stdin, variables) = (payload.as_bytes(), &variables);
    let spec = Spec { stdin, variables, ..Spec::new(program, ANSWER_TIME) };
    let finished = child::run(&[spec], None).pop();
    let finished = finished.context("it was not run")??;
    judge(&finished)?;
    let paths = Paths { state, ..facts.paths.clone() };
    let entries = journal::tail(&paths, 64 * 1024).map(|text| journal::entries(&text));
    let entry = entries.ok().and_then(|mut entries| entries.pop());
    seen(entry.as_ref(), &transcript)?;
    Ok(u64::try_from(finished.took.as_micros()).unwrap_or(u64::MAX))
}

fn judge(finished: &Finished) -> Result<()> {
    let said = || {
        let text = String::from_utf8_lossy(&finished.stderr);
        let line = text.lines().next().unwrap_or_default();
        if line.is_empty() { String::new() } else { format!(": {line}") }
    };
    match finished.ended {
        Ended::Exited(0) => Ok(()),
        Ended::Exited(code) => bail!("it exited with {code}{}", said()),
        Ended::Signalled(signal) => bail!("signal {signal} ended it{}", said()),
        Ended::TimedOut => bail!("it took too long"),
        Ended::GoesOn => bail!("it goes on in the background"),
    }
}

fn seen(entry: Option<&Entry<'_>>, transcript: &Path) -> Result<()> {
    let entry = entry.context("it answered, but wrote nothing into its journal")?;
    if entry.session != SESSION {
        bail!("it did not read the session_id of the payload");
    }
    if Path::new(&*entry.transcript) != transcript {
        bail!("it did not read the transcript_path of the payload");
    }
    if entry.by_hand {
        bail!("it took the call for one by hand");
    }
    entry.notes.first().map_or(Ok(()), |note| Err(Error::msg(note.clone())))
}
