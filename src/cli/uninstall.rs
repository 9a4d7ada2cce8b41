//! `hookman uninstall`: take hookman out of settings.json again.

use std::path::Path;

use anyhow::{Result, bail};

use super::apply::name_project;
use super::args::Uninstall;
use super::exit::ExitStatus;
use crate::client::host::CLAUDE;
use crate::client::host::files::{FILES, Files};
use crate::install::addition::{self, managed};
use crate::install::adoption::barred;
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::step::{self, AdoptionStep};
use crate::install::adoption::warnings as adoption_warnings;
use crate::install::change::{
    Assets, Change, Gitignore, ManifestChange, Outcome, SettingsChange, Transaction, each, is_empty,
};
use crate::install::registration::hosts;
use crate::install::target::binary::registered;
use crate::install::target::{Layers, Target, protection};
use crate::machine::{World, files};
use crate::manifest::edit;
use crate::package::lock::Lock;
use crate::state::chains;

pub(super) fn uninstall(args: &Uninstall, world: &World) -> Result<ExitStatus> {
    let mut target = Target::of(&args.options.scope, world)?;
    let transaction = Transaction::begin(world, &target, &args.options.writing)?;
    if args.guard_mod || args.statusline {
        return part(args, transaction, target, world);
    }
    if !args.host.is_empty() {
        return of_hosts(args, transaction, target, world);
    }
    let assets = Assets::removal(world, &target)?.with_hosts(world, &target, FILES)?;
    target.guard_mod = Some(false);
    let target = target;
    let steps = releases(world, &target)?;
    let mut settings = removals(world, &target, &steps)?;
    settings.extend(SettingsChange::of_hosts_removed(world, &target, FILES)?);
    let manifest = chains::read(&world.paths, &target.chain).ok().flatten().unwrap_or_default();
    let others = hosts::of_others(world, &target, manifest.hosts.as_deref().unwrap_or_default());
    let overlay = addition::untouched_overlay(world, &target)?;
    let gitignore = Gitignore::removal(world, &target, |path| {
        let goes = steps.iter().any(|step| step.removes(path))
            || settings.iter().any(|change| change.removes(path))
            || overlay.as_ref().is_some_and(|change| change.removes(path));
        path.exists() && !goes
    })?;
    let mut changes: Vec<&dyn Change> = steps.iter().flat_map(AdoptionStep::changes).collect();
    changes.extend(each(&settings));
    let is_registered = !steps.is_empty() || !is_empty(&changes);
    changes.push(&assets);
    changes.extend(each(&overlay));
    changes.extend(each(&gitignore));
    if is_registered && !args.options.writing.dry_run {
        protection::check_all(world, &target)?;
    }
    warn_of_unknown(world, &target);
    transaction.show(&changes);
    for other in others {
        world.terminal.warn(format!("note: {other}"));
    }
    match transaction.commit("uninstall", "Remove it?", &changes)? {
        Outcome::Nothing => {
            if !args.options.writing.dry_run {
                gitignore.map_or(Ok(()), |lines| lines.forget())?;
            }
            world.terminal.line("hookman is not installed there.");
            name_project(world, &target, "uninstall", "takes hookman out of the project");
        }
        Outcome::Shown => {}
        Outcome::Written => {
            managed::tidy(&target);
            say_done(world, &target, !steps.is_empty());
        }
    }
    let all: Vec<&str> = FILES.iter().map(|of| of.host.name).collect();
    Ok(left(world, &target, &all))
}

/// Warns of the files of these agents that cannot be read and have lines of hookman.
fn left(world: &World, target: &Target, names: &[&str]) -> ExitStatus {
    let left = hosts::unreadable(world, target, names);
    for line in &left {
        world.terminal.warn(format!("warning: {line}"));
    }
    if left.is_empty() { ExitStatus::Done } else { ExitStatus::Found }
}

/// Warns of adopted hooks that go back nowhere, because their file is not known here.
fn warn_of_unknown(world: &World, target: &Target) {
    // Before the manifest changes, and a manifest that does not parse tells of none.
    let layers = Layers::of(world, target, None).ok().flatten().unwrap_or_default();
    if let Some(unknown) = barred::unknown(world, target, &layers).ok().flatten() {
        world.terminal.warn(format!("warning: {unknown}"));
    }
}

