//! `hookman restore`: put a copy of settings.json back.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::args::Restore;
use super::registering::{self, Target};
use super::settling::{self, Written};
use super::{ExitStatus, World, adopting, consent, exchange};
use crate::client::json::Document;
use crate::machine::backups::{self, Backup};
use crate::machine::files;
use crate::machine::lock::Lock;
use crate::settings::unified_diff;

pub(super) fn restore(args: &Restore, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let backup = chosen(&args.which, world, &target)?;
    let Some(text) = files::read_text(&backup.path)? else {
        bail!("the backup `{}` is gone", world.paths.shown(&backup.path));
    };
    let before = files::read_text(&target.settings)?;
    let shown = world.paths.shown(&target.settings);
    if before.as_deref() == Some(&text) {
        world.terminal.line(format!("{shown} is what that backup holds already"));
        return Ok(ExitStatus::Done);
    }
    let colour = registering::colour(world);
    world.terminal.print(&unified_diff(&shown, before.as_deref(), Some(&text), colour));
    adopting::warn_of_text(world, &target, &text);
    if !consent::given(world, &args.writing, "Restore this?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    let restored = Restored { settings: target.settings.clone(), before, text };
    restored.write_over(restored.before.as_deref(), "restore", world)?;
    drop(lock);
    world.terminal.line(format!("restored {shown} as of {}", backup.time()));
    settling::settle(world, &target, wait, &[&restored])?;
    Ok(ExitStatus::Done)
}

fn chosen(which: &str, world: &World, target: &Target) -> Result<Backup> {
    let mut all = backups::list(&registering::backup_directory(world, &target.settings))?;
    if all.is_empty() {
        bail!("there are no backups of `{}` yet", world.paths.shown(&target.settings));
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

struct Restored {
    settings: PathBuf,
    before: Option<String>,
    text: String,
}

impl Restored {
    fn write_over(&self, current: Option<&str>, verb: &str, world: &World) -> Result<()> {
        files::check_replaceable(&self.settings)?;
        registering::back_up(world, &self.settings, current, verb)?;
        exchange::write(world, &self.settings, current, Some(&self.text))
    }
}

impl Written for Restored {
    fn settings(&self) -> &Path {
        &self.settings
    }

    fn trace(&self, world: &World) -> Option<String> {
        registering::trace(world, &self.settings)
    }

    // A session may go on from what was restored; only its old copy undoes it.
    fn stands(&self, _: &World) -> Result<bool> {
        let current = files::read_text(&self.settings)?;
        let value = |text: &Option<String>| {
            let document = Document::parse(text.as_deref()?).ok()?;
            Some(document.value(document.root()))
        };
        Ok(current.as_ref() == Some(&self.text) || value(&current) != value(&self.before))
    }

    fn write_again(&self, world: &World, _: &Lock) -> Result<()> {
        let current = files::read_text(&self.settings)?;
        self.write_over(current.as_deref(), "repair", world)
    }
}
