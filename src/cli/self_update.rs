//! `hookman self-update`: replace this program by a newer release, while sessions run.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::args::SelfUpdate;
use super::exit::ExitStatus;
use crate::install::origin::Origin;
use crate::machine::{World, environment};

pub(super) fn self_update(args: &SelfUpdate, world: &World) -> Result<ExitStatus> {
    let running = std::env::current_exe().context("failed to find this program's own path")?;
    let program = running.canonicalize().unwrap_or(running);
    let origin = Origin::of(&program, &cargo_homes(world));
    update(args, world, &program, origin)
}

fn cargo_homes(world: &World) -> Vec<PathBuf> {
    let usual = world.paths.home.as_ref().map(|home| home.join(".cargo"));
    let homes = environment::raw("CARGO_HOME").map(PathBuf::from).into_iter().chain(usual);
    homes.map(|home| home.canonicalize().unwrap_or(home)).collect()
}

#[cfg(not(feature = "self-update"))]
fn update(
    _: &SelfUpdate,
    world: &World,
    program: &std::path::Path,
    origin: Origin,
) -> Result<ExitStatus> {
    let how = match origin {
        Origin::Manager(name, how) => format!("{name} installed it, so update it with `{how}`"),
        Origin::Build => "update its checkout with `git pull && ./install.sh`".to_owned(),
        Origin::Own => "update it the way you got it".to_owned(),
    };
    anyhow::bail!("{} was built without self-update; {how}", world.paths.shown(program));
}

#[cfg(feature = "self-update")]
use updating::update;

#[cfg(feature = "self-update")]
mod updating {
    use std::path::Path;
    use std::process::Command;

    use anyhow::{Result, bail};
    use self_update::version::bump_is_greater;
    use serde_json::json;

    use crate::cli::ExitStatus;
    use crate::cli::args::SelfUpdate;
    use crate::install::origin::Origin;
    use crate::install::releases::Releases;
    use crate::install::target::binary::registered;
    use crate::machine::agents::is_person;
    use crate::machine::world::World;

    const CURRENT: &str = env!("CARGO_PKG_VERSION");

    pub(super) fn update(
        args: &SelfUpdate,
        world: &World,
        program: &Path,
        origin: Origin,
    ) -> Result<ExitStatus> {
        if !args.check {
            refuse(&world.paths.shown(program), origin)?;
        }
        let wanted = args.version.as_deref().map(|version| version.trim_start_matches('v'));
        let found = Releases::of_this_build()?.find(wanted)?;
        let is_newer = bump_is_greater(CURRENT, &found.version)?;
        let differs = if wanted.is_some() { found.version != CURRENT } else { is_newer };
        if args.check {
            return Ok(tell(args, world, &found.version, is_newer, origin));
        }
        if !differs {
            world.terminal.line(format!("hookman {CURRENT} is the newest release"));
            return Ok(ExitStatus::Done);
        }
        if !is_newer && !is_person() {
            bail!("only the user can put an older version in place, in another terminal");
        }
        let place = world.paths.shown(program);
        if args.dry_run {
            world.terminal.line(format!("would replace {place}, {CURRENT}, by {}", found.version));
            return Ok(ExitStatus::Done);
        }
        found.install(program)?;
        world.terminal.line(format!("{place} is hookman {} now; it was {CURRENT}", found.version));
        refresh_pages(world, program);
        warn_of_another(world, program);
        Ok(ExitStatus::Done)
    }

    fn refuse(program: &str, origin: Origin) -> Result<()> {
        match origin {
            Origin::Manager(name, how) => {
                bail!("{name} installed {program}, so nothing was changed; update it with `{how}`")
            }
            Origin::Build => bail!("{program} is in a build directory; build it again instead"),
            Origin::Own => Ok(()),
        }
    }

    fn tell(
        args: &SelfUpdate,
        world: &World,
        found: &str,
        is_newer: bool,
        origin: Origin,
    ) -> ExitStatus {
        let how = match origin {
            Origin::Manager(_, how) => how,
            Origin::Build | Origin::Own => "hookman self-update",
        };
        if args.json {
            let report = json!({"current": CURRENT, "found": found, "newer": is_newer});
            world.terminal.line(report.to_string());
        } else if is_newer {
            world.terminal.line(format!(
                "hookman {found} is available, and this is {CURRENT}; update with `{how}`"
            ));
        } else {
            world.terminal.line(format!("hookman {CURRENT} is current; the release is {found}"));
        }
        if is_newer { ExitStatus::Found } else { ExitStatus::Done }
    }

    /// Writes the manual pages again where `install.sh` put some.
    fn refresh_pages(world: &World, program: &Path) {
        let prefix = program.parent().and_then(Path::parent);
        let Some(folder) = prefix.map(|prefix| prefix.join("share/man/man1")) else { return };
        if !folder.join("hookman.1").exists() {
            return;
        }
        let written = Command::new(program).arg("man").arg(&folder).output();
        if !written.is_ok_and(|output| output.status.success()) {
            let folder = world.paths.shown(&folder);
            world.terminal.warn(format!("the manual pages in {folder} are still the old ones"));
        }
    }

    fn warn_of_another(world: &World, program: &Path) {
        let Some(registered) = registered(&world.paths.user_settings()) else { return };
        if registered.canonicalize().ok().as_deref() != Some(program) {
            world.terminal.warn(format!(
                "the client calls {}, which is another copy; run its `self-update` too",
                world.paths.shown(&registered)
            ));
        }
    }
}
