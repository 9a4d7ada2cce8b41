//! Running the commands of hooks once, with calls that are made up, in a copy of the project.

mod calls;
mod command;
mod judgement;

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::facts::Facts;
use crate::chain::plan::FILE;
use crate::chain::relative;
use crate::client::Event;
use crate::install::command_faults::{Around, Command, Line, places};
use crate::machine::child::{self, Ended, Finished, Program, Spec};
use crate::machine::scratch::Run;
use crate::machine::{Scratch, environment, exports};
use crate::manifest::{Hook, OnError};
use crate::rehearsal::call::Place;
use crate::settings::Handler;
use crate::state::journal::PROJECT;
use calls::{KEPT, PROBES, calls};
pub use command::Tried;
use command::{EACH, Script, Trial};
use judgement::tried;

const TOTAL: Duration = child::patience(15);

/// The events whose hooks may export variables to the session.
const EXPORTING: [Event; 4] =
    [Event::SessionStart, Event::Setup, Event::CwdChanged, Event::FileChanged];

const SIDE_BY_SIDE: usize = 8;

/// The bytes of a project that are copied; the rest are links.
const COPIED: u64 = 64 << 20;

/// Runs the commands of the hooks that `is_run` accepts, by scope and name, in a copy of the project.
pub fn run(facts: &Facts, is_run: &dyn Fn(&str, Option<&str>) -> bool) -> Result<Vec<Tried>> {
    // A project's settings could have another's programs found.
    let path = facts.path_by(|file| is_run(file.scope, None));
    let around = Around { path, ..facts.around().clone() };
    let mut tried = Vec::new();
    let mut trials = Vec::new();
    let mut sort = |trial: Trial, scope: &str| {
        if is_run(scope, trial.hook.as_deref()) {
            trials.push(trial);
            return;
        }
        let why =
            format!("it may be another's; `hookman doctor --self-test --scope {scope}` runs it");
        tried.push(Tried { note: Some(why), ..trial.not_run() });
    };
    for (chain, manifest) in facts.manifests() {
        for hook in manifest.hooks.iter().filter(|hook| hook.enabled) {
            for trial in of_hook(&around, hook, &chain.chain.manifest) {
                sort(trial, chain.chain.scope);
            }
        }
    }
    for file in &facts.settings {
        for handler in file.handlers().iter().filter(|handler| !handler.ours) {
            if let Some(trial) = of_handler(&around, handler, file.at(handler.position)) {
                sort(trial, file.scope);
            }
        }
    }
    let scratch = Scratch::new().context("failed to make a directory for the test")?;
    furnish(&scratch, facts.project.as_deref()).context("failed to copy the project")?;
    let started = Instant::now();
    let project = scratch.path("project");
    for trial in &mut trials {
        fill(&mut trial.line, &project);
    }
    for some in trials.chunks(SIDE_BY_SIDE) {
        tried.extend(try_out(some, &scratch, started + TOTAL));
    }
    Ok(tried)
}

fn of_hook(around: &Around, hook: &Hook, manifest: &Path) -> Vec<Trial> {
    let Some((command, around)) = places::command_of_hook(hook, manifest, around) else {
        return Vec::new();
    };
    let folder = manifest.parent().unwrap_or(manifest);
    let whole = match &command.line {
        Line::Shell(line) => relative::line(line, folder),
        Line::Argv(words) => words.first().and_then(|first| relative::program(first, folder)),
    };
    let mut line = command.line.clone();
    match (&mut line, whole.filter(|_| !hook.manner.adopted)) {
        (Line::Shell(line), Some(whole)) => *line = whole,
        (Line::Argv(words), Some(whole)) => words[0] = whole,
        (_, None) => {}
    }
    let trial = |event: &Event| Trial {
        place: hook.place_of("hook"),
        hook: Some(hook.name.clone()),
        line: line.clone(),
        limit: Some(Duration::from_millis(hook.timeout_ms)),
        is_closed: hook.on_error != OnError::Open,
        ..of_command(&command, &around, *event)
    };
    hook.events.iter().map(trial).collect()
}

fn of_handler(around: &Around, handler: &Handler, place: String) -> Option<Trial> {
    let command = places::command_of(handler)?;
    if handler.text("shell") == Some("powershell") {
        return None;
    }
    let limit = handler.value.get("timeout").and_then(Value::as_f64);
    let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Some(Trial { place, limit, ..of_command(&command, around, *command.events.first()?) })
}

fn of_command(command: &Command, around: &Around, event: Event) -> Trial {
    Trial {
        place: String::new(),
        hook: None,
        event,
        matcher: command.matcher.clone(),
        line: command.line.clone(),
        path: around.path.clone(),
        limit: None,
        is_async: command.is_async,
        is_closed: command.is_closed,
        script: Script::of(command.matcher.as_deref(), places::whole(command, around)),
    }
}

