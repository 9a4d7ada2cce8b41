//! The copy of the state that chains are asked with.

use std::io;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::call::SESSION;
use crate::builtin::silence::Silence;
use crate::client::answer::Decision;
use crate::client::event::Event;
use crate::machine::paths::Paths;
use crate::machine::scratch::Scratch;
use crate::runtime::call::Kept;
use crate::runtime::debug::{self, Asked};
use crate::runtime::overrides::Effects;
use crate::runtime::rehearse::{Rehearsal, Rehearsed};
use crate::session::id::SessionId;
use crate::state::chains::Chain;
use crate::state::everywhere;
use crate::state::journal::StepEntry;

/// The directory of the copy that holds hookman's state.
const STATE: &str = "state";
/// The directory of the copy in which a case works.
const PROJECT: &str = "project";

/// State that is thrown away.
pub struct Stage {
    scratch: Scratch,
    paths: Paths,
    /// The state that the copy is of.
    real: PathBuf,
    effects: Effects,
    /// The program that calls, where it is not Claude Code.
    pub host: Option<String>,
}

#[derive(Debug, Default, Serialize)]
pub struct Answered {
    /// The chain: `user`, `project` or `managed`.
    pub chain: &'static str,
    pub event: &'static str,
    /// A remark on the chain as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The hooks in their order, and why each did or did not run.
    pub hooks: Vec<HookReason>,
    pub answer: Answer,
}

impl Answered {
    /// The hooks that came to its decision, or an empty name where that was none of them.
    pub fn deciders(&self) -> impl Iterator<Item = &str> {
        let of_hooks = self.hooks.iter().filter(|it| it.decides).map(|it| &*it.hook);
        of_hooks.chain(self.before.iter().map(|_| ""))
    }
}

#[derive(Debug, Serialize)]
pub struct HookReason {
    pub hook: String,
    /// True if it was asked.
    pub ran: bool,
    pub why: String,
    /// True if it came to the decision of the chain.
    #[serde(skip)]
    pub decides: bool,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// `deny`, `ask`, `defer`, `allow` or `none`.
    pub decision: &'static str,
    /// The reason that the model, or the person who is asked, gets.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// True if that text is not in a field of an answer in JSON.
    #[serde(skip)]
    pub is_plain: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stop: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Standard output, byte for byte.
    pub stdout: String,
    pub exit: u8,
    /// The parts that the program which called does not heed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<&'static str>,
}

impl Answer {
    fn of(event: Event, rehearsed: &Rehearsed) -> Self {
        let Rehearsed { verdict, said, left_out, .. } = rehearsed;
        let answer = &verdict.answer;
        let reason = answer.reason.as_ref().or(answer.stop_reason.as_ref());
        Self {
            decision: answer.decision.map_or("none", Decision::name),
            reason: reason.cloned().unwrap_or_default(),
            context: answer.context.join("\n\n"),
            is_plain: !said.stdout.starts_with('{'),
            message: answer.system_message.clone().unwrap_or_default(),
            stop: answer.stop && event.facts().top.contains(&"continue"),
            input: answer.specific.get("updatedInput").cloned(),
            stdout: said.stdout.clone(),
            exit: said.code,
            left_out: left_out.clone(),
        }
    }

    /// The decision, or `stop` where it ends the turn without one.
    pub fn word(&self) -> &'static str {
        if self.stop && self.decision == "none" { "stop" } else { self.decision }
    }
}

impl Stage {
    /// Makes the copy, with the state of `session` and of what holds for all.
    pub fn of(paths: &Paths, session: &SessionId<'_>, effects: Effects) -> io::Result<Self> {
        let stage = Self::empty(paths, effects)?;
        let own = ["sessions", "backups", "locks"];
        stage.scratch.copy(&paths.state, STATE, &|name| {
            own.contains(&name) || name.starts_with("journal")
        })?;
        let name = session.file_name();
        let own = paths.session(&name);
        // One that would begin now takes over what is off in every session. A run by hand of a sample has
        // made the samples' session a real one.
        let begun = if own.is_dir() && session.as_str() != SESSION {
            own
        } else {
            paths.session(&everywhere::session().file_name())
        };
        stage.scratch.copy(&begun, &format!("{STATE}/sessions/{name}"), &|_| false)?;
        Ok(stage)
    }

