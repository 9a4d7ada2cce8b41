//! The table `[defaults]`, which holds for all hooks of a file.

use toml::Spanned;
use toml::de::DeValue;

use super::mode::{self, Mode};
use super::model::{ContextBudget, OnError, Origin};
use super::reader::Reader;
use super::surroundings;

/// The keys of `[defaults]` with their places.
#[derive(Clone, Default)]
pub(super) struct Defaults {
    /// Milliseconds that a hook may take.
    pub timeout_ms: Option<(u64, Origin)>,
    /// The meaning of a failure.
    pub on_error: Option<(OnError, Origin)>,
    /// Directories that the `PATH` of commands has in addition.
    pub path: Option<(Vec<String>, Origin)>,
    /// The limit of what hooks add to the model's context.
    pub budget: Option<(ContextBudget, Origin)>,
    /// The mode of hooks that name none.
    pub mode: Mode,
    /// The places of the mode's keys.
    pub mode_origins: Vec<(String, Origin)>,
}

impl Defaults {
    pub(super) fn read(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Self {
        let mut defaults = Self::default();
        let Some(table) = reader.inner("defaults", value) else { return defaults };
        reader.unknown_keys(
            table,
            "[defaults]",
            &[&["timeout", "on_error", "path", "context_budget"], mode::KEYS].concat(),
        );
        defaults.mode = Mode::read(reader, table);
        let of_mode = table.keys().filter(|key| mode::KEYS.contains(&key.get_ref().as_ref()));
        defaults.mode_origins = of_mode
            .map(|key| (key.get_ref().to_string(), reader.origin(key.span().start)))
            .collect();
        if let Some(value) = table.get("timeout") {
            let origin = reader.origin(value.span().start);
            defaults.timeout_ms = reader.seconds("timeout", value).map(|found| (found, origin));
        }
        if let Some(value) = table.get("on_error") {
            let origin = reader.origin(value.span().start);
            defaults.on_error = on_error(reader, value).map(|found| (found, origin));
        }
        if let Some(value) = table.get("path") {
            let origin = reader.origin(value.span().start);
            defaults.path = Some((surroundings::places(reader, value), origin));
        }
        if let Some(value) = table.get("context_budget") {
            let origin = reader.origin(value.span().start);
            defaults.budget = budget(reader, value).map(|found| (found, origin));
        }
        defaults
    }
}

/// `{ call = 2000, session = 40000 }`, each in tokens, of which one may be left out.
fn budget(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<ContextBudget> {
    let Some(table) = value.get_ref().as_table() else {
        reader.wrong_type(
            "context_budget",
            value,
            "a table such as { call = 2000, session = 40000 }",
        );
        return None;
    };
    reader.unknown_keys(table, "context_budget", &["call", "session"]);
    let mut limit = |key: &str| {
        let value = table.get(key)?;
        let tokens = reader.integer(key, value)?;
        let found = u64::try_from(tokens).ok();
        if found == Some(0) {
            let message = format!(
                "`{key}` of 0 would keep all that hooks say from the model; leave it out for no limit"
            );
            reader.problem(value.span().start, message);
        }
        if found.is_none() {
            reader.problem(
                value.span().start,
                format!("`{key}` is a number of tokens, not {tokens}"),
            );
        }
        found
    };
    let found = ContextBudget { call: limit("call"), session: limit("session") };
    if table.is_empty() {
        let message =
            "`context_budget` limits nothing; give it `call`, `session` or both".to_owned();
        reader.problem(value.span().start, message);
    }
    Some(found)
}

/// A word for what a failure means.
pub(super) fn on_error(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<OnError> {
    let word = reader.text("on_error", value)?;
    let found = OnError::from_name(&word);
    if found.is_none() {
        let message = format!("`on_error` is \"open\", \"ask\" or \"closed\", not \"{word}\"");
        reader.problem(value.span().start, message);
    }
    found
}
