//! A file with hooks, as the checks see it.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use saphyr_parser::ScanError;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::adoption::Kept;
use crate::client::Event;
use crate::client::settings_schema::{self, Defect, Effect};
use crate::machine::paths::real;
use crate::machine::{Paths, files};
use crate::settings::{self, Handler, Remembered, Undo};
use crate::syntax::json::{Document, Position, is_blank};

#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error(transparent)]
    File(io::Error),
    /// The hooks at its head are no YAML.
    #[error("line {}, column {}: {}", .0.marker().line(), .0.marker().col() + 1, .0.info())]
    Yaml(ScanError),
}

/// A settings file of the client, or a plugin's file of hooks, which has the same form.
pub struct SettingsFile {
    /// `user`, `project`, `local`, `managed`, `plugin`, `skill`, `agent` or `command`.
    pub scope: &'static str,
    pub path: PathBuf,
    pub shown: String,
    /// Its text, `None` where there is no file, or why it could not be read.
    pub text: Result<Option<String>, Unreadable>,
    pub adoptions: Option<Kept>,
    /// The way to take our entries out of it.
    pub undo: Option<Undo>,
    /// The places of the values of its handlers and groups by JSON Pointer, once one was asked for.
    pub(super) places: OnceLock<HashMap<String, Position>>,
}

/// The settings files that are a user's and a project's, of the scopes that are asked for.
pub(super) fn all(
    paths: &Paths,
    project: Option<&Path>,
    is_asked: impl Fn(&str) -> bool,
) -> Vec<SettingsFile> {
    let mut files = vec![("user", paths.user_settings())];
    if let Some(project) = project.filter(|project| is_of_its_own(paths, project)) {
        files.push(("project", project.join(".claude/settings.json")));
        files.push(("local", project.join(".claude/settings.local.json")));
    }
    let files = files.into_iter().filter(|(scope, _)| is_asked(scope));
    files.map(|(scope, path)| SettingsFile::read(paths, scope, &path)).collect()
}

pub(super) fn is_of_its_own(paths: &Paths, project: &Path) -> bool {
    real(&project.join(".claude")) != real(&paths.config)
}

impl SettingsFile {
    pub(super) fn read(paths: &Paths, scope: &'static str, path: &Path) -> Self {
        let text = files::read_text(path).map_err(|error| Unreadable::File(error.source));
        let current = text.as_ref().ok().and_then(Option::as_deref);
        let undo = kept::<Remembered>(paths, "undo", path).and_then(|it| it.of(current));
        let adoptions = kept(paths, "adoptions", path);
        Self { adoptions, undo, ..Self::of_text(paths, scope, path, text) }
    }

    /// Reads a file that hookman never writes.
    pub(super) fn read_foreign(paths: &Paths, scope: &'static str, path: &Path) -> Self {
        let text = files::read_text(path).map_err(|error| Unreadable::File(error.source));
        Self::of_text(paths, scope, path, text)
    }

    /// Makes one of a text that hookman never writes.
    pub(super) fn of_text(
        paths: &Paths,
        scope: &'static str,
        path: &Path,
        text: Result<Option<String>, Unreadable>,
    ) -> Self {
        let (path, shown) = (path.to_owned(), paths.shown(path));
        Self { scope, path, shown, text, adoptions: None, undo: None, places: OnceLock::new() }
    }

    pub fn document(&self) -> Option<Document<'_>> {
        let text = self.text.as_ref().ok()?.as_deref()?;
        Document::parse(text).ok()
    }

    pub(super) fn value(&self, pointer: &str) -> Option<(Value, String)> {
        let document = self.document()?;
        let node = document.lookup(pointer)?;
        Some((document.value(node), self.at(document.position(node.span.start))))
    }

    /// The defects that keep its hooks from loading, each with its place.
    pub(super) fn dropped(&self) -> Vec<(Defect, String)> {
        let Some(document) = self.document() else { return Vec::new() };
        let is_dropped = |defect: &Defect| {
            use Effect::{FileDropped, GroupDropped, HandlerDropped, KeyDropped};
            let drops = [FileDropped, KeyDropped, GroupDropped, HandlerDropped];
            drops.contains(&defect.effects.newest) && defect.pointer.starts_with("/hooks")
        };
        let dropped = settings_schema::check(&document, &Event::names(Event::ALL));
        let dropped = dropped.into_iter().filter(is_dropped);
        let placed = |defect| {
            let place = self.at_defect(&defect);
            (defect, place)
        };
        dropped.map(placed).collect()
    }

    /// Explains why it cannot be read, with the place; what is blank can be.
    pub(super) fn unreadable(&self) -> Option<(String, String)> {
        match &self.text {
            Err(why) => Some((format!("it cannot be read: {why}"), self.shown.clone())),
            Ok(Some(text)) if !is_blank(text) => {
                let error = Document::parse(text).err()?;
                Some((error.message, self.at(error.position)))
            }
            Ok(_) => None,
        }
    }

    pub(super) fn at_defect(&self, defect: &Defect) -> String {
        format!("{}:{}:{}", self.shown, defect.line, defect.column)
    }

    pub fn at(&self, position: Position) -> String {
        format!("{}:{}:{}", self.shown, position.line, position.column)
    }

    /// The place of a key of a handler, or else of the handler; the matcher is its group's.
    pub(super) fn at_key(&self, handler: &Handler, key: &str) -> String {
        let places = self.places.get_or_init(|| {
            self.document().map(|document| settings::places(&document)).unwrap_or_default()
        });
        let group = handler.pointer.rsplit_once("/hooks/").map(|(group, _)| group);
        let owner = group.filter(|_| key == "matcher").unwrap_or(&handler.pointer);
        self.at(*places.get(&format!("{owner}/{key}")).unwrap_or(&handler.position))
    }

    /// The handlers that are not hookman's, each with the place of what a key of it holds.
    pub(super) fn foreign_with(&self, key: &str) -> Vec<(Handler, String)> {
        let foreign = self.handlers().into_iter().filter(|handler| !handler.ours);
        let with_place = |handler: Handler| {
            let shown = self.at_key(&handler, key);
            (handler, shown)
        };
        foreign.map(with_place).collect()
    }

    pub fn flag(&self) -> &'static str {
        match self.scope {
            "project" => " --project",
            "local" => " --local",
            "managed" => " --managed",
            _ => "",
        }
    }

    pub fn handlers(&self) -> Vec<Handler> {
        self.document().map(|document| settings::handlers(&document)).unwrap_or_default()
    }
}

fn kept<T: DeserializeOwned>(paths: &Paths, what: &str, settings: &Path) -> Option<T> {
    let text = files::read_text(&paths.kept(what, settings)).ok()??;
    serde_json::from_str(&text).ok()
}
