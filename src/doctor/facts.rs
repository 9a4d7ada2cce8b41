//! What the checks look at, gathered once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::client::event::Event;
use crate::client::json::Document;
use crate::machine::child::{self, Program, Spec};
use crate::machine::paths::{Paths, real};
use crate::machine::{clock, files};
use crate::manifest::{Manifest, Problems};
use crate::runtime::chains::{self, Chain};
use crate::runtime::journal::{self, Entry};
use crate::runtime::overrides::Overrides;
use crate::settings::adoption::Kept;
use crate::settings::{self, Handler, Remembered, Undo};

/// How much of the journal is looked at, in bytes.
const JOURNAL_TAIL: u64 = 1024 * 1024;

/// A settings file of the client.
pub struct SettingsFile {
    /// `user`, `project` or `local`.
    pub scope: &'static str,
    /// Its name for people.
    pub shown: String,
    /// Its text, `None` where there is no file, or why it could not be read.
    pub text: Result<Option<String>, String>,
    /// What is kept of the handlers that were adopted from it.
    pub adoptions: Option<Kept>,
    /// What is kept to take our entries out of it.
    pub undo: Option<Undo>,
}

impl SettingsFile {
    /// The file's JSON, where it can be read.
    pub fn document(&self) -> Option<Document<'_>> {
        let text = self.text.as_ref().ok()?.as_deref()?;
        Document::parse(text).ok()
    }

    /// The handlers in the file.
    pub fn handlers(&self) -> Vec<Handler> {
        self.document().map(|document| settings::handlers(&document)).unwrap_or_default()
    }
}

/// A chain and its manifests.
pub struct ChainFacts {
    /// The chain.
    pub chain: Chain,
    /// The manifest's name for people.
    pub shown: String,
    /// The manifest with its overlay, `None` where there are none, or what is wrong with them.
    pub manifest: Result<Option<Manifest>, Problems>,
    /// The manifest alone, as it is committed; empty where it cannot be read.
    pub committed: Manifest,
}

/// Everything the checks look at.
pub struct Facts {
    /// Where things are.
    pub paths: Paths,
    /// The project's directory, where there is one.
    pub project: Option<PathBuf>,
    /// The settings files that apply here.
    pub settings: Vec<SettingsFile>,
    /// The chains that apply here.
    pub chains: Vec<ChainFacts>,
    /// The registered programs that can be run, and what each answers to `--version`.
    pub binaries: BTreeMap<PathBuf, String>,
    /// The last lines of the journal, oldest first.
    pub journal: Vec<Entry<'static>>,
    /// Why the journal cannot be read or written, if so.
    pub journal_problem: Option<String>,
    /// What this environment says about hooks.
    pub overrides: Overrides,
    /// Seconds since 1970.
    pub now: i64,
}

impl Facts {
    /// Gathers the facts for a user and, where there is one, a project.
    pub fn gather(paths: &Paths, project: Option<&Path>) -> Self {
        let mut files = vec![("user", paths.user_settings())];
        let mut chains = vec![Chain::of_user(paths)];
        if let Some(project) =
            project.filter(|project| real(&project.join(".claude")) != real(&paths.config))
        {
            files.push(("project", project.join(".claude/settings.json")));
            files.push(("local", project.join(".claude/settings.local.json")));
            chains.push(Chain::of_project(project));
        }
        let settings: Vec<SettingsFile> = files
            .into_iter()
            .map(|(scope, path)| {
                let text = files::read_text(&path).map_err(|error| error.source.to_string());
                let current = text.as_ref().ok().and_then(Option::as_deref);
                SettingsFile {
                    scope,
                    shown: paths.shown(&path),
                    adoptions: adoptions(paths, &path),
                    undo: undo(paths, &path, current),
                    text,
                }
            })
            .collect();
        let chains = chains
            .into_iter()
            .map(|chain| ChainFacts {
                shown: paths.shown(&chain.manifest),
                manifest: chains::read(paths, &chain),
                committed: chains::read(paths, &Chain { overlay: None, ..chain.clone() })
                    .ok()
                    .flatten()
                    .unwrap_or_default(),
                chain,
            })
            .collect();
        let (journal, journal_problem) = match journal::tail(paths, JOURNAL_TAIL) {
            Ok(text) => (journal::entries(&text), files::check_writable(&paths.journal()).err()),
            Err(error) => (Vec::new(), Some(error)),
        };
        Self {
            binaries: binaries(&settings),
            paths: paths.clone(),
            project: project.map(Path::to_owned),
            settings,
            chains,
            journal,
            journal_problem: journal_problem.map(|error| error.to_string()),
            overrides: Overrides::of_process(),
            now: clock::unix_seconds(),
        }
    }

    /// The names of the events that the client knows.
    pub fn events(&self) -> Vec<&'static str> {
        Event::ALL.iter().map(|event| event.name()).collect()
    }
}

fn undo(paths: &Paths, settings: &Path, current: Option<&str>) -> Option<Undo> {
    let text = files::read_text(&paths.kept("undo", settings)).ok()??;
    serde_json::from_str::<Remembered>(&text).ok()?.of(current)
}

fn adoptions(paths: &Paths, settings: &Path) -> Option<Kept> {
    let text = files::read_text(&paths.kept("adoptions", settings)).ok()??;
    serde_json::from_str(&text).ok()
}

/// How long a registered program may take to tell its version.
const ANSWER_TIME: Duration = Duration::from_secs(2);

fn binaries(settings: &[SettingsFile]) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for handler in settings.iter().flat_map(SettingsFile::handlers).filter(|handler| handler.ours) {
        let exec_form = handler.value.get("args").is_some();
        let Some(command) = handler.value.get("command").and_then(|command| command.as_str())
        else {
            continue;
        };
        let path = PathBuf::from(command);
        if !exec_form || !path.is_absolute() || !files::is_executable(&path) {
            continue;
        }
        found.entry(path).or_insert_with(|| version(command));
    }
    found
}

fn version(program: &str) -> String {
    let words = [program.to_owned(), "--version".to_owned()];
    let spec = Spec::new(Program::Argv(&words), ANSWER_TIME);
    match child::run(&[spec], None).pop() {
        Some(Ok(finished)) => String::from_utf8_lossy(&finished.stdout).into_owned(),
        _ => String::new(),
    }
}
