//! The facts that the checks look at, gathered once.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::host_file::{HostFile, host_files};
use super::installed::{self, Installed};
use super::modules::{self, Module};
use super::plugin::{self, Plugin};
use super::settings_file::{self, SettingsFile};
use crate::client::Version;
use crate::client::settings_schema::VERSIONS;
use crate::install::command_faults::Around;
use crate::install::command_faults::places::{self, PlacedFault};
use crate::install::target::binary;
use crate::machine::paths::real;
use crate::machine::{Paths, environment, files, program};
use crate::manifest::{Hook, Manifest, Problems};
use crate::runtime::overrides::Overrides;
use crate::settings::Handler;
use crate::state::Chain;
use crate::state::chains::{self, MANAGED};
use crate::state::journal::{self, Entry};

const JOURNAL_TAIL: u64 = 1024 * 1024;

pub struct ChainFacts {
    pub chain: Chain,
    pub shown: String,
    /// The manifest with its overlay, `None` where there are none, or what is wrong with them.
    pub manifest: Result<Option<Manifest>, Problems>,
    /// The manifest alone, as it is committed; empty where it cannot be read.
    pub committed: Manifest,
}

pub struct Facts {
    pub paths: Paths,
    /// True if the files of all scopes are looked at.
    pub is_whole: bool,
    pub project: Option<PathBuf>,
    pub settings: Vec<SettingsFile>,
    /// The local settings of the git root, which the client reads for a session below it, too.
    pub of_git_root: Option<SettingsFile>,
    pub managed: Vec<SettingsFile>,
    pub plugins: Vec<Plugin>,
    /// The skills, agents and commands of the user and the project that have hooks.
    pub frontmatters: Vec<SettingsFile>,
    pub chains: Vec<ChainFacts>,
    /// The files of other agents, where all scopes are looked at.
    pub(crate) hosts: Vec<HostFile>,
    /// The registered programs that can be run, and what each answers to `--version`.
    pub binaries: BTreeMap<PathBuf, String>,
    /// The last lines of the journal, oldest first.
    pub journal: Vec<Entry<'static>>,
    /// True if the journal has older lines.
    pub journal_is_cut: bool,
    /// The reason why the journal cannot be read or written, if so.
    pub journal_problem: Option<String>,
    pub overrides: Overrides,
    pub client: Option<Installed>,
    /// The places of hooks that a run saw rewrite a call.
    pub rewriting: Vec<String>,
    around: OnceLock<Around>,
    faults: OnceLock<Vec<PlacedFault>>,
    modules: OnceLock<Vec<Module>>,
    server_names: OnceLock<Vec<String>>,
}

impl Facts {
    /// Gathers the facts for a user and a project, of one `scope` or of all.
    pub fn gather(paths: &Paths, project: Option<&Path>, scope: Option<&str>) -> Self {
        let is_asked = |name: &str| scope.is_none_or(|scope| scope == name);
        let settings = settings_file::all(paths, project, is_asked);
        let mut chains = vec![Chain::of_user(paths)];
        chains.extend(
            project.filter(|it| settings_file::is_of_its_own(paths, it)).map(Chain::of_project),
        );
        let own = Chain::managed_settings(&paths.managed_folder());
        let of_managed = Chain::of_managed(&paths.managed_folder());
        if own.exists() || files::is_there(&of_managed.manifest) {
            chains.insert(0, of_managed);
        }
        chains
            .retain(|chain| is_asked(chain.scope) || is_asked("local") && chain.scope == "project");
        let client = installed::installed(paths);
        let of_git_root = project.filter(|_| is_asked("local")).and_then(|project| {
            of_git_root(paths, project, client.as_ref().and_then(|client| client.version))
        });
        let (mut managed, mut plugins, mut frontmatters) = (Vec::new(), Vec::new(), Vec::new());
        if is_asked(MANAGED) {
            let of = |path: &PathBuf| match path {
                path if *path == own => SettingsFile::read(paths, MANAGED, path),
                path => SettingsFile::read_foreign(paths, MANAGED, path),
            };
            managed = paths.managed_settings().iter().map(of).collect();
            // The client's entries may be gone while the manifest asks for them.
            if chains.iter().any(Chain::is_managed) && !own.exists() {
                managed.push(SettingsFile::read(paths, MANAGED, &own));
            }
        }
        if scope.is_none() {
            plugins = plugin::plugins(paths, project, &settings);
            plugins.retain(|plugin| plugin.is_on);
            let of_project = project.filter(|it| settings_file::is_of_its_own(paths, it));
            let of_project = of_project.map(|project| project.join(".claude"));
            let folders = std::iter::once(&paths.config).chain(&of_project);
            let read = |folder: &PathBuf| plugin::frontmatters(paths, folder, false);
            frontmatters = folders.flat_map(read).collect();
        }
        let chains: Vec<ChainFacts> = chains
            .into_iter()
            .map(|chain| ChainFacts {
                shown: paths.shown(&chain.manifest),
                manifest: chains::read_whole(paths, &chain),
                committed: chains::read_whole(paths, &Chain { overlay: None, ..chain.clone() })
                    .ok()
                    .flatten()
                    .unwrap_or_default(),
                chain,
            })
            .collect();
        let manifests: Vec<_> = chains.iter().map(|it| (&it.chain, &it.committed)).collect();
        let hosts = if scope.is_none() { host_files(paths, &manifests) } else { Vec::new() };
        let tail = journal::tail(paths, JOURNAL_TAIL);
        // It begins with the first whole line behind that many bytes.
        let is_cut = |text: &String| text.len() as u64 + JOURNAL_TAIL / 16 > JOURNAL_TAIL;
        let journal_is_cut = tail.as_ref().is_ok_and(is_cut);
        let (journal, journal_problem) = match tail {
            Ok(text) => (journal::entries(&text), files::check_writable(&paths.journal()).err()),
            Err(error) => (Vec::new(), Some(error)),
        };
        Self {
            binaries: binaries(settings.iter().chain(&managed)),
            paths: paths.clone(),
            is_whole: scope.is_none(),
            project: project.map(Path::to_owned),
            settings,
            of_git_root,
            managed,
            plugins,
            frontmatters,
            hosts,
            chains,
            journal_is_cut,
            journal,
            journal_problem: journal_problem.map(|error| error.to_string()),
            overrides: Overrides::of_environment(),
            client,
            rewriting: Vec::new(),
            around: OnceLock::new(),
            faults: OnceLock::new(),
            modules: OnceLock::new(),
            server_names: OnceLock::new(),
        }
    }

