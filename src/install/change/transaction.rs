//! All changes of one command: shown, asked for, checked, written and watched.

use anyhow::Result;

use super::write_watch::{self, watched};
use super::writes::Writes;
use super::{Change, given, is_empty};
use crate::install::adoption::warnings as adoption_warnings;
use crate::install::registration::warnings;
use crate::install::target::{Target, Writing};
use crate::machine::lock::Lock;
use crate::machine::{World, harmless};
use crate::manifest::Hook;
use crate::package::definition;
use crate::state::chains;
use crate::state::pins::Rule;

/// A command that writes, from before it plans to after it has written.
pub(crate) struct Transaction<'w> {
    world: &'w World,
    target: Target,
    writing: Writing,
    lock: Option<Lock>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Nothing,
    /// The changes were only shown, because the user said so.
    Shown,
    Written,
}

/// The causes that keep hooks from running once changes are written.
pub(crate) struct Warned {
    pub(crate) is_deaf: bool,
    pub(crate) skipped: Vec<String>,
    pub(crate) broken: Vec<String>,
}

impl<'w> Transaction<'w> {
    /// Begins before anything is read. The lock is taken now where nothing will be asked, so that each of
    /// many commands sees what the ones before it wrote.
    pub(crate) fn begin(world: &'w World, target: &Target, writing: &Writing) -> Result<Self> {
        target.check_links(world)?;
        target.check_apart(world)?;
        let is_early = writing.yes && !writing.dry_run;
        let lock = if is_early { Some(target.lock(world)?) } else { None };
        Ok(Self { world, target: target.clone(), writing: writing.clone(), lock })
    }

    pub(crate) fn show(&self, changes: &[&dyn Change]) {
        for change in changes {
            change.show(self.world);
        }
    }

    /// Warns of what keeps the `hooks` that the changes leave from their work, in settings and commands.
    pub(crate) fn warn(&self, changes: &[&dyn Change], hooks: &[Hook]) -> Warned {
        let Self { world, target, .. } = self;
        let is_deaf = warnings::show(world, target, changes);
        let broken = warnings::of_commands(world, target, hooks);
        let rule = Rule::of(&world.paths, &target.chain);
        for hook in hooks.iter().filter(|it| it.enabled && rule.is_held(it)) {
            for word in definition::unknown(&world.paths, hook, &target.chain.manifest) {
                world.terminal.warn(harmless(&format!(
                    "warning: `{}` runs `{word}`, and only the shell knows which file that is: \
                     hookman cannot see its changes",
                    hook.name
                )));
            }
        }
        let is_alike = |(one, other): &(&Hook, &Hook)| one.matcher == other.matcher;
        for (one, other) in warnings::two_guards(hooks).into_iter().filter(is_alike) {
            world.terminal.warn(harmless(&format!(
                "warning: `{}` and `{}` are command guards with the same rules; remove one of them",
                one.name, other.name
            )));
        }
        let on: Vec<&str> = hooks.iter().filter(|it| it.enabled).map(|it| &*it.name).collect();
        let mut skipped = Vec::new();
        for (hook, line) in warnings::skipped(world, target, &on) {
            world.terminal.warn(format!("warning: `{hook}`: {line}"));
            skipped.push(hook);
        }
        adoption_warnings::of_losses(world, target);
        Warned { is_deaf, skipped, broken }
    }

    /// Asks, and writes all changes or none; `verb` is in the names of backups.
    pub(crate) fn commit(
        self,
        verb: &'static str,
        question: &str,
        changes: &[&dyn Change],
    ) -> Result<Outcome> {
        let Self { world, target, writing, lock } = self;
        if is_empty(changes) {
            // The plan is a cache, but the copy that gates fall back on should be there in time.
            chains::refresh(&world.paths, &target.chain);
            return Ok(Outcome::Nothing);
        }
        if !given(world, &writing, question)? {
            return Ok(Outcome::Shown);
        }
        // A client that ends right after the write can still write an old copy back.
        let is_watched = write_watch::is_needed(world, &writing);
        let lock = lock.map_or_else(|| target.lock(world), Ok)?;
        // Whatever is in the way of a later file is met before the first one is written.
        changes.iter().try_for_each(|change| change.check(world))?;
        Writes::all(world, verb, |writes| {
            changes.iter().try_for_each(|change| change.begin(writes))?;
            changes.iter().try_for_each(|change| change.write(writes))?;
            changes.iter().try_for_each(|change| change.end(writes))
        })?;
        chains::refresh(&world.paths, &target.chain);
        drop(lock);
        write_watch::watch(world, &target, &watched(changes), is_watched)?;
        Ok(Outcome::Written)
    }
}
