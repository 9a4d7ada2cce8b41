//! Hooks that a person has not seen as they are: shown, and pinned.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::change::Change;
use super::change::records::colour;
use super::change::writes::Writes;
use super::packages::is_persons_word;
use super::target::Target;
use crate::machine::files;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::manifest::{Hook, OnChange};
use crate::package::definition::ABSENT;
use crate::package::store;
use crate::state::chains::Chain;
use crate::state::pins::{self, Pin, Pins, Rule};
use crate::syntax::diff::unified_diff;

/// The hooks of a chain that are to be pinned as they are now.
pub(crate) struct Trusting {
    chain: Chain,
    after: Pins,
    pub(crate) news: Vec<Unseen>,
    /// The hooks that the command shows by itself.
    pub(crate) told: Vec<String>,
    /// True if the chain's pins are written, though none of the hooks is agreed to, as they are its first.
    begins: bool,
}

/// A hook that nobody has seen in its current form.
pub(crate) struct Unseen {
    pub(crate) name: String,
    place: String,
    pub(crate) was: Option<Pin>,
    pub(crate) now: Pin,
    files: BTreeMap<String, String>,
    /// True if its package as a whole was not seen yet, and is shown with it.
    pub(crate) with_package: bool,
    /// True if a person agrees by this command and not only by `hookman trust`, and to what the lock has.
    is_agreed: bool,
}

impl Trusting {
    /// Those of a command after which `hooks` are a target's; a chain that has no pins yet is seen as a
    /// whole when it first runs.
    pub(crate) fn of(world: &World, target: &Target, hooks: &[Hook]) -> Self {
        let mut trusting = Self::all(world, target, hooks, &[]);
        if !is_persons_word() || pins::on_change(&world.paths) == Some(OnChange::Hold) {
            for news in &mut trusting.news {
                news.is_agreed = false;
                news.leave(&mut trusting.after);
            }
        }
        let (paths, chain) = (&world.paths, &target.chain);
        let is_agents = !is_persons_word() && !trusting.news.is_empty();
        if pins::is_first(paths, chain) && (chain.project().is_some() || !is_agents) {
            trusting.news.clear();
        } else if pins::read(paths, chain).is_none() {
            let known = pins::planned(paths, chain).unwrap_or_default();
            for news in trusting.news.iter().filter(|it| known.contains(&it.name)) {
                trusting.after.insert(news.name.clone(), news.now.clone());
            }
            trusting.news.retain(|news| !known.contains(&news.name));
            // The command shows what it writes, and a file of pins has to be there before the first run.
            trusting.told = trusting.news.iter().map(|it| it.name.clone()).collect();
            trusting.begins = is_agents && !trusting.news.is_empty();
        }
        trusting
    }

    /// The same where these hooks were adopted, which ran before.
    pub(crate) fn adopting(mut self, names: &[&str]) -> Self {
        for news in self.news.iter_mut().filter(|it| names.contains(&&*it.name)) {
            news.is_agreed = true;
            self.after.insert(news.name.clone(), news.now.clone());
            self.told.push(news.name.clone());
        }
        self
    }

    /// The hooks in which only a switch changed, so that they still count as seen.
    pub(crate) fn following(
        world: &World,
        target: &Target,
        before: &[Hook],
        after: &[Hook],
    ) -> Self {
        let mut trusting = Self::all(world, target, after, &[]);
        let rule = Rule::of(&world.paths, &target.chain);
        let was_seen = |news: &Unseen| {
            let hook = before.iter().find(|hook| hook.name == news.name);
            hook.is_some_and(|hook| {
                let is_seen = |was| rule.is_seen(hook, was, &Pin::of(&rule, hook));
                news.was.as_ref().is_some_and(is_seen)
            })
        };
        let (seen, other) = trusting.news.into_iter().partition::<Vec<_>, _>(was_seen);
        for news in &other {
            news.leave(&mut trusting.after);
        }
        trusting.told = seen.iter().map(|it| it.name.clone()).collect();
        Self { news: seen, ..trusting }
    }

