//! `hookman restore`: put a copy of settings.json or of the manifest back.

use std::path::Path;

use anyhow::{Result, bail};

use super::args::{RegisterOptions, Restore, WriteOptions};
use super::exit::ExitStatus;
use super::registering::Registering;
use super::word::hint;
use super::written::{Written, told};
use crate::chain::entries::Entries;
use crate::install::addition::edition::Edition;
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::warnings as adoption_warnings;
use crate::install::change::records::{self, backup_directory};
use crate::install::change::restoration::Restoration;
use crate::install::change::{Outcome, Transaction};
use crate::install::registration::{self, hosts};
use crate::install::target::{Layers, Target, protection};
use crate::machine::backups::{self, Backup};
use crate::machine::{World, files};
use crate::settings::{Record, own_file, plan};

pub(super) fn restore(args: &Restore, world: &World) -> Result<ExitStatus> {
    told(world, args.json, &args.options.writing, |world| {
        let target = Target::of(&args.options.scope, world)?;
        if args.manifest {
            return manifest(args, target, world);
        }
        let of = args.host.as_ref().map(|name| hosts::one(world, &target, name)).transpose()?;
        settings(args, &target, of.as_ref().unwrap_or(&target), world)
    })
}

/// Puts the file of `of` back: the target's settings, or its file of another agent.
fn settings(args: &Restore, target: &Target, of: &Target, world: &World) -> Result<Written> {
    let transaction = Transaction::begin(world, target, &args.options.writing)?;
    if of.host.is_some() {
        of.check_apart(world)?;
    }
    let (backup, text) = chosen(&args.which, world, target, &of.settings)?;
    let restoration = Restoration {
        settings: of.settings.clone(),
        before: files::read_text(&of.settings)?,
        undo: records::undo_of_copy(&backup.path, &text)?,
        text,
        time: backup.time(),
    };
    if !args.options.writing.dry_run {
        let (before, text) = (restoration.before.as_deref(), &restoration.text);
        protection::check_texts(world, target, before, text)?;
    }
    transaction.show(&[&restoration]);
    warn(world, of, &restoration);
    let layers = Layers::of(world, target, None).ok().flatten().unwrap_or_default();
    let is_in_step = is_in_step(world, target, of, &restoration.text, &layers);
    let question = "Restore this?";
    let outcome = transaction.commit("restore", question, &[&restoration])?;
    if outcome == Outcome::Nothing {
        let shown = world.paths.shown(&of.settings);
        world.terminal.line(format!("{shown} already holds what that backup holds"));
    }
    let ended = (outcome, ExitStatus::Done);
    let written =
        Written::of(ended, target, &[&restoration], &restoration.changes(), &layers.all.hooks);
    Ok(if is_in_step { written } else { written.out_of_step(outcome == Outcome::Shown) })
}

/// Puts a manifest back, and the settings in line with it.
fn manifest(args: &Restore, target: Target, world: &World) -> Result<Written> {
    let (backup, text) = chosen(&args.which, world, &target, &target.manifest)?;
    let before = files::read_text(&target.manifest)?;
    let edition = Edition::written(world, &target, before, text)?;
    if !args.options.writing.dry_run {
        edition.check_fence(world, &target)?;
    }
    let WriteOptions { scope, writing } = args.options.clone();
    let options = RegisterOptions { scope, writing, binary: None };
    let registering = Registering::begin(world, target, &options)?;
    let target = registering.target.clone();
    let hooks = &edition.layers.all.hooks;
    let changes = registering.changes(&edition.layers)?;
    let ended = registering.end("restore", &edition.manifest, &edition.layers, hooks)?;
    let shown = world.paths.shown(&target.manifest);
    match ended.0 {
        Outcome::Written => {
            world.terminal.line(format!("restored {shown} as of {}", backup.time()));
        }
        Outcome::Nothing => {
            world.terminal.line(format!("{shown} already holds what that backup holds"));
        }
        Outcome::Shown => {}
    }
    Ok(Written::of(ended, &target, &[&edition.manifest], &changes, hooks))
}

