//! Typed access to a TOML document that collects problems with their places.

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::model::{Origin, Position, Problem, milliseconds};
use crate::syntax::suggestion::{did_you_mean, nearest};

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

    /// Parses the text; a text that is no TOML is a problem and an empty table.
    pub(super) fn parse(&mut self) -> Spanned<DeTable<'a>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
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

    /// A key of `table`, with the offset of the key and of the value.
    pub(super) fn unknown_keys(&mut self, table: &DeTable<'_>, place: &str, known: &[&str]) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let hint = nearest(name, known.iter().copied()).map_or_else(
                    || format!("{NEWER}; {place} takes {}", known.join(", ")),
                    did_you_mean,
                );
                self.problem(key.span().start, format!("unknown key `{name}`{hint}"));
            }
        }
    }

    pub(super) fn wrong_type(&mut self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.problem(value.span().start, format!("`{key}` takes {wanted}, not {found}"));
    }

    pub(super) fn text(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref().as_str() {
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong_type(key, value, "a string");
                None
            }
        }
    }

    pub(super) fn boolean(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<bool> {
        let found = value.get_ref().as_bool();
        if found.is_none() {
            self.wrong_type(key, value, "true or false");
        }
        found
    }

    pub(super) fn integer(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<i64> {
        let found = match value.get_ref() {
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok()
            }
            _ => None,
        };
        if found.is_none() {
            self.wrong_type(key, value, "a whole number");
        }
        found
    }

    /// A duration in seconds, as milliseconds.
    pub(super) fn seconds(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        let number = match value.get_ref() {
            #[expect(clippy::cast_precision_loss, reason = "the range is checked below")]
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|whole| whole as f64),
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            _ => {
                self.wrong_type(key, value, "a number of seconds");
                return None;
            }
        };
        let milliseconds = number.and_then(milliseconds);
        if milliseconds.is_none() {
            self.problem(value.span().start, format!("`{key}` takes seconds from 0.001 to 600"));
        }
        milliseconds
    }

    /// A list of strings, each with its offset; `wanted` says what `key` takes. What is no list is
    /// read as a list of one.
    pub(super) fn texts(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        wanted: &str,
    ) -> Option<Vec<(usize, String)>> {
        let items: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Array(array) => array.iter().collect(),
            _ => vec![value],
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            let Some(text) = item.get_ref().as_str() else {
                self.wrong_type(key, item, wanted);
                return None;
            };
            texts.push((item.span().start, text.to_owned()));
        }
        Some(texts)
    }

    /// The table that a value is.
    pub(super) fn inner<'v, 't>(
        &mut self,
        key: &str,
        value: &'v Spanned<DeValue<'t>>,
    ) -> Option<&'v DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(key, value, "a table");
        }
        table
    }

    /// A table as JSON; dates become their text.
    pub(super) fn table(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<Map<String, Value>> {
        self.inner(key, value).map(object)
    }
}

fn object(table: &DeTable<'_>) -> Map<String, Value> {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref()))).collect()
}

fn array(array: &DeArray<'_>) -> Value {
    Value::Array(array.iter().map(|value| json(value.get_ref())).collect())
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
        DeValue::Array(values) => array(values),
        DeValue::Table(table) => Value::Object(object(table)),
    }
}

/// The offset of the key that `path` leads to inside `table`, or of the nearest table on the way.
pub(super) fn key_offset(value: &Spanned<DeValue<'_>>, path: &[String]) -> usize {
    let Some((first, rest)) = path.split_first() else { return value.span().start };
    match value.get_ref() {
        DeValue::Table(table) => table.iter().find(|(key, _)| key.get_ref() == first).map_or(
            value.span().start,
            |(key, inner)| {
                if rest.is_empty() { key.span().start } else { key_offset(inner, rest) }
            },
        ),
        DeValue::Array(items) => first
            .parse()
            .ok()
            .and_then(|index: usize| items.get(index))
            .map_or(value.span().start, |inner| key_offset(inner, rest)),
        _ => value.span().start,
    }
}
