//! The directory of a command and the directories of its programs.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::Surroundings;
use super::reader::Reader;
use crate::syntax::escaped::escaped;

pub(super) const KEYS: &[&str] = &["cwd", "path"];

/// The surroundings of a hook, whose `path` may come from `defaults`.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    defaults: Option<&Vec<String>>,
) -> Surroundings {
    let mut surroundings = Surroundings::default();
    if let Some(value) = table.get("cwd") {
        match reader.text("cwd", value).as_deref() {
            Some("project") => surroundings.in_project = true,
            Some("session") | None => {}
            Some(word) => {
                let message = format!("`cwd` is \"session\" or \"project\", not \"{word}\"");
                reader.problem(value.span().start, message);
            }
        }
    }
    surroundings.path = match table.get("path") {
        Some(value) => places(reader, value),
        None => defaults.cloned().unwrap_or_default(),
    };
    surroundings
}

/// A list of directories for `PATH`.
pub(super) fn places(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<String> {
    let found = reader.texts("path", value, "a directory or a list of directories");
    let mut places = Vec::new();
    for (offset, directory) in found.unwrap_or_default() {
        if directory.is_empty() || directory.contains([':', '\0']) {
            let message = format!(
                "`{}` is no directory for `path`: give each its own string, without `:`",
                escaped(&directory)
            );
            reader.problem(offset, message);
        } else {
            places.push(directory);
        }
    }
    places
}
