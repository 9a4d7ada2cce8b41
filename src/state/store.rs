//! The per-session store, kept in files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::machine::lock::Lock;
use crate::machine::{clock, files, folders};
use crate::session::Store;
use crate::session::store::LONGEST;

/// The time that a run waits for another process that changes the same store.
const WAIT: Duration = Duration::from_secs(1);

/// A directory with one small file per flag, which holds the second at which the flag falls.
#[derive(Debug)]
pub struct FileStore {
    directory: PathBuf,
    /// True if it is a run's, which the client waits for.
    is_hurried: bool,
    /// True if a lock was waited for in vain.
    has_waited: AtomicBool,
    /// The texts that a run has read: several hooks ask for the same.
    read: Mutex<BTreeMap<String, Option<String>>>,
}

impl FileStore {
    pub fn new(directory: PathBuf) -> Self {
        let (has_waited, read) = (AtomicBool::new(false), Mutex::default());
        Self { directory, is_hurried: false, has_waited, read }
    }

    /// As [`FileStore::new`], for a run: a lock is waited for a second, once for all that it does.
    pub fn of_run(directory: PathBuf) -> Self {
        Self { is_hurried: true, ..Self::new(directory) }
    }

    fn file(&self, flag: &str) -> PathBuf {
        self.directory.join(Self::name(flag))
    }

    // A flag that others could have raised is none: to be told a thing twice does less harm than a
    // gate that somebody else opened.
    fn look(&self, flag: &str) -> io::Result<Flag> {
        let mut text = String::new();
        match files::read_own(&self.file(flag), &mut text) {
            Ok(false) => Ok(Flag::Absent),
            Ok(true) => {
                let falls: i64 = text.parse().unwrap_or_default();
                let left = u64::try_from(falls.saturating_sub(clock::unix_seconds())).unwrap_or(0);
                Ok(if left > 0 { Flag::Up(Duration::from_secs(left)) } else { Flag::Fallen })
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidData
                ) =>
            {
                Ok(Flag::Fallen)
            }
            Err(error) => Err(error),
        }
    }

    /// Holds a flag up from now on for `ttl`, whether it was up or not; on failure it stays as it was.
    pub fn hold(&self, flag: &str, ttl: Duration) -> io::Result<()> {
        files::make_private_directory(&self.directory).map_err(private)?;
        let falls = clock::unix_seconds().saturating_add_unsigned(ttl.as_secs());
        let mut new = files::readable_temporary_in(&self.directory)?;
        write!(new, "{falls}")?;
        let _lock = self.lock()?;
        new.persist(self.file(flag)).map(drop).map_err(|error| error.error)
    }

    pub fn left(&self, flag: &str) -> io::Result<Duration> {
        Ok(match self.look(flag)? {
            Flag::Up(left) => left,
            Flag::Absent | Flag::Fallen => Duration::ZERO,
        })
    }

    fn lock(&self) -> io::Result<Lock> {
        self.lock_of(&self.directory)
    }

    fn lock_of(&self, folder: &Path) -> io::Result<Lock> {
        self.lock_at(&folder.with_extension("lock"))
    }

    fn lock_at(&self, path: &Path) -> io::Result<Lock> {
        if !self.is_hurried {
            return Lock::take(path).map_err(private);
        }
        let wait = if self.has_waited.load(Ordering::Relaxed) { Duration::ZERO } else { WAIT };
        Lock::take_within(path, wait).map_err(|error| {
            self.has_waited.store(true, Ordering::Relaxed);
            private(error)
        })
    }

    fn texts(&self) -> PathBuf {
        self.directory.with_file_name("texts")
    }

