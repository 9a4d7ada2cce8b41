//! `hookman run`: one process that runs a chain and answers the client.
//!
//! Nothing here may end with exit code 2 but a verdict, because the client takes a 2 for a block.

pub mod arguments;
pub mod catalogue;
pub mod chains;
pub mod children;
mod conditions;
mod debug;
pub mod journal;
mod launch;
pub mod overrides;
pub mod profiles;
mod scene;
pub mod sessions;
pub mod status;
pub mod steps;
mod stops;
pub mod store;
pub mod switchable;
pub mod switching;
mod texts;
mod typed;
pub mod upkeep;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::chain::merge::{self, Ran, Verdict};
use crate::chain::plan::{Plan, Step};
use crate::client::answer::{Answer, Decision};
use crate::client::event::{Block, Event, Subject};
use crate::client::output;
use crate::client::payload::{self, Payload};
use crate::machine::input::{self, Input};
use crate::machine::paths::Paths;
use crate::machine::{clock, files, signals, terminal};
use crate::manifest::OnError;
use crate::session::identity::safe_name;
use crate::session::switches::{Moment, Switches};

use arguments::Arguments;
use chains::{Chain, Loaded};
use children::Around;
use journal::Entry;
use overrides::Overrides;
use steps::Candidate;
use store::FileStore;
use switching::{Found, Scene};

/// How long the payload may take to arrive.
pub const INPUT_DEADLINE: Duration = Duration::from_secs(5);

/// What the line of a hook that must hold has in a plan.
const CLOSED: &str = "\tclosed\t";

/// The flag under which a session was told of a manifest that cannot be read.
const BROKEN: &str = "manifest-broken";

/// Whether a hook that must hold stands in the chain, for the panic hook.
static GATE: AtomicBool = AtomicBool::new(false);

/// Runs a chain and gives the exit code: `arguments` are those after `run`; the payload is on
/// standard input.
pub fn main(arguments: &[OsString]) -> u8 {
    signals::ignore_failed_writes();
    panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "hookman: internal error, please report it: {panic}");
        // An abort would be read as a hook that failed, and let the call through.
        std::process::exit(if GATE.load(Ordering::Relaxed) { 2 } else { 0 });
    }));
    let started = Instant::now();
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return silent(&problem),
    };
    let paths = match Paths::from_environment() {
        Ok(paths) => paths,
        Err(problem) => return silent(&problem.to_string()),
    };
    let input = input::read_value(INPUT_DEADLINE);
    let (bytes, complete) = match &input {
        Input::Value(bytes) => (bytes, true),
        Input::Incomplete(bytes) => (bytes, false),
    };
    let text = String::from_utf8_lossy(bytes);
    let is_utf8 = matches!(text, Cow::Borrowed(_));
    let repaired;
    let (payload, text, odd) = match Payload::strict(&text) {
        _ if !complete => (None, &*text, None),
        Ok(payload) => (Some(payload), &*text, None),
        Err(odd) => {
            repaired = payload::repaired(&text);
            (Payload::parse(&repaired).ok(), &*repaired, Some(odd))
        }
    };
    let named = payload.as_ref().and_then(|payload| Event::from_name(&payload.hook_event_name));
    let Some(event) = arguments.event.or(named) else {
        return silent("neither the arguments nor the payload name an event of the client");
    };
    let call = Call {
        paths: &paths,
        chain: arguments.chain(&paths),
        event,
        hook: arguments.hook,
        overrides: Overrides::of_process(),
    };
    let mut entry = Entry::new(event, &call.chain);
    if !is_utf8 {
        entry.note("the payload was not UTF-8; what was not is replaced".to_owned());
    }
    if let Some(payload) = &payload {
        entry.describe(payload);
    }
    // A tool's event without a tool is as odd as no payload: no matcher can be tested on it.
    let lacks_tool = |payload: &Payload<'_>| {
        event.facts().subject == Subject::Tool && payload.tool_name.is_empty()
    };
    let what = match (&payload, odd) {
        (Some(payload), _) if lacks_tool(payload) => "it names no tool",
        (Some(_), Some(odd)) => {
            entry.note(format!("the payload was not as the client writes it: {odd}"));
            ""
        }
        (Some(_), None) => "",
        (None, _) if !complete => "standard input held no whole JSON object",
        (None, _) => "standard input held what is no JSON object",
    };
    let payload = payload.filter(|_| what.is_empty());
    let verdict = match payload {
        _ if call.overrides.off => {
            // Whoever sets it means gates too.
            entry.off = Cow::Borrowed("HOOKMAN=0");
            Verdict::default()
        }
        Some(payload) => call.answer(&payload, text, &mut entry),
        None => call.without_payload(what, &mut entry),
    };
    let code = say(&verdict);
    entry.finish(&verdict, started.elapsed());
    if call.overrides.debug {
        call.debug(code, &mut entry);
    }
    // The answer is given; a journal that cannot be written must not change it, and doctor
    // reports one that is not.
    let _ = files::append_line(&paths.journal(), &entry.line());
    upkeep::after(&paths, &call.chain, event);
    code
}

