//! The findings from the runs of a command.

use std::path::Path;
use std::time::Duration;

use super::super::answers::{self, Said, shortened};
use super::calls;
use super::command::{EACH, Expected, Trial, Tried};
use crate::client::unheard::refuses;
use crate::client::{Event, Subject};
use crate::install::command_faults::Layer;
use crate::machine::child::{Ended, Finished};

/// Judges the runs of a command; of none its time was up before.
pub(super) fn tried(
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
    let is_before = trial.event == Event::PreToolUse;
    let updated = |(it, payload): (&std::io::Result<Finished>, _)| {
        Some((calls::updated(&it.as_ref().ok()?.stdout)?, payload))
    };
    let updated: Vec<_> =
        came.iter().zip(payloads).filter(|_| is_before).filter_map(updated).collect();
    let rewrites = !updated.is_empty();
    let lacking = updated.iter().find_map(|(input, payload)| calls::lacking(payload, input));
    if let Some(key) = lacking {
        problems.push(format!(
            "its `updatedInput` has no `{key}`: the client takes it for the whole input, and refuses the \
             call"
        ));
    }
    problems.extend(against_cases(trial, &came));
    problems.extend(other_code(trial, &came));
    let is_named = !problems.is_empty();
    problems.extend(too_late(trial, &came));
    notes.extend(without_end(trial, &came));
    for finished in came {
        let (faults, note) = match finished {
            Ok(finished) => {
                took = took.max(Some(finished.took));
                says_nothing &= finished.ended == Ended::Exited(0) && finished.stdout.is_empty();
                heard(trial, &finished, project, is_named)
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
        rewrites,
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
fn is_reversed(trial: &Trial, came: &[std::io::Result<Finished>]) -> bool {
    let says_no = |it: &Finished| it.ended == Ended::Exited(2);
    let is_silent = |it: &Finished| it.ended == Ended::Exited(0) && it.stdout.is_empty();
    matches!(came, [Ok(harmless), Ok(other)] if says_no(harmless) && is_silent(other))
        && trial.event == Event::PreToolUse
        && trial.script.looks_for.is_some()
}

/// Names what the cases next to the manifest expect and a command does otherwise.
fn against_cases(trial: &Trial, came: &[std::io::Result<Finished>]) -> Vec<String> {
    let problem = |(it, expected): (&std::io::Result<Finished>, &Expected)| {
        let it = it.as_ref().ok()?;
        let says_no = answers::is_refusal(trial.event, it.ended, &it.stdout)
            || trial.is_closed && it.ended != Ended::Exited(0);
        let name = &expected.case;
        match expected.denial? {
            true if !says_no => {
                Some(format!("the case `{name}` expects a denial, and it denies nothing"))
            }
            false if says_no => {
                Some(format!("the case `{name}` expects no denial, and it says no"))
            }
            _ => None,
        }
    };
    came.iter().zip(&trial.cases).filter_map(problem).collect()
}

/// Returns whether each tool call or prompt waits for a command.
fn is_waited_for(trial: &Trial) -> bool {
    let is_often = trial.event.facts().subject == Subject::Tool;
    !trial.is_async && (is_often || trial.event == Event::UserPromptSubmit)
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
            None if finished.took >= EACH && is_waited_for(trial) => {
                let (most, event) = (EACH.as_secs(), trial.event);
                (
                    vec![format!("it takes longer than {most} s, and each {event} waits for it")],
                    None,
                )
            }
            None => (Vec::new(), Some("it took too long for a test, and was ended".to_owned())),
        },
        Ended::GoesOn => (
            Vec::new(),
            Some(
                "a process that it started holds its output, so the client waits for that too"
                    .to_owned(),
            ),
        ),
    }
}
