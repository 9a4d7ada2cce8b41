//! One run: which chain is asked on which event.

use super::overrides::Overrides;
use crate::chain::failing;
use crate::chain::merge::Verdict;
use crate::client::answer::Answer;
use crate::client::event::{Block, Event};
use crate::client::host::Host;
use crate::machine::paths::Paths;
use crate::manifest::OnError;
use crate::session::memory::MemoryStore;
use crate::state::chains::Chain;

/// One run: which chain is asked on which event.
pub(super) struct Call<'a> {
    pub paths: &'a Paths,
    pub chain: Chain,
    pub event: Event,
    /// The one hook that is asked for, which has an entry of its own.
    pub hook: Option<String>,
    pub overrides: Overrides,
    pub host: &'static Host,
    /// The parts that a rehearsal keeps in memory in the place of files.
    pub kept: Option<Kept<'a>>,
}

/// The parts of a session that a replay keeps in memory: to read them for each call takes longer
/// than to ask the hooks.
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