/// Makes a copy of the project, with a git repository of its own that has one commit.
fn furnish(scratch: &Scratch, project: Option<&Path>) -> std::io::Result<()> {
    const USER: &str = "[user]\n\tname = hookman\n\temail = hookman@localhost\n";
    scratch.make("state")?;
    scratch.write("transcript.jsonl", "{\"type\":\"user\"}\n")?;
    scratch.write("project/.git/config", USER)?;
    let path = environment::raw("PATH").unwrap_or_default();
    let variables = &[("PATH", path), ("GIT_CONFIG_GLOBAL", "/dev/null".into())];
    let (program, directory, timeout) = (Path::new("git"), "project", EACH);
    let init = ["init", "--quiet", "--initial-branch=main", "--template="];
    let commit = ["commit", "--quiet", "--allow-empty", "--message=start"];
    for arguments in [&init, &commit] {
        // Where no git is, no hook has one either.
        let _ = scratch.run(&Run { program, arguments, directory, variables, timeout });
    }
    if let Some(project) = project {
        scratch.mirror(Path::new("project"), project, ".git", &mut { COPIED })?;
    }
    let mut probes = PROBES.iter().chain(&[KEPT]);
    probes.try_for_each(|probe| scratch.write(&format!("project/{probe}"), "\n"))
}

/// Runs some commands side by side, and the calls of each one after another, as they may share a file. So do
/// commands that use git or `sqlite`, which lock what they share.
fn try_out(trials: &[Trial], scratch: &Scratch, until: Instant) -> Vec<Tried> {
    let project = scratch.path("project");
    let state = scratch.path("state");
    // What a hook remembers of a session must not count for the next test.
    let session = format!("hookman-self-test-{}", std::process::id());
    let exported = scratch.path("exports");
    let variables: Vec<Vec<(&str, &OsStr)>> = trials
        .iter()
        .map(|trial| {
            let exports = EXPORTING.contains(&trial.event);
            let own = [
                ("PATH", trial.path.as_os_str()),
                ("HOOKMAN_STATE_DIR", state.as_os_str()),
                (PROJECT, project.as_os_str()),
                ("CLAUDECODE", OsStr::new("1")),
                ("CLAUDE_CODE_SESSION_ID", OsStr::new(&session)),
                ("LC_ALL", OsStr::new("C")),
            ];
            let exported = exports.then_some((exports::VARIABLE, exported.as_os_str()));
            own.into_iter().chain(exported).collect()
        })
        .collect();
    let transcript = scratch.path("transcript.jsonl").display().to_string();
    let place =
        Place { session: &session, transcript: &transcript, cwd: &project.display().to_string() };
    let payloads = |trial: &Trial| {
        let calls = calls(trial.event, trial.matcher.as_deref(), &project);
        calls.iter().map(|call| call.payload(place)).collect()
    };
    let payloads: Vec<Vec<String>> = trials.iter().map(payloads).collect();
    let mut queues: Vec<(usize, VecDeque<(usize, Spec<'_>)>)> = Vec::new();
    for (at, trial) in trials.iter().enumerate() {
        let program = match &trial.line {
            Line::Shell(line) => Program::Shell(line),
            Line::Argv(words) => Program::Argv(words),
        };
        let specs = payloads[at].iter().map(|payload| {
            let spec = Spec {
                stdin: payload.as_bytes(),
                directory: Some(&project),
                variables: &variables[at],
                ..Spec::new(program, trial.limit.unwrap_or(EACH).min(EACH))
            };
            (at, spec)
        });
        let is_its = |(first, _): &&mut (usize, VecDeque<_>)| {
            trial.line == trials[*first].line || trial.script.locks && trials[*first].script.locks
        };
        match queues.iter_mut().find(is_its) {
            Some((_, queue)) => queue.extend(specs),
            None => queues.push((at, specs.collect())),
        }
    }
    let mut came: Vec<Vec<std::io::Result<Finished>>> = trials.iter().map(|_| Vec::new()).collect();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let next = queues.iter_mut().filter_map(|(_, queue)| queue.pop_front());
        let (owners, mut specs): (Vec<usize>, Vec<Spec<'_>>) = next.unzip();
        if left.is_zero() || specs.is_empty() {
            break;
        }
        for spec in &mut specs {
            spec.timeout = spec.timeout.min(left);
        }
        for (owner, finished) in owners.into_iter().zip(child::run(&specs, None)) {
            // Another call would take as long, and the time is for all of them.
            if finished.as_ref().is_ok_and(|it| it.ended == Ended::TimedOut) {
                for (_, queue) in &mut queues {
                    queue.retain(|(at, _)| *at != owner);
                }
            }
            came[owner].push(finished);
        }
    }
    let each = trials.iter().zip(came).zip(&payloads);
    each.map(|((trial, came), payloads)| tried(trial, came, payloads, &project)).collect()
}

/// Puts in the values that the client and hookman put into arguments.
fn fill(line: &mut Line, project: &Path) {
    let Line::Argv(words) = line else { return };
    let [folder, file] = [project, &project.join(PROBES[0])].map(|it| it.display().to_string());
    for word in words {
        *word = word.replace("${CLAUDE_PROJECT_DIR}", &folder).replace(FILE, &file);
    }
}
