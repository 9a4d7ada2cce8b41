//! The shape of a kind's options, as a table that checks what a manifest says.

use std::fmt;

use crate::session::period;
use serde_json::{Map, Value};

/// What is wrong with a hook's options, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionProblem {
    /// The keys that lead to the value, from the options' root; list positions count from 0.
    pub path: Vec<String>,
    /// What is wrong, in words for the person who wrote the manifest.
    pub message: String,
}

impl OptionProblem {
    /// A problem at `path`.
    pub fn at(path: &[&str], message: impl Into<String>) -> Self {
        Self { path: path.iter().map(ToString::to_string).collect(), message: message.into() }
    }

    fn below(mut self, key: impl Into<String>) -> Self {
        self.path.insert(0, key.into());
        self
    }
}

impl fmt::Display for OptionProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "`{}`: {}", self.path.join("."), self.message)
    }
}

impl std::error::Error for OptionProblem {}

/// One option of a kind, or one key of a table inside it.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// Whether the table around it is wrong without it.
    pub required: bool,
    /// What the value must be.
    pub shape: Shape,
    /// What it is for, in one line.
    pub help: &'static str,
}

/// What an option's value must be.
#[derive(Debug)]
pub enum Shape {
    /// A text.
    Text,
    /// A text without blanks in it.
    Word,
    /// `true` or `false`.
    Flag,
    /// A whole number from 0.
    Count,
    /// Seconds, or a text such as `90s`, `30m`, `8h`, `2d`.
    Duration,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A list, each item of this shape.
    List(&'static Shape),
    /// A table with keys of the user's choice, each value of this shape.
    Each(&'static Shape),
    /// A table with these keys.
    Table(&'static [Field]),
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => formatter.write_str("a text"),
            Self::Word => formatter.write_str("a text without blanks"),
            Self::Flag => formatter.write_str("true or false"),
            Self::Count => formatter.write_str("a whole number"),
            Self::Duration => {
                formatter.write_str("seconds, or a text such as `90s`, `30m`, `8h` or `2d`")
            }
            Self::OneOf(texts) => write!(formatter, "one of `{}`", texts.join("`, `")),
            Self::List(_) => formatter.write_str("a list"),
            Self::Each(_) | Self::Table(_) => formatter.write_str("a table"),
        }
    }
}

/// Checks options, or part of them, against a kind's table.
///
/// # Errors
///
/// The first key that is unknown, missing or of another shape, in the order in which it is written.
pub fn check(options: &Map<String, Value>, fields: &[Field]) -> Result<(), OptionProblem> {
    for (key, value) in options {
        let Some(field) = fields.iter().find(|field| field.name == key) else {
            let known = fields.iter().map(|field| field.name);
            let message = format!("unknown option{}", suggestion(key, known));
            return Err(OptionProblem::at(&[key], message));
        };
        check_value(value, &field.shape).map_err(|problem| problem.below(key))?;
    }
    let missing = fields.iter().find(|field| field.required && !options.contains_key(field.name));
    missing
        .map_or(Ok(()), |field| Err(OptionProblem::at(&[], format!("`{}` is missing", field.name))))
}

fn check_value(value: &Value, shape: &Shape) -> Result<(), OptionProblem> {
    let fits = match (shape, value) {
        (Shape::Text, Value::String(_)) | (Shape::Flag, Value::Bool(_)) => true,
        (Shape::Word, Value::String(text)) => {
            !text.is_empty() && !text.contains(char::is_whitespace)
        }
        (Shape::Count, Value::Number(number)) => number.is_u64(),
        (Shape::Duration, value) => seconds(value).is_some(),
        (Shape::OneOf(texts), Value::String(text)) => texts.contains(&text.as_str()),
        (Shape::List(shape), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                check_value(item, shape).map_err(|problem| problem.below(index.to_string()))?;
            }
            true
        }
        (Shape::Each(shape), Value::Object(table)) => {
            for (key, item) in table {
                check_value(item, shape).map_err(|problem| problem.below(key))?;
            }
            true
        }
        (Shape::Table(fields), Value::Object(table)) => return check(table, fields),
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let mut message = format!("expected {shape}, found {}", describe(value));
    if let (Shape::OneOf(texts), Value::String(text)) = (shape, value)
        && let Some(nearest) = nearest(text, texts)
    {
        message.push_str("; did you mean `");
        message.push_str(nearest);
        message.push_str("`?");
    }
    Err(OptionProblem::at(&[], message))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) => format!("`{text}`"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}

/// The end of a message on an unknown name: the nearest known one, or all of them, or nothing.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    known.dedup();
    match nearest(name, &known) {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; there are `{}`", known.join("`, `")),
    }
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let rated = known.iter().map(|known| (strsim::jaro_winkler(name, known), *known));
    let best = rated.max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(likeness, _)| *likeness >= 0.8).map(|(_, known)| known)
}

