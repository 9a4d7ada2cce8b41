//! Putting a copy of a settings file back.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use super::records::{self, back_up, print_diff, undo_file};
use super::writes::Writes;
use super::{Change, Settings};
use crate::client::Event;
use crate::client::settings_schema::{self, Effect};
use crate::machine::{World, files};
use crate::settings::{self, Action, Handler, Remembered, Undo, handlers};
use crate::syntax::json::{Document, is_blank};

/// A settings file and the copy that is to take its place.
pub(crate) struct Restoration {
    pub(crate) settings: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) text: String,
    /// The way to take hookman's entries out of the copy, where it is known.
    pub(crate) undo: Option<Undo>,
    /// When the copy was made, for people.
    pub(crate) time: String,
}

impl Restoration {
    /// The handlers that the copy takes out or adds, hookman's entries among them.
    pub(crate) fn changes(&self) -> Vec<settings::Change> {
        let listed = |text: &str| {
            Document::parse(text).map(|document| handlers(&document)).unwrap_or_default()
        };
        let is_same = |one: &Handler, other: &Handler| {
            (&one.event, &one.matcher, &one.value) == (&other.event, &other.matcher, &other.value)
        };
        let mut added = listed(&self.text);
        let mut removed = listed(self.before.as_deref().unwrap_or_default());
        removed.retain(|old| {
            let found = added.iter().position(|new| is_same(old, new));
            found.map(|at| added.swap_remove(at)).is_none()
        });
        added.sort_by_key(|it| it.position);
        let change = |it: Handler, action: Action| {
            let value = Some(it.value);
            let (before, after) = if action == Action::Add { (None, value) } else { (value, None) };
            settings::Change { action, event: it.event, pointer: it.pointer, before, after }
        };
        let removed = removed.into_iter().map(|it| change(it, Action::Remove));
        removed.chain(added.into_iter().map(|it| change(it, Action::Add))).collect()
    }

    fn write_over(&self, current: Option<&str>, writes: &mut Writes<'_>) -> Result<Option<String>> {
        let (world, settings) = (writes.world, &*self.settings);
        files::check_replaceable(settings)?;
        let earlier = records::undo(world, settings, current)?;
        let backup = back_up(world, settings, current, earlier.as_ref(), writes.verb)?;
        if let Some(last) = self.undo.clone() {
            let kept = Remembered { last, earlier };
            let text = serde_json::to_string(&kept)?;
            writes.keep(&undo_file(world, settings), Some(&text))?;
        }
        writes.exchange(settings, current, Some(&self.text))?;
        Ok(backup.map(|path| world.paths.shown(&path)))
    }

    /// Explains why the client could not load the copy, if it could not.
    pub(crate) fn defect(&self) -> Option<String> {
        if is_blank(&self.text) {
            return None;
        }
        let document = match Document::parse(&self.text) {
            Err(error) => return Some(error.to_string()),
            Ok(document) => document,
        };
        let defects = settings_schema::check(&document, &Event::names(Event::ALL));
        let defect = defects.into_iter().find(|it| it.effects.worst() == Effect::FileDropped)?;
        let (line, column) = (defect.line, defect.column);
        Some(format!("line {line}, column {column}: {}; {}", defect.message, defect.effects))
    }
}

impl Change for Restoration {
    fn is_empty(&self) -> bool {
        self.before.as_ref() == Some(&self.text)
    }

    fn show(&self, world: &World) {
        print_diff(world, &self.settings, self.before.as_deref(), Some(&self.text));
    }

    fn check(&self, _: &World) -> Result<()> {
        Ok(files::check_replaceable(&self.settings)?)
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        self.write_over(self.before.as_deref(), writes)?;
        let shown = writes.world.paths.shown(&self.settings);
        writes.world.terminal.line(format!("restored {shown} as of {}", self.time));
        Ok(())
    }

    fn settings(&self) -> Option<Settings<'_>> {
        Some(Settings { path: &self.settings, text: Some(&self.text) })
    }

    fn verify(&self, _: &World) -> Result<bool> {
        let current = files::read_text(&self.settings)?;
        Ok(current.as_ref() == Some(&self.text)
            || !is_undone(self.before.as_deref(), &self.text, current.as_deref())?)
    }

    fn write_again(&self, writes: &mut Writes<'_>) -> Result<()> {
        let current = files::read_text(&self.settings)?;
        let copy = self.write_over(current.as_deref(), writes)?;
        if let Some(copy) = copy.filter(|_| current != self.before) {
            let line = format!("The file had changed since; {copy} has that text");
            writes.world.terminal.line(line);
        }
        Ok(())
    }
}

// A session may continue with the restored file or with its old copy, and changes a key or two in
// it. It never changes hooks, so they show which of the two it has.
fn is_undone(before: Option<&str>, text: &str, current: Option<&str>) -> Result<bool> {
    let Some(before) = before.and_then(|text| keys(text).ok()) else { return Ok(false) };
    let current = current.map_or_else(|| Ok(Map::new()), keys)?;
    let text = keys(text).unwrap_or_default();
    let names = before.keys().chain(text.keys());
    let mut differing: Vec<&String> =
        names.filter(|name| before.get(*name) != text.get(*name)).collect();
    if differing.iter().any(|name| *name == "hooks") {
        differing.retain(|name| *name == "hooks");
    }
    let holds = |keys: &Map<String, Value>| {
        differing.iter().any(|name| current.get(*name) == keys.get(*name))
    };
    Ok(holds(&before) && !holds(&text))
}

fn keys(text: &str) -> Result<Map<String, Value>> {
    let document = Document::parse(text)?;
    match document.value(document.root()) {
        Value::Object(keys) => Ok(keys),
        _ => bail!("it is no object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_undoes_a_restore_only_by_going_on_from_its_old_copy() {
        let old = r#"{"model": "opus", "hooks": {"Stop": []}}"#;
        for (before, text, current, undone) in [
            (old, r#"{"model": "opus"}"#, old, true),
            (old, r#"{"model": "opus"}"#, r#"{"hooks":{"Stop":[]},"theme":"dark"}"#, true),
            (old, r#"{"model": "opus"}"#, r#"{"model": "opus", "theme": "dark"}"#, false),
            (old, r#"{"model": "son"}"#, r#"{"model":"opus"}"#, false),
            (old, r#"{"model": "son"}"#, r#"{"model":"son","hooks":{"Stop":[]}}"#, true),
            (old, r#"{"a": 1,}"#, r#"{"theme": "dark"}"#, false),
            (r#"{"a": 1}"#, r#"{"a": 2}"#, r#"{"a": 1, "theme": "dark"}"#, true),
            (r#"{"a": 1}"#, r#"{"a": 2}"#, r#"{"a": 3}"#, false),
            (r#"{"a": 1, "b": 1}"#, r#"{"a": 2, "b": 2}"#, r#"{"a": 2, "b": 1}"#, false),
            (r#"{"a": 1,}"#, r#"{"a": 1}"#, r#"{"theme": "dark"}"#, false),
        ] {
            let found = is_undone(Some(before), text, Some(current)).unwrap();
            assert_eq!(found, undone, "{text} {current}");
        }
    }
}
