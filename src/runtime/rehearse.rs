//! A run of a chain that is not the client's: the same way of a call, without the journal.

use std::time::Instant;

use super::answering;
use super::arguments::Arguments;
use super::call::{Call, Kept};
use super::overrides::{Effects, Overrides};
use super::received::Received;
use crate::chain::Verdict;
use crate::client::Event;
use crate::client::host::Encoded;
use crate::client::output::Said;
use crate::machine::Paths;
use crate::machine::input::Input;
use crate::state::Chain;
use crate::state::journal::{self, Entry};

/// The run as the journal would have it, and the answer that the client would get.
pub struct Rehearsed {
    pub entry: Entry<'static>,
    pub verdict: Verdict,
    pub said: Said,
    /// The parts of the answer that the program does not heed.
    pub left_out: Vec<&'static str>,
}

#[derive(Clone, Copy)]
pub struct Rehearsal<'a> {
    /// The state there is read and changed as in a run, so these are the paths of a copy.
    pub paths: &'a Paths,
    pub effects: Effects,
    pub host: Option<&'a str>,
    /// The parts that are in memory in the place of files.
    pub kept: Option<Kept<'a>>,
}

impl Rehearsal<'_> {
    pub fn ask(self, chain: Chain, event: Event, text: &str) -> Rehearsed {
        let Self { paths, effects, host, kept } = self;
        let arguments =
            Arguments { event: Some(event), host: host.map(str::to_owned), ..Arguments::default() };
        let input = Input::Value(text.into());
        let received = Received::of(&arguments, &input);
        let overrides = Overrides { effects, with_apart: true, ..Overrides::default() };
        let call = Call { paths, chain, event, hook: None, overrides, host: received.host, kept };
        let mut entry = Entry::new(event, &call.chain);
        entry.whole = true;
        received.describe_payload(&mut entry);
        let started = Instant::now();
        let mut verdict = answering::decide(&call, &received, None, &mut entry);
        let Encoded { said, left_out, decision } = verdict.encoded(received.host, event);
        entry.finish(decision, said.code, started.elapsed());
        if !received.host.is_claude() {
            verdict.answer = received.host.fitted(event, verdict.answer, &mut Vec::new());
        }
        let mut entry = journal::entries(&entry.line()).pop().unwrap_or_default();
        entry.recall();
        Rehearsed { entry, verdict, said, left_out }
    }
}