/// Takes the hooks out of these agents, in their files and in the manifest's `hosts`.
fn of_hosts(
    args: &Uninstall,
    transaction: Transaction<'_>,
    mut target: Target,
    world: &World,
) -> Result<ExitStatus> {
    let mut named = hosts::named(world, &args.host)?;
    let others = hosts::of_others(world, &target, &named);
    let is_all = args.host.iter().any(|name| name == hosts::ALL);
    if !others.is_empty() && !is_all {
        bail!(others.join("\n"));
    }
    if named.contains(&CLAUDE.name) && target.is_users() {
        target.guard_mod = Some(false);
    }
    let target = &target;
    let before = files::read_text(&target.manifest)?;
    let layers = Layers::of(world, target, None)?.unwrap_or_default();
    let listed = layers.committed.hosts.clone().unwrap_or_else(|| vec![CLAUDE.name]);
    if is_all {
        named.extend(listed.iter().filter(|it| !named.contains(it)).copied().collect::<Vec<_>>());
    }
    let rest: Vec<&str> = listed.iter().copied().filter(|host| !named.contains(host)).collect();
    let after = before
        .as_deref()
        .filter(|_| rest != listed)
        .map(|text| edit::set_hosts(text, (rest != [CLAUDE.name]).then_some(rest.as_slice())));
    let manifest = ManifestChange::to(&target.manifest, before.clone(), after.or(before));
    let layers = Layers::of(world, target, manifest.after.as_deref())?.unwrap_or_default();
    let files = || named.iter().filter_map(|name| Files::of(name));
    let mut settings = SettingsChange::of_hosts_removed(world, target, files())?;
    if named.contains(&CLAUDE.name) {
        settings.insert(0, SettingsChange::removal(world, target)?);
        settings.extend(SettingsChange::of_overlay(world, target, &layers)?);
    }
    let mut assets = Assets::removal(world, target)?;
    // The entries of each agent of a project call its launcher.
    let stay = if target.is_users() { !named.contains(&CLAUDE.name) } else { !rest.is_empty() };
    if stay {
        assets = assets.none();
    }
    let assets = assets.with_hosts(world, target, files())?;
    let mut changes: Vec<&dyn Change> = vec![&manifest];
    changes.extend(each(&settings));
    changes.push(&assets);
    if !is_empty(&changes) && !args.options.writing.dry_run {
        protection::check_all(world, target)?;
    }
    warn_of_unknown(world, target);
    transaction.show(&changes);
    for other in others {
        world.terminal.warn(format!("note: {other}"));
    }
    match transaction.commit("uninstall", "Remove it?", &changes)? {
        Outcome::Nothing => world.terminal.line("hookman is not installed there."),
        Outcome::Shown => {}
        Outcome::Written => world.terminal.line("Done."),
    }
    Ok(left(world, target, &named))
}

/// Takes out the guard mod or the segment in the status line, and leaves all else.
fn part(
    args: &Uninstall,
    transaction: Transaction<'_>,
    mut target: Target,
    world: &World,
) -> Result<ExitStatus> {
    let files = args.guard_mod.then(|| Assets::guard_removal(world, &target)).transpose()?;
    target.guard_mod = args.guard_mod.then_some(false);
    target.status_line = args.statusline.then_some(false);
    let settings = if registered(&target.settings).is_some() {
        SettingsChange::of(
            world,
            &target,
            &Layers::required(world, &target, &Lock::default())?,
            None,
        )?
    } else {
        vec![SettingsChange::removal(world, &target)?]
    };
    let mut changes: Vec<&dyn Change> = each(&settings).collect();
    changes.extend(each(&files));
    transaction.show(&changes);
    let (nothing, done) = if args.guard_mod {
        ("The guard mod is not installed.", "Done. Sessions that run may keep it until they end.")
    } else {
        ("hookman is not in the status line.", "Done.")
    };
    match transaction.commit("uninstall", "Remove it?", &changes)? {
        Outcome::Nothing => world.terminal.line(nothing),
        Outcome::Shown => {}
        Outcome::Written => world.terminal.line(done),
    }
    Ok(ExitStatus::Done)
}

/// The steps that give adopted hooks back, which nothing would run any more.
fn releases(world: &World, target: &Target) -> Result<Vec<AdoptionStep>> {
    let mut steps = Vec::new();
    for target in std::iter::once(target.clone()).chain(target.overlay()) {
        if !AdoptionState::is_adopting(world, &target)? {
            continue;
        }
        let state = AdoptionState::of(world, &target)?;
        let hooks = state.adopted();
        if hooks.is_empty() && state.adoption.hooks.is_empty() {
            continue;
        }
        let mut names: Vec<&str> = hooks.iter().map(|hook| &*hook.name).collect();
        names.extend(state.undeclared());
        adoption_warnings::of_release(world, &state, &hooks);
        steps.push(step::release(world, &state, &names, |_| Ok(Vec::new()))?);
    }
    Ok(steps)
}

fn removals(world: &World, target: &Target, steps: &[AdoptionStep]) -> Result<Vec<SettingsChange>> {
    let is_done = |path: &Path| steps.iter().any(|step| step.settings() == path);
    let targets = std::iter::once(target.clone()).chain(target.overlay());
    let open = targets.filter(|target| !is_done(&target.settings));
    let removals = open.map(|it| SettingsChange::removal(world, &it)).enumerate();
    // A project without anything local is not told of it.
    let quiet = |index: usize| index > 0 || !steps.is_empty();
    removals
        .map(|(index, change)| if quiet(index) { Ok(change?.quiet()) } else { change })
        .collect()
}

fn say_done(world: &World, target: &Target, has_released: bool) {
    let back = if has_released { " The adopted hooks are back in the settings." } else { "" };
    if target.manifest.exists() {
        let manifest = world.paths.shown(&target.manifest);
        world.terminal.line(format!("Done.{back} {manifest} stays: it is yours."));
    } else {
        world.terminal.line(format!("Done.{back}"));
    }
}