fn silent(problem: &str) -> u8 {
    let _ = writeln!(io::stderr(), "hookman: {problem}");
    0
}

fn say(verdict: &Verdict) -> u8 {
    let said = &verdict.said;
    let written = terminal::answer(&said.stdout);
    let _ = io::stderr().write_all(said.stderr.as_bytes());
    if written.is_err() && verdict.decision == Some(Decision::Deny) {
        // A denial that does not arrive by standard output still has another way.
        let _ = io::stderr().write_all(said.stdout.as_bytes());
        return 2;
    }
    said.code
}

/// One run: which chain is asked on which event.
struct Call<'a> {
    paths: &'a Paths,
    chain: Chain,
    event: Event,
    /// The one hook that is asked for, which has an entry of its own.
    hook: Option<String>,
    overrides: Overrides,
}

impl Call<'_> {
    /// Says why each hook did or did not run.
    fn debug(&self, code: u8, entry: &mut Entry<'_>) {
        entry.reasons =
            debug::reasons(self.paths, &self.chain, self.event, self.hook.as_deref(), entry);
        // With exit code 2 standard error is the reason of the block.
        if code == 0 {
            for reason in &entry.reasons {
                let _ = writeln!(io::stderr(), "hookman: {} {reason}", self.event);
            }
        }
    }

    fn answer(&self, payload: &Payload<'_>, text: &str, entry: &mut Entry<'_>) -> Verdict {
        if self.chain.scope == "user" && self.hook.is_none() {
            if let Some(reply) = typed::answer(self.paths, self.event, payload, text) {
                return self.block(reply);
            }
            if self.event == Event::SessionStart {
                let scene = Scene::of_run(self.paths, payload);
                let notice = switching::inherit(&scene, &payload.source, entry.client);
                return self.chain_answer(payload, text, notice, entry);
            }
        }
        self.chain_answer(payload, text, None, entry)
    }

    /// The chain's answer, and with it what the user is to be told besides.
    fn chain_answer(
        &self,
        payload: &Payload<'_>,
        text: &str,
        notice: Option<String>,
        entry: &mut Entry<'_>,
    ) -> Verdict {
        let mut told: Vec<Ran> =
            notice.into_iter().map(|notice| Ran::told("hookman", notice)).collect();
        let directory = self.paths.session(&safe_name(&payload.session_id));
        let store = FileStore::new(directory.join("flags"));
        let keep = |text: &str| texts::keep(&directory, text);
        let plan = match chains::load(self.paths, &self.chain) {
            Loaded::Plan(plan) => plan,
            Loaded::LastGood(plan, problems) => {
                entry.note(format!("the last good plan is used: {problems}"));
                if tell_once(&store, BROKEN) {
                    let message = format!(
                        "the manifest cannot be read, so its last good version is used\n{problems}"
                    );
                    told.push(Ran::told("hookman", message));
                }
                plan
            }
            Loaded::Absent => return merge::merge(self.event, &told, &keep),
            Loaded::Broken { problems, gate } => {
                let is_new = tell_once(&store, BROKEN);
                return self.broken(&problems, gate, is_new, entry);
            }
        };
        let anew;
        let steps = match self.steps(&plan, payload) {
            Ok(steps) => steps,
            Err(line) => {
                entry.note(format!("a damaged line of the plan, which was made anew: {line}"));
                anew = chains::compile(self.paths, &self.chain);
                match &anew {
                    Ok(Some(anew)) => self.steps(anew, payload).unwrap_or_default(),
                    Ok(None) => Vec::new(),
                    Err(problems) => {
                        let gate = plan.contains(CLOSED);
                        return self.broken(
                            &problems.to_string(),
                            gate,
                            tell_once(&store, BROKEN),
                            entry,
                        );
                    }
                }
            }
        };
        let (chosen, unread) = choose(steps, self, payload, &store, entry);
        told.extend(unread.map(|message| Ran::told("hookman", message)));
        if chosen.is_empty() && told.is_empty() {
            return Verdict::default();
        }
        let around = Around { store: &store, project: self.chain.project() };
        let mut ran = steps::run(self.event, &chosen, payload, text, around, entry);
        ran.append(&mut told);
        let verdict = merge::merge(self.event, &ran, &keep);
        stops::limited(self.event, verdict, (&ran, &keep), (payload, text), self.paths, entry)
    }

    /// The steps of a plan for a payload, or the first line of them that is damaged.
    fn steps<'p>(&self, plan: &'p str, payload: &Payload<'_>) -> Result<Vec<Step<'p>>, &'p str> {
        let subject = payload.subject(self.event);
        let plan = Plan::parse(plan).ok_or("")?;
        plan.steps(self.event, self.hook.as_deref(), subject).collect()
    }

    fn without_payload(&self, why: &str, entry: &mut Entry<'_>) -> Verdict {
        entry.note(format!("no payload: {why}"));
        let plan = match chains::load(self.paths, &self.chain) {
            Loaded::Plan(plan) | Loaded::LastGood(plan, _) => plan,
            Loaded::Absent => return Verdict::default(),
            Loaded::Broken { problems, gate } => return self.broken(&problems, gate, true, entry),
        };
        let Some(plan) = Plan::parse(&plan) else { return Verdict::default() };
        let gate = plan
            .steps(self.event, self.hook.as_deref(), None)
            .flatten()
            .find(|step| step.on_error == OnError::Closed);
        match gate {
            Some(gate) => self.block(format!("{}: the client sent no readable payload", gate.name)),
            None => Verdict::default(),
        }
    }

    fn broken(&self, problems: &str, gate: bool, is_new: bool, entry: &mut Entry<'_>) -> Verdict {
        entry.note(format!("the manifest was not read: {problems}"));
        let message = format!("hookman: the manifest cannot be read, so no hook ran\n{problems}");
        if gate && self.event.facts().block != Block::Never {
            return self.block(format!("{message}\nIt declares hooks that must not fail open."));
        }
        let system_message = is_new.then_some(message);
        let answer = Answer { system_message, ..Answer::default() };
        Verdict { decision: None, said: output::write(self.event, &answer) }
    }

    fn block(&self, reason: String) -> Verdict {
        if self.event.facts().block == Block::Never {
            return Verdict::default();
        }
        let answer = Answer::deny(reason);
        Verdict { decision: answer.decision, said: output::write(self.event, &answer) }
    }
}

