//! The manifest and the settings files that a command works on.

pub(crate) mod binary;
pub(crate) mod layers;
pub(crate) mod protection;

pub(crate) use layers::Layers;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::client::host::files::{FILES, Files, Form};
use crate::machine::lock::Lock;
use crate::machine::world::World;
use crate::machine::{environment, files, folders, paths};
use crate::manifest::edit;
use crate::package::lock;
use crate::settings::Record;
use crate::state::chains::Chain;
use crate::state::{configured, guard_mod, host_files};
use crate::syntax::escaped::quoted;
use crate::syntax::named::words;

/// The place a command works on: a chain and the settings file it is registered in.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) chain: Chain,
    pub(crate) manifest: PathBuf,
    /// The project's directory; the user's scope without it.
    pub(crate) project: Option<PathBuf>,
    pub(crate) settings: PathBuf,
    /// True if it is about what only the project's overlay needs.
    pub(crate) local: bool,
    /// True to install the guard mod, false to remove it, `None` to leave it as it is.
    pub(crate) guard_mod: Option<bool>,
    /// True to add hookman's segment to the status line, false to remove it, `None` to leave it.
    pub(crate) status_line: Option<bool>,
    /// The program whose file `settings` is; Claude Code without one.
    pub(crate) host: Option<&'static Files>,
}

impl Target {
    /// The target of a command's scope, named on standard error where the project was looked for.
    pub(crate) fn of(scope: &Scope, world: &World) -> Result<Self> {
        if scope.managed {
            let folder = world.paths.managed_folder();
            if is_users(&folder, world) {
                let shown = world.paths.shown(&folder);
                bail!(
                    "`{shown}` is the directory of the user's own settings, not an administrator's"
                );
            }
            return Ok(Self::of_managed(&folder));
        }
        let project = match (&scope.project, scope.local) {
            (None, false) => return Ok(Self::of_user(world)),
            (Some(Some(directory)), _) => named(directory)?,
            (Some(None), _) | (None, true) => found(world)?,
        };
        if is_users(&project.join(".claude"), world) {
            let is_here =
                environment::current_directory()?.canonicalize().ok() == Some(project.clone());
            let flag = match (&scope.project, scope.local, is_here) {
                (Some(Some(_)), ..) | (_, _, true) => "",
                (_, true, false) => ", or make this directory the project with --local --project .",
                (_, false, false) => ", or make this directory the project with --project .",
            };
            bail!(
                "`{}` is the directory of the user's own settings, which are registered once: \
                 leave --project and --local out{flag}",
                world.paths.shown(&project)
            );
        }
        Ok(Self::of_project(project, scope.local))
    }

    pub(crate) fn of_chain(chain: &Chain, world: &World) -> Self {
        match chain.project() {
            Some(project) => Self::of_project(project.to_owned(), false),
            None => Self::of_user(world),
        }
    }

    fn of_managed(folder: &Path) -> Self {
        // Whatever the administrator's own files are like, every user has to read these.
        folders::let_others_read();
        let chain = Chain::of_managed(folder);
        Self {
            manifest: chain.manifest.clone(),
            chain,
            project: None,
            settings: Chain::managed_settings(folder),
            local: false,
            guard_mod: None,
            status_line: None,
            host: None,
        }
    }

    /// The directory of an administrator's files, where it is about those.
    pub(crate) fn managed(&self) -> Option<&Path> {
        self.manifest.parent().filter(|_| self.chain.is_managed())
    }

    fn of_user(world: &World) -> Self {
        let chain = Chain::of_user(&world.paths);
        Self {
            manifest: chain.manifest.clone(),
            chain,
            project: None,
            settings: world.paths.user_settings(),
            local: false,
            guard_mod: None,
            status_line: None,
            host: None,
        }
    }

    fn of_project(project: PathBuf, local: bool) -> Self {
        let chain = Chain::of_project(&project);
        let overlay = chain.overlay.clone().filter(|_| local);
        let name = if local { "settings.local.json" } else { "settings.json" };
        Self {
            manifest: overlay.unwrap_or_else(|| chain.manifest.clone()),
            settings: project.join(".claude").join(name),
            chain,
            project: Some(project),
            local,
            guard_mod: None,
            status_line: None,
            host: None,
        }
    }

    /// Returns whether the settings are the user's, which alone can seat a mod first.
    pub(crate) fn is_users(&self) -> bool {
        self.host.is_none() && self.project.is_none() && !self.chain.is_managed()
    }

