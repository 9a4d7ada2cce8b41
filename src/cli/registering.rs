//! From a manifest to a change of the client's settings, and the change to disk.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::World;
use super::args::Scope;
use crate::machine::lock::Lock;
use crate::machine::{backups, environment, files};
use crate::manifest::{Hook, Manifest};
use crate::runtime::chains::Chain;
use crate::settings::wanted::{Caller, Demand, Own, wanted};
use crate::settings::{Colour, Plan, Registration, Undo, plan, unified_diff};

/// The place a command works on: a chain and the settings file it is registered in.
#[derive(Clone)]
pub(super) struct Target {
    /// The chain.
    pub chain: Chain,
    /// The project's directory; the user's scope without it.
    pub project: Option<PathBuf>,
    /// The settings file.
    pub settings: PathBuf,
}

impl Target {
    /// The target of a command's scope.
    ///
    /// # Errors
    ///
    /// When the project's directory cannot be found.
    pub(super) fn of(scope: &Scope, world: &World) -> Result<Self> {
        let Some(project) = &scope.project else {
            return Ok(Self {
                chain: Chain::of_user(&world.paths),
                project: None,
                settings: world.paths.user_settings(),
            });
        };
        let project = environment::current_directory()
            .map(|here| here.join(project))
            .and_then(|project| project.canonicalize())
            .with_context(|| format!("failed to find the project `{}`", project.display()))?;
        let chain = Chain::of_project(&project);
        if chain.manifest == world.paths.user_manifest() {
            bail!(
                "`{}` is the directory of the user's own settings; leave --project out",
                project.display()
            );
        }
        let settings = project.join(".claude/settings.json");
        Ok(Self { chain, project: Some(project), settings })
    }
}

/// A change of a settings file, not written yet.
pub(super) struct Proposal {
    settings: PathBuf,
    /// The change.
    pub plan: Plan,
    undo: Option<Undo>,
}

/// Plans the registration of `manifest`.
///
/// # Errors
///
/// When the settings cannot be read or must not be touched; the message names the file.
pub(super) fn propose(
    world: &World,
    target: &Target,
    manifest: &Manifest,
    binary: Option<&Path>,
) -> Result<Proposal> {
    proposal(world, &target.settings, &entries(world, target, manifest, binary)?)
}

/// The entries that `manifest` needs.
///
/// # Errors
///
/// When the client could not find hookman by them.
pub(super) fn entries(
    world: &World,
    target: &Target,
    manifest: &Manifest,
    binary: Option<&Path>,
) -> Result<Vec<Registration>> {
    let caller = match (&target.project, binary) {
        (Some(_), _) => Caller::Launcher,
        (None, Some(binary)) => Caller::Binary(in_json(binary)?),
        (None, None) => Caller::Binary(in_json(&binary_path(world, None)?)?),
    };
    Ok(wanted(&demands(&manifest.hooks), &caller))
}

/// Plans the removal of everything of ours.
///
/// # Errors
///
/// As [`propose`].
pub(super) fn propose_removal(world: &World, target: &Target) -> Result<Proposal> {
    let settings = target.settings.clone();
    let before = read(world, &settings)?;
    let undo = undo(world, &settings)?;
    let plan = match &undo {
        Some(undo) => undo.removal(before.as_deref()),
        None => {
            let record = before.as_deref().map(crate::settings::Record::presumed);
            plan(before.as_deref(), &[], &record.unwrap_or_default())
        }
    };
    let plan = plan.with_context(|| refused(world, &settings))?;
    Ok(Proposal { settings, plan, undo })
}

fn proposal(world: &World, settings: &Path, entries: &[Registration]) -> Result<Proposal> {
    let before = read(world, settings)?;
    let undo = undo(world, settings)?;
    let record = undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
    let plan =
        plan(before.as_deref(), entries, &record).with_context(|| refused(world, settings))?;
    Ok(Proposal { settings: settings.to_owned(), plan, undo })
}

/// What the hooks of a chain ask of the client.
pub(super) fn demands(hooks: &[Hook]) -> Vec<Demand<'_>> {
    hooks
        .iter()
        .filter(|hook| hook.enabled)
        .flat_map(|hook| {
            hook.events.iter().map(|event| Demand {
                event: *event,
                matcher: hook.matcher.as_deref(),
                timeout_ms: hook.timeout_ms,
                parallel: hook.manner.parallel,
                own: hook.manner.own_entry().map(|keys| Own { hook: &hook.name, keys }),
            })
        })
        .collect()
}

/// The text of a settings file.
///
/// # Errors
///
/// When there is one that cannot be read; the message says that it is left alone.
pub(super) fn read(world: &World, settings: &Path) -> Result<Option<String>> {
    files::read_text(settings).with_context(|| refused(world, settings))
}

pub(super) fn refused(world: &World, settings: &Path) -> String {
    format!("`{}` is left alone", world.paths.shown(settings))
}

fn undo_file(world: &World, settings: &Path) -> PathBuf {
    world.paths.beside("undo", settings)
}