/// The seconds that a [`Shape::Duration`] means, or `None` where it is of another shape.
pub fn seconds(value: &Value) -> Option<u64> {
    let Value::String(text) = value else {
        return value.as_u64();
    };
    period::seconds(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    static FIELDS: &[Field] = &[
        Field { name: "level", required: true, shape: Shape::OneOf(&["block", "ask"]), help: "" },
        Field { name: "skip", required: false, shape: Shape::List(&Shape::Word), help: "" },
        Field { name: "on", required: false, shape: Shape::Flag, help: "" },
        Field { name: "count", required: false, shape: Shape::Count, help: "" },
        Field { name: "life", required: false, shape: Shape::Duration, help: "" },
        Field { name: "names", required: false, shape: Shape::Each(&Shape::Text), help: "" },
    ];

    #[test]
    fn problems_name_the_place_and_what_was_expected() {
        let cases = [
            (json!({"level": "ask", "skip": ["a"], "on": true, "count": 3, "life": "8h"}), "fine"),
            (json!({"level": "ask", "life": 90, "names": {"a": "b"}}), "fine"),
            (json!({"on": true}), "`level` is missing"),
            (json!({"levle": "ask"}), "`levle`: unknown option; did you mean `level`?"),
            (
                json!({"zzz": 1}),
                "`zzz`: unknown option; there are `level`, `skip`, `on`, `count`, `life`, `names`",
            ),
            (
                json!({"level": "blok"}),
                "`level`: expected one of `block`, `ask`, found `blok`; did you mean `block`?",
            ),
            (json!({"level": 5}), "`level`: expected one of `block`, `ask`, found `5`"),
            (json!({"skip": "a"}), "`skip`: expected a list, found `a`"),
            (json!({"skip": ["a", 7]}), "`skip.1`: expected a text without blanks, found `7`"),
            (json!({"skip": ["a b"]}), "`skip.0`: expected a text without blanks, found `a b`"),
            (json!({"on": "yes"}), "`on`: expected true or false, found `yes`"),
            (json!({"count": -1}), "`count`: expected a whole number, found `-1`"),
            (json!({"names": {"a": []}}), "`names.a`: expected a text, found a list"),
            (
                json!({"life": "8 h"}),
                "`life`: expected seconds, or a text such as `90s`, `30m`, `8h` or `2d`, found `8 h`",
            ),
        ];
        for (options, expected) in cases {
            let found = match check(options.as_object().unwrap(), FIELDS) {
                Ok(()) => "fine".to_owned(),
                Err(problem) => problem.to_string(),
            };
            assert_eq!(found, expected, "{options}");
        }
    }

    #[test]
    fn durations_are_seconds_or_a_number_with_a_unit() {
        let cases = [
            (json!(5), Some(5)),
            (json!("90s"), Some(90)),
            (json!("30m"), Some(1800)),
            (json!("8h"), Some(28_800)),
            (json!("2d"), Some(172_800)),
            (json!("h"), None),
            (json!("+5h"), None),
            (json!("5"), None),
            (json!(1.5), None),
            (json!("99999999999999999999d"), None),
        ];
        for (value, expected) in cases {
            assert_eq!(seconds(&value), expected, "{value}");
        }
    }
}