    /// All that was not seen, or those of these names.
    pub(crate) fn all(world: &World, target: &Target, hooks: &[Hook], names: &[String]) -> Self {
        let (paths, chain) = (&world.paths, target.chain.clone());
        let rule = Rule::of(paths, &target.chain);
        let before = pins::read(paths, &chain).unwrap_or_default();
        let lock = pins::is_by_lock().then(|| pins::lock(paths, &chain));
        let (mut after, mut news) = (Pins::new(), Vec::new());
        for hook in hooks.iter().filter(|hook| rule.is_held(hook)) {
            let (was, now) = (before.get(&hook.name).cloned(), Pin::of(&rule, hook));
            let is_meant = names.is_empty() || names.contains(&hook.name);
            let is_seen = was.as_ref().is_some_and(|was| rule.is_seen(hook, was, &now));
            if is_seen || !is_meant {
                after.extend(was.map(|was| (hook.name.clone(), was)));
                continue;
            }
            let is_agreed = lock.as_ref().is_none_or(|lock| rule.is_locked(hook, lock));
            let kept = if is_agreed { Some(now.clone()) } else { was.clone() };
            after.extend(kept.map(|pin| (hook.name.clone(), pin)));
            let origin = hook.origins.get("package").or(hook.origin());
            let place = origin.map(ToString::to_string).unwrap_or_default();
            let with_package = now.whole && !store::is_seen(paths, hook);
            let is_new = was.is_none();
            let files = if is_new { rule.files(hook) } else { now.files.clone() };
            let name = hook.name.clone();
            news.push(Unseen { name, place, was, now, files, with_package, is_agreed });
        }
        Self { chain, after, news, told: Vec::new(), begins: false }
    }
}

impl Unseen {
    /// The word for it in the list, such as new or changed.
    pub(crate) fn word(&self) -> &'static str {
        if self.was.is_some() { "changed" } else { "new" }
    }

    fn leave(&self, pins: &mut Pins) {
        pins.remove(&self.name);
        pins.extend(self.was.clone().map(|was| (self.name.clone(), was)));
    }

    fn show(&self, world: &World) {
        let Self { name, place, was, now, files, .. } = self;
        world.terminal.line(harmless(&format!("`{name}` is {}, at {place}", self.word())));
        let diff = |path: &str, before: Option<&str>, after: Option<&str>| {
            world.terminal.print(&unified_diff(path, before, after, colour(world)));
        };
        let (before, after) = (was.as_ref().map(Pin::shown), now.shown());
        if before.as_ref() != Some(&after) {
            diff(name, before.as_deref(), Some(&after));
        }
        for (path, hash) in files {
            let before = was.as_ref().and_then(|was| was.files.get(path));
            if before == Some(hash) {
                continue;
            }
            let before = before.filter(|before| *before != ABSENT);
            let path = Path::new(path);
            let shown = world.paths.shown(path);
            let old = before.and_then(|hash| pins::content(&world.paths, hash));
            match files::read_text(path) {
                _ if hash == ABSENT => {
                    let what = if before.is_some() { "gone" } else { "not there yet" };
                    world.terminal.line(harmless(&format!("{shown}: {what}")));
                }
                Ok(Some(text)) if before.is_none() || old.is_some() => {
                    diff(&shown, old.as_deref(), Some(&text));
                }
                _ => world.terminal.line(harmless(&format!("{shown}: SHA-256 {hash}"))),
            }
        }
        // What a glob found may be gone.
        let seen = was.iter().flat_map(|was| &was.files).filter(|(_, hash)| *hash != ABSENT);
        let gone = seen.map(|(path, _)| path).filter(|it| !files.contains_key(*it));
        for path in gone.map(Path::new).filter(|it| !it.exists()) {
            world.terminal.line(harmless(&format!("{}: gone", world.paths.shown(path))));
        }
    }
}

impl Change for Trusting {
    fn is_empty(&self) -> bool {
        !self.news.iter().any(|it| it.is_agreed)
    }

    fn show(&self, world: &World) {
        let is_told = |it: &&Unseen| it.with_package || self.told.contains(&it.name);
        let news = self.news.iter().filter(|it| it.is_agreed && !is_told(it));
        news.for_each(|news| news.show(world));
    }

    fn check(&self, _: &World) -> Result<()> {
        Ok(())
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.is_empty() && !self.begins {
            return Ok(());
        }
        let paths = &writes.world.paths;
        pins::keep_contents(paths, self.after.values());
        let file = pins::file(paths, &self.chain);
        writes.keep(&file, Some(&serde_json::to_string(&self.after)?))
    }

    fn end(&self, writes: &mut Writes<'_>) -> Result<()> {
        self.tell_unseen(writes.world);
        Ok(())
    }
}

impl Trusting {
    /// Names those that do not run before a person has seen them.
    pub(crate) fn tell_unseen(&self, world: &World) {
        let unseen = self.news.iter().filter(|it| !it.is_agreed && !it.with_package);
        let names: Vec<String> = unseen.map(|it| format!("`{}`", it.name)).collect();
        if !names.is_empty() {
            let (flag, do_not) =
                (self.chain.flag(), if names.len() == 1 { "does not" } else { "do not" });
            world.terminal.line(format!(
                "{} {do_not} run before you type `hookman trust{flag}` in a terminal of your own.",
                names.join(", ")
            ));
        }
    }
}
