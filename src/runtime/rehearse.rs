//! A run of a chain that is not the client's: the same way of a call, without the journal.

use std::time::Instant;

use super::answering;
use super::call::Call;
use super::effects::Effects;
use super::overrides::Overrides;
use super::seen::Seen;
use crate::chain::merge::Verdict;
use crate::client::event::Event;
use crate::client::host::CLAUDE;
use crate::client::output::Said;
use crate::client::payload::Payload;
use crate::machine::paths::Paths;
use crate::state::chains::Chain;
use crate::state::journal::{self, Entry};

/// The run as the journal would have it, and the answer that the client would get.
pub struct Rehearsed {
    /// The line of the journal, which is not written.
    pub entry: Entry<'static>,
    pub verdict: Verdict,
    pub said: Said,
}

/// Asks a chain about a payload. The state in `paths` is read and changed as in a run, so a rehearsal
/// hands in the paths of a copy.
pub fn rehearse(
    paths: &Paths,
    chain: Chain,
    event: Event,
    text: &str,
    effects: Effects,
) -> serde_json::Result<Rehearsed> {
    let payload = Payload::parse(text)?;
    let overrides = Overrides { effects, ..Overrides::default() };
    let call = Call { paths, chain, event, hook: None, overrides, host: &CLAUDE };
    let mut entry = Entry::new(event, &call.chain);
    entry.describe(&payload);
    let started = Instant::now();
    let seen = Seen { event, payload: &payload, text };
    let verdict = answering::answer(&call, seen, &mut entry);
    let said = verdict.encoded(&CLAUDE, event).said;
    entry.finish(&verdict, said.code, started.elapsed());
    let mut entry = journal::entries(&entry.line()).pop().unwrap_or_default();
    entry.recall();
    Ok(Rehearsed { entry, verdict, said })
}
