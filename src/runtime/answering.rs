//! The way of a call: load, select, execute, merge, limit, each once and in this order.

use std::borrow::Cow;
use std::os::fd::AsFd;

use super::call::{Call, Seen};
use super::children::{Around, LateOptions, Session};
use super::load::{self, Broken, Load};
use super::pins::{self, tell_once};
use super::received::Received;
use super::selection::select;
use super::stop_limit::{self, Asked, Unlimited};
use super::{budget, gates, prompt_command, steps};
use crate::builtin::silence::Silence;
use crate::chain::merge::{self, Ran};
use crate::chain::{Step, Verdict};
use crate::client::host::{Host, UNHEARD};
use crate::client::matcher::Target;
use crate::client::{Block, Decision, Event, Payload};
use crate::machine::exports::Exports;
use crate::manifest::OnError;
use crate::session::{SessionId, Store};
use crate::state::journal::{Entry, StepEntry, TYPED, UNASKED};
use crate::state::{FileStore, Scene, chains, everywhere, session_switches, spill};

pub(super) fn decide(
    call: &Call<'_>,
    received: &Received<'_>,
    wrong: Option<&str>,
    entry: &mut Entry<'_>,
) -> Verdict {
    let payload = received.payload();
    if call.overrides.off {
        // Whoever sets it means gates too.
        gates::chosen(OnError::Open);
        entry.off = Cow::Borrowed("HOOKMAN=0");
        return Verdict::default();
    }
    let refused = || payload.filter(|it| stop_limit::is_refusal(call, it)).map(|_| UNHEARD[3]);
    if let Some(why) = received.unheard.or_else(refused) {
        entry.unasked = format!("{}{why}", UNASKED[1]);
        entry.note(entry.unasked.clone());
        return Verdict::default();
    }
    if !received.host.is_served() {
        return unserved(call, received.host, payload, entry);
    }
    if let Some(wrong) = wrong {
        return misused(call, wrong, payload, entry);
    }
    let seen = |(payload, text)| Seen { event: call.event, payload, text };
    match received.calls.as_slice() {
        _ if !received.lacks.is_empty() => without_payload(call, received.lacks, entry),
        [] => Verdict::default(),
        [(payload, text)] if !received.is_patch => answer(call, seen((payload, text)), entry),
        calls => {
            let mut parts = Vec::with_capacity(calls.len());
            for (payload, text) in calls {
                let part = answer(call, seen((payload, text)), entry);
                let is_denied = part.answer.decision == Some(Decision::Deny);
                parts.push(part);
                if is_denied && call.event.facts().block == Block::Permission {
                    break;
                }
            }
            Verdict::of_parts(parts)
        }
    }
}

pub(super) fn answer(call: &Call<'_>, seen: Seen<'_>, entry: &mut Entry<'_>) -> Verdict {
    let payload = seen.payload;
    let mut notice = None;
    let is_of_user = call.chain.scope == "user" && call.hook.is_none();
    if is_of_user {
        if let Some(reply) = prompt_command::answer(call.paths, call.event, payload) {
            TYPED.clone_into(&mut entry.unasked);
            return call.block(reply);
        }
        if call.event == Event::SessionStart {
            let scene = Scene::of_run(call.paths, payload);
            notice = everywhere::inherit(&scene, &payload.source, entry.client);
            everywhere::join(&scene);
        }
    }
    if call.event == Event::UserPromptSubmit && call.hook.is_none() && payload.turn().is_empty() {
        session_switches::begin_unnamed_turn(&Scene::of_run(call.paths, payload), is_of_user);
    }
    let folder = call.paths.session(&SessionId::new(&*payload.session_id).file_name());
    let of_files = FileStore::of_run(folder.join("flags"));
    let memory = call.kept.map(|kept| kept.store);
    let store: &(dyn Store + Sync) = memory.map_or(&of_files, |store| store);
    let effects = call.overrides.effects;
    let staged = call.overrides.with_apart.then_some(&*call.paths.state);
    let manifest = &*call.chain.manifest;
    let caller = call.host;
    let folder = &*folder;
    let session = Session { store, manifest, folder, caller, effects, staged, memory, plan: None };
    if call.event == Event::SessionStart && payload.source == "compact" {
        budget::forget(store);
    }
    let keep = |text: &str| spill::keep(folder, text);
    let told = notice.into_iter().map(|notice| Ran::told("hookman", notice)).collect();
    let unlimited = match executed(call, seen, session, told, entry) {
        Ok(ran) if ran.is_empty() => return Verdict::default(),
        Ok(ran) => {
            let verdict = merge::merge(call.event, &ran, &keep);
            Unlimited { verdict, ran, keep: &keep }
        }
        Err(why) => {
            let verdict = broken(call, &why, is_news(call, session), entry);
            Unlimited { verdict, ran: Vec::new(), keep: &keep }
        }
    };
    let verdict = stop_limit::limited(call, unlimited, &Asked::of(payload, call.host), entry);
    if call.host.is_claude() { verdict } else { tell_unheeded(call, store, verdict, entry) }
}

