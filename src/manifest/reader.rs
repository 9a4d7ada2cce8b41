//! Typed access to a TOML document that collects problems with their places.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::{Origin, Position, Problem};

pub(super) type Item<'a> = Spanned<DeValue<'a>>;

/// The hint for a word that is like no known one.
pub(super) const NEWER: &str =
    concat!(" (a newer hookman may know it; this is ", env!("CARGO_PKG_VERSION"), ")");

/// A file being read: its text, to turn spans into places, and the problems found so far.
pub(super) struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    /// The beginning of each line, so that a place is found without counting from the top.
    lines: Vec<usize>,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        Self { file, text, lines, problems: Vec::new() }
    }

    pub(super) fn file_stem(&self) -> &'a str {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Parses the text; a text that is no TOML is a problem and an empty table.
    pub(super) fn parse(&mut self) -> Spanned<DeTable<'a>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        let begins = |at: &&usize| self.text[**at..].starts_with("<<<<<<< ");
        let conflict = if errors.is_empty() { None } else { self.lines.iter().find(begins) };
        if let Some(at) = conflict {
            self.problem(*at, "a merge conflict is not settled: choose one side".to_owned());
            return table;
        }
        for error in errors {
            let at = error.span().map_or(0, |span| span.start);
            self.problem(at, format!("not valid TOML: {}", error.message().trim()));
        }
        table
    }

    pub(super) fn origin(&self, offset: usize) -> Origin {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let before = self.text.get(self.lines[line - 1]..offset).unwrap_or_default();
        let position = Position { line, column: before.chars().count() + 1 };
        Origin { file: self.file.to_owned(), position }
    }

    pub(super) fn problem(&mut self, offset: usize, message: String) {
        let origin = self.origin(offset);
        self.problems.push(Problem { origin, message });
    }

    pub(super) fn refuse<T>(&mut self, item: &Item<'_>, message: String) -> Option<T> {
        self.problem(item.span().start, message);
        None
    }

    pub(super) fn origins(&self, table: &DeTable<'_>) -> BTreeMap<String, Origin> {
        let origin = |key: &Spanned<_>| self.origin(key.span().start);
        table.keys().map(|key| (key.get_ref().to_string(), origin(key))).collect()
    }

    pub(super) fn wrong_type<T>(&mut self, key: &str, item: &Item<'_>, wanted: &str) -> Option<T> {
        let found = match item.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.refuse(item, format!("`{key}` takes {wanted}, not {found}"))
    }

    /// A list of strings, or one alone, each with its offset; `wanted` says what `key` takes.
    pub(super) fn texts(
        &mut self,
        key: &str,
        value: &Item<'_>,
        wanted: &str,
    ) -> Option<Vec<(usize, String)>> {
        let items: Vec<&Item<'_>> = match value.get_ref() {
            DeValue::Array(array) => array.iter().collect(),
            _ => vec![value],
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            let Some(text) = item.get_ref().as_str() else {
                return self.wrong_type(key, item, wanted);
            };
            texts.push((item.span().start, text.to_owned()));
        }
        Some(texts)
    }

    pub(super) fn inner<'v, 't>(
        &mut self,
        key: &str,
        item: &'v Item<'t>,
    ) -> Option<&'v DeTable<'t>> {
        let table = item.get_ref().as_table();
        table.or_else(|| self.wrong_type(key, item, "a table"))
    }
}

pub(super) fn object(table: &DeTable<'_>) -> Map<String, Value> {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref()))).collect()
}

fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| Value::String(integer.as_str().to_owned()), Value::from),
        DeValue::Float(float) => float
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| Value::String(float.as_str().to_owned()), Value::Number),
        DeValue::Boolean(boolean) => Value::Bool(*boolean),
        DeValue::Datetime(datetime) => Value::String(datetime.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => Value::Object(object(table)),
    }
}
