//! The plans of chains that are gone, and tidying after an answer, but not at the user's tool calls.

use std::path::{Path, PathBuf};

use super::{Chain, journal_files, sessions};
use crate::chain::plan::Header;
use crate::client::{Event, Subject};
use crate::machine::{Paths, files, folders};

/// Removes the plans whose manifest's directory is gone; best effort.
pub fn prune(paths: &Paths) {
    for file in folders::entries(&paths.state.join("plans")).unwrap_or_default() {
        let mut text = String::new();
        if !files::read_into(&file, &mut text).is_ok_and(|found| found) {
            continue;
        }
        let manifest =
            Header::parse(&text).and_then(|header| Some(header.sources.first()?.path.clone()));
        let folder = manifest.as_deref().and_then(|path| Path::new(path).parent());
        if folder.is_some_and(|folder| !files::is_there(folder)) {
            let _ = files::remove(&file);
        }
    }
}

pub fn manifests(paths: &Paths) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in folders::entries(&paths.state.join("plans")).unwrap_or_default() {
        let mut text = String::new();
        let is_there = files::read_into(&file, &mut text).is_ok_and(|found| found);
        let header = Header::parse(&text).filter(|_| is_there);
        found.extend(
            header.into_iter().flat_map(|it| it.sources).map(|it| PathBuf::from(&*it.path)),
        );
    }
    found
}

/// Does what an event leaves time for, at a session's start or a project's call of a tool.
pub fn after(paths: &Paths, chain: &Chain, event: Event) {
    let of_project = chain.scope == "project";
    if event.facts().subject == Subject::Tool && !of_project {
        return;
    }
    // What is not tidied now is tidied the next time.
    let _ = journal_files::rotate(paths, journal_files::SIZE);
    if (event == Event::SessionStart || of_project) && sessions::prune_daily(paths) {
        prune(paths);
    }
}
