//! `hookman restore`: put a copy of settings.json back.

use anyhow::{Result, bail};

use super::ExitStatus;
use super::args::Restore;
use crate::install::adoption_state::AdoptionState;
use crate::install::consent::Question;
use crate::install::records::{self, backup_directory};
use crate::install::restoration::Restoration;
use crate::install::target::Target;
use crate::install::transaction::{Outcome, Transaction};
use crate::install::{adoption_warnings, protection};
use crate::machine::backups::{self, Backup};
use crate::machine::files;
use crate::machine::world::World;

pub(super) fn restore(args: &Restore, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let transaction = Transaction::begin(world, &target, &args.options.writing)?;
    let backup = chosen(&args.which, world, &target)?;
    let Some(text) = files::read_text(&backup.path)? else {
        bail!("the backup `{}` is gone", world.paths.shown(&backup.path));
    };
    let restoration = Restoration {
        settings: target.settings.clone(),
        before: files::read_text(&target.settings)?,
        undo: records::undo_of_copy(&backup.path, &text)?,
        text,
        time: backup.time(),
    };
    transaction.show(&[&restoration]);
    warn(world, &target, &restoration);
    if !args.options.writing.dry_run {
        let (before, text) = (restoration.before.as_deref(), &restoration.text);
        protection::check_texts(world, &target, before, text)?;
    }
    let question = Question::new("Restore this?");
    if transaction.commit("restore", &question, &[&restoration])? == Outcome::Nothing {
        let shown = world.paths.shown(&target.settings);
        world.terminal.line(format!("{shown} already holds what that backup holds"));
    }
    Ok(ExitStatus::Done)
}

/// Warns where the client could not load the copy, and where a hook would run twice or not at all.
fn warn(world: &World, target: &Target, restoration: &Restoration) {
    let Restoration { before, text, .. } = restoration;
    if before.as_ref() == Some(text) {
        return;
    }
    if let Some(why) = restoration.defect() {
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

fn chosen(which: &str, world: &World, target: &Target) -> Result<Backup> {
    let mut all = backups::list(&backup_directory(world, &target.settings))?;
    if all.is_empty() {
        let elsewhere = target.elsewhere(world).map(|it| format!("; {it}")).unwrap_or_default();
        bail!("there are no backups of `{}` yet{elsewhere}", world.paths.shown(&target.settings));
    }
    let number = if which == "latest" { Some(1) } else { which.parse().ok() };
    match number.filter(|number| (1..=all.len()).contains(number)) {
        Some(number) => Ok(all.swap_remove(number - 1)),
        None => bail!(
            "there is no backup `{which}`; it is `latest` or a number from 1 to {}, \
             which `hookman backups{}` lists",
            all.len(),
            target.flag()
        ),
    }
}
