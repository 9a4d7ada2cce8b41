//! One run: which chain is asked on which event, and the call as a step sees it.

use super::overrides::Overrides;
use crate::chain::{Verdict, failing};
use crate::client::host::Host;
use crate::client::{Answer, Block, Event, Payload};
use crate::machine::Paths;
use crate::manifest::OnError;
use crate::session::MemoryStore;
use crate::state::Chain;

pub(super) struct Call<'a> {
    pub paths: &'a Paths,
    pub chain: Chain,
    pub event: Event,
    pub hook: Option<String>,
    pub overrides: Overrides,
    pub host: &'static Host,
    /// The parts that a rehearsal keeps in memory in the place of files.
    pub kept: Option<Kept<'a>>,
}

/// The parts of a session that a replay keeps in memory, as reading them takes longer than the hooks.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    /// The chain's plan; without it the chain is loaded as in a run.
    pub plan: Option<&'a str>,
    pub store: &'a MemoryStore,
}

impl Call<'_> {
    /// The verdict where what was to decide could not.
    pub(super) fn failed(&self, on_error: OnError, message: String) -> Verdict {
        failing::answer(self.event, on_error, message).into()
    }

    /// A block with this reason; nothing on an event that no hook can block.
    pub(super) fn block(&self, reason: String) -> Verdict {
        if self.event.facts().block == Block::Never {
            return Verdict::default();
        }
        Answer::deny(reason).into()
    }
}

/// A call as a step sees it: the client's, with what the steps before it made of the input.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub event: Event,
    pub payload: &'a Payload<'a>,
    pub text: &'a str,
}
