//! The findings from the runs of a command.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use super::super::answers::{self, Said, shortened};
use super::super::cost::is_often;
use super::calls;
use super::command::{EACH, Trial, Tried};
use crate::client::Event;
use crate::client::unheard::refuses;
use crate::machine::child::{Ended, Finished};

/// Judges the runs of a command; of none its time was up before.
pub(super) fn tried(
    trial: &Trial,
    came: Vec<std::io::Result<Finished>>,
    payloads: &[String],
    project: &Path,
) -> Tried {
    let (mut problems, mut notes): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    if came.is_empty() {
        notes.push("the time for all commands was up".to_owned());
    }
    // What cannot be started for one call cannot be for another.
    let came: std::io::Result<Vec<Finished>> = came.into_iter().collect();
    problems.extend(came.as_ref().err().map(|error| format!("it cannot be started: {error}")));
    let (came, can_deny) = (came.unwrap_or_default(), trial.script.can_deny);
    // Whoever says no to some of the calls alone means it.
    let in_vain = |it: &&Finished| {
        is_silent(it)
            && !it.stderr.is_empty()
            && (can_deny || refuses(&String::from_utf8_lossy(&it.stderr)))
    };
    let refused = came.iter().filter(in_vain).count();
    if (1..came.len()).contains(&refused) && !came.iter().any(|it| trial.is_refused(it)) {
        problems.push("it says no on standard error and ends with 0, which blocks nothing".into());
    }
    problems.extend(is_reversed(trial, &came, payloads).then(|| {
        "it stops the call that ought to pass, and lets the one pass that ought to be stopped"
            .into()
    }));
    let is_before = trial.event == Event::PreToolUse;
    let given = came.iter().zip(payloads).filter(|_| is_before);
    let updated: Vec<_> =
        given.filter_map(|(it, payload)| Some((calls::updated(&it.stdout)?, payload))).collect();
    let lacking = updated.iter().find_map(|(input, payload)| calls::lacking(payload, input));
    if let Some(key) = lacking {
        problems.push(format!(
            "its `updatedInput` has no `{key}`: the client takes it for the whole input, and refuses the \
             call"
        ));
    }
    problems.extend(other_code(trial, &came));
    let is_named = !problems.is_empty();
    problems.extend(too_late(trial, &came));
    notes.extend(without_end(trial, &came));
    for finished in &came {
        let (faults, note) = heard(trial, finished, project, is_named);
        problems.extend(faults);
        notes.extend(note);
    }
    if problems.is_empty() && is_always(trial, &came) {
        problems.push("it ends with 2 for each call, also for one that ought to pass".into());
    }
    let number = came.len();
    if number > 1 && came.iter().all(is_silent) && is_before && !trial.is_async && can_deny {
        match trial.script.looks_for.filter(|_| problems.is_empty()) {
            Some(text) => problems.push(format!(
                "it looks for `{text}` and can deny, but stops none of the {number} calls, \
                 although one has that text"
            )),
            None => notes.push(format!("it stops none of the {number} calls")),
        }
    }
    let joined = |mut all: Vec<String>| {
        let mut seen = HashSet::new();
        all.retain(|one| seen.insert(one.clone()));
        (!all.is_empty()).then(|| all.join("; "))
    };
    let took = came.iter().map(|it| it.took).max();
    Tried {
        problem: joined(problems),
        note: joined(notes),
        rewrites: !updated.is_empty(),
        us: took.map(|took| u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
        ..trial.not_run()
    }
}

/// Returns whether a command ended well and printed nothing that the client reads.
fn is_silent(finished: &Finished) -> bool {
    finished.ended == Ended::Exited(0) && finished.stdout.is_empty()
}

/// The fault of a command that ends with 0 for one call, and with a code that blocks nothing for another.
fn other_code(trial: &Trial, came: &[Finished]) -> Option<String> {
    let is_gate = trial.event == Event::PreToolUse && !trial.is_closed && !trial.is_async;
    let passes = came.iter().any(|it| it.ended == Ended::Exited(0));
    let code = came.iter().find_map(|it| match it.ended {
        Ended::Exited(code) if !matches!(code, 0 | 2 | 126 | 127) => {
            let said = [&it.stderr[..], &it.stdout[..]].concat();
            let said = String::from_utf8_lossy(&said);
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
fn without_end(trial: &Trial, came: &[Finished]) -> Option<String> {
    let is_stop = matches!(trial.event, Event::Stop | Event::SubagentStop);
    let refuses = |it: &Finished| trial.is_refused(it);
    (is_stop && !trial.is_async && came.len() > 1 && came.iter().all(refuses)).then(|| {
        "it refuses the end of the turn again, although `stop_hook_active` says that it already did"
            .to_owned()
    })
}

/// The fault of a command that sets no time limit, and takes longer than the event's own.
fn too_late(trial: &Trial, came: &[Finished]) -> Option<String> {
    let took = came.iter().map(|it| it.took).max()?;
    let waits = Duration::from_millis(trial.event.facts().timeout_ms);
    (trial.limit.is_none() && !trial.is_async && took > waits * 5 / 4).then(|| {
        format!(
            "it takes {:.1} s, and the client waits {} s on {} where no `timeout` is set",
            took.as_secs_f64(),
            waits.as_secs_f64(),
            trial.event
        )
    })
}

/// Returns whether a guard says no to the first of two calls, which ought to pass, and not to the other.
fn is_reversed(trial: &Trial, came: &[Finished], payloads: &[String]) -> bool {
    let is_of_bash = || payloads.iter().all(|it| it.contains(r#""tool_name":"Bash""#));
    matches!(came, [harmless, other] if trial.is_refused(harmless) && is_silent(other))
        && trial.event == Event::PreToolUse
        && (trial.script.looks_for.is_some() || is_of_bash())
}

/// Returns whether a command says no to each of several calls, though it is not there to stop a tool.
fn is_always(trial: &Trial, came: &[Finished]) -> bool {
    let is_of_each = matches!(trial.event, Event::PostToolUse | Event::UserPromptSubmit);
    // What locks may look at the repository's own state.
    let is_other = trial.is_async || trial.script.locks;
    came.len() > 1 && is_of_each && !is_other && came.iter().all(|it| it.ended == Ended::Exited(2))
}

fn heard(
    trial: &Trial,
    finished: &Finished,
    project: &Path,
    is_named: bool,
) -> (Vec<String>, Option<String>) {
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
            is_own: trial.script.says(&stderr),
            is_named,
        }),
        Ended::Signalled(signal) => {
            (vec![format!("signal {signal} ended it: {}", shortened(&stderr))], None)
        }
        Ended::TimedOut => match trial.limit.filter(|limit| *limit <= EACH) {
            Some(limit) => {
                let limit = limit.as_secs_f64();
                (vec![format!("it takes longer than its time limit of {limit} s")], None)
            }
            None if finished.took >= EACH && !trial.is_async && is_often(trial.event) => {
                let (most, event) = (EACH.as_secs(), trial.event);
                let says = format!("it takes longer than {most} s, and each {event} waits for it");
                (vec![says], None)
            }
            None => (Vec::new(), Some("it took too long for a test, and was ended".to_owned())),
        },
        Ended::GoesOn => {
            let note =
                "a process that it started holds its output, so the client waits for that too";
            (Vec::new(), Some(note.to_owned()))
        }
    }
}