/// Returns whether a copy of the settings matches the manifest; if not, tells the user what to do.
fn is_in_step(world: &World, target: &Target, of: &Target, text: &str, layers: &Layers) -> bool {
    let of_host = || hosts::entries(world, target, of, layers, None).map(Option::unwrap_or_default);
    if of.is_part() {
        return true;
    }
    let is_hosts = of.host.is_some();
    let entries =
        if is_hosts { of_host() } else { registration::entries(world, target, layers, None) };
    let Ok(entries) = entries else { return true };
    let planned = match of.host.filter(|_| of.is_own_file()) {
        Some(host) => Ok(own_file::plan(host.form, Some(text), &entries)),
        None if is_hosts => plan(Some(text), &entries, &of.form().presumed_of(text)),
        None => plan(Some(text), &entries, &Record::presumed_for(text, &entries)),
    };
    if planned.is_ok_and(|plan| plan.is_in_line()) {
        return true;
    }
    let mut there = Entries::default();
    there.add(text, target.project.is_some());
    let uncalled = if is_hosts { Vec::new() } else { there.uncalled(&layers.all.hooks) };
    let names: Vec<&str> = uncalled.iter().map(|it| &*it.name).collect();
    let (shown, flag) = (world.paths.shown(&target.manifest), target.flag());
    let what = if names.is_empty() {
        format!("the entries in this copy do not match {shown}")
    } else {
        format!("{shown} still has {}, and this copy lacks entries for that", names.join(", "))
    };
    hint(
        world,
        format!(
            "⚠ {what}. `hookman apply{flag}` puts the settings in line; `hookman restore --manifest{flag}` puts the \
             manifest back too"
        ),
    );
    false
}

/// Warns where the client could not load the copy, and where a hook would run twice or not at all.
fn warn(world: &World, target: &Target, restoration: &Restoration) {
    let Restoration { before, text, .. } = restoration;
    if before.as_ref() == Some(text) {
        return;
    }
    if let Some(why) = restoration.defect().filter(|_| target.host.is_none()) {
        world.terminal.warn(format!(
            "warning: with this copy no hook would run and no permission would hold: {why}"
        ));
    }
    // Where a file cannot be understood, the copy is put back as any other text.
    let state = |text: Option<&String>| AdoptionState::over(world, target, text.cloned()).ok();
    let gone = state(before.as_ref()).map(|state| state.gone_with(text)).unwrap_or_default();
    if let Some(state) = state(Some(text)) {
        adoption_warnings::of_copy(world, &state, &gone);
    }
}

/// The copy of a file that is asked for, and its text.
fn chosen(which: &str, world: &World, target: &Target, file: &Path) -> Result<(Backup, String)> {
    let mut all = backups::list(&backup_directory(world, file))?;
    if all.is_empty() {
        let elsewhere = target.elsewhere(world).map(|it| format!("; {it}")).unwrap_or_default();
        let is_new = file == target.manifest && files::is_there(file);
        let why = if is_new {
            ": hookman keeps one before it changes a manifest, and has not changed this one since it was made"
        } else {
            ""
        };
        bail!("there are no backups of `{}` yet{why}{elsewhere}", world.paths.shown(file));
    }
    let number = if which == "latest" { Some(1) } else { which.parse().ok() };
    let Some(number) = number.filter(|number| (1..=all.len()).contains(number)) else {
        bail!(
            "there is no backup `{which}`; it is `latest` or a number from 1 to {}, \
             which `hookman backups{}` lists",
            all.len(),
            target.flag()
        )
    };
    let backup = all.swap_remove(number - 1);
    match files::read_text(&backup.path)? {
        Some(text) => Ok((backup, text)),
        None => bail!("the backup `{}` is gone", world.paths.shown(&backup.path)),
    }
}
