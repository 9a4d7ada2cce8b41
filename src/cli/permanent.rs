//! Switching hooks for good: in the manifest, as text.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::exit::ExitStatus;
use super::registering::never;
use super::{args, switching};
use crate::install::addition::permanent_switch::{Asked, PermanentSwitch};
use crate::install::change::{Change, SettingsChange, Transaction, each, is_empty};
use crate::install::locks;
use crate::install::registration::warnings;
use crate::install::target::{Layers, Target, Writing, protection};
use crate::install::trusting::Trusting;
use crate::machine::{World, environment};
use crate::session::Verb;
use crate::state::{Reply, Switchable, careful, chains, configured, pins};
use crate::syntax::diff::Colour;

/// Sets or removes `enabled = false` where the hooks are declared, a project's only with `--project`, and
/// brings settings that call hookman in line. All are switched or none; of `several` that were not named,
/// those of the other manifest stay.
pub(super) fn switch(
    verb: Verb,
    hooks: &[Switchable],
    several: bool,
    which: &args::Which,
    world: &World,
) -> Result<ExitStatus> {
    let here = which.here.then(|| project_here(world)).transpose()?;
    let (project, dry_run) = (which.project, which.dry_run);
    let asked = Asked { verb, several, project, here: here.as_deref(), dry_run };
    let chain = configured::chains(world).into_iter().find(|chain| chain.scope == asked.scope());
    let quiet;
    let shown = if which.json {
        quiet = world.quiet();
        &quiet
    } else {
        world
    };
    // Of many that switch at once each sees what the ones before it wrote.
    let writing = Writing { dry_run: which.dry_run, yes: true, no_wait: false };
    let target = chain.as_ref().map(|chain| Target::of_chain(chain, world));
    let transaction =
        target.as_ref().map(|target| Transaction::begin(shown, target, &writing)).transpose()?;
    let mut switch = PermanentSwitch::of(world, chain, hooks, asked)?;
    if let Some(target) = target.as_ref().filter(|_| !pins::is_by_lock()) {
        switch.lock = locks::renewed(world, target, &switch.after);
    }
    let (settings, lack) = match target.as_ref().map(|target| in_line(world, target, &switch)) {
        None => (Vec::new(), None),
        Some(Ok(None)) => {
            let chain = target.as_ref().map(|it| &it.chain);
            let why = chain.and_then(|it| configured::illegible(&world.paths, it));
            let lack =
                || why.map_or_else(|| unregistered(which), |why| format!("⚠ Not in force: {why}"));
            (Vec::new(), (verb == Verb::Enable).then(lack))
        }
        Some(Ok(Some(settings))) => (settings, None),
        Some(Err(error)) => {
            (Vec::new(), Some(format!("⚠ settings.json stays as it is: {error:#}")))
        }
    };
    let verdict = |target: &Target| {
        let changes: Vec<&dyn Change> =
            std::iter::once(&switch as &dyn Change).chain(each(&settings)).collect();
        warnings::found(world, target, &changes)
    };
    let trusting = target.as_ref().and_then(|target| following(world, target, &switch));
    let mut changes: Vec<&dyn Change> = vec![&switch];
    changes.extend(trusting.iter().map(|it| it as &dyn Change));
    changes.extend(each(&settings).filter(|change| !change.is_empty()));
    let would_change = !is_empty(&changes);
    let lack = lack.or_else(|| {
        let target = target.as_ref().filter(|_| verb == Verb::Enable)?;
        let names: Vec<&str> = hooks.iter().map(|hook| &*hook.name).collect();
        let mut off = verdict(target);
        off.extend(warnings::skipped(world, target, &names).into_iter().map(|(_, line)| line));
        let after =
            Layers::of(world, target, Some(&switch.after)).ok().flatten().unwrap_or_default();
        let switched = after.all.hooks.iter().filter(|hook| names.contains(&&*hook.name));
        off.extend(switched.flat_map(never));
        off.dedup();
        (!off.is_empty()).then(|| format!("⚠ Not in force: {}", off.join("\n⚠ Not in force: ")))
    });
    if let Some(transaction) = transaction.filter(|_| would_change) {
        transaction.show(&changes);
        if !which.dry_run {
            transaction.commit(verb.name(), "Write this?", &changes)?;
        }
    }
    let diff = switch.diff(world, Colour::Never);
    let is_on_again = verb == Verb::Enable && !which.dry_run && !switch.is_overruled;
    let off = if is_on_again {
        switching::still_off(world, configured::project().as_deref(), &|_, name| {
            hooks.iter().any(|hook| hook.name == name)
        })?
    } else {
        Vec::new()
    };
    let is_lacking = lack.is_some() || switch.is_overruled || !off.is_empty();
    let mut lines = switch.lines;
    lines.extend(off);
    lines.extend(lack);
    if which.dry_run {
        lines.push("Nothing was written (--dry-run).".to_owned());
    }
    let text = lines.join("\n");
    let reply = Reply { text, changed: would_change && !which.dry_run, ..Reply::default() };
    if which.json {
        let mut report = switching::as_json(&reply, None);
        report["would_change"] = json!(would_change);
        report["diff"] = json!(diff);
        report["settings"] =
            settings.iter().flat_map(|it| &it.plan.changes).map(|it| json!(it)).collect();
        report["in_force"] = json!(!is_lacking);
        world.terminal.line(report.to_string());
    } else {
        switching::told(which, world, &reply);
    }
    Ok(if is_lacking && !which.slash { ExitStatus::Found } else { ExitStatus::Done })
}

fn project_here(world: &World) -> Result<PathBuf> {
    let project = careful::project(
        &world.paths,
        configured::project(),
        &environment::current_directory().context("the current directory cannot be read")?,
    );
    if world.paths.home.as_ref().is_some_and(|home| home.starts_with(&project)) {
        let shown = world.paths.shown(&project);
        bail!("`{shown}` is no project: go to the directory of one, or leave --here out");
    }
    if project.to_string_lossy().contains('*') {
        bail!(
            "--here cannot name `{}` alone: in `when` a `*` means any text; rename the directory, or \
             switch the hook for one session",
            world.paths.shown(&project)
        );
    }
    Ok(project)
}

/// The settings changes that belong to a switch; `None` where they do not call hookman.
fn in_line(
    world: &World,
    target: &Target,
    switch: &PermanentSwitch,
) -> Result<Option<Vec<SettingsChange>>> {
    if chains::entries(&target.chain).is_empty() {
        return Ok(None);
    }
    let binary = protection::binary(world, target, None)?;
    let layers = Layers::of(world, target, Some(&switch.after))?.unwrap_or_default();
    SettingsChange::of(world, target, &layers, binary.as_deref()).map(Some)
}

/// Keeps a hook of a package that was seen so where the switch is written over its definition.
fn following(world: &World, target: &Target, switch: &PermanentSwitch) -> Option<Trusting> {
    let before = chains::read(&world.paths, &target.chain).ok()??;
    let after = Layers::of(world, target, Some(&switch.after)).ok()??;
    Some(Trusting::following(world, target, &before.hooks, &after.all.hooks))
}

fn unregistered(which: &args::Which) -> String {
    let flag = if which.project { " --project" } else { "" };
    format!(
        "⚠ Not in force: settings.json does not call hookman; `hookman apply{flag}` registers it"
    )
}
