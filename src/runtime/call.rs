//! One run: the chain that is asked, and its answer to a payload or to the want of one.

use std::io::{self, Write};

use super::chains::{self, Chain, Loaded};
use super::children::Around;
use super::choice::{choose, tell_once};
use super::journal::Entry;
use super::overrides::Overrides;
use super::stops::Asked;
use super::store::FileStore;
use super::switching::{self, Scene};
use super::{debug, steps, stops, texts, typed};
use crate::chain::failing;
use crate::chain::merge::{self, Ran, Verdict};
use crate::chain::plan::{Plan, Step};
use crate::client::answer::Answer;
use crate::client::event::{Block, Event};
use crate::client::matcher::Target;
use crate::client::output;
use crate::client::payload::Payload;
use crate::machine::exports::Exports;
use crate::machine::paths::Paths;
use crate::manifest::OnError;
use crate::session::identity::safe_name;

/// The flag under which a session was told of a manifest that cannot be read.
const BROKEN: &str = "manifest-broken";

/// The flag under which a session was told of an entry that calls nothing.
const ASTRAY: &str = "entry-astray";

/// One run: which chain is asked on which event.
pub(super) struct Call<'a> {
    pub paths: &'a Paths,
    pub chain: Chain,
    pub event: Event,
    /// The one hook that is asked for, which has an entry of its own.
    pub hook: Option<String>,
    pub overrides: Overrides,
}

