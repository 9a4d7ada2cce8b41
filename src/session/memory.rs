//! A store that is gone with the process: for tests, and for runs that are to have no consequences.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Store;

#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    now: u64,
    is_broken: bool,
    flags: BTreeMap<String, u64>,
    counters: BTreeMap<String, u64>,
    texts: BTreeMap<String, String>,
    /// The things that the hook which runs has asked for and nobody knows any more.
    unknown: BTreeSet<String>,
    /// The same of all that ran, by their names.
    unknown_to: BTreeMap<String, BTreeSet<String>>,
}

impl MemoryStore {
    pub fn now(&self) -> u64 {
        self.lock().now
    }

    /// Notes that the hook that runs depends on this, which nobody knows any more.
    pub fn miss(&self, what: &str) {
        self.lock().unknown.insert(what.to_owned());
    }

    pub fn note(&self, hook: &str) {
        let mut kept = self.lock();
        let mut unknown = std::mem::take(&mut kept.unknown);
        if !unknown.is_empty() {
            kept.unknown_to.entry(hook.to_owned()).or_default().append(&mut unknown);
        }
    }

    /// Takes what is not known, by the hooks that depend on it.
    pub fn take_unknown(&self) -> BTreeMap<String, BTreeSet<String>> {
        std::mem::take(&mut self.lock().unknown_to)
    }

    pub fn set_now(&self, now: u64) {
        self.lock().now = now;
    }

    /// Makes every use of the store fail, or no longer.
    pub fn set_broken(&self, is_broken: bool) {
        self.lock().is_broken = is_broken;
    }

    /// The names of the flags that are up, sorted.
    pub fn flags(&self) -> Vec<String> {
        let kept = self.lock();
        let up = kept.flags.iter().filter(|(_, falls)| **falls > kept.now);
        up.map(|(name, _)| name.clone()).collect()
    }

    pub fn counters(&self) -> BTreeMap<String, u64> {
        let kept = self.lock();
        let counters = kept.counters.iter().filter(|(_, value)| **value != 0);
        counters.map(|(name, value)| (name.clone(), *value)).collect()
    }

    pub fn texts(&self) -> BTreeMap<String, String> {
        self.lock().texts.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn usable(&self) -> io::Result<MutexGuard<'_, Kept>> {
        let kept = self.lock();
        if kept.is_broken { Err(io::Error::other("disk full")) } else { Ok(kept) }
    }
}

impl Kept {
    fn is_up(&self, flag: &str) -> bool {
        self.flags.get(flag).is_some_and(|falls| *falls > self.now)
    }
}

impl Store for MemoryStore {
    fn raise(&self, flag: &str, ttl: Duration) -> io::Result<bool> {
        let mut kept = self.usable()?;
        let was_up = kept.is_up(flag);
        if !was_up {
            let falls = kept.now.saturating_add(ttl.as_secs());
            kept.flags.insert(flag.to_owned(), falls);
        }
        Ok(!was_up)
    }

    fn is_up(&self, flag: &str) -> io::Result<bool> {
        Ok(self.usable()?.is_up(flag))
    }

    fn take(&self, flag: &str) -> io::Result<bool> {
        let mut kept = self.usable()?;
        let was_up = kept.is_up(flag);
        kept.flags.remove(flag);
        Ok(was_up)
    }

    fn count(&self, counter: &str, by: i64) -> io::Result<u64> {
        let mut kept = self.usable()?;
        let value = kept.counters.entry(counter.to_owned()).or_default();
        *value = if by == i64::MIN { 0 } else { value.saturating_add_signed(by) };
        Ok(*value)
    }

    fn text(&self, name: &str) -> io::Result<Option<String>> {
        let mut kept = self.usable()?;
        let text = kept.texts.get(name).cloned();
        // A text with a plain name is set by a person or a workflow.
        if text.is_none() && !name.contains('.') {
            kept.unknown.insert(format!("the state `{name}`"));
        }
        Ok(text)
    }

    fn swap(&self, name: &str, old: Option<&str>, new: Option<&str>) -> io::Result<bool> {
        let mut kept = self.usable()?;
        if kept.texts.get(name).map(String::as_str) != old {
            return Ok(false);
        }
        match new {
            Some(new) => kept.texts.insert(name.to_owned(), new.to_owned()),
            None => kept.texts.remove(name),
        };
        Ok(true)
    }

    fn keep_newest(&self, _: &str, _: &str, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_what_a_store_on_disk_keeps() {
        let store = MemoryStore::default();
        let minute = Duration::from_secs(60);
        assert!(store.raise("a", minute).unwrap() && !store.raise("a", minute).unwrap());
        store.set_now(60);
        assert!(!store.is_up("a").unwrap() && store.flags().is_empty());
        assert!(store.raise("a", minute).unwrap() && store.take("a").unwrap());
        assert_eq!(store.count("c", 2).unwrap(), 2);
        assert_eq!(store.count("c", -5).unwrap(), 0);
        let set = store.change("t", &mut |old| old.is_none().then(|| "x".to_owned()));
        assert_eq!(set.unwrap().as_deref(), Some("x"));
        assert!(!store.swap("t", None, None).unwrap());
        assert_eq!(store.texts().len(), 1);
        store.set_broken(true);
        assert!(store.text("t").is_err() && store.raise("b", minute).is_err());
    }
}