    /// The name of the other agent whose file it is; nothing for Claude Code's.
    pub(crate) fn host_name(&self) -> &'static str {
        self.host.map(|of| of.host.name).unwrap_or_default()
    }

    /// The name of the other agent, and of the file where that is not hookman's own, for `restore`.
    pub(crate) fn file_name(&self) -> String {
        let name = self.settings.file_name().filter(|_| self.is_part());
        let file = name.map(|it| format!(":{}", it.to_string_lossy()));
        quoted(&(self.host_name().to_owned() + &file.unwrap_or_default()))
    }

    /// Returns whether the file holds hookman's entries and nothing else.
    pub(crate) fn is_own_file(&self) -> bool {
        let is_own = |of: &Files| matches!(of.form, Form::Own | Form::Plugin);
        self.host.is_some_and(|of| is_own(of) && self.settings.ends_with(of.own_name()))
    }

    /// Returns whether it is a file of hooks next to the one that holds hookman's entries alone.
    pub(crate) fn is_part(&self) -> bool {
        self.host.is_some_and(|of| of.form == Form::Own) && !self.is_own_file()
    }

    /// The record of the file where there is none yet.
    pub(crate) fn form(&self) -> Record {
        let Some(of) = self.host else { return Record::default() };
        host_files::form(of, &self.settings)
    }

    pub(crate) fn has_guard_mod(&self, world: &World) -> bool {
        let there = || guard_mod::is_there(&world.paths);
        self.is_users() && self.guard_mod.unwrap_or_else(there)
    }

    /// The same project's local target, for a target that is a project's and not local.
    pub(crate) fn overlay(&self) -> Option<Self> {
        let project = self.project.clone().filter(|_| !self.local)?;
        Some(Self::of_project(project, true))
    }

    /// The committed target of a local one whose entries go through a launcher that is there.
    pub(crate) fn of_launcher(&self) -> Option<Self> {
        let project = self.project.clone().filter(|_| self.local)?;
        let launcher = self.launcher().is_some_and(|launcher| launcher.exists());
        launcher.then(|| Self::of_project(project, false))
    }

    pub(crate) fn launcher(&self) -> Option<PathBuf> {
        Some(self.project.as_ref()?.join(".claude/hookman"))
    }

    /// Refuses where a link, which a clone may bring, leads a file out of the project.
    pub(crate) fn check_links(&self, world: &World) -> Result<()> {
        const NAMES: [&str; 9] = words(
            ".claude/hookman .claude/hookman.toml .claude/hookman.local.toml .claude/hookman.lock \
             .claude/hookman.local.lock .claude/hookman-packages .claude/settings.json \
             .claude/settings.local.json .gitignore",
        );
        let Some(project) = &self.project else { return Ok(()) };
        let root = paths::real(project);
        let of_hosts = FILES.iter().map(|files| files.project);
        let named = NAMES.into_iter().chain(of_hosts).map(|name| project.join(name));
        for file in named.chain([self.settings.clone()]) {
            let real = paths::real(&file);
            let is_gits = real.starts_with(root.join(".git"));
            if is_gits || !real.starts_with(&root) {
                let whither =
                    if is_gits { "into git's own directory" } else { "out of the project" };
                bail!(
                    "`{}` leads {whither}, to `{}`, and hookman writes no project's files there; \
                     put a file in the place of the link",
                    world.paths.shown(&file),
                    world.paths.shown(&real)
                );
            }
        }
        Ok(())
    }

    /// Refuses where a link makes one of two files that hookman writes, as the second would undo the first.
    pub(crate) fn check_apart(&self, world: &World) -> Result<()> {
        let mut own = vec![Self::of_user(world)];
        own.extend(self.project.iter().flat_map(|project| {
            [false, true].map(|local| Self::of_project(project.clone(), local))
        }));
        let files = |it: Self| [lock::next_to(&it.manifest), it.manifest, it.settings];
        let others: Vec<PathBuf> = own.into_iter().flat_map(files).collect();
        let written = match self.host {
            Some(_) => vec![self.settings.clone()],
            None => self.chain.files().map(lock::next_to).collect(),
        };
        for file in written {
            let real = paths::real(&file);
            let same = others.iter().find(|other| **other != file && paths::real(other) == real);
            if let Some(same) = same {
                bail!(
                    "`{}` is a link to `{}`, and hookman writes both; put a file in the place of the link",
                    world.paths.shown(&file),
                    world.paths.shown(same)
                );
            }
        }
        Ok(())
    }

    /// The lock under which every command writes a settings file and its manifest.
    pub(crate) fn lock(&self, world: &World) -> Result<Lock> {
        // A project's two files are written together.
        let committed = self.settings.with_file_name("settings.json");
        let lock = Lock::take(&world.paths.kept("locks", &committed))?;
        self.sweep(world);
        Ok(lock)
    }

    /// Removes what killed processes left where a command writes, and names what others wrote meanwhile.
    fn sweep(&self, world: &World) {
        // A session's state has the flags of its hooks in a directory of its own.
        const STATE_LEVELS: usize = 3;
        let brought = match (&self.project, self.managed()) {
            (Some(project), _) => project.join(".gitignore"),
            (None, Some(folder)) => folder.join("hookman.plan"),
            (None, None) => world.paths.config.join("commands/hook/status.md"),
        };
        let own = [self.settings.clone(), self.manifest.clone(), brought];
        let project = self.project.as_deref();
        let of_host = |of| host_files::written(&world.paths, project, of);
        for file in own.into_iter().chain(FILES.iter().flat_map(of_host)) {
            let file = files::resolve(&file).unwrap_or(file);
            if let Some(folder) = file.parent() {
                files::sweep(folder);
                for text in files::rescue(folder) {
                    world.terminal.warn(format!(
                        "warning: `{}` was written by another program while hookman was killed; take \
                         what you need from it and remove it",
                        world.paths.shown(&text)
                    ));
                }
            }
        }
        files::sweep_tree(&world.paths.state, STATE_LEVELS);
    }

    pub(crate) fn check_open(&self, world: &World, manifest: &str) -> Result<()> {
        Layers::check_filled(world, self)?;
        let Some(line) = edit::inline_hooks(manifest) else { return Ok(()) };
        bail!(
            "`{}:{line}` lists the hooks in one value, `hook = […]`, and hookman cannot add to that; write \
             each hook as a table that begins with a line `[[hook]]`, then run this again",
            world.paths.shown(&self.manifest)
        )
    }

    /// The manifest of the project around, where there is one and this target is no project's.
    pub(crate) fn project_around(&self, project: Option<&Path>) -> Option<PathBuf> {
        let project = project.filter(|_| self.project.is_none())?;
        let manifest = project.join(".claude/hookman.toml");
        (manifest != self.manifest && files::is_there(&manifest)).then_some(manifest)
    }

    /// Says what `--project` would mean, for a person who left it out in a project with a manifest.
    pub(crate) fn elsewhere(&self, world: &World) -> Option<String> {
        let manifest = self.project_around(configured::project().as_deref())?;
        Some(format!("`--project` means `{}`", world.paths.shown(&manifest)))
    }

    pub(crate) fn host_flag(&self) -> String {
        let host = self.host.map(|_| format!(" --host {}", self.file_name()));
        self.flag().to_owned() + &host.unwrap_or_default()
    }

    pub(crate) fn flag(&self) -> &'static str {
        if self.local { " --local" } else { self.chain.flag() }
    }
}

