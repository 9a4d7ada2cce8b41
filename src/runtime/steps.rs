//! Running the steps of a chain, one after another, parallel neighbours at once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::thread;

use serde_json::{Map, Value};

use super::builtins::Builtin;
use super::call::Seen;
use super::children::{self, Around, Came};
use super::overrides::Effects;
use crate::chain::condition::{Condition, Unmet};
use crate::chain::merge::Ran;
use crate::chain::outcome::Failure;
use crate::chain::plan::Run;
use crate::chain::{Outcome, Step, fields};
use crate::client::host::CLAUDE;
use crate::client::{Answer, Block, Decision, Event, Payload};
use crate::manifest::OnError;
use crate::state::journal::Entry;
use crate::state::project_tools::Surroundings;

/// A step that runs now, or that runs if an earlier step rewrites the input so that it matches.
#[derive(Debug)]
pub struct Candidate<'p> {
    pub step: Step<'p>,
    /// The condition that the tool's input does not meet as it came.
    pub unmet: Option<Unmet>,
}

/// Runs the steps in order until one denies a permission; those that run always run then too.
///
/// Each step sees the input as the steps before it left it; parallel neighbours see the same. After a
/// rewrite the closed steps before it are asked about what it made. After a denial that holds once, the
/// later guards are asked too, so that a second try meets no other denial.
pub fn run(
    steps: &[Candidate<'_>],
    seen: Seen<'_>,
    around: Around<'_>,
    entry: &mut Entry<'_>,
) -> Vec<Ran> {
    let Seen { event, payload, .. } = seen;
    let mut ran = Vec::with_capacity(steps.len());
    let mut rewrites = Rewrites::default();
    let (mut ended, mut struck) = (false, false);
    let (mut passed, mut outdated) = (0, 0);
    for batch in steps.chunk_by(|one, next| one.step.parallel && next.step.parallel) {
        passed += batch.len();
        let is_alone = batch.len() == 1;
        let (batch, behind): (Vec<&Candidate<'_>>, Vec<_>) =
            batch.iter().partition(|it| it.step.always || !ended && (!struck || decides(&it.step)));
        for Candidate { step, .. } in behind {
            entry.passed_over(step, "denied");
        }
        let outcomes = match &rewrites.input {
            _ if batch.is_empty() => continue,
            None => {
                let batch = met(batch, None, entry);
                together(&once(&batch, entry), seen, around)
            }
            Some(input) => after_rewrite(batch, input, seen, around, entry),
        };
        let mut seen = rewrites.input.clone();
        for (step, came) in outcomes {
            let Came { mut outcome, exit, took, mut warnings } = came;
            if step.observe.is_some() {
                entry.watched(step, event, &done(step, outcome, exit), took);
                entry.warn(warnings);
                continue;
            }
            if let Outcome::Answer(answer, _) = &mut outcome
                && rewrite(event, answer).is_some()
            {
                match seen.take().map_or_else(|| original(payload), Ok) {
                    Ok(whole) => {
                        warnings.extend(rewrites.lay(event, step, &mut outcome, &whole));
                        seen = Some(whole);
                    }
                    Err(error) => {
                        let why = format!(
                            "its rewrite cannot be merged into the tool's input, which hookman \
                             cannot read completely: {error}"
                        );
                        outcome = unlaid(outcome, step.on_error, &why);
                        warnings.push(why);
                    }
                }
            }
            if let Outcome::Answer(answer, _) = &outcome {
                warnings.extend(rewrites.contested(event, step.name, answer));
            }
            let done = done(step, outcome, exit);
            entry.ran(step, event, &done, took);
            entry.warn(warnings);
            let answer = done.answer(event);
            if event.facts().block == Block::Permission && answer.decision == Some(Decision::Deny) {
                struck |= answer.once;
                ended |= !answer.once;
            }
            ran.push(done);
        }
        if rewrites.input != seen {
            // A step alone knows what it made itself.
            outdated = passed - usize::from(is_alone);
        }
    }
    if ended && struck {
        // These answers say that a retry passes, which is no longer true. Their other words stay,
        // because nobody says them again.
        for Ran { outcome, .. } in &mut ran {
            if let Outcome::Answer(answer, _) = outcome {
                answer.break_promise();
            }
        }
    }
    if let Some(input) = rewrites.input.filter(|_| !ended && !struck) {
        ask_again(&steps[..outdated], &input, seen, around, &mut ran, entry);
    }
    ran
}

/// Returns whether a step only decides, so that it may be asked about a call that is denied anyway.
fn decides(step: &Step<'_>) -> bool {
    Builtin::of(step).is_some_and(Builtin::decides)
}

/// Asks a batch about the input as earlier steps left it.
// Few calls are rewritten, and the others need no room on their stack for it.
#[inline(never)]
fn after_rewrite<'s, 'p>(
    batch: Vec<&'s Candidate<'p>>,
    input: &Map<String, Value>,
    Seen { event, payload, text }: Seen<'_>,
    around: Around<'_>,
    entry: &mut Entry<'_>,
) -> Vec<(&'s Step<'p>, Came)> {
    let text = with_input(text, payload, input);
    match Payload::parse(&text) {
        Ok(payload) => {
            let batch = met(batch, Some(&payload), entry);
            let seen = Seen { event, payload: &payload, text: &text };
            together(&once(&batch, entry), seen, around)
        }
        Err(error) => {
            let failure = Failure::Builtin(error.to_string());
            batch.iter().map(|it| (&it.step, failure.clone().into())).collect()
        }
    }
}

/// Asks the closed steps about the rewritten input until one denies, and takes only what holds back.
#[inline(never)]
fn ask_again(
    steps: &[Candidate<'_>],
    input: &Map<String, Value>,
    seen: Seen<'_>,
    around: Around<'_>,
    ran: &mut Vec<Ran>,
    entry: &mut Entry<'_>,
) {
    let is_gate =
        |it: &&Candidate<'_>| it.step.on_error == OnError::Closed && it.step.observe.is_none();
    let gates: Vec<&Step<'_>> = steps.iter().filter(is_gate).map(|it| &it.step).collect();
    if gates.is_empty() {
        return;
    }
    let event = seen.event;
    let text = with_input(seen.text, seen.payload, input);
    let payload = Payload::parse(&text);
    for batch in gates.chunk_by(|one, next| one.parallel && next.parallel) {
        let outcomes = match &payload {
            Ok(payload) => {
                let is_met = |step: &&Step<'_>| unmet(step, payload, entry).is_none();
                let batch: Vec<&Step<'_>> = batch.iter().copied().filter(is_met).collect();
                together(&batch, Seen { event, payload, text: &text }, around)
            }
            Err(error) => {
                let failure = Failure::Builtin(error.to_string());
                batch.iter().map(|&step| (step, failure.clone().into())).collect()
            }
        };
        let mut denied = false;
        for (step, Came { outcome, exit, took, warnings }) in outcomes {
            let outcome = restraint(outcome);
            let done = done(step, outcome, exit);
            entry.ran(step, event, &done, took);
            entry.warn(warnings);
            entry.asked_again();
            let answer = done.answer(event);
            denied |= answer.decision == Some(Decision::Deny);
            let is_said = |it: &Ran| {
                let said = it.answer(event);
                it.name == done.name
                    && (said.decision, &said.reason, said.stop)
                        == (answer.decision, &answer.reason, answer.stop)
            };
            if !answer.is_silent() && !ran.iter().any(is_said) {
                ran.push(done);
            }
        }
        if denied {
            return;
        }
    }
}

fn done(step: &Step<'_>, outcome: Outcome, exit: Option<i32>) -> Ran {
    Ran { name: step.name.to_owned(), on_error: step.on_error, outcome, exit }
}

fn restraint(outcome: Outcome) -> Outcome {
    let Outcome::Answer(said, _) = outcome else { return outcome };
    let Answer { decision, reason, rule, stop, stop_reason, .. } = said;
    let held = Answer { stop, stop_reason, ..Answer::default() };
    let held = match decision {
        None | Some(Decision::Allow) => held,
        decision => Answer { decision, reason, rule, ..held },
    };
    Outcome::Answer(held, None)
}

/// The steps whose conditions a rewritten call meets, or met as it came.
fn met<'s, 'p>(
    batch: Vec<&'s Candidate<'p>>,
    rewritten: Option<&Payload<'_>>,
    entry: &mut Entry<'_>,
) -> Vec<&'s Step<'p>> {
    let is_met = |Candidate { step, unmet }: &&Candidate<'_>| {
        let unmet = match rewritten {
            Some(payload) => self::unmet(step, payload, entry),
            None => *unmet,
        };
        if let Some(unmet) = unmet {
            skip(step, unmet, entry);
        }
        unmet.is_none()
    };
    batch.into_iter().filter(is_met).map(|it| &it.step).collect()
}

/// The changes of the steps to the tool's input.
#[derive(Default)]
struct Rewrites {
    /// The whole input, once a step has rewritten some of it.
    input: Option<Map<String, Value>>,
    /// The step that rewrote each field last.
    authors: BTreeMap<String, String>,
    /// The step that last filled each field of the answer that is one step's.
    others: BTreeMap<String, String>,
}

impl Rewrites {
    /// A warning for each field of an answer that another step had filled, whose words are lost.
    fn contested(&mut self, event: Event, step: &str, answer: &Answer) -> Vec<String> {
        let mut warnings = Vec::new();
        for field in answer.specific.keys().filter(|field| fields::is_contested(event, field)) {
            if let Some(other) = self.others.insert(field.clone(), step.to_owned()) {
                warnings.push(format!("set `{field}`, which `{other}` had set"));
            }
        }
        warnings
    }

    /// Merges a step's rewrite into the input, and makes the whole the step's answer; gives a warning for
    /// each field that another step had rewritten. A null removes the field (RFC 7396), and so does an
    /// adopted hook that does not name one, as for the client a rewrite is the whole input.
    fn lay(
        &mut self,
        event: Event,
        step: &Step<'_>,
        outcome: &mut Outcome,
        seen: &Map<String, Value>,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        let Outcome::Answer(answer, said) = outcome else { return warnings };
        let Some(Value::Object(update)) = rewrite(event, answer) else { return warnings };
        let whole = self.input.get_or_insert_with(|| seen.clone());
        let unnamed = seen.keys().filter(|field| !update.contains_key(*field));
        let removed = unnamed.clone().filter(|_| step.adopted).map(|field| (field, &Value::Null));
        // A hook that gives back all of the input has changed only what differs, and must not undo
        // what its neighbour did.
        let changed = update.iter().filter(|(field, value)| seen.get(*field) != Some(value));
        let keeps = !step.adopted && changed.clone().count() < update.len();
        for (field, value) in changed.chain(removed) {
            if let Some(other) = self.authors.insert(field.clone(), step.name.to_owned()) {
                warnings.push(format!("rewrote `{field}`, which `{other}` had rewritten"));
            }
            if value.is_null() && !(step.adopted && update.contains_key(field)) {
                whole.shift_remove(field);
            } else {
                whole.insert(field.clone(), value.clone());
            }
        }
        let kept: Vec<String> = unnamed.map(|field| format!("`{field}`")).collect();
        if keeps && !kept.is_empty() {
            let kept = kept.join(", ");
            warnings.push(format!(
                "its rewrite leaves out {kept}, which stays; set a field to null to remove it"
            ));
        }
        if update != whole {
            update.clone_from(whole);
            *said = None;
        }
        warnings
    }
}

/// The steps without doubles by the client's rule: of equal ones the last runs in the first's place.
fn once<'s, 'p>(batch: &[&'s Step<'p>], entry: &mut Entry<'_>) -> Vec<&'s Step<'p>> {
    let mut distinct: Vec<&'s Step<'p>> = Vec::with_capacity(batch.len());
    for &step in batch {
        match distinct.iter_mut().find(|known| children::same(known, step)) {
            Some(known) => *known = step,
            None => distinct.push(step),
        }
    }
    if distinct.len() < batch.len() {
        for step in batch {
            let other = distinct.iter().find(|it| children::same(it, step));
            if let Some(other) = other.filter(|it| it.name != step.name) {
                let why = format!("the same command as `{}`, run once", other.name);
                entry.skipped(step, "same", why);
            }
        }
    }
    distinct
}

/// Runs neighbours on the same payload, their commands side by side. A built-in hook runs in between, but
/// one that starts processes has a thread of its own.
fn together<'s, 'p>(
    batch: &[&'s Step<'p>],
    seen: Seen<'_>,
    around: Around<'_>,
) -> Vec<(&'s Step<'p>, Came)> {
    let builtins: Vec<Option<Builtin<'_>>> = batch.iter().map(|step| Builtin::of(step)).collect();
    let is_apart = |builtin: &Builtin<'_>| {
        batch.len() > 1 && around.session.effects == Effects::Real && builtin.takes_time()
    };
    if !builtins.iter().flatten().any(is_apart) {
        let heard = commands(batch, seen, around);
        return in_order(batch, heard, |place| Some(builtins[place]?.run(seen, around.session)));
    }
    let session = around.session;
    thread::scope(|scope| {
        let mut apart: Vec<_> = builtins
            .iter()
            .map(|builtin| {
                let builtin = builtin.filter(is_apart)?;
                Some(scope.spawn(move || builtin.run(seen, session)))
            })
            .collect();
        let heard = commands(batch, seen, around);
        in_order(batch, heard, |place| match apart[place].take() {
            Some(thread) => Some(thread.join().unwrap_or_else(|panic| resume_unwind(panic))),
            None => Some(builtins[place]?.run(seen, around.session)),
        })
    })
}

fn commands(batch: &[&Step<'_>], seen: Seen<'_>, around: Around<'_>) -> Vec<Came> {
    let is_child = |step: &&Step<'_>| !matches!(step.run, Run::Builtin { .. });
    let commands: Vec<&Step<'_>> = batch.iter().copied().filter(is_child).collect();
    if commands.is_empty() {
        return Vec::new();
    }
    let came = children::run(&commands, seen, around);
    around.session.store.look_again();
    came
}

/// Gives the result of each neighbour: that of a built-in hook, or the next of `heard`.
fn in_order<'s, 'p>(
    batch: &[&'s Step<'p>],
    heard: Vec<Came>,
    mut builtin: impl FnMut(usize) -> Option<Came>,
) -> Vec<(&'s Step<'p>, Came)> {
    let mut heard = heard.into_iter();
    let came = |(place, step): (usize, &&'s Step<'p>)| {
        Some((*step, builtin(place).or_else(|| heard.next())?))
    };
    batch.iter().enumerate().filter_map(came).collect()
}

fn rewrite(event: Event, answer: &mut Answer) -> Option<&mut Value> {
    match event {
        Event::PreToolUse => answer.specific.get_mut("updatedInput"),
        // A request that is not allowed has no use for it.
        Event::PermissionRequest if answer.decision == Some(Decision::Allow) => {
            answer.specific.get_mut("decision")?.get_mut("updatedInput")
        }
        _ => None,
    }
}

/// Keeps of an answer whose rewrite cannot be applied what holds back, and so no `allow`.
fn unlaid(outcome: Outcome, on_error: OnError, why: &str) -> Outcome {
    let Outcome::Answer(mut answer, said) = outcome else { return outcome };
    match answer.decision {
        Some(Decision::Deny) => Outcome::Answer(answer, said),
        Some(Decision::Ask | Decision::Defer) if on_error == OnError::Open => {
            answer.specific.shift_remove("updatedInput");
            Outcome::Answer(answer, None)
        }
        _ => Outcome::Failure(Failure::Output(why.to_owned())),
    }
}

fn original(payload: &Payload<'_>) -> serde_json::Result<Map<String, Value>> {
    payload.tool_input.map_or_else(|| Ok(Map::new()), |input| serde_json::from_str(input.get()))
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

/// The first of a step's conditions that is not met; one that cannot be read keeps no hook back.
pub(super) fn unmet(
    step: &Step<'_>,
    payload: &Payload<'_>,
    entry: &mut Entry<'_>,
) -> Option<Unmet> {
    if step.conditions.is_empty() {
        return None;
    }
    let Some(condition) = Condition::parse(step.conditions) else {
        entry.note(format!("the conditions of `{}` were not read", step.name));
        return None;
    };
    let host = if entry.host.is_empty() { CLAUDE.name } else { &entry.host };
    condition.unmet(payload, &Surroundings { host })
}

/// Returns whether a condition is about what a step can rewrite: the input of a tool.
pub(super) fn may_change(event: Event, unmet: Unmet) -> bool {
    matches!(event, Event::PreToolUse | Event::PermissionRequest)
        && matches!(unmet, Unmet::If | Unmet::When("paths"))
}

pub(super) fn skip(step: &Step<'_>, unmet: Unmet, entry: &mut Entry<'_>) {
    match unmet {
        // As with a matcher, the hook has nothing to do with the call.
        Unmet::If => entry.passed_over(step, "if"),
        Unmet::Hosts => entry.skipped(step, "unmet", "`hosts`".to_owned()),
        Unmet::When(key) => entry.skipped(step, "unmet", format!("`when.{key}`")),
    }
}
