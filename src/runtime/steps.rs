//! Running the steps of a chain, one after another.

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::journal::Entry;
use crate::builtin::{self, Context, catalogue};
use crate::chain::merge::Ran;
use crate::chain::outcome::{self, Exit, Failure, Outcome};
use crate::chain::plan::{Run, Step};
use crate::client::answer::Decision;
use crate::client::event::{Block, Event};
use crate::client::payload::Payload;
use crate::machine::child::{self, Ended, Finished, Program, Spec};
use crate::session::store::Store;

/// Runs the steps in order until all have run or one denies a permission.
///
/// Each step sees the tool's input as the steps before it left it: a rewrite is laid over the input
/// field by field.
pub fn run(
    event: Event,
    steps: &[Step<'_>],
    payload: &Payload<'_>,
    text: &str,
    store: &dyn Store,
    entry: &mut Entry<'_>,
) -> Vec<Ran> {
    let mut ran = Vec::with_capacity(steps.len());
    let mut input: Option<Map<String, Value>> = None;
    for step in steps {
        let started = Instant::now();
        let outcome = match &input {
            None => one(event, step, payload, text, store),
            Some(input) => {
                let text = with_input(text, payload, input);
                match Payload::parse(&text) {
                    Ok(payload) => one(event, step, &payload, &text, store),
                    Err(error) => Outcome::Failure(Failure::Builtin(error.to_string())),
                }
            }
        };
        let mut done = Ran { name: step.name.to_owned(), on_error: step.on_error, outcome };
        if let Outcome::Answer(answer, _) = &mut done.outcome
            && let Some(Value::Object(update)) = answer.specific.get_mut("updatedInput")
        {
            let whole = input.get_or_insert_with(|| original(payload));
            whole.extend(std::mem::take(update));
            update.clone_from(whole);
        }
        entry.ran(&done, started.elapsed());
        let denied = done.answer(event).decision == Some(Decision::Deny);
        ran.push(done);
        if denied && event.facts().block == Block::Permission {
            break;
        }
    }
    ran
}

fn original(payload: &Payload<'_>) -> Map<String, Value> {
    payload.tool_input.and_then(|input| serde_json::from_str(input.get()).ok()).unwrap_or_default()
}

// The payload is kept as the client wrote it but for the one value that was rewritten.
fn with_input<'a>(
    text: &'a str,
    payload: &Payload<'_>,
    input: &Map<String, Value>,
) -> Cow<'a, str> {
    let Some(old) = payload.tool_input else { return Cow::Borrowed(text) };
    let start = old.get().as_ptr() as usize - text.as_ptr() as usize;
    let new = Value::Object(input.clone()).to_string();
    let mut changed = text.to_owned();
    changed.replace_range(start..start + old.get().len(), &new);
    Cow::Owned(changed)
}

fn one(
    event: Event,
    step: &Step<'_>,
    payload: &Payload<'_>,
    text: &str,
    store: &dyn Store,
) -> Outcome {
    match &step.run {
        Run::Builtin { kind, options } => {
            let context = Context { name: step.name, event, payload, options, store };
            let Some(kind) = catalogue::kind(kind) else {
                let why = format!("this hookman has no built-in hooks of the kind `{kind}`");
                return Outcome::Failure(Failure::Builtin(why));
            };
            match (kind.run)(&context) {
                Ok(answer) => Outcome::Answer(answer, None),
                Err(failure) => Outcome::Failure(Failure::Builtin(in_words(failure))),
            }
        }
        Run::Command(line) => command(event, step, Program::Shell(line), text),
        Run::Argv(words) => command(event, step, Program::Argv(words), text),
    }
}

fn in_words(failure: builtin::Failure) -> String {
    match failure {
        builtin::Failure::Payload(why) => format!("the payload: {why}"),
        builtin::Failure::Options(why) => format!("its options: {why}"),
        builtin::Failure::Store(error) => format!("the session's state: {error}"),
    }
}

fn command(event: Event, step: &Step<'_>, program: Program<'_>, text: &str) -> Outcome {
    // The client ends the payload with a line feed, which line-wise readers wait for.
    let stdin = [text.as_bytes(), b"\n"].concat();
    let timeout = Duration::from_millis(step.timeout_ms);
    let spec = Spec { program, stdin: &stdin, directory: None, timeout };
    match child::run(&[spec]).pop() {
        Some(Ok(finished)) => heard(event, step, &finished),
        Some(Err(error)) => Outcome::Failure(Failure::NotStarted(not_started(program, &error))),
        None => Outcome::Failure(Failure::NotStarted("nothing was run".to_owned())),
    }
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
    outcome::read(event, exit, &stdout, &stderr)
}
