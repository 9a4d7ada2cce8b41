//! Running built-in hooks, in this process.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::call::Seen;
use super::children::{Came, Session};
use super::overrides::Effects;
use crate::builtin::held_host::HeldHost;
use crate::builtin::host::Host;
use crate::builtin::kind::Kind;
use crate::builtin::silence::Silence;
use crate::builtin::{Can, Context, RealHost, catalogue, context};
use crate::chain::outcome::Failure;
use crate::chain::plan::{self, Late, LateOptions, Run};
use crate::chain::{Outcome, Step};
use crate::machine::files;
use crate::manifest::OnError;

#[derive(Clone, Copy)]
pub(super) struct Builtin<'s> {
    step: &'s Step<'s>,
    kind: &'s str,
    options: &'s str,
    late: Late<'s>,
}

impl<'s> Builtin<'s> {
    /// The built-in hook of a step; `None` for a command.
    pub(super) fn of(step: &'s Step<'s>) -> Option<Self> {
        match step.run {
            Run::Builtin { kind, options, late } => Some(Self { step, kind, options, late }),
            Run::Command(_) | Run::Argv(_) | Run::Held(_) => None,
        }
    }

    /// Returns whether it may keep its neighbours waiting.
    pub(super) fn takes_time(self) -> bool {
        catalogue::kind(self.kind).is_some_and(Kind::takes_time)
    }

    /// Returns whether it decides about calls, and changes nothing outside of the session's state.
    pub(super) fn decides(self) -> bool {
        let acts = |can: &Can| matches!(can, Can::StartProcesses | Can::WriteFiles);
        catalogue::kind(self.kind)
            .is_some_and(|kind| kind.can.contains(&Can::Decide) && !kind.can.iter().any(acts))
    }

    fn starts(self) -> bool {
        catalogue::kind(self.kind).is_some_and(|kind| kind.can.contains(&Can::StartProcesses))
    }

    /// Runs it. Its failure is a failure of the hook, for which `on_error` says what follows.
    pub(super) fn run(self, seen: Seen<'_>, session: Session<'_>) -> Came {
        let is_held = session.effects == Effects::Held && self.starts();
        // A past call is not answered by what the machine has today.
        if is_held && session.memory.is_some() {
            return Came::held();
        }
        let started = Instant::now();
        let Some(outcome) = self.outcome(seen, session) else { return Came::held() };
        Came { outcome, exit: None, took: started.elapsed(), warnings: Vec::new() }
    }

    /// Gives what it comes to; `None` where a rehearsal kept it from starting a program.
    fn outcome(self, seen: Seen<'_>, session: Session<'_>) -> Option<Outcome> {
        let Some(kind) = catalogue::kind(self.kind) else {
            let why = format!("this hookman has no built-in hooks of the kind `{}`", self.kind);
            return Some(Outcome::Failure(Failure::Builtin(why)));
        };
        let timeout_ms = self.step.timeout_ms;
        let mut real = RealHost::new(session.folder, Duration::from_millis(timeout_ms));
        real.is_rehearsal = session.staged.is_some();
        // In a rehearsal a person agreed to programs, and to no hook that writes files by itself.
        let is_real = session.effects == Effects::Real && (!real.is_rehearsal || self.starts());
        if is_real {
            return Some(self.answer(kind, &real, seen, session));
        }
        let (memory, has_started) = (session.memory, AtomicBool::new(false));
        let held = HeldHost { real, memory, has_started };
        let outcome = self.answer(kind, &held, seen, session);
        (!held.has_started.load(Relaxed)).then_some(outcome)
    }

    fn answer(
        self,
        kind: &Kind,
        host: &(dyn Host + Sync),
        seen: Seen<'_>,
        session: Session<'_>,
    ) -> Outcome {
        let late = || match self.late.find() {
            None => context::no_late_options(),
            Some(LateOptions::Here(text)) => Ok(text.to_owned()),
            Some(LateOptions::InFile { start, length, sum }) => {
                let (file, again) = session.plan.ok_or(io::ErrorKind::NotFound)?;
                let text = files::read_part(file, start, length).ok();
                text.filter(|it| plan::sum(it) == sum).map_or_else(|| again(self.step.name), Ok)
            }
        };
        let context = Context {
            name: self.step.name,
            fence: self.step.user_only.then_some(session.manifest),
            event: seen.event,
            payload: seen.payload,
            caller: session.caller,
            text: seen.text,
            options: self.options,
            late: &late,
            watches: self.step.observe.is_some(),
            store: session.store,
            host,
        };
        let ran = kind.answer(&context);
        if let Some(memory) = session.memory {
            memory.note(self.step.name);
        }
        if kind.takes_time() {
            session.store.look_again();
        }
        match ran {
            Ok(answer)
                if answer.quiet == Some(Silence::Unread.word())
                    && self.step.on_error != OnError::Open =>
            {
                Outcome::Failure(Failure::Builtin(Silence::Unread.words().to_owned()))
            }
            Ok(answer) => Outcome::Answer(answer, None),
            Err(context::Failure::Late) => {
                Outcome::Failure(Failure::TimedOut(self.step.timeout_ms))
            }
            Err(failure) => Outcome::Failure(Failure::Builtin(failure.to_string())),
        }
    }
}