    pub(super) fn faults(&self) -> &[PlacedFault] {
        self.faults.get_or_init(|| {
            let of_hooks = self.manifests().map(|(chain, manifest)| {
                places::of_hooks(&manifest.hooks, &chain.chain.manifest, self.around())
            });
            let of_files = self.placed_files().into_iter().map(|(file, around)| {
                let at = |handler: &Handler| file.at_key(handler, "command");
                places::of_handlers(file.handlers(), &around, at)
            });
            places::faults(of_hooks.chain(of_files).collect())
        })
    }

    /// The files whose hooks the client runs, each with what its commands find around them.
    pub(super) fn placed_files(&self) -> Vec<(&SettingsFile, Around)> {
        let around = self.around();
        let of = |root: &Path| Around { plugin: Some(root.to_owned()), ..around.clone() };
        self.rooted().map(|(file, root)| (file, root.map_or(around.clone(), of))).collect()
    }

    /// Those files, each with the directory that the client names to its hooks as that of a plugin.
    fn rooted(&self) -> impl Iterator<Item = (&SettingsFile, Option<&Path>)> {
        let of_settings = self.settings.iter().chain(&self.of_git_root).chain(&self.managed);
        let of_plugins = self
            .plugins
            .iter()
            .flat_map(|plugin| plugin.files.iter().map(|file| (file, Some(plugin.root.as_path()))));
        let of_skill = |file: &SettingsFile| file.scope == "skill";
        let others = self.frontmatters.iter();
        let others = others.map(move |it| (it, it.path.parent().filter(|_| of_skill(it))));
        of_settings.map(|file| (file, None)).chain(of_plugins).chain(others)
    }

    pub(super) fn around(&self) -> &Around {
        self.around.get_or_init(|| Around {
            project: self.project.clone(),
            plugin: None,
            home: self.paths.home.clone(),
            path: self.path(),
            variables: self.variables(),
            sh_is_dash: program::sh_is_dash(),
            remembered: Some(self.paths.remembered()),
        })
    }

    pub(super) fn manifests(&self) -> impl Iterator<Item = (&ChainFacts, &Manifest)> {
        self.chains.iter().filter_map(|it| Some((it, it.manifest.as_ref().ok()?.as_ref()?)))
    }

