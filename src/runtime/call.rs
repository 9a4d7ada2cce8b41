//! One run: which chain is asked on which event.

use super::overrides::Overrides;
use crate::chain::failing;
use crate::chain::merge::Verdict;
use crate::client::answer::Answer;
use crate::client::event::{Block, Event};
use crate::client::output;
use crate::machine::paths::Paths;
use crate::manifest::OnError;
use crate::state::chains::Chain;

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
    /// The verdict where what was to decide could not.
    pub(super) fn failed(&self, on_error: OnError, message: String) -> Verdict {
        self.verdict(&failing::answer(self.event, on_error, message))
    }

    /// A block with this reason; nothing on an event that no hook can block.
    pub(super) fn block(&self, reason: String) -> Verdict {
        if self.event.facts().block == Block::Never {
            return Verdict::default();
        }
        self.verdict(&Answer::deny(reason))
    }

    fn verdict(&self, answer: &Answer) -> Verdict {
        Verdict { decision: answer.decision, said: output::write(self.event, answer) }
    }
}
