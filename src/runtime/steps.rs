//! Running the steps of a chain, one after another, parallel neighbours at once.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::children;
use super::journal::Entry;
use crate::builtin::{self, Context, catalogue};
use crate::chain::merge::Ran;
use crate::chain::outcome::{Failure, Outcome};
use crate::chain::plan::{Run, Step};
use crate::client::answer::{Answer, Decision};
use crate::client::event::{Block, Event};
use crate::client::payload::Payload;
use crate::session::store::Store;

/// Runs the steps in order until all have run or one denies a permission.
///
/// Each step sees the tool's input as the steps before it left it: a rewrite is laid over the input
/// field by field. Neighbours that are marked parallel see the same input, and all of them run.
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
    for batch in steps.chunk_by(|one, next| one.parallel && next.parallel) {
        let outcomes = match &input {
            None => together(event, batch, payload, text, store),
            Some(input) => {
                let text = with_input(text, payload, input);
                match Payload::parse(&text) {
                    Ok(payload) => together(event, batch, &payload, &text, store),
                    Err(error) => {
                        let failure = Outcome::Failure(Failure::Builtin(error.to_string()));
                        batch.iter().map(|step| (step, failure.clone(), Duration::ZERO)).collect()
                    }
                }
            }
        };
        let mut denied = false;
        for (step, outcome, took) in outcomes {
            let mut done = Ran { name: step.name.to_owned(), on_error: step.on_error, outcome };
            if let Outcome::Answer(answer, _) = &mut done.outcome
                && let Some(Value::Object(update)) = answer.specific.get_mut("updatedInput")
            {
                let whole = input.get_or_insert_with(|| original(payload));
                whole.extend(std::mem::take(update));
                update.clone_from(whole);
            }
            entry.ran(&done, took);
            denied |= done.answer(event).decision == Some(Decision::Deny);
            ran.push(done);
        }
        if denied && event.facts().block == Block::Permission {
            break;
        }
    }
    ran
}

/// Runs neighbours on the same payload, their commands side by side. Of commands that the client
/// would take for one, the last is run, in the place of the first.
fn together<'s, 'p>(
    event: Event,
    batch: &'s [Step<'p>],
    payload: &Payload<'_>,
    text: &str,
    store: &dyn Store,
) -> Vec<(&'s Step<'p>, Outcome, Duration)> {
    if let [step] = batch {
        let started = Instant::now();
        let outcome = one(event, step, payload, text, store);
        return vec![(step, outcome, started.elapsed())];
    }
    let mut distinct: Vec<&Step<'_>> = Vec::with_capacity(batch.len());
    for step in batch {
        match distinct.iter_mut().find(|known| children::same(known, step)) {
            Some(known) => *known = step,
            None => distinct.push(step),
        }
    }
    let is_child = |step: &&Step<'_>| !matches!(step.run, Run::Builtin { .. });
    let commands: Vec<&Step<'_>> = distinct.iter().copied().filter(is_child).collect();
    let mut heard = children::run(event, &commands, text).into_iter();
    let mut outcomes = Vec::with_capacity(distinct.len());
    for step in distinct {
        let started = Instant::now();
        let (outcome, took) = match &step.run {
            Run::Builtin { .. } => {
                let outcome = one(event, step, payload, text, store);
                (outcome, started.elapsed())
            }
            Run::Command(_) | Run::Argv(_) => match heard.next() {
                Some(heard) => heard,
                None => continue,
            },
        };
        outcomes.push((step, outcome, took));
    }
    outcomes
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
        Run::Command(_) | Run::Argv(_) => children::run(event, &[step], text)
            .pop()
            .map_or_else(|| Outcome::Answer(Answer::default(), None), |(outcome, _)| outcome),
    }
}

fn in_words(failure: builtin::Failure) -> String {
    match failure {
        builtin::Failure::Payload(why) => format!("the payload: {why}"),
        builtin::Failure::Options(why) => format!("its options: {why}"),
        builtin::Failure::Store(error) => format!("the session's state: {error}"),
    }
}