/// Drops the steps that are switched off in the session, or whose conditions are not met and will
/// not be; with what the user is to be told of switches that cannot be used.
fn choose<'p>(
    steps: Vec<Step<'p>>,
    call: &Call<'_>,
    payload: &Payload<'_>,
    store: &FileStore,
    entry: &mut Entry<'_>,
) -> (Vec<Candidate<'p>>, Option<String>) {
    let mut chosen: Vec<Candidate<'p>> = Vec::with_capacity(steps.len());
    for step in steps {
        match conditions::unmet(&step, payload, entry) {
            // What an earlier step makes of the input may meet them.
            Some(unmet) if !chosen.is_empty() && conditions::may_change(call.event, unmet) => {
                chosen.push(Candidate { step, unmet: Some(unmet) });
            }
            Some(unmet) => conditions::skip(&step, unmet, entry),
            None => chosen.push(Candidate { step, unmet: None }),
        }
    }
    if chosen.is_empty() {
        return (chosen, None);
    }
    let (prompt, agent) = (&*payload.prompt_id, &*payload.agent_type);
    let moment = Moment { prompt, agent, ..Moment::default() };
    let (switches, unread) = switches_of(call.paths, payload, moment, store, entry);
    let why_not = |step: &Step<'_>, scope: &str| {
        if call.overrides.skips(step.name) {
            return Some(overrides::SKIP.to_owned());
        }
        let (switches, now) = switches.as_ref()?;
        let moment = Moment { now: *now, user_only: step.user_only, ..moment };
        let off = switches.off(scope, step.name, moment)?;
        let profile = off.profile.as_ref().map(|it| format!(", by the profile {it}"));
        Some(format!("a switch since {}{}", off.since, profile.unwrap_or_default()))
    };
    chosen.retain(|Candidate { step, unmet }| {
        let why = why_not(step, &entry.scope);
        let stays = why.is_none();
        match (why, unmet) {
            (Some(why), None) => entry.skipped(step.name, why),
            (Some(_), Some(unmet)) => conditions::skip(step, *unmet, entry),
            (None, _) => {}
        }
        stays
    });
    let gate = chosen.iter().any(|candidate| candidate.step.on_error == OnError::Closed);
    GATE.store(gate, Ordering::Relaxed);
    (chosen, unread)
}

