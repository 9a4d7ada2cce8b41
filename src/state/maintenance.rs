//! Tidying after the answer is given, and never at a tool call of the user's chain.

use super::chains::Chain;
use super::{journal_files, plans, sessions};
use crate::client::event::{Event, Subject};
use crate::machine::paths::Paths;

/// Does what an event leaves time for. The user's chain is always called at the start of a session;
/// a project's alone may be called at nothing but tools.
pub fn after(paths: &Paths, chain: &Chain, event: Event) {
    let of_project = chain.scope == "project";
    if event.facts().subject == Subject::Tool && !of_project {
        return;
    }
    // What is not tidied now is tidied the next time.
    let _ = journal_files::rotate(paths, journal_files::SIZE);
    if (event == Event::SessionStart || of_project) && sessions::prune_daily(paths) {
        plans::prune(paths);
    }
}
