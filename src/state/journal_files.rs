//! The files of the journal: the one that is written, and those that were put aside.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::machine::lock::Lock;
use crate::machine::{Paths, clock, files, folders};

/// The most bytes of the journal before it is put aside under a name with the time.
pub const SIZE: u64 = 8 * 1024 * 1024;

/// The number of journals that were put aside and are kept.
pub const FILES: usize = 5;

/// The time that a journal that was put aside is kept.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Puts the journal aside beyond `size` bytes; a run that has it open still writes its line.
pub(super) fn rotate(paths: &Paths, size: u64) -> io::Result<()> {
    let journal = paths.journal();
    let is_long =
        || files::stamp(&journal).is_ok_and(|found| found.is_some_and(|found| found.size > size));
    if !is_long() {
        return Ok(());
    }
    // Whoever holds it rotates, and the client waits for this process to end.
    let lock = Lock::take_within(&paths.state.join("journal.lock"), Duration::ZERO);
    let _lock = lock.map_err(|error| error.source)?;
    let aside = paths.state.join(format!("journal-{}.jsonl", clock::file_stamp()));
    if is_long() && !aside.exists() {
        files::rename(&journal, &aside).map_err(|error| error.source)?;
    }
    let mut old = put_aside(paths)?;
    old.truncate(old.len().saturating_sub(FILES));
    for path in old {
        files::remove(&path).map_err(|error| error.source)?;
    }
    files::remove_older(&paths.state, KEPT, &is_journal);
    Ok(())
}

pub fn put_aside(paths: &Paths) -> io::Result<Vec<PathBuf>> {
    let is_aside =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(is_journal);
    let mut aside = folders::entries(&paths.state)?;
    aside.retain(is_aside);
    // The time in the name sorts as text.
    aside.sort();
    Ok(aside)
}

fn is_journal(name: &str) -> bool {
    name.strip_prefix("journal-").is_some_and(|rest| rest.strip_suffix(".jsonl").is_some())
}

pub fn volumes(paths: &Paths) -> Vec<PathBuf> {
    let aside = put_aside(paths).unwrap_or_default();
    std::iter::once(paths.journal()).chain(aside.into_iter().rev()).collect()
}

/// The words for what a hook's step came to, and for what happened then, of a hook and of a run.
fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    let row = |line: &'static str| line.split(" | ").collect::<Vec<_>>().try_into().ok();
    include_str!("outcomes.txt").lines().filter_map(row)
}

pub fn outcomes() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows().map(|[word, says, _]| (word, says))
}

/// Says what a hook did that ran for a while and came to this.
pub fn did(outcome: &str) -> &str {
    rows().find(|[word, ..]| *word == outcome).map_or(outcome, |[.., did]| did)
}

/// The prefix of the outcomes of hooks that only watch.
pub const WOULD: &str = "would-";

/// Gives the outcome of a hook that only watches for that of one that decides.
pub(super) fn would(outcome: &str) -> Option<&'static str> {
    outcomes().map(|(word, _)| word).find(|it| it.strip_prefix(WOULD) == Some(outcome))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_journal_that_another_puts_aside_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().to_owned();
        let paths = Paths { home: None, config: state.clone(), state };
        fs::write(paths.journal(), "0123456789\n").unwrap();
        let held = Lock::take(&paths.state.join("journal.lock")).unwrap();
        assert_eq!(rotate(&paths, 1).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(paths.journal().exists());
        drop(held);
        // A child that another test is starting has the lock too, until it runs its program.
        let is_done = |_| rotate(&paths, 1).inspect_err(|_| std::thread::yield_now()).is_ok();
        assert!((0..100_000).any(is_done));
        assert!(!paths.journal().exists());
    }

    #[test]
    fn a_long_journal_is_put_aside_and_the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        let paths =
            Paths { home: None, config: folder.path().to_owned(), state: folder.path().to_owned() };
        for number in 0..FILES {
            let name = format!("journal-2026010{number}T000000.000Z.jsonl");
            fs::write(folder.path().join(name), "old\n").unwrap();
        }
        fs::write(paths.journal(), "0123456789\n").unwrap();
        rotate(&paths, 11).unwrap();
        assert_eq!(put_aside(&paths).unwrap().len(), FILES);
        assert!(paths.journal().exists());
        rotate(&paths, 10).unwrap();
        let aside = put_aside(&paths).unwrap();
        assert_eq!(aside.len(), FILES);
        assert!(aside[0].ends_with("journal-20260101T000000.000Z.jsonl"), "{aside:?}");
        assert_eq!(fs::read_to_string(aside.last().unwrap()).unwrap(), "0123456789\n");
        assert!(!paths.journal().exists());
    }
}
