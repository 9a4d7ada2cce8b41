//! Running the commands of hooks once, with calls that are made up, in a copy of the project.

mod calls;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use super::answers::{self, Said, shortened};
use super::facts::Facts;
use super::order::DENIES;
use crate::chain::plan::FILE;
use crate::chain::relative;
use crate::client::unheard::refuses;
use crate::client::{Event, matcher};
use crate::install::command_faults::places::{self, path_of};
use crate::install::command_faults::{Around, Layer};
use crate::machine::child::{self, Ended, Finished, Program, Spec};
use crate::machine::{Scratch, files};
use crate::manifest::{Action, Hook, OnError, Origin};
use crate::rehearsal::call::{Call, Place};
use crate::rehearsal::cases::{self, Book};
use crate::settings::Handler;
use crate::state::journal::PROJECT;
use calls::{PROBES, calls, looks_for};

const EACH: Duration = Duration::from_secs(5);

const TOTAL: Duration = Duration::from_secs(15);

/// The words of scripts that stop a call only where something else is so, which no test knows.
const CONDITIONS: [&str; 5] =
    ["permission_mode", "symbolic-ref", "branch", "rev-parse", "agent_type"];

/// The number of commands that run side by side.
const SIDE_BY_SIDE: usize = 8;

/// The number of entries of a project its copy has.
const ENTRIES: usize = 1000;

/// The number of cases that a command is tried with.
const CASES: usize = 4;

/// The result of running a command on an event.
#[derive(Debug, Serialize)]
pub struct Tried {
    pub place: String,
    pub hook: Option<String>,
    pub event: String,
    pub problem: Option<String>,
    pub note: Option<String>,
    /// The time that it took in microseconds; none where it was not run.
    pub us: Option<u64>,
    pub rests_on: Layer,
}

struct Trial {
    place: String,
    hook: Option<String>,
    event: Event,
    matcher: Option<String>,
    words: Words,
    path: OsString,
    limit: Option<Duration>,
    is_async: bool,
    is_closed: bool,
    script: Script,
    /// The calls of the cases that lie next to its manifest.
    cases: Vec<Call>,
}

/// The words that a command's line or script has.
struct Script {
    /// True if it says what is to be done where something in it fails.
    has_other: bool,
    can_deny: bool,
    looks_for: Option<&'static str>,
}

impl Script {
    fn of(matcher: Option<&str>, mentions: &dyn Fn(&str) -> bool) -> Self {
        Self {
            has_other: mentions("||"),
            can_deny: DENIES.iter().chain(&["return 2"]).any(|word| mentions(word)),
            looks_for: looks_for(matcher, mentions)
                .filter(|_| !CONDITIONS.iter().any(|it| mentions(it))),
        }
    }
}

#[derive(Clone)]
enum Words {
    Line(String),
    Argv(Vec<String>),
}