/// Adds once a session what another program does not heed, and which hooks cannot decide there.
fn tell_unheeded(
    call: &Call<'_>,
    store: &dyn Store,
    mut verdict: Verdict,
    entry: &Entry<'_>,
) -> Verdict {
    let name = call.host.name;
    let mut told: Vec<String> = verdict.answer.system_message.take().into_iter().collect();
    let mut left_out = Vec::new();
    call.host.fitted(call.event, verdict.answer.clone(), &mut left_out);
    if !left_out.is_empty() && tell_once(store, pins::UNHEEDED) {
        let parts = left_out.join(" and ");
        told.push(format!("hookman: {name} does not heed {parts}, so it is left out"));
    }
    let is_unread = |step: &&StepEntry| step.quiet == Silence::Unread.word();
    let unread: Vec<&str> = entry.steps.iter().filter(is_unread).map(|it| &*it.hook).collect();
    if !unread.is_empty() && call.event.shows_messages() && tell_once(store, pins::UNREAD) {
        let hooks = unread.join(" and ");
        told.push(format!(
            "hookman: {hooks} cannot decide, because hookman does not read the transcript of {name}"
        ));
    }
    verdict.answer.system_message = (!told.is_empty()).then(|| told.join("\n"));
    verdict
}

/// Runs the chain's steps and gives their outcomes, with messages; nothing where there is neither.
fn executed(
    call: &Call<'_>,
    seen: Seen<'_>,
    session: Session<'_>,
    mut told: Vec<Ran>,
    entry: &mut Entry<'_>,
) -> Result<Vec<Ran>, Broken> {
    let (plan, file, outdated) = match load::load(call, entry) {
        Load::Plan { text, file, outdated } => (text, file, outdated),
        Load::Absent => {
            told.extend(load::lost(call, entry).map(|it| Ran::told("hookman", it)));
            return Ok(told);
        }
        Load::Broken(why) => return Err(why),
    };
    let again = |hook: &str| chains::late_options(call.paths, &call.chain, hook);
    let plan_file = file.as_ref().map(|file| (file.as_fd(), &again as LateOptions<'_>));
    let session = Session { plan: plan_file, ..session };
    let mut tell = |message: String| told.push(Ran::told("hookman", message));
    if let Some(problems) = outdated.filter(|_| is_news(call, session)) {
        let is_read = chains::read(call.paths, &call.chain).is_ok();
        let why = if is_read { chains::LACKING } else { "the manifest cannot be read" };
        tell(format!("{why}, so its last good version is used\n{problems}"));
    }
    let steps = load::steps(call, &plan, &Target::of(call.event, seen.payload))?;
    if steps.is_empty()
        && let Some(message) = load::astray(call, &plan, entry)
        && tell_once(session.store, pins::ASTRAY)
    {
        tell(message);
    }
    let (mut selected, unread) = select(steps, call, seen.payload, session.store, entry);
    unread.into_iter().for_each(&mut tell);
    pins::hold(&mut selected, call, session.store, entry).into_iter().for_each(tell);
    if selected.is_empty() {
        return Ok(told);
    }
    let exports = Exports::default();
    let project = call.chain.project();
    let around = Around { session, host: call.host, project, exports: &exports };
    let mut ran = steps::run(&selected, seen, around, entry);
    if selected.iter().any(|candidate| candidate.step.budget.is_some()) {
        let steps: Vec<&Step<'_>> = selected.iter().map(|candidate| &candidate.step).collect();
        budget::keep(&steps, call.event, &mut ran, &seen.payload.agent_id, session, entry);
    }
    if let Err(error) = exports.gather() {
        entry.note(format!("what its commands export does not reach the session: {error}"));
    }
    ran.append(&mut told);
    Ok(ran)
}

/// The answer where the payload is none that hooks could be asked with.
fn without_payload(call: &Call<'_>, why: &str, entry: &mut Entry<'_>) -> Verdict {
    entry.unasked = format!("{}{why}", UNASKED[0]);
    entry.note(entry.unasked.clone());
    unasked(call, "the client sent no readable payload", None, entry)
}

/// The answer to a call that this hookman does not understand.
fn misused(
    call: &Call<'_>,
    wrong: &str,
    payload: Option<&Payload<'_>>,
    entry: &mut Entry<'_>,
) -> Verdict {
    entry.unasked = format!("{}{wrong}", UNASKED[1]);
    entry.note(entry.unasked.clone());
    let why = format!(
        "an entry of another version, or of somebody else, calls hookman in a way that it does \
         not know ({wrong}); `hookman apply` writes the entries again"
    );
    unasked(call, &why, payload, entry)
}

/// The answer to a program whose tools are not known: a denial for a closed hook, and nothing else.
fn unserved(
    call: &Call<'_>,
    host: &Host,
    payload: Option<&Payload<'_>>,
    entry: &mut Entry<'_>,
) -> Verdict {
    let why = format!("{} called, and hookman does not know its tools", host.name);
    entry.unasked = format!("{}{why}", UNASKED[1]);
    entry.note(entry.unasked.clone());
    // Some of them never give up where the end of a turn is refused.
    if matches!(call.event, Event::Stop | Event::SubagentStop | Event::TeammateIdle) {
        return Verdict::default();
    }
    let tool = payload.and_then(|payload| host.like(&payload.tool_name));
    let verdict = strictest_of(call, &why, &Target::new(call.event, tool), entry);
    // Nobody can be asked there, so a question counts as no answer.
    if verdict.answer.decision == Some(Decision::Deny) { verdict } else { Verdict::default() }
}

/// The verdict of the hooks that cannot be asked: that of the strictest of them.
fn unasked(
    call: &Call<'_>,
    why: &str,
    payload: Option<&Payload<'_>>,
    entry: &mut Entry<'_>,
) -> Verdict {
    let target = match payload {
        Some(payload) => Target::of(call.event, payload),
        None => Target::new(call.event, None),
    };
    let verdict = strictest_of(call, why, &target, entry);
    let asked = payload.map_or_else(Asked::by_client, |it| Asked::of(it, call.host));
    let folder = call.paths.session(&asked.session.file_name());
    let keep = |text: &str| spill::keep(&folder, text);
    let unlimited = Unlimited { verdict, ran: Vec::new(), keep: &keep };
    stop_limit::limited(call, unlimited, &asked, entry)
}

fn strictest_of(call: &Call<'_>, why: &str, target: &Target<'_>, entry: &mut Entry<'_>) -> Verdict {
    let plan = match load::load(call, entry) {
        Load::Plan { text, .. } => text,
        Load::Absent => return Verdict::default(),
        Load::Broken(why) => return broken(call, &why, true, entry),
    };
    let steps = match load::steps(call, &plan, target) {
        Ok(steps) => steps,
        Err(why) => return broken(call, &why, true, entry),
    };
    let decides = || steps.iter().filter(|step| step.observe.is_none());
    for step in decides().filter(|step| step.on_error != OnError::Open) {
        entry.unasked_gate(step, call.event, why);
    }
    // Of the strictest the first, as it would have spoken.
    let gate = decides().rev().max_by_key(|step| step.on_error);
    match gate.filter(|step| step.on_error != OnError::Open) {
        Some(Step { name, on_error, .. }) => call.failed(*on_error, format!("{name}: {why}")),
        None => Verdict::default(),
    }
}

/// Returns whether an event shows the user for the first time what is wrong with the manifest.
fn is_news(call: &Call<'_>, session: Session<'_>) -> bool {
    !call.event.shows_messages() || tell_once(session.store, pins::BROKEN)
}

/// The verdict where no plan is left to go by.
fn broken(call: &Call<'_>, why: &Broken, is_new: bool, entry: &mut Entry<'_>) -> Verdict {
    let Broken { problems, on_error } = why;
    entry.unasked = format!("{}{problems}", UNASKED[2]);
    entry.note(entry.unasked.clone());
    let mut message = format!("hookman: the manifest cannot be read, so no hook ran\n{problems}");
    let holds = *on_error != OnError::Open && call.event.facts().block != Block::Never;
    if holds {
        message.push_str(
            "\nIt has gates, or may have some: calls are blocked until the user repairs it, for \
             example with `hookman edit`, or starts the client with `HOOKMAN=0`.",
        );
    } else if !is_new {
        return Verdict::default();
    }
    call.failed(*on_error, message)
}