    /// The named texts that are not a hook's own, by name.
    pub fn plain_texts(&self) -> io::Result<BTreeMap<String, String>> {
        // Every character of a hook's own name that is not plain is written with a `%`.
        let is_plain =
            |name: &str| name.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it));
        let mut found = BTreeMap::new();
        for path in folders::entries(&self.texts())? {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if is_plain(name)
                && let Some(text) = self.text(name)?
            {
                found.insert(name.to_owned(), text);
            }
        }
        Ok(found)
    }

    fn read(&self) -> MutexGuard<'_, BTreeMap<String, Option<String>>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text_now(&self, name: &str) -> io::Result<Option<String>> {
        let mut text = String::new();
        let is_there = files::read_own(&self.texts().join(Self::name(name)), &mut text)?;
        Ok(is_there.then_some(text))
    }

    fn name(flag: &str) -> String {
        let mut name = String::with_capacity(flag.len());
        for byte in flag.bytes().take(80) {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
                name.push(char::from(byte));
            } else {
                let _ = write!(name, "%{byte:02x}");
            }
        }
        if flag.len() > 80 {
            let _ = write!(name, "~{}", crate::machine::paths::content_hash(flag.as_bytes()));
        }
        name
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Absent,
    /// Its time is over, or it is not the user's own work.
    Fallen,
    Up(Duration),
}

fn private(error: crate::machine::Error) -> io::Error {
    error.source
}

impl Store for FileStore {
    fn raise(&self, flag: &str, ttl: Duration) -> io::Result<bool> {
        files::make_private_directory(&self.directory).map_err(private)?;
        let path = self.file(flag);
        let falls = clock::unix_seconds().saturating_add_unsigned(ttl.as_secs());
        // A finished file is linked to its name, so no other process ever reads half of it, and
        // of several that link, the system lets one through.
        let mut new = files::temporary_in(&self.directory)?;
        write!(new, "{falls}")?;
        if files::link(new.path(), &path)? {
            return Ok(true);
        }
        // Under the lock nothing takes the file away, so no link can come between.
        let _lock = self.lock()?;
        match self.look(flag)? {
            Flag::Up(_) => Ok(false),
            Flag::Absent => files::link(new.path(), &path),
            Flag::Fallen => new.persist(&path).map(|_| true).map_err(|error| error.error),
        }
    }

    fn is_up(&self, flag: &str) -> io::Result<bool> {
        Ok(matches!(self.look(flag)?, Flag::Up(_)))
    }

    fn take(&self, flag: &str) -> io::Result<bool> {
        if self.look(flag)? == Flag::Absent {
            return Ok(false);
        }
        let _lock = self.lock()?;
        let found = self.look(flag)?;
        // Where none is, one may be raised at any moment without the lock; it is not this one's.
        if found == Flag::Absent {
            return Ok(false);
        }
        files::remove(&self.file(flag)).map_err(private)?;
        Ok(matches!(found, Flag::Up(_)))
    }

    fn keep_newest(&self, start: &str, flag: &str, count: usize) {
        let (start, newest) = (Self::name(start), self.file(flag));
        let raised = |path: PathBuf| {
            let is_meant = path.file_name()?.to_str()?.starts_with(&start);
            is_meant.then(|| Some((folders::changed(&path)?, path)))?
        };
        let entries = folders::entries(&self.directory).unwrap_or_default();
        let mut found: Vec<_> = entries.into_iter().filter_map(raised).collect();
        found.retain(|(_, path)| *path != newest);
        found.sort();
        found.truncate((found.len() + 1).saturating_sub(count));
        if found.is_empty() {
            return;
        }
        let Ok(_lock) = self.lock() else { return };
        for (_, path) in found {
            let _ = files::remove(&path);
        }
    }

