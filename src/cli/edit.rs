//! `hookman edit`: open the manifest, check what was saved, show and apply it.

use anyhow::{Context, Result, bail};

use super::apply::name_project;
use super::args::Edit;
use super::exit::ExitStatus;
use super::registering::Registering;
use super::word::hint;
use crate::install::addition::edition::{Draft, Edition};
use crate::install::change::{Change, Outcome, SettingsChange, each};
use crate::install::registration::warnings;
use crate::install::target::{Layers, Target};
use crate::machine::{Scratch, World, files, terminal};
use crate::manifest::edit;

/// The name of the copy; an editor knows its language by it.
const COPY: &str = "hookman.toml";

pub(super) fn edit(args: &Edit, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    if !terminal::is_named() && !world.terminal.can_ask() {
        bail!(
            "there is no terminal for an editor; set EDITOR to one that needs none, or change `{}` and \
             run `hookman apply{}`",
            world.paths.shown(&target.manifest),
            target.flag()
        );
    }
    let Draft { before, text } = Draft::of(&target)?;
    if before.is_none() {
        name_project(world, &target, "edit", "opens it");
    }
    let scratch = Scratch::new().context("failed to make a copy of the manifest")?;
    scratch.write(COPY, &text).context("failed to make a copy of the manifest")?;
    let (edition, saved) = loop {
        terminal::open(&scratch.path(COPY))?;
        let saved = files::read_text(&scratch.path(COPY))?.unwrap_or_default();
        // An editor that fails in the middle of a save leaves no text or no file.
        if saved.trim().is_empty() && !text.trim().is_empty() {
            bail!(
                "the editor left an empty file or none, so nothing was written; to have no hooks, \
                 leave a comment in it"
            );
        }
        if saved == text {
            world.terminal.line("Nothing was changed.");
            return Ok(drift(world, &target));
        }
        let (ordered, moved) = edit::settled(&text, &saved);
        match Edition::written(world, &target, before.clone(), ordered) {
            Ok(edition) => {
                for hook in moved {
                    world.terminal.line(format!(
                        "{hook} was moved: it runs in its place now, and no longer at the same time as \
                         its neighbours"
                    ));
                }
                break (edition, saved);
            }
            Err(error) => go_back_or_keep(world, &target, &saved, &error)?,
        }
    };
    let written = write(args, &edition, target.clone(), world);
    if args.options.writing.dry_run
        || matches!(written, Ok((Outcome::Written | Outcome::Nothing, _)))
    {
        return written.map(|(_, status)| status);
    }
    let kept = keep(world, &target, &saved)?;
    let Err(error) = written else {
        world.terminal.line(kept);
        return Ok(ExitStatus::Done);
    };
    bail!("{error:#}\n{kept}")
}

/// Warns if the manifest did not change but the settings do not match it.
fn drift(world: &World, target: &Target) -> ExitStatus {
    let settings = Layers::of(world, target, None).and_then(|layers| {
        let of = |layers: Layers| SettingsChange::of(world, target, &layers, None);
        layers.map(of).transpose()
    });
    let lacks = match settings {
        Err(error) => vec![format!("{error:#}")],
        Ok(None) => Vec::new(),
        Ok(Some(settings)) if settings.iter().all(Change::is_empty) => {
            warnings::found(world, target, &each(&settings).collect::<Vec<_>>())
        }
        Ok(Some(_)) => {
            let (shown, flag) = (world.paths.shown(&target.settings), target.flag());
            vec![format!("{shown} is not what it asks for; `hookman apply{flag}` writes it")]
        }
    };
    for lack in &lacks {
        hint(world, format!("⚠ Not in force: {lack}"));
    }
    if lacks.is_empty() { ExitStatus::Done } else { ExitStatus::Found }
}

fn write(
    args: &Edit,
    edition: &Edition,
    target: Target,
    world: &World,
) -> Result<(Outcome, ExitStatus)> {
    if !args.options.writing.dry_run {
        edition.check_fence(world, &target)?;
    }
    let registering = Registering::begin(world, target, &args.options)?;
    registering.end("edit", &edition.manifest, &edition.layers, &edition.layers.all.hooks)
}

/// Returns where the user wants to go back to the editor; else the text is kept and the command fails.
fn go_back_or_keep(
    world: &World,
    target: &Target,
    saved: &str,
    error: &anyhow::Error,
) -> Result<()> {
    if world.terminal.can_ask() {
        world.terminal.warn(format!("error: {error:#}"));
        if world.terminal.confirm_unless_denied("Go back to the editor?")? {
            return Ok(());
        }
    }
    bail!("{error:#}\n{}", keep(world, target, saved)?)
}

/// Keeps what was saved and is not written; gives the words for it.
fn keep(world: &World, target: &Target, saved: &str) -> Result<String> {
    let kept = world.paths.kept("edits", &target.manifest);
    files::replace_private(&kept, saved)?;
    Ok(format!("your text is kept in {}", world.paths.shown(&kept)))
}