/// Runs the commands of the hooks that `is_run` says yes to, by scope and name.
///
/// Fails when there is no room for the copy of the project.
pub fn run(facts: &Facts, is_run: &dyn Fn(&str, Option<&str>) -> bool) -> Result<Vec<Tried>> {
    // A project's settings could have another's programs found.
    let path = facts.path_by(|file| is_run(file.scope, None));
    let around = Around { path, ..facts.around() };
    let mut tried = Vec::new();
    let mut trials = Vec::new();
    let mut sort = |trial: Trial, scope: &str| {
        if is_run(scope, trial.hook.as_deref()) {
            trials.push(trial);
            return;
        }
        let why =
            format!("it may be another's; `hookman doctor --self-test --scope {scope}` runs it");
        tried.push(Tried {
            place: trial.place,
            hook: trial.hook,
            event: trial.event.name().to_owned(),
            problem: None,
            note: Some(why),
            us: None,
            rests_on: Layer::Run,
        });
    };
    for (chain, manifest) in facts.manifests() {
        let calls = calls_of_cases(&chain.chain.manifest);
        for hook in manifest.hooks.iter().filter(|hook| hook.enabled) {
            for trial in of_hook(&around, hook, &chain.chain.manifest, &calls) {
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
    for some in trials.chunks(SIDE_BY_SIDE) {
        let left = TOTAL.saturating_sub(started.elapsed());
        tried.extend(try_out(some, &scratch, left));
    }
    Ok(tried)
}

fn calls_of_cases(manifest: &Path) -> Vec<Call> {
    let text = files::read_text(&manifest.with_file_name(cases::FILE)).ok().flatten();
    let book = text.and_then(|text| Book::read(&text).ok()).unwrap_or_default();
    book.case.iter().filter_map(|case| case.deed.call().ok()).collect()
}

fn of_hook(around: &Around, hook: &Hook, manifest: &Path, calls: &[Call]) -> Vec<Trial> {
    let folder = manifest.parent().unwrap_or(manifest);
    let words = match &hook.action {
        Action::Command(line) => {
            let whole = relative::line(line, folder).filter(|_| !hook.manner.adopted);
            Words::Line(whole.unwrap_or_else(|| line.clone()))
        }
        Action::Argv(words) => {
            let mut words = words.clone();
            if let Some(first) = words.first_mut().filter(|_| !hook.manner.adopted)
                && let Some(whole) = relative::program(first, folder)
            {
                *first = whole;
            }
            Words::Argv(words)
        }
        Action::Builtin { .. } | Action::Passed(_) => return Vec::new(),
    };
    let mentions = |word: &str| places::hook_mentions(hook, manifest, around, word);
    let trial = |event: &Event| {
        let is_for = |call: &&Call| {
            let subject = call.subject();
            let subject = Some(subject.as_str()).filter(|subject| !subject.is_empty());
            call.event == *event && matcher::matches(hook.matcher.as_deref(), *event, subject)
        };
        Trial {
            place: hook.origin().map(Origin::place).unwrap_or_default(),
            hook: Some(hook.name.clone()),
            event: *event,
            matcher: hook.matcher.clone(),
            words: words.clone(),
            path: path_of(hook, manifest, around),
            limit: Some(Duration::from_millis(hook.timeout_ms)),
            is_async: hook.manner.background,
            is_closed: hook.on_error != OnError::Open,
            script: Script::of(hook.matcher.as_deref(), &mentions),
            cases: calls.iter().filter(is_for).take(CASES).cloned().collect(),
        }
    };
    hook.events.iter().map(trial).collect()
}

fn of_handler(around: &Around, handler: &Handler, place: String) -> Option<Trial> {
    let line = handler.text("command").filter(|line| !line.trim().is_empty())?;
    if handler.text("type") != Some("command") || handler.text("shell") == Some("powershell") {
        return None;
    }
    let args = handler.value.get("args").and_then(Value::as_array);
    let is_set = |key: &str| handler.value.get(key).and_then(Value::as_bool) == Some(true);
    let limit = handler.value.get("timeout").and_then(Value::as_f64);
    let mentions = |word: &str| places::handler_mentions(handler, around, word);
    Some(Trial {
        place,
        hook: None,
        event: Event::from_name(&handler.event)?,
        matcher: handler.matcher.clone(),
        words: match args {
            None => Words::Line(line.to_owned()),
            Some(args) => {
                let args = args.iter().filter_map(|it| Some(it.as_str()?.to_owned()));
                Words::Argv(std::iter::once(line.to_owned()).chain(args).collect())
            }
        },
        path: around.path.clone(),
        limit: limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        is_async: is_set("async") && !is_set("asyncRewake"),
        is_closed: handler.text("onFailure") == Some("block"),
        script: Script::of(handler.matcher.as_deref(), &mentions),
        cases: Vec::new(),
    })
}

/// Makes a project in which the entries of the real one are links, but for git's.
fn furnish(scratch: &Scratch, project: Option<&Path>) -> std::io::Result<()> {
    scratch.make("project")?;
    scratch.make("state")?;
    scratch.write("transcript.jsonl", "{\"type\":\"user\"}\n")?;
    if let Some(project) = project {
        scratch.link("project", project, ".git", ENTRIES)?;
    }
    PROBES.iter().try_for_each(|probe| scratch.write(&format!("project/{probe}"), "\n"))
}

/// Runs some commands side by side, each with its calls.
fn try_out(trials: &[Trial], scratch: &Scratch, left: Duration) -> Vec<Tried> {
    if left.is_zero() {
        return trials
            .iter()
            .map(|trial| tried(trial, Vec::new(), &[], &scratch.path("project")))
            .collect();
    }
    let project = scratch.path("project");
    let filled: Vec<Words> = trials.iter().map(|trial| filled(&trial.words, &project)).collect();
    let state = scratch.path("state");
    // What a hook remembers of a session must not count for the next test.
    let session = format!("hookman-self-test-{}", std::process::id());
    let variables: Vec<[(&str, &OsStr); 6]> = trials
        .iter()
        .map(|trial| {
            [
                ("PATH", trial.path.as_os_str()),
                ("HOOKMAN_STATE_DIR", state.as_os_str()),
                (PROJECT, project.as_os_str()),
                ("CLAUDECODE", OsStr::new("1")),
                ("CLAUDE_CODE_SESSION_ID", OsStr::new(&session)),
                ("LC_ALL", OsStr::new("C")),
            ]
        })
        .collect();
    let transcript = scratch.path("transcript.jsonl").display().to_string();
    let place =
        Place { session: &session, transcript: &transcript, cwd: &project.display().to_string() };
    let payloads = |trial: &Trial| {
        let made = || calls(trial.event, trial.matcher.as_deref(), &project);
        let calls = if trial.cases.is_empty() { made() } else { trial.cases.clone() };
        calls.iter().map(|call| call.payload(place)).collect()
    };
    let payloads: Vec<Vec<String>> = trials.iter().map(payloads).collect();
    let mut owners = Vec::new();
    let mut specs = Vec::new();
    for (at, trial) in trials.iter().enumerate() {
        let program = match &filled[at] {
            Words::Line(line) => Program::Shell(line),
            Words::Argv(words) => Program::Argv(words),
        };
        for payload in &payloads[at] {
            owners.push(at);
            specs.push(Spec {
                stdin: payload.as_bytes(),
                directory: Some(&project),
                variables: &variables[at],
                ..Spec::new(program, trial.limit.unwrap_or(EACH).min(EACH).min(left))
            });
        }
    }
    let mut came: Vec<Vec<std::io::Result<Finished>>> = trials.iter().map(|_| Vec::new()).collect();
    for (owner, finished) in owners.into_iter().zip(child::run(&specs, None)) {
        came[owner].push(finished);
    }
    let each = trials.iter().zip(came).zip(&payloads);
    each.map(|((trial, came), payloads)| tried(trial, came, payloads, &project)).collect()
}

/// The words with the values that the client and hookman put in.
fn filled(words: &Words, project: &Path) -> Words {
    let file: PathBuf = project.join(PROBES[0]);
    let put = |word: &String| {
        word.replace("${CLAUDE_PROJECT_DIR}", &project.display().to_string())
            .replace(FILE, &file.display().to_string())
    };
    match words {
        Words::Line(line) => Words::Line(line.clone()),
        Words::Argv(words) => Words::Argv(words.iter().map(put).collect()),
    }
}

/// Judges the runs of a command; of none its time was up before.
fn tried(
    trial: &Trial,
    came: Vec<std::io::Result<Finished>>,
    payloads: &[String],
    project: &Path,
) -> Tried {
    let (mut problems, mut notes): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut took = None;
    if came.is_empty() {
        notes.push("the time for all commands was up".to_owned());
    }
    let (mut says_nothing, number) = (came.len() > 1, came.len());
    // Whoever says no to some of the calls alone means it.
    let in_vain = |it: &std::io::Result<Finished>| {
        it.as_ref().is_ok_and(|it| {
            it.ended == Ended::Exited(0)
                && it.stdout.is_empty()
                && !it.stderr.is_empty()
                && (trial.script.can_deny || refuses(&String::from_utf8_lossy(&it.stderr)))
        })
    };
    let refused = came.iter().filter(|it| in_vain(it)).count();
    let stops =
        came.iter().flatten().any(|it| answers::is_refusal(trial.event, it.ended, &it.stdout));
    if (1..number).contains(&refused) && !stops {
        problems.push("it says no on standard error and ends with 0, which blocks nothing".into());
    }
    problems.extend(is_reversed(trial, &came).then(|| {
        "it stops the call that ought to pass, and lets the one pass that ought to be stopped"
            .into()
    }));
    let lacking = |(it, payload): (&std::io::Result<Finished>, &String)| {
        calls::lacking(payload, &it.as_ref().ok()?.stdout)
    };
    let is_before = trial.event == Event::PreToolUse;
    if let Some(key) = came.iter().zip(payloads).filter(|_| is_before).find_map(lacking) {
        problems.push(format!(
            "its `updatedInput` has no `{key}`: the client takes it for the whole input, and refuses the \
             call"
        ));
    }
    problems.extend(other_code(trial, &came));
    problems.extend(too_late(trial, &came));
    notes.extend(without_end(trial, &came));
    for finished in came {
        let (faults, note) = match finished {
            Ok(finished) => {
                took = took.max(Some(finished.took));
                says_nothing &= finished.ended == Ended::Exited(0) && finished.stdout.is_empty();
                heard(trial, &finished, project)
            }
            Err(error) => (vec![format!("it cannot be started: {error}")], None),
        };
        problems.extend(faults);
        notes.extend(note);
    }
    if says_nothing && trial.event == Event::PreToolUse && !trial.is_async {
        match trial.script.looks_for.filter(|_| trial.script.can_deny && problems.is_empty()) {
            Some(text) => problems.push(format!(
                "it looks for `{text}` and can deny, but stops none of the {number} calls, \
                 although one has that text"
            )),
            None if trial.script.can_deny => {
                notes.push(format!("it stops none of the {number} calls"));
            }
            None => {}
        }
    }
    let joined = |mut all: Vec<String>| {
        let mut seen: Vec<String> = Vec::new();
        all.retain(|one| {
            !seen.contains(one) && {
                seen.push(one.clone());
                true
            }
        });
        (!all.is_empty()).then(|| all.join("; "))
    };
    Tried {
        place: trial.place.clone(),
        hook: trial.hook.clone(),
        event: trial.event.name().to_owned(),
        problem: joined(problems),
        note: joined(notes),
        us: took.map(|took| u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
        rests_on: Layer::Run,
    }
}

/// The fault of a command that ends with 0 for one call and, with words, with a code that blocks nothing
/// for another.
fn other_code(trial: &Trial, came: &[std::io::Result<Finished>]) -> Option<String> {
    let is_gate = trial.event == Event::PreToolUse && !trial.is_closed && !trial.is_async;
    let passes = came.iter().flatten().any(|it| it.ended == Ended::Exited(0));
    let code = came.iter().flatten().find_map(|it| match it.ended {
        Ended::Exited(code) if !matches!(code, 0 | 2 | 126 | 127) => {
            let said = [&it.stderr[..], &it.stdout[..]].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            let is_no = !said.trim().is_empty() && !said.contains("Traceback") && !refuses(&said);
            is_no.then_some(code)
        }
        _ => None,
    })?;
    (is_gate && passes).then(|| {
        format!("it ends with {code} for a call that many guards stop, which blocks nothing: only 2 does")
    })
}

/// The note on a command that keeps a turn from its end each time, as far as can be seen.
fn without_end(trial: &Trial, came: &[std::io::Result<Finished>]) -> Option<String> {
    let is_stop = matches!(trial.event, Event::Stop | Event::SubagentStop);
    let refuses = |it: &std::io::Result<Finished>| {
        it.as_ref().is_ok_and(|it| answers::is_refusal(trial.event, it.ended, &it.stdout))
    };
    (is_stop && !trial.is_async && came.len() > 1 && came.iter().all(refuses)).then(|| {
        "it refuses the end of the turn again, although `stop_hook_active` says that it already did"
            .to_owned()
    })
}

/// The fault of a command that sets no time limit, and takes longer than the event's own.
fn too_late(trial: &Trial, came: &[std::io::Result<Finished>]) -> Option<String> {
    let took = came.iter().flatten().map(|it| it.took).max()?;
    let waits = Duration::from_millis(trial.event.facts().timeout_ms);
    (trial.limit.is_none() && !trial.is_async && took > waits * 2).then(|| {
        format!(
            "it takes {:.1} s, and the client waits {} s on {} where no `timeout` is set",
            took.as_secs_f64(),
            waits.as_secs_f64(),
            trial.event
        )
    })
}

/// Returns whether a guard says no to the first of two calls, which ought to pass, and not to the other.
fn is_reversed(trial: &Trial, came: &[std::io::Result<Finished>]) -> bool {
    let says_no = |it: &Finished| it.ended == Ended::Exited(2);
    let is_silent = |it: &Finished| it.ended == Ended::Exited(0) && it.stdout.is_empty();
    matches!(came, [Ok(harmless), Ok(other)] if says_no(harmless) && is_silent(other))
        && trial.event == Event::PreToolUse
        && trial.script.looks_for.is_some()
}

fn heard(trial: &Trial, finished: &Finished, project: &Path) -> (Vec<String>, Option<String>) {
    let project = project.display().to_string();
    let text =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&project, "$CLAUDE_PROJECT_DIR");
    let (stdout, stderr) = (text(&finished.stdout), text(&finished.stderr));
    match finished.ended {
        Ended::Exited(code) => answers::judge(&Said {
            event: trial.event,
            code,
            stdout: &stdout,
            stderr: &stderr,
            is_async: trial.is_async,
            is_closed: trial.is_closed,
            has_other: trial.script.has_other,
        }),
        Ended::Signalled(signal) => {
            (vec![format!("signal {signal} ended it: {}", shortened(&stderr))], None)
        }
        Ended::TimedOut => match trial.limit.filter(|limit| *limit <= EACH) {
            Some(limit) => {
                let limit = limit.as_secs_f64();
                (vec![format!("it takes longer than its time limit of {limit} s")], None)
            }
            None => (Vec::new(), Some("it took too long for a test, and was ended".to_owned())),
        },
        Ended::GoesOn => (Vec::new(), None),
    }
}