    pub(super) fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.manifests().flat_map(|(_, manifest)| &manifest.hooks)
    }

    pub(super) fn chain_of(&self, file: &SettingsFile) -> Option<&ChainFacts> {
        let scope = if file.scope == "local" { "project" } else { file.scope };
        self.chains.iter().find(|it| it.chain.scope == scope)
    }

    fn variables(&self) -> Vec<String> {
        let files = self.settings.iter().chain(&self.of_git_root);
        let all = files.filter_map(|file| Some(file.value("/env")?.0.as_object()?.clone()));
        all.flat_map(|variables| variables.into_iter().map(|(name, _)| name)).collect()
    }

    /// The `PATH` of the client's hooks: this environment's, unless a settings file says another.
    pub(super) fn path(&self) -> OsString {
        self.path_by(|_| true)
    }

    /// The same, where only some settings files count.
    pub(super) fn path_by(&self, counts: impl Fn(&SettingsFile) -> bool) -> OsString {
        let said = self.settings.iter().rev().filter(|file| counts(file)).find_map(|file| {
            let (path, _) = file.value("/env/PATH")?;
            Some(OsString::from(path.as_str()?))
        });
        said.or_else(|| environment::raw("PATH")).unwrap_or_default()
    }

    pub(super) fn journal_place(&self) -> String {
        self.paths.shown(&self.paths.journal())
    }

    /// The runs that a client made, as far as that can be told, oldest first.
    pub fn client_runs(&self) -> impl DoubleEndedIterator<Item = &Entry<'static>> {
        self.journal.iter().filter(|entry| !entry.by_hand)
    }

    /// The files whose hooks the client runs: settings, plugins, skills, agents and commands.
    pub fn files(&self) -> impl Iterator<Item = &SettingsFile> {
        self.rooted().map(|(file, _)| file)
    }

    /// The handlers in those files that are not hookman's, each with the place of what a key of it holds.
    pub(super) fn foreign_with(&self, key: &str) -> impl Iterator<Item = (Handler, String)> {
        self.files().flat_map(move |file| file.foreign_with(key))
    }

    /// The settings files that are the user's and the project's to write, the most local one last.
    pub(super) fn writable_files(&self) -> Vec<&SettingsFile> {
        let mut files: Vec<&SettingsFile> = self.settings.iter().collect();
        let before = files.iter().position(|file| file.scope == "local").unwrap_or(files.len());
        files.splice(before..before, &self.of_git_root);
        files
    }

    pub(super) fn server_names(&self) -> &[String] {
        self.server_names.get_or_init(|| {
            plugin::server_names(&self.paths, self.project.as_deref(), &self.plugins)
        })
    }

    /// The settings files that hookman's entries are in, its own among an administrator's.
    pub fn registered(&self) -> impl Iterator<Item = &SettingsFile> {
        let own = Chain::managed_settings(&self.paths.managed_folder());
        self.settings.iter().chain(self.managed.iter().filter(move |file| file.path == own))
    }

    pub(super) fn modules(&self) -> &[Module] {
        self.modules.get_or_init(|| {
            let program = self.client.as_ref().map(|client| client.program.as_path());
            modules::modules(&self.plugins, program)
        })
    }

    pub(super) fn agents(&self) -> Vec<String> {
        let mut names = plugin::agents(&self.paths.config);
        for project in self.project.iter().flat_map(|project| project.ancestors()) {
            names.extend(plugin::agents(&project.join(".claude")));
        }
        names
    }

    pub(super) fn newer_client(&self) -> Option<String> {
        let made_for = Version::parse(VERSIONS[0])?;
        let client = self.client_version().filter(|version| *version > made_for)?;
        Some(format!("client {client} is newer than {made_for}, for which it was made"))
    }

    pub(super) fn client_version(&self) -> Option<Version> {
        self.client.as_ref()?.version
    }
}

/// The local settings of the git root above a project. Source: the client 2.1.329, which reads them besides
/// the project's, and its changelog; 2.1.197 does not.
fn of_git_root(paths: &Paths, project: &Path, client: Option<Version>) -> Option<SettingsFile> {
    const SINCE: Version = Version([2, 1, 211]);
    let root = project.ancestors().find(|folder| folder.join(".git").exists())?;
    let path = root.join(".claude/settings.local.json");
    let is_other = root != project && real(&root.join(".claude")) != real(&paths.config);
    let is_read = client.is_none_or(|version| version >= SINCE) && files::is_there(&path);
    (is_other && is_read).then(|| SettingsFile::read_foreign(paths, "local", &path))
}

/// The time that a registered program may take to tell its version.
const ANSWER_TIME: Duration = Duration::from_secs(2);

fn binaries<'a>(settings: impl Iterator<Item = &'a SettingsFile>) -> BTreeMap<PathBuf, String> {
    let ours = settings.flat_map(SettingsFile::handlers).filter(|handler| handler.ours);
    let paths = ours.filter_map(|it| Some(binary::file(&binary::program(&it.value)?)));
    let paths: BTreeSet<PathBuf> =
        paths.filter(|path| path.is_absolute() && files::is_executable(path)).collect();
    let answer = |path: &PathBuf| installed::said(path, ANSWER_TIME).unwrap_or_default();
    paths.into_iter().map(|path| (path.clone(), answer(&path))).collect()
}
