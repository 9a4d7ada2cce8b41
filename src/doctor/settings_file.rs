//! A file with hooks, as the checks see it.

use std::path::{Path, PathBuf};

use crate::adoption::Kept;
use crate::machine::files;
use crate::machine::paths::Paths;
use crate::settings::{self, Handler, Remembered, Undo};
use crate::syntax::json::{Document, Position};

/// A settings file of the client, or a plugin's file of hooks, which has the same form.
pub struct SettingsFile {
    /// `user`, `project`, `local`, `managed`, `plugin`, `skill`, `agent` or `command`.
    pub scope: &'static str,
    /// Where it is.
    pub path: PathBuf,
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
    /// Reads a file, with what hookman keeps of it.
    pub(super) fn read(paths: &Paths, scope: &'static str, path: &Path) -> Self {
        let text = files::read_text(path).map_err(|error| error.source.to_string());
        let current = text.as_ref().ok().and_then(Option::as_deref);
        let undo = undo(paths, path, current);
        Self {
            scope,
            path: path.to_owned(),
            shown: paths.shown(path),
            adoptions: adoptions(paths, path),
            undo,
            text,
        }
    }

    /// Reads a file that hookman never writes.
    pub(super) fn read_foreign(paths: &Paths, scope: &'static str, path: &Path) -> Self {
        let text = files::read_text(path).map_err(|error| error.source.to_string());
        let (adoptions, undo) = (None, None);
        Self { scope, path: path.to_owned(), shown: paths.shown(path), adoptions, undo, text }
    }

    /// The file's JSON, where it can be read.
    pub fn document(&self) -> Option<Document<'_>> {
        let text = self.text.as_ref().ok()?.as_deref()?;
        Document::parse(text).ok()
    }

    /// A place in it.
    pub fn at(&self, position: Position) -> String {
        format!("{}:{}:{}", self.shown, position.line, position.column)
    }

    /// The flag that makes a command work on it.
    pub fn flag(&self) -> &'static str {
        match self.scope {
            "project" => " --project",
            "local" => " --local",
            "managed" => " --managed",
            _ => "",
        }
    }

    /// The handlers in the file.
    pub fn handlers(&self) -> Vec<Handler> {
        self.document().map(|document| settings::handlers(&document)).unwrap_or_default()
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