impl Call<'_> {
    /// Says why each hook did or did not run.
    pub(super) fn debug(&self, code: u8, entry: &mut Entry<'_>) {
        let asked = (&self.chain, self.event, self.hook.as_deref());
        entry.reasons = debug::reasons(self.paths, asked, &self.overrides, entry);
        // With exit code 2 standard error is the reason of the block.
        if code != 2 {
            for reason in &entry.reasons {
                let _ = writeln!(io::stderr(), "hookman: {} {reason}", self.event);
            }
        }
    }

    pub(super) fn answer(
        &self,
        payload: &Payload<'_>,
        text: &str,
        entry: &mut Entry<'_>,
    ) -> Verdict {
        if self.chain.scope == "user" && self.hook.is_none() {
            if let Some(reply) = typed::answer(self.paths, self.event, payload, text) {
                "hookman itself answered what was typed".clone_into(&mut entry.unasked);
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
        let store = FileStore::of_run(directory.join("flags"));
        let keep = |text: &str| texts::keep(&directory, text);
        let broken = |problems: &str, on_error: OnError, entry: &mut Entry<'_>| {
            let verdict = self.broken(problems, on_error, self.is_news(&store), entry);
            stops::limited(self, verdict, (&[], &keep), &Asked::of(payload, text), entry)
        };
        let plan = match chains::load(self.paths, &self.chain) {
            Loaded::Plan(plan) => plan,
            Loaded::Mended(plan) => {
                entry.note("the plan was damaged, and was made anew".to_owned());
                plan
            }
            Loaded::LastGood(plan, problems) => {
                entry.note(format!("the last good plan is used: {problems}"));
                if self.is_news(&store) {
                    let message = format!(
                        "the manifest cannot be read, so its last good version is used\n{problems}"
                    );
                    told.push(Ran::told("hookman", message));
                }
                plan
            }
            Loaded::Absent => return merge::merge(self.event, &told, &keep),
            Loaded::Broken { problems, on_error } => {
                return broken(&problems, on_error, entry);
            }
        };
        let steps = match self.steps(&plan, &Target::of(self.event, payload)) {
            Ok(steps) => steps,
            Err(problem) => {
                let on_error = chains::strictest(self.paths, &self.chain);
                return broken(&problem, on_error, entry);
            }
        };
        if steps.is_empty()
            && let Some(message) = self.astray(&plan, entry)
            && tell_once(&store, ASTRAY)
        {
            told.push(Ran::told("hookman", message));
        }
        let (chosen, unread) = choose(steps, self, payload, &store, entry);
        told.extend(unread.map(|message| Ran::told("hookman", message)));
        if chosen.is_empty() && told.is_empty() {
            return Verdict::default();
        }
        let exports = Exports::default();
        let around = Around { store: &store, project: self.chain.project(), exports: &exports };
        let mut ran = steps::run(self.event, &chosen, payload, text, around, entry);
        if let Err(error) = exports.gather() {
            entry.note(format!("what its commands export does not reach the session: {error}"));
        }
        ran.append(&mut told);
        let verdict = merge::merge(self.event, &ran, &keep);
        stops::limited(self, verdict, (&ran, &keep), &Asked::of(payload, text), entry)
    }

    /// What to say of an entry of a hook's own that calls nothing, such as that of a hook that has
    /// another name by now; the client goes on calling it until the settings are written anew.
    fn astray(&self, plan: &str, entry: &mut Entry<'_>) -> Option<String> {
        let hook = self.hook.as_deref()?;
        if Plan::parse(plan).is_none_or(|plan| plan.answers(self.event, hook)) {
            return None;
        }
        let flag = if self.chain.overlay.is_some() { " --project" } else { "" };
        let message = format!(
            "{} has an entry for `{hook}` of its own, and no hook of that name runs there; run \
             `hookman apply{flag}`",
            self.event
        );
        entry.note(message.clone());
        let is_there = chains::entries(&self.chain).name(self.event, hook);
        (is_there && self.event.shows_messages()).then_some(message)
    }

    /// The steps of a plan for a target, or what is wrong with the plan.
    fn steps<'p>(&self, plan: &'p str, target: &Target<'_>) -> Result<Vec<Step<'p>>, String> {
        let plan = Plan::parse(plan).ok_or("its plan is damaged")?;
        let wrong =
            |line| format!("hookman does not understand its own plan, please report it: {line}");
        plan.steps(self.event, self.hook.as_deref(), target)
            .map(|step| step.map_err(wrong))
            .collect()
    }

    /// The answer where the payload is none that hooks could be asked with.
    pub(super) fn without_payload(&self, why: &str, entry: &mut Entry<'_>) -> Verdict {
        entry.unasked = format!("no payload: {why}");
        entry.note(entry.unasked.clone());
        self.unasked("the client sent no readable payload", None, entry)
    }

    /// The answer to a call that this hookman does not understand.
    pub(super) fn misused(
        &self,
        wrong: &str,
        payload: Option<(&Payload<'_>, &str)>,
        entry: &mut Entry<'_>,
    ) -> Verdict {
        entry.unasked = format!("no hook was asked: {wrong}");
        entry.note(entry.unasked.clone());
        let why = format!(
            "hookman was called in a way it does not know, by an entry of another version or of \
             somebody else's ({wrong}); `hookman apply` writes the entries anew"
        );
        self.unasked(&why, payload, entry)
    }

    /// The verdict of the hooks that cannot be asked: that of the strictest of them.
    fn unasked(
        &self,
        why: &str,
        payload: Option<(&Payload<'_>, &str)>,
        entry: &mut Entry<'_>,
    ) -> Verdict {
        let target = match payload {
            Some((payload, _)) => Target::of(self.event, payload),
            None => Target::new(self.event, None),
        };
        let verdict = self.strictest_of(why, &target, entry);
        let asked =
            payload.map_or_else(Asked::by_client, |(payload, text)| Asked::of(payload, text));
        let directory = self.paths.session(&safe_name(&asked.session));
        let keep = |text: &str| texts::keep(&directory, text);
        stops::limited(self, verdict, (&[], &keep), &asked, entry)
    }

    fn strictest_of(&self, why: &str, target: &Target<'_>, entry: &mut Entry<'_>) -> Verdict {
        let plan = match chains::load(self.paths, &self.chain) {
            Loaded::Plan(plan) | Loaded::Mended(plan) | Loaded::LastGood(plan, _) => plan,
            Loaded::Absent => return Verdict::default(),
            Loaded::Broken { problems, on_error } => {
                return self.broken(&problems, on_error, true, entry);
            }
        };
        let steps = match self.steps(&plan, target) {
            Ok(steps) => steps,
            Err(problem) => {
                let on_error = chains::strictest(self.paths, &self.chain);
                return self.broken(&problem, on_error, true, entry);
            }
        };
        for step in steps.iter().filter(|step| step.on_error != OnError::Open) {
            entry.unasked_gate(step, self.event, why);
        }
        // Of the strictest the first, as it would have spoken.
        let gate = steps.iter().rev().max_by_key(|step| step.on_error);
        match gate.filter(|step| step.on_error != OnError::Open) {
            Some(Step { name, on_error, .. }) => self.failed(*on_error, format!("{name}: {why}")),
            None => Verdict::default(),
        }
    }

    /// Whether the user has not been shown yet what is wrong with the manifest; an event that shows
    /// no messages does not count.
    fn is_news(&self, store: &FileStore) -> bool {
        !self.event.shows_messages() || tell_once(store, BROKEN)
    }

    fn broken(
        &self,
        problems: &str,
        on_error: OnError,
        is_new: bool,
        entry: &mut Entry<'_>,
    ) -> Verdict {
        entry.unasked = format!("the manifest was not read: {problems}");
        entry.note(entry.unasked.clone());
        let mut message =
            format!("hookman: the manifest cannot be read, so no hook ran\n{problems}");
        let holds = on_error != OnError::Open && self.event.facts().block != Block::Never;
        if holds {
            message.push_str("\nIt declares hooks that must not fail open, or may do so.");
        } else if !is_new {
            return Verdict::default();
        }
        self.failed(on_error, message)
    }

    /// The verdict where what was to decide could not.
    fn failed(&self, on_error: OnError, message: String) -> Verdict {
        let answer = failing::answer(self.event, on_error, message);
        Verdict { decision: answer.decision, said: output::write(self.event, &answer) }
    }

    fn block(&self, reason: String) -> Verdict {
        if self.event.facts().block == Block::Never {
            return Verdict::default();
        }
        let answer = Answer::deny(reason);
        Verdict { decision: answer.decision, said: output::write(self.event, &answer) }
    }
}
