//! Running the commands of neighbouring steps as children, side by side.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use crate::chain::outcome::{self, Exit, Failure, Heard, Outcome};
use crate::chain::plan::{Run, Step};
use crate::client::event::Event;
use crate::machine::child::{self, Ended, Finished, Program, Spec};
use crate::machine::environment;

/// What the client replaces as plain text in the words of the exec form, and where it is found.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("${CLAUDE_PROJECT_DIR}", "CLAUDE_PROJECT_DIR"),
    ("${CLAUDE_PLUGIN_ROOT}", "CLAUDE_PLUGIN_ROOT"),
    ("${CLAUDE_PLUGIN_DATA}", "CLAUDE_PLUGIN_DATA"),
];

/// Runs commands on the same payload at the same time; what each came to and how long that took,
/// in their order.
pub(super) fn run(event: Event, steps: &[&Step<'_>], text: &str) -> Vec<(Outcome, Duration)> {
    // The client ends the payload with a line feed, which line-wise readers wait for.
    let stdin = [text.as_bytes(), b"\n"].concat();
    let words: Vec<Cow<'_, [String]>> = steps.iter().map(|step| words(step)).collect();
    let specs: Vec<Spec<'_>> = steps
        .iter()
        .zip(&words)
        .map(|(step, words)| Spec {
            program: match &step.run {
                Run::Command(line) => Program::Shell(line),
                _ => Program::Argv(words),
            },
            stdin: &stdin,
            directory: None,
            timeout: Duration::from_millis(step.timeout_ms),
        })
        .collect();
    let results = child::run(&specs);
    results
        .into_iter()
        .zip(steps.iter().zip(&specs))
        .map(|(result, (step, spec))| match result {
            Ok(finished) => (heard(event, step, &finished), finished.took),
            Err(error) => {
                let failure = Failure::NotStarted(not_started(spec.program, &error));
                (Outcome::Failure(failure), Duration::ZERO)
            }
        })
        .collect()
}

/// Whether the client would take two commands for one and run it once: it tells apart what differs
/// in the command or in `if`.
pub(super) fn same(one: &Step<'_>, other: &Step<'_>) -> bool {
    if one.conditions != other.conditions {
        return false;
    }
    match (&one.run, &other.run) {
        (Run::Command(one), Run::Command(other)) => one == other,
        (Run::Argv(one), Run::Argv(other)) => one == other,
        _ => false,
    }
}

fn words<'s>(step: &'s Step<'_>) -> Cow<'s, [String]> {
    let Run::Argv(words) = &step.run else { return Cow::Borrowed(&[]) };
    if !words.iter().any(|word| word.contains("${CLAUDE_P")) {
        return Cow::Borrowed(words);
    }
    let mut filled = words.clone();
    for (placeholder, variable) in PLACEHOLDERS {
        if let Some(value) = environment::text(variable) {
            for word in &mut filled {
                *word = word.replace(placeholder, &value);
            }
        }
    }
    Cow::Owned(filled)
}

fn not_started(program: Program<'_>, error: &io::Error) -> String {
    match program {
        Program::Argv([name, ..]) if error.kind() == io::ErrorKind::NotFound => {
            format!("`{name}` was not found")
        }
        Program::Argv([name, ..]) => format!("`{name}`: {error}"),
        _ => error.to_string(),
    }
}

fn heard(event: Event, step: &Step<'_>, finished: &Finished) -> Outcome {
    let exit = match finished.ended {
        Ended::Exited(code) => Exit::Code(code),
        Ended::Signalled(signal) => Exit::Signal(signal),
        Ended::TimedOut => Exit::TimedOut(step.timeout_ms),
    };
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let stderr = String::from_utf8_lossy(&finished.stderr);
    outcome::read(event, exit, Heard { stdout: &stdout, stderr: &stderr }, step.on_error)
}
