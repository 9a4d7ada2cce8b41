//! The folders and directive files that an agent has met, and those that it has still to read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::builtin::{Context, Failure};

/// So many folders, and so many files, are remembered.
const MOST: usize = 1_000;

/// The session's text with the files still to be read, a line each, for `hookman state` too.
const PENDING: &str = "pending_directives";

/// The session's text with the files that are to be read before a turn ends.
const CHECKLISTS: &str = "pending_checklists";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Known {
    folders: BTreeSet<String>,
    files: BTreeSet<String>,
}

fn of_agent(context: &Context<'_>, name: &str) -> String {
    match &*context.payload.agent_id {
        "" => name.to_owned(),
        agent => format!("{name}@{agent}"),
    }
}

fn known_name(context: &Context<'_>) -> String {
    of_agent(context, "directives.known")
}

impl Known {
    /// Loads the agent's record. All hooks of the kind share it, so that nothing is told twice.
    pub(super) fn of(context: &Context<'_>) -> Result<Self, Failure> {
        let text = context.store.text(&known_name(context))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    pub(super) fn is_new_folder(&mut self, folder: &Path) -> bool {
        insert(&mut self.folders, folder)
    }

    pub(super) fn is_new_file(&mut self, file: &Path) -> bool {
        insert(&mut self.files, file)
    }

    /// Adds what is new here to what the store has, which other calls may have changed meanwhile.
    pub(super) fn keep(self, context: &Context<'_>) -> Result<(), Failure> {
        let mut change = |old: Option<&str>| {
            let mut all: Self =
                old.and_then(|old| serde_json::from_str(old).ok()).unwrap_or_default();
            all.folders.extend(self.folders.iter().cloned());
            all.files.extend(self.files.iter().cloned());
            for set in [&mut all.folders, &mut all.files] {
                while set.len() > MOST {
                    set.pop_first();
                }
            }
            Some(serde_json::to_string(&all).unwrap_or_default())
        };
        let name = known_name(context);
        context.store.change(&name, &mut change).map(drop).map_err(Failure::Store)
    }

    /// Forgets all, as the model does when its context is compacted.
    pub(super) fn forget(context: &Context<'_>) -> Result<(), Failure> {
        let name = known_name(context);
        context.store.change(&name, &mut |_| None).map(drop).map_err(Failure::Store)
    }
}

fn insert(set: &mut BTreeSet<String>, path: &Path) -> bool {
    set.insert(path.to_string_lossy().into_owned())
}

/// A list of files that an agent has still to read.
#[derive(Clone, Copy)]
pub(super) enum List {
    Pending,
    Checklists,
}

impl List {
    fn name(self, context: &Context<'_>) -> String {
        of_agent(
            context,
            match self {
                Self::Pending => PENDING,
                Self::Checklists => CHECKLISTS,
            },
        )
    }

    /// Returns whether it has files, be they there or gone.
    pub(super) fn is_any(self, context: &Context<'_>) -> Result<bool, Failure> {
        Ok(context.store.text(&self.name(context))?.is_some())
    }

    /// The files of the list that are there; the others are taken out, as they could never be read.
    pub(super) fn files(self, context: &Context<'_>) -> Result<Vec<PathBuf>, Failure> {
        let text = context.store.text(&self.name(context))?;
        let Some(text) = text else { return Ok(Vec::new()) };
        let is_there = |file: &PathBuf| context.host.look(file).is_some_and(|facts| facts.is_file);
        let (files, gone): (Vec<PathBuf>, Vec<PathBuf>) = paths(&text).partition(is_there);
        if !gone.is_empty() {
            self.remove(context, &gone)?;
        }
        Ok(files)
    }

    pub(super) fn add(self, context: &Context<'_>, files: &[PathBuf]) -> Result<(), Failure> {
        self.change(context, &|old| {
            let mut all = old;
            all.extend(
                files.iter().filter(|file| !all.contains(file)).cloned().collect::<Vec<_>>(),
            );
            all
        })
    }

    pub(super) fn clear(self, context: &Context<'_>) -> Result<(), Failure> {
        self.change(context, &|_| Vec::new())
    }

    pub(super) fn remove(self, context: &Context<'_>, files: &[PathBuf]) -> Result<(), Failure> {
        self.change(context, &|old| old.into_iter().filter(|file| !files.contains(file)).collect())
    }

    fn change(
        self,
        context: &Context<'_>,
        change: &dyn Fn(Vec<PathBuf>) -> Vec<PathBuf>,
    ) -> Result<(), Failure> {
        let mut to_text = |old: Option<&str>| {
            let files = change(paths(old.unwrap_or_default()).collect());
            let lines: Vec<String> =
                files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        };
        let name = self.name(context);
        context.store.change(&name, &mut to_text).map(drop).map_err(Failure::Store)
    }
}

fn paths(text: &str) -> impl Iterator<Item = PathBuf> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from)
}
