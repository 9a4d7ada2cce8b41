//! The end of each command that edits a manifest: what it makes of the settings is shown, asked for
//! and written with it.

use std::path::PathBuf;

use anyhow::Result;

use super::exit::ExitStatus;
use crate::doctor::{self, Finding, Level};
use crate::install::change::{
    Assets, Change, Gitignore, Outcome, SettingsChange, Transaction, Warned, each,
};
use crate::install::registration::causes;
use crate::install::target::{Layers, RegisterOptions, Target, protection};
use crate::install::trusting::Trusting;
use crate::machine::World;
use crate::machine::terminal::harmless;
use crate::manifest::Hook;
use crate::settings;

/// A command that edits a manifest, from before it reads to after it has written.
pub(super) struct Registering<'w> {
    world: &'w World,
    pub(super) target: Target,
    transaction: Transaction<'w>,
    binary: Option<PathBuf>,
    /// True if the user was warned that the new hook does not run yet.
    pub(super) is_odd: bool,
}

impl<'w> Registering<'w> {
    pub(super) fn begin(
        world: &'w World,
        target: Target,
        options: &RegisterOptions,
    ) -> Result<Self> {
        let transaction = Transaction::begin(world, &target, &options.writing)?;
        let binary = protection::binary(world, &target, options.binary.as_deref())?;
        Ok(Self { world, target, transaction, binary, is_odd: false })
    }

    pub(super) fn changes(&self, layers: &Layers) -> Result<Vec<settings::Change>> {
        let binary = self.binary.as_deref();
        let settings = SettingsChange::of(self.world, &self.target, layers, binary)?;
        Ok(SettingsChange::listed(&settings))
    }

    /// Shows the new manifest and settings, asks, and writes both; the commands of `hooks` are checked.
    pub(super) fn end(
        self,
        verb: &'static str,
        manifest: &dyn Change,
        layers: &Layers,
        hooks: &[Hook],
    ) -> Result<(Outcome, ExitStatus)> {
        let Self { world, target, transaction, binary, is_odd } = self;
        let settings = SettingsChange::of(world, &target, layers, binary.as_deref())?;
        let assets = match layers.committed.hosts {
            Some(_) => Assets::required(world, &target, layers, binary.as_deref())?,
            None => Assets::initial(world, &target, binary.as_deref())?.and_left_over(
                world,
                &target,
                &layers.committed,
            )?,
        };
        let gitignore = Gitignore::of(world, &target)?;
        let mut changes: Vec<&dyn Change> = vec![manifest, &assets];
        changes.extend(each(&gitignore));
        changes.extend(each(&settings));
        let mut trusting = Trusting::of(world, &target, &layers.all.hooks);
        if verb == "add" {
            trusting.told = hooks.iter().map(|hook| hook.name.clone()).collect();
        }
        changes.push(&trusting);
        transaction.show(&changes);
        let Warned { is_deaf, skipped, broken } = transaction.warn(&changes, hooks);
        let mut idle: Vec<&str> = Vec::new();
        for hook in hooks {
            let mut lines = never(hook);
            // `add` looks at the matcher as it is typed.
            lines.retain(|line| verb != "add" || Some(line) != hits_none(hook).as_ref());
            for line in &lines {
                world.terminal.warn(harmless(&format!("warning: {line}")));
            }
            let is_idle = !lines.is_empty();
            let is_among = |names: &[String]| names.contains(&hook.name);
            // What was there and cannot run is no concern of another change.
            if is_idle || is_among(&skipped) || verb == "add" && (is_odd || is_among(&broken)) {
                idle.push(&hook.name);
            }
        }
        causes::warn(world, &target, layers);
        let outcome = transaction.commit(verb, "Write this?", &changes)?;
        if outcome == Outcome::Written {
            world.terminal.line(done(is_deaf, idle.first().copied()));
        }
        let is_dropped = warn_of_dropped(world, &target, layers, outcome);
        Ok((outcome, status(outcome, is_deaf || is_dropped || !idle.is_empty())))
    }
}

/// Warns of files whose hooks their agents drop, as they are after the command; gives whether there are any.
pub(super) fn warn_of_dropped(
    world: &World,
    target: &Target,
    layers: &Layers,
    outcome: Outcome,
) -> bool {
    let is_looked_at = outcome != Outcome::Shown && !target.local;
    let look = || doctor::dropped(&world.paths, &target.chain, &layers.committed);
    let dropped = if is_looked_at { look() } else { Vec::new() };
    for line in &dropped {
        world.terminal.warn(format!("warning: {line}"));
    }
    !dropped.is_empty()
}

/// Says what keeps a hook that is on from ever running, or from ever getting its file.
pub(super) fn never(hook: &Hook) -> Vec<String> {
    let mut found = doctor::of_hook(hook);
    found.retain(|finding| finding.level == Level::Warning);
    let lines = found.into_iter().map(|it| format!("{}: {}: {}", it.place, it.message, it.fix));
    lines.chain(hits_none(hook)).collect()
}

fn hits_none(hook: &Hook) -> Option<String> {
    let matcher = hook.matcher.as_deref().filter(|_| hook.enabled)?;
    if !hook.events.iter().all(|event| doctor::hits_none(*event, matcher)) {
        return None;
    }
    let mut found = hook.events.iter().flat_map(|event| doctor::of_matcher(*event, matcher));
    let Finding { message, fix, .. } = found.find(|it| it.level == Level::Warning)?;
    Some(format!("`{}`: {message}: {fix}", hook.name))
}

/// Gives the words about hooks that were written: whether any can fire, and one of no use.
pub(super) fn done(is_deaf: bool, idle: Option<&str>) -> String {
    if is_deaf {
        "⚠ Written, but not in force: no hook fires until you correct what the warning names."
            .to_owned()
    } else if let Some(hook) = idle {
        format!("⚠ Written, but `{hook}` is of no use until you correct what the warning names.")
    } else {
        "Done. Running sessions pick it up within seconds.".to_owned()
    }
}

/// The exit code of a command after which the hooks are to be in force.
pub(super) fn status(outcome: Outcome, is_deaf: bool) -> ExitStatus {
    if is_deaf && outcome != Outcome::Shown { ExitStatus::Found } else { ExitStatus::Done }
}