fn named(directory: &Path) -> Result<PathBuf> {
    let path = environment::current_directory()?.join(directory);
    if !path.is_dir() {
        bail!(
            "there is no directory `{}` to be the project; \
             --project takes the word after it, so a hook's name goes before it",
            directory.display()
        );
    }
    path.canonicalize()
        .with_context(|| format!("failed to find the project `{}`", directory.display()))
}

/// The nearest directory upwards with a `.claude` or at the top of a work tree, else this one.
fn found(world: &World) -> Result<PathBuf> {
    let here = environment::current_directory()?
        .canonicalize()
        .context("failed to find the current directory")?;
    let is_project = |folder: &&Path| {
        let claude = folder.join(".claude");
        (claude.is_dir() && !is_users(&claude, world)) || folder.join(".git").exists()
    };
    let project = here.ancestors().find(is_project).unwrap_or(&here).to_owned();
    if project != here {
        world.terminal.warn(format!("The project is {}", world.paths.shown(&project)));
    }
    Ok(project)
}

fn is_users(folder: &Path, world: &World) -> bool {
    let config = &world.paths.config;
    folder == config
        || folder
            .canonicalize()
            .is_ok_and(|folder| config.canonicalize().is_ok_and(|config| config == folder))
}

// A doc comment of arguments would take the place of the help text, which the command's variant has.

// Which settings file and manifest a command is about.
#[derive(Clone, Debug, Default, Args)]
pub struct Scope {
    /// The project in DIR instead of the user (default: the nearest upwards with .claude or .git)
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub project: Option<Option<PathBuf>>,
    /// Only for you in that project: hookman.local.toml and settings.local.json
    #[arg(long)]
    pub local: bool,
    /// The administrator's, for every user of this machine; only root can write it
    #[arg(long, conflicts_with_all = ["project", "local"])]
    pub managed: bool,
}

// How a command that writes goes about it.
#[derive(Clone, Debug, Default, Args)]
pub struct Writing {
    /// Show what would be written and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Do not wait to see whether a running session writes its old settings back
    #[arg(long)]
    pub no_wait: bool,
}

// The options of a command that writes.
#[derive(Clone, Debug, Args)]
pub struct WriteOptions {
    #[command(flatten)]
    pub scope: Scope,
    #[command(flatten)]
    pub writing: Writing,
}

// The options of a command that registers hooks with the client.
#[derive(Clone, Debug, Default, Args)]
pub struct RegisterOptions {
    #[command(flatten)]
    pub scope: Scope,
    #[command(flatten)]
    pub writing: Writing,
    /// The path of hookman to register (default: where this one was found); one that begins with
    /// '$HOME/' fits every machine that shares the settings
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
}