/// A session's switches and the time, where there are any. A file that cannot be used switches
/// nothing, so what is on stays on; a damaged one is set aside, and the user is told once.
fn switches_of(
    paths: &Paths,
    payload: &Payload<'_>,
    moment: Moment<'_>,
    store: &FileStore,
    entry: &mut Entry<'_>,
) -> (Option<(Switches, i64)>, Option<String>) {
    let path = switching::switches_file(paths, &payload.session_id);
    let scene = Scene::of_run(paths, payload);
    match switching::read(&path) {
        Ok(Found::Nothing) => (None, None),
        Ok(Found::Switches(mut switches)) => {
            if switches.awaits_turn(moment.prompt) {
                let tied = switching::change_soon(&scene, |switches| {
                    switches.begin_turn(moment.prompt);
                    true
                });
                match tied {
                    Ok(_) => switches.begin_turn(moment.prompt),
                    // It would hold in every turn to come.
                    Err(error) => {
                        entry.note(format!("a switch for one turn does not hold: {error:#}"));
                        switches.drop_untied(moment.prompt);
                    }
                }
            }
            (Some((switches, clock::unix_seconds())), None)
        }
        Ok(Found::Damaged(error)) => {
            entry.note(format!("the switches were not read: {error}"));
            let aside = switching::change_soon(&scene, |_| false);
            let aside = aside.ok().and_then(|changed| changed.aside);
            (None, aside.map(|aside| format!("the {aside}")))
        }
        Err(error) => {
            entry.note(format!("the switches were not read: {error}"));
            let message = format!(
                "the session's switches do not hold, because they cannot be trusted: {}: {error}",
                paths.shown(&path)
            );
            (None, tell_once(store, "switches-refused").then_some(message))
        }
    }
}

// What is broken while it guards a session is worth one warning, not one a call.
fn tell_once(store: &FileStore, what: &str) -> bool {
    use crate::session::store::Store;
    let raised = store.raise(what, Duration::from_secs(24 * 60 * 60));
    // Where it cannot be noted that it was said, it is better said again than never.
    raised.unwrap_or_else(|_| !store.is_up(what).unwrap_or(false))
}

/// The event that a bare call with a payload on its standard input is for; clients older than the
/// exec form (2.1.139) drop the arguments.
pub fn is_bare_call(arguments: &[OsString]) -> bool {
    arguments.is_empty() && !io::IsTerminal::is_terminal(&io::stdin())
}

/// The build that plans are stamped with: another build may know other built-in hooks.
pub fn build() -> Cow<'static, str> {
    format!("{}+{:x}", env!("CARGO_PKG_VERSION"), crate::builtin::catalogue::FINGERPRINT).into()
}