    /// Makes one without any state, and with a directory to work in.
    pub fn empty(paths: &Paths, effects: Effects) -> io::Result<Self> {
        let scratch = Scratch::new()?;
        scratch.make(STATE)?;
        scratch.make(PROJECT)?;
        let real = paths.state.clone();
        let paths = Paths { state: scratch.path(STATE), ..paths.clone() };
        Ok(Self { scratch, paths, real, effects, host: None })
    }

    /// Gives the user's paths, with those of the copy for hookman's state.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    pub fn project(&self) -> String {
        self.scratch.path(PROJECT).display().to_string()
    }

    /// Writes a file of the directory to work in, and refuses a path that leads out of it.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        if name.starts_with('/') || name.split('/').any(|part| part == "..") {
            return Err(io::Error::other(format!("`{name}` leads out of the case's folder")));
        }
        self.scratch.write(&format!("{PROJECT}/{name}"), text)
    }

    /// Asks a chain about a payload, with the session's store in memory where one is `kept`.
    pub fn run(
        &self,
        chain: &Chain,
        event: Event,
        payload: &str,
        kept: Option<Kept<'_>>,
    ) -> Rehearsed {
        let Self { paths, effects, host, .. } = self;
        let rehearsal = Rehearsal { paths, effects: *effects, host: host.as_deref(), kept };
        rehearsal.ask(chain.clone(), event, payload)
    }

    /// Asks a chain about a payload, and why each of its hooks did or did not run.
    pub fn ask(
        &self,
        chain: &Chain,
        event: Event,
        payload: &str,
        kept: Option<Kept<'_>>,
    ) -> Answered {
        let rehearsed = self.run(chain, event, payload, kept);
        let asked = Asked { chain, event, only: None };
        let reasons = debug::reasons(&self.paths, asked, &rehearsed.entry);
        let hooks = reasons.hooks.into_iter().map(|told| {
            let is_it = |step: &&StepEntry| step.hook == told.hook && step.why.is_none();
            let asked = rehearsed.entry.steps.iter().find(is_it);
            let ran = asked.is_some_and(|step| step.quiet != Silence::Held.word());
            let decides = asked.is_some_and(|step| {
                step.came_to(&rehearsed.entry.verdict) || step.outcome == "stop"
            });
            HookReason { ran, hook: told.hook, why: told.why, decides }
        });
        let mut answer = Answer::of(event, &rehearsed);
        // A run would keep what has no room in the real state.
        let (copy, real) = (self.paths.state.to_string_lossy(), self.real.to_string_lossy());
        let Answer { reason, context, message, stdout, .. } = &mut answer;
        for text in [reason, context, message, stdout] {
            *text = text.replace(&*copy, &real);
        }
        Answered {
            chain: chain.scope,
            event: event.name(),
            before: reasons.before,
            hooks: hooks.collect(),
            answer,
        }
    }
}

impl Answer {
    /// True if nothing more comes of a prompt.
    pub fn drops(&self) -> bool {
        self.stop || self.decision == "deny"
    }
}

/// Merges the answers of chains, which run next to each other: the strictest decides, all texts stay.
pub fn strictest(answers: &[Answered]) -> Answer {
    const ORDER: [&str; 5] = ["deny", "defer", "ask", "allow", "none"];
    let rank = |it: &&Answered| ORDER.iter().position(|word| *word == it.answer.decision);
    let all = |text: fn(&Answer) -> &str| {
        let texts = answers.iter().map(|it| text(&it.answer)).filter(|it| !it.is_empty());
        texts.collect::<Vec<_>>().join("\n\n")
    };
    // Of those that decide the same, one that says something.
    let order = |it: &&Answered| (rank(it), it.answer.stdout.is_empty());
    let strictest = answers.iter().min_by_key(order).map(|it| it.answer.clone());
    Answer {
        stop: answers.iter().any(|it| it.answer.stop),
        is_plain: answers.iter().all(|it| it.answer.is_plain || it.answer.context.is_empty()),
        context: all(|it| &it.context),
        message: all(|it| &it.message),
        ..strictest.unwrap_or_default()
    }
}