/// What is kept to take our entries out of a settings file again.
///
/// # Errors
///
/// When there is something that cannot be read.
pub(super) fn undo(world: &World, settings: &Path) -> Result<Option<Undo>> {
    let path = undo_file(world, settings);
    // What cannot be understood is no help in undoing, and the removal works without it.
    Ok(files::read_text(&path)?.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Whether diffs are coloured.
pub(super) fn colour(world: &World) -> Colour {
    if world.terminal.colours { Colour::Always } else { Colour::Never }
}

/// Where the copies of a settings file are kept.
pub(super) fn backup_directory(world: &World, settings: &Path) -> PathBuf {
    world.paths.beside("backups", settings)
}

impl Proposal {
    /// The change of a settings file by a plan, after which `undo` has what to keep of it.
    pub(super) fn of(settings: &Path, plan: Plan, undo: Option<Undo>) -> Self {
        Self { settings: settings.to_owned(), plan, undo }
    }

    /// Prints the change as a unified diff and in words.
    pub(super) fn show(&self, world: &World) {
        world.terminal.print(&self.diff(world));
        let shown = world.paths.shown(&self.settings);
        world.terminal.line(format!("{shown}: {}", self.plan.summary()));
    }

    /// The change as a unified diff.
    pub(super) fn diff(&self, world: &World) -> String {
        let colour = colour(world);
        unified_diff(
            &world.paths.shown(&self.settings),
            self.plan.before.as_deref(),
            self.plan.after.as_deref(),
            colour,
        )
    }

    /// Writes the change: under a lock, only over the text it was made from, after a backup.
    ///
    /// # Errors
    ///
    /// When the file was changed meanwhile or a step fails; the file is the old one then.
    pub(super) fn write(&self, world: &World, verb: &str) -> Result<()> {
        if self.plan.is_empty() {
            return Ok(());
        }
        let shown = world.paths.shown(&self.settings);
        let _lock = Lock::take(&world.paths.beside("locks", &self.settings))?;
        if read(world, &self.settings)? != self.plan.before {
            bail!("`{shown}` was changed while this ran, so nothing was written; run it again");
        }
        let backup = match &self.plan.before {
            Some(before) => {
                let directory = backup_directory(world, &self.settings);
                Some(backups::save(&directory, before, verb)?)
            }
            None => None,
        };
        let undo = Undo::of(self.undo.as_ref(), &self.plan)?;
        let undo_file = undo_file(world, &self.settings);
        match (&undo, &self.plan.after) {
            (Some(undo), Some(after)) => {
                files::replace_private(&undo_file, &serde_json::to_string(undo)?)?;
                if let Some(folder) = self.settings.parent() {
                    files::make_directory(folder)?;
                }
                files::replace(&self.settings, after)?;
            }
            _ => files::remove(&self.settings)?,
        }
        if verb == "uninstall" {
            files::remove(&undo_file)?;
        }
        if files::read_text(&self.settings)? != self.plan.after {
            bail!(
                "`{shown}` was overwritten by another program right after it was written; run `hookman diff`"
            );
        }
        let kept = backup.map(|path| format!(" (backup: {})", world.paths.shown(&path)));
        let deed = if self.plan.after.is_some() { "wrote" } else { "removed" };
        world.terminal.line(format!("{deed} {shown}{}", kept.unwrap_or_default()));
        Ok(())
    }
}

/// The path under which the client is to find hookman: the given one, or that of this program.
///
/// # Errors
///
/// When there is no program of that name, or it would not stay there.
pub(super) fn binary_path(world: &World, given: Option<&Path>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => environment::current_directory()?.join(path),
        None => installed_binary(world)?,
    };
    if !path.is_file() {
        bail!("there is no program at `{}`", path.display());
    }
    if path.file_name().is_none_or(|name| name != "hookman") {
        bail!(
            "`{}` would not be recognised later; the program must be called hookman",
            path.display()
        );
    }
    Ok(path)
}

fn in_json(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).with_context(|| {
        format!("the path `{}` is not Unicode and cannot stand in JSON", path.display())
    })
}

// A path through a link, such as a package manager's, stays right when the version changes, so the
// path by which users find hookman is better than the one it was started from.
fn installed_binary(world: &World) -> Result<PathBuf> {
    let running = std::env::current_exe().context("failed to find this program's own path")?;
    let same = |path: &PathBuf| {
        path.canonicalize().ok() == running.canonicalize().ok() && path.canonicalize().is_ok()
    };
    let on_path = environment::raw("PATH").unwrap_or_default();
    let usual = [world.paths.home.join(".local/bin"), world.paths.home.join(".cargo/bin")];
    let found = std::env::split_paths(&on_path)
        .filter(|folder| folder.is_absolute())
        .chain(usual)
        .map(|folder| folder.join("hookman"))
        .find(same);
    if let Some(path) = found {
        return Ok(path);
    }
    let in_build = running.components().any(|part| part.as_os_str() == "target");
    if in_build {
        bail!(
            "this hookman runs from a build directory, which a later build replaces; \
             install it with ./install.sh, or name a path that stays with --binary PATH"
        );
    }
    Ok(running)
}
