//! `hookman restore`: put a copy of settings.json back.

use anyhow::{Result, bail};

use super::args::Restore;
use super::registering::{self, Target};
use super::{ExitStatus, World, consent};
use crate::machine::lock::Lock;
use crate::machine::{backups, files};
use crate::settings::unified_diff;

pub(super) fn restore(args: &Restore, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let directory = registering::backup_directory(world, &target.settings);
    let all = backups::list(&directory)?;
    let index = match args.which.as_str() {
        "latest" => 0,
        number => match number.parse::<usize>() {
            Ok(number) if (1..=all.len()).contains(&number) => number - 1,
            _ => bail!("there is no backup `{number}`; `hookman backups` lists {}", all.len()),
        },
    };
    let Some(backup) = all.get(index) else {
        bail!("there are no backups of `{}` yet", world.paths.shown(&target.settings));
    };
    let Some(text) = files::read_text(&backup.path)? else {
        bail!("the backup `{}` is gone", world.paths.shown(&backup.path));
    };
    let current = files::read_text(&target.settings)?;
    let shown = world.paths.shown(&target.settings);
    if current.as_deref() == Some(&text) {
        world.terminal.line(format!("{shown} is what that backup holds already"));
        return Ok(ExitStatus::Done);
    }
    let colour = registering::colour(world);
    world.terminal.print(&unified_diff(&shown, current.as_deref(), Some(&text), colour));
    if !consent::given(world, &args.writing, "Restore this?")? {
        return Ok(ExitStatus::Done);
    }
    let _lock = Lock::take(&world.paths.beside("locks", &target.settings))?;
    if files::read_text(&target.settings)? != current {
        bail!("`{shown}` was changed while this ran, so nothing was written; run it again");
    }
    if let Some(current) = &current {
        backups::save(&directory, current, "restore")?;
    }
    files::replace(&target.settings, &text)?;
    world.terminal.line(format!("restored {shown} as of {}", backup.stamp));
    Ok(ExitStatus::Done)
}