    fn count(&self, counter: &str, by: i64) -> io::Result<u64> {
        let path = self.directory.with_file_name("counters").join(Self::name(counter));
        let value = |text: &str| text.lines().next().unwrap_or_default().parse().unwrap_or(0);
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
        };
        if by == 0 {
            let mut text = String::new();
            files::read_own(&path, &mut text).map_err(named)?;
            return Ok(value(&text));
        }
        // A number is written over in its place: that is the half of what a new file takes, and a
        // heartbeat does it at each call.
        let file = self.lock_at(&path)?;
        let old: u64 = value(&file.read_line().map_err(named)?);
        // The least number there is takes all away, also from more than it could.
        let sum = if by == i64::MIN { 0 } else { old.saturating_add_signed(by) };
        file.write_line(&sum.to_string()).map_err(named)?;
        Ok(sum)
    }

    fn text(&self, name: &str) -> io::Result<Option<String>> {
        if let Some(known) = self.read().get(name) {
            return Ok(known.clone());
        }
        let text = self.text_now(name)?;
        if self.is_hurried {
            self.read().insert(name.to_owned(), text.clone());
        }
        Ok(text)
    }

    fn look_again(&self) {
        self.read().clear();
    }

    fn swap(&self, name: &str, old: Option<&str>, new: Option<&str>) -> io::Result<bool> {
        if new.is_some_and(|new| new.len() > LONGEST) {
            let why = format!("`{name}` would have more than {LONGEST} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let folder = self.texts();
        let path = folder.join(Self::name(name));
        self.read().remove(name);
        let _lock = self.lock_of(&folder)?;
        if self.text_now(name)?.as_deref() != old {
            return Ok(false);
        }
        match new {
            // What a hook keeps for itself it can do without after a loss of power.
            Some(new) if name.contains('.') => {
                files::replace_fleeting(&path, new).map_err(private)?;
            }
            Some(new) => files::replace_for_session(&path, new).map_err(private)?,
            None => files::remove(&path).map_err(private)?,
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_flag_is_taken_as_often_as_it_was_raised() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("flags"));
        let count =
            |done: &dyn Fn() -> io::Result<bool>| (0..20).filter(|_| done().unwrap()).count();
        for _ in 0..100 {
            // One that has fallen lies there when they begin.
            store.take("a").unwrap();
            store.raise("a", Duration::ZERO).unwrap();
            let (raised, taken) = thread::scope(|scope| {
                let raise = || count(&|| store.raise("a", MINUTE));
                let take = || count(&|| store.take("a"));
                let raisers = [scope.spawn(raise), scope.spawn(raise)];
                let takers = [scope.spawn(take), scope.spawn(take)];
                (
                    raisers.map(|it| it.join().unwrap()).iter().sum::<usize>(),
                    takers.map(|it| it.join().unwrap()).iter().sum::<usize>(),
                )
            });
            let is_up = usize::from(store.is_up("a").unwrap());
            assert_eq!(raised, taken + is_up);
        }
    }

    #[test]
    fn a_flag_that_is_raised_while_others_take_is_not_lost() {
        const TAKERS: usize = 6;
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("flags"));
        // By a way so long that most of the time of one who takes lies between two steps of it.
        let mut way = folder.path().to_owned();
        for turn in 0..10 {
            let next = folder.path().join(turn.to_string());
            std::os::unix::fs::symlink(way.join("./".repeat(1000)), &next).unwrap();
            way = next;
        }
        let from_afar = FileStore::new(way.join("flags"));
        for round in 0..50 {
            assert!(store.raise("a", MINUTE).unwrap());
            let lock = store.lock().unwrap();
            let begun = AtomicUsize::new(0);
            let taken: usize = thread::scope(|scope| {
                let take = || {
                    begun.fetch_add(1, Ordering::Relaxed);
                    usize::from(from_afar.take("a").unwrap())
                };
                let takers: Vec<_> = (0..TAKERS).map(|_| scope.spawn(take)).collect();
                // They see the flag and wait for who took it, before it is raised again.
                while begun.load(Ordering::Relaxed) < TAKERS {
                    thread::yield_now();
                }
                (0..TAKERS).for_each(|_| assert!(from_afar.is_up("a").unwrap()));
                fs::remove_file(store.file("a")).unwrap();
                drop(lock);
                (0..round % 10).for_each(|_| thread::yield_now());
                assert!(store.raise("a", MINUTE).unwrap());
                takers.into_iter().map(|it| it.join().unwrap()).sum()
            });
            assert_eq!(taken + usize::from(store.is_up("a").unwrap()), 1, "round {round}");
            store.take("a").unwrap();
        }
    }

    #[test]
    fn a_run_waits_once_for_who_keeps_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let flags = folder.path().join("flags");
        let (kept, store) = (FileStore::new(flags.clone()), FileStore::of_run(flags));
        kept.raise("a", Duration::ZERO).unwrap();
        let counter = folder.path().join("counters/c");
        let held = [kept.lock().unwrap(), kept.lock_at(&counter).unwrap()];
        let late = |result: io::Result<()>| result.unwrap_err().kind() == io::ErrorKind::TimedOut;
        assert!(late(store.raise("a", MINUTE).map(drop)));
        assert!(store.has_waited.load(Ordering::Relaxed));
        assert!(late(store.take("a").map(drop)));
        assert!(late(store.count("c", 1).map(drop)));
        // What needs no lock goes on.
        assert!(store.raise("b", MINUTE).unwrap());
        drop(held);
        assert!(store.take("b").unwrap());
        assert_eq!(store.count("c", 1).unwrap(), 1);
    }

    #[test]
    fn a_counter_is_a_line_of_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("flags"));
        let file = folder.path().join("counters/c");
        assert_eq!(store.count("c", 0).unwrap(), 0);
        let rows = [(99, 99), (1, 100), (-1, 99), (i64::MIN, 0), (-1, 0), (3, 3), (0, 3)];
        for (by, sum) in rows {
            assert_eq!(store.count("c", by).unwrap(), sum, "{by}");
        }
        for (before, sum) in [("7", 8), ("", 1), ("junk", 1), ("12\n0\n", 13)] {
            fs::write(&file, before).unwrap();
            assert_eq!(store.count("c", 1).unwrap(), sum, "{before}");
            assert_eq!(store.count("c", 0).unwrap(), sum, "{before}");
        }
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "not to be touched").unwrap();
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        assert!(store.count("c", 1).is_err());
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "not to be touched");
    }

    #[test]
    fn of_many_changes_of_a_text_none_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("flags"));
        assert_eq!(store.text("phase").unwrap(), None);
        assert!(!store.swap("phase", Some("a"), Some("b")).unwrap());
        let add = |letter: char| {
            let mut more = |old: Option<&str>| Some(format!("{}{letter}", old.unwrap_or_default()));
            (0..20).for_each(|_| drop(store.change("phase", &mut more).unwrap()));
        };
        thread::scope(|scope| {
            "abc".chars().for_each(|letter| drop(scope.spawn(move || add(letter))));
        });
        let text = store.text("phase").unwrap().unwrap();
        assert_eq!(text.len(), 60);
        assert!(store.swap("phase", Some(&text), None).unwrap());
        assert_eq!(store.text("phase").unwrap(), None);
        assert!(store.swap("phase", None, Some(&"x".repeat(LONGEST + 1))).is_err());
    }

    #[test]
    fn marks_of_turns_that_are_long_over_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("flags"));
        let first = |mark: &str, turn: usize| store.first_in_turn(mark, &format!("p{turn}"));
        assert!(first("other", 0).unwrap());
        for turn in 0..30 {
            assert!(first("nag", turn).unwrap());
            assert!(!first("nag", turn).unwrap());
        }
        assert_eq!(fs::read_dir(&store.directory).unwrap().count(), 1 + 8);
        assert!(!first("nag", 29).unwrap() && !first("other", 0).unwrap());
    }

    #[test]
    fn a_flag_that_others_could_have_raised_is_down() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let store = FileStore::new(folder.path().join("flags"));
        assert!(store.raise("a", MINUTE).unwrap());
        fs::set_permissions(store.file("a"), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(!store.is_up("a").unwrap());
        assert!(store.raise("a", MINUTE).unwrap());
        assert!(store.is_up("a").unwrap(), "it is the user's own again");
        fs::write(store.file("a"), b"\xff").unwrap();
        assert!(!store.take("a").unwrap());
        assert!(!store.take("a").unwrap());
    }
}
