//! Where a command runs and where its programs are looked for.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::Reader;

/// The keys that are read here.
pub(super) const KEYS: &[&str] = &["cwd", "path"];

/// Where a command runs and where its programs are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether it runs in the project's directory and not in the session's current one.
    pub in_project: bool,
    /// Directories that its `PATH` has after those of the client; one that is not absolute and
    /// does not begin with `~/` is relative to the manifest's.
    pub path: Vec<String>,
}

impl Surroundings {
    /// The surroundings of a hook, whose `path` may come from `defaults`.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        table: &DeTable<'_>,
        defaults: Option<&Vec<String>>,
    ) -> Self {
        let mut surroundings = Self::default();
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
}

/// A list of directories for `PATH`.
pub(super) fn places(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<String> {
    let found = reader.texts("path", value, "a directory or a list of directories");
    let mut places = Vec::new();
    for (offset, directory) in found.unwrap_or_default() {
        if directory.is_empty() || directory.contains([':', '\0']) {
            let message = format!(
                "`{}` is no directory for `path`: give each its own string, without `:`",
                directory.escape_debug()
            );
            reader.problem(offset, message);
        } else {
            places.push(directory);
        }
    }
    places
}
