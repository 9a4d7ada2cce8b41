//! Reading a kind's options, with problems in words for the person who wrote them.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use crate::syntax::suggestion::{did_you_mean, nearest};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionProblem {
    /// The keys that lead to the value, from the options' root; list positions count from 0.
    pub path: Vec<String>,
    /// The mistake, in words for the person who wrote the manifest.
    pub message: String,
}

impl OptionProblem {
    pub fn at(path: &[&str], message: impl Into<String>) -> Self {
        Self { path: path.iter().map(ToString::to_string).collect(), message: message.into() }
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

/// The option that every kind has, which is read before those of the kind.
pub(super) const ONLY_WITH: &str = "only_with";

/// Reads options as `T`; the problem is the first wrong key in the order in which they are written.
pub fn read<T: DeserializeOwned>(options: &Map<String, Value>) -> Result<T, OptionProblem> {
    let mut without = Map::new();
    let options = if options.contains_key(ONLY_WITH) {
        without.clone_from(options);
        without.shift_remove(ONLY_WITH);
        &without
    } else {
        options
    };
    serde_path_to_error::deserialize(options).map_err(|error| {
        let path: Vec<String> = error.path().iter().filter_map(key).collect();
        let (first, rest) = path.split_first().unzip();
        let found = first.and_then(|first| {
            rest.into_iter().flatten().try_fold(options.get(first)?, |value, part| match value {
                Value::Array(items) => items.get(part.parse::<usize>().ok()?),
                value => value.get(part),
            })
        });
        let message = in_words(&error.into_inner().to_string(), found);
        OptionProblem { path, message }
    })
}

/// A step of a path in the words of [`OptionProblem`].
fn key(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

/// Lays options over others: tables key by key, anything else as a whole.
pub fn overlay(below: &Map<String, Value>, above: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = below.clone();
    for (key, value) in above {
        match (merged.get_mut(key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => *old = overlay(old, new),
            _ => drop(merged.insert(key.clone(), value.clone())),
        }
    }
    merged
}

/// A message of serde's, in the words of a manifest.
fn in_words(message: &str, found: Option<&Value>) -> String {
    let named = |start: &str| {
        let (name, rest) = message.strip_prefix(start)?.split_once('`')?;
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        Some((name, known))
    };
    if let Some((name, known)) = named("unknown field `") {
        return format!("unknown option{}", suggestion(name, known));
    }
    if let Some((name, known)) = named("missing field `") {
        debug_assert!(known.is_empty(), "{message}");
        return format!("`{name}` is missing");
    }
    if let Some((name, known)) = named("unknown variant `") {
        let hint = nearest(name, known.iter().copied()).map(did_you_mean);
        let known = known.join("`, `");
        return format!("expected one of `{known}`, found `{name}`{}", hint.unwrap_or_default());
    }
    let is_type = ["invalid type: ", "invalid value: "].iter().any(|it| message.starts_with(it));
    let expected = message.rsplit_once(", expected ").map(|(_, expected)| expected);
    match (is_type, expected, found) {
        (true, Some(expected), Some(found)) => {
            format!("expected {}, found {}", shape(expected), describe(found))
        }
        _ => message.to_owned(),
    }
}

fn shape(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "a string" | "string or map" => "a text",
        "a sequence" => "a list",
        "a map" => "a table",
        "f32" | "f64" => "a number",
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => {
            "a whole number"
        }
        text if text.starts_with("struct ") => "a table",
        text => text,
    }
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

/// Checks the rules of a kind, which are in two lists.
pub fn check_rules<R>(
    rules: &[R],
    extra_rules: &[R],
    mut check: impl FnMut(&R) -> Result<(), OptionProblem>,
) -> Result<(), OptionProblem> {
    for (list, rules) in [("rules", rules), ("extra_rules", extra_rules)] {
        for (index, rule) in rules.iter().enumerate() {
            check(rule).map_err(|mut problem| {
                problem.path.splice(..0, [list.to_owned(), index.to_string()]);
                problem
            })?;
        }
    }
    Ok(())
}

/// Gives the message about the first unknown `{field}` of a template, if there is one.
pub fn unfilled<'a>(template: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    let mut fields = template.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let (name, _) = fields.find(|(name, _)| !known.contains(name))?;
    Some(format!("`{{{name}}}` is not filled in{}", suggestion(name, known)))
}

/// The end of a message on an unknown name: the nearest known one, or all of them, or nothing.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    let mut seen = BTreeSet::new();
    known.retain(|name| seen.insert(*name));
    match nearest(name, known.iter().copied()) {
        Some(nearest) => did_you_mean(nearest),
        None if known.is_empty() => String::new(),
        None => format!("; there are `{}`", known.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::builtin::values::{Level, Period};

    #[derive(Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Sample {
        level: Level,
        skip: Vec<String>,
        on: bool,
        count: u32,
        life: Period,
        names: BTreeMap<String, String>,
        rules: Vec<Rule>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rule {
        id: String,
    }

    impl Default for Sample {
        fn default() -> Self {
            Self {
                level: Level::Ask,
                skip: Vec::new(),
                on: false,
                count: 0,
                life: Period::seconds(60),
                names: BTreeMap::new(),
                rules: Vec::new(),
            }
        }
    }

    #[test]
    fn problems_name_the_place_and_what_was_expected() {
        let cases = [
            (json!({"level": "ask", "skip": ["a"], "on": true, "count": 3, "life": "8h"}), "fine"),
            (json!({"level": "warn", "life": 90, "names": {"a": "b"}}), "fine"),
            (json!({"levle": "ask"}), "`levle`: unknown option; did you mean `level`?"),
            (
                json!({"zzz": 1}),
                "`zzz`: unknown option; there are `level`, `skip`, `on`, `count`, `life`, `names`, \
                 `rules`",
            ),
            (
                json!({"level": "blok"}),
                "`level`: expected one of `off`, `advise`, `ask`, `one-strike`, `block`, found \
                 `blok`; did you mean `block`?",
            ),
            (
                json!({"level": 5}),
                "`level`: expected one of `off`, `advise`, `ask`, `one-strike`, `block`, found `5`",
            ),
            (json!({"skip": "a"}), "`skip`: expected a list, found `a`"),
            (json!({"skip": ["a", 7]}), "`skip.1`: expected a text, found `7`"),
            (json!({"on": "yes"}), "`on`: expected true or false, found `yes`"),
            (json!({"count": -1}), "`count`: expected a whole number, found `-1`"),
            (json!({"names": {"a": []}}), "`names.a`: expected a text, found a list"),
            (json!({"names": 1}), "`names`: expected a table, found `1`"),
            (json!({"rules": [{}]}), "`rules.0`: `id` is missing"),
            (
                json!({"rules": [{"id": "a", "x": 1}]}),
                "`rules.0.x`: unknown option; there are `id`",
            ),
            (
                json!({"life": "8 h"}),
                "`life`: expected seconds, or a text such as `90s`, `30m`, `8h` or `2d`, found `8 h`",
            ),
        ];
        for (options, expected) in cases {
            let found = match read::<Sample>(options.as_object().unwrap()) {
                Ok(_) => "fine".to_owned(),
                Err(problem) => problem.to_string(),
            };
            assert_eq!(found, expected, "{options}");
        }
        let sample: Sample = read(json!({"rules": [{"id": "a"}]}).as_object().unwrap()).unwrap();
        assert_eq!(sample.rules[0].id, "a");
        assert_eq!(sample.life, Period::seconds(60));
        assert!(sample.skip.is_empty() && sample.names.is_empty() && !sample.on);
        assert_eq!((sample.count, sample.level), (0, Level::Ask));
    }

    #[test]
    fn tables_are_overlaid_key_by_key() {
        let below = json!({"a": 1, "t": {"x": [1], "y": {"z": 1}}});
        let above = json!({"a": 2, "t": {"x": [2], "y": {"w": 2}}, "n": {}});
        let merged = overlay(below.as_object().unwrap(), above.as_object().unwrap());
        let expected = json!({"a": 2, "t": {"x": [2], "y": {"z": 1, "w": 2}}, "n": {}});
        assert_eq!(Value::Object(merged), expected);
    }
}
