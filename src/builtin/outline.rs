//! A kind's options as people read them, taken from the schema.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::catalogue::Entry;
use super::kind::Kind;
use crate::client::Event;

/// A default is shown up to this many characters.
pub const SHOWN: usize = 100;

/// One option, or one key of a table inside it.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionRow {
    /// Its keys with dots between them; a list is followed by `[]`, and `*` is any key.
    pub path: String,
    /// The expected form, as in `a list of texts`.
    pub shape: String,
    /// Its value where nobody gives one; nothing for one that must be given.
    pub default: Option<Value>,
    pub help: String,
    /// The values there are and what each means, where they are explained one by one.
    pub values: Vec<(String, String)>,
}

impl OptionRow {
    /// Returns whether it is an option, and no key of a table inside one.
    pub fn is_whole(&self) -> bool {
        !self.path.contains(['.', '['])
    }
}

/// The options of a kind in the order of its struct, those inside of tables after their table.
pub fn options(kind: &Kind) -> Vec<OptionRow> {
    let mut rows = Vec::new();
    collect(&(kind.schema)(), "", &mut rows);
    rows
}

fn collect(schema: &Value, prefix: &str, rows: &mut Vec<OptionRow>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, schema) in properties {
        let (described, schema) = (schema, certain(schema));
        let path = format!("{prefix}{name}");
        rows.push(OptionRow {
            path: path.clone(),
            shape: shape(schema),
            default: described.get("default").filter(|value| !value.is_null()).cloned(),
            help: one_line(described.get("description")),
            values: values(schema),
        });
        if let Some(items) = schema.get("items") {
            collect(items, &format!("{path}[]."), rows);
        }
        if let Some(each) = schema.get("additionalProperties") {
            collect(each, &format!("{path}.*."), rows);
        }
        collect(schema, &format!("{path}."), rows);
    }
}

/// The schema of an option's value where it is given; one that may be absent may be null, too.
fn certain(schema: &Value) -> &Value {
    let any = schema.get("anyOf").and_then(Value::as_array);
    let given = any.and_then(|any| any.iter().find(|one| one["type"] != "null"));
    given.unwrap_or(schema)
}

fn one_line(text: Option<&Value>) -> String {
    text.and_then(Value::as_str)
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn variants(schema: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let of = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let of_enum = of("enum").map(move |value| (value, schema));
    let one_of = of("oneOf").flat_map(|variant| {
        let single = variant.get("const").map(|value| (value, variant));
        let several = variant.get("enum").and_then(Value::as_array).into_iter().flatten();
        single.into_iter().chain(several.map(move |value| (value, variant)))
    });
    of_enum.chain(one_of)
}

fn values(schema: &Value) -> Vec<(String, String)> {
    let schema = schema.get("items").unwrap_or(schema);
    variants(schema)
        .filter(|(_, variant)| variant.get("const").is_some())
        .map(|(value, variant)| (plain(value), one_line(variant.get("description"))))
        .filter(|(_, help)| !help.is_empty())
        .collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shape(schema: &Value) -> String {
    let known: Vec<String> =
        variants(schema).map(|(value, _)| format!("`{}`", plain(value))).collect();
    if !known.is_empty() {
        return known.join(", ");
    }
    match schema.get("format").and_then(Value::as_str) {
        Some("period") => return "a time such as `30m`, or seconds".to_owned(),
        Some("tool-pattern") => return "a tool pattern such as `Bash(git *)`".to_owned(),
        Some("time-span") => return "a span of the day such as `22:00-07:00`".to_owned(),
        Some("path-glob") => return "a path glob".to_owned(),
        _ => {}
    }
    if let Some(any) = schema.get("anyOf").and_then(Value::as_array) {
        let shapes: Vec<String> = any.iter().map(shape).filter(|it| it != "null").collect();
        return shapes.join(" or ");
    }
    let kind = match schema.get("type") {
        // An option that may be absent.
        Some(Value::Array(kinds)) => kinds.iter().find(|kind| *kind != "null"),
        kind => kind,
    };
    match kind.and_then(Value::as_str).unwrap_or_default() {
        "string" => "a text".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "array" => match schema.get("items").map(shape).unwrap_or_default().as_str() {
            "a table" => "a list of tables".to_owned(),
            items => match items.strip_prefix("a ") {
                Some(item) => format!("a list of {}", plural(item)),
                None => format!("a list of {items}"),
            },
        },
        "object" => "a table".to_owned(),
        _ => String::new(),
    }
}

fn plural(item: &str) -> String {
    match item.split_once(' ') {
        Some(("span", rest)) => format!("spans {rest}"),
        Some(("path", "glob")) => "path globs".to_owned(),
        Some(("tool", rest)) => format!("tool {}", rest.replacen("pattern", "patterns", 1)),
        Some((noun, rest)) => format!("{noun}s {rest}"),
        None => format!("{item}s"),
    }
}

/// Writes the manifest's lines for this hook, with all that it may set as comments.
pub fn manifest(entry: &Entry) -> String {
    let events = Event::names(&entry.events);
    let events = match events.as_slice() {
        [event] => in_toml(&Value::from(*event)),
        events => in_toml(&Value::from(events)),
    };
    let matcher = in_toml(&entry.matcher.as_deref().unwrap_or("*").into());
    let name = in_toml(&entry.name.into());
    let mut text =
        format!("[[hook]]\nbuiltin = {name}\n# event   = {events}\n# matcher = {matcher}\n");
    let own: Vec<OptionRow> = options(entry.kind).into_iter().filter(OptionRow::is_whole).collect();
    if !own.is_empty() {
        text.push_str("  [hook.options]\n");
    }
    for row in &own {
        let value = value(entry, row).map(|value| in_toml(&value)).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = if value.chars().count() <= SHOWN {
            writeln!(text, "  # {} = {value}", row.path)
        } else {
            writeln!(
                text,
                "  # {} = [...]  # `hookman show {} --json` has it",
                row.path, entry.name
            )
        };
    }
    text
}

pub fn value(entry: &Entry, row: &OptionRow) -> Option<Value> {
    let own = entry.options.get(&row.path).cloned();
    own.or_else(|| row.default.clone())
}

/// A value as TOML writes it on one line; what is null is left out.
pub fn in_toml(value: &Value) -> String {
    match value {
        // TOML has JSON's escapes, and asks for one more.
        Value::String(text) => Value::from(text.as_str()).to_string().replace('\u{7f}', "\\u007f"),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(in_toml).collect::<Vec<_>>().join(", "))
        }
        Value::Object(table) => in_braces(table),
        value => value.to_string(),
    }
}

fn in_braces(table: &Map<String, Value>) -> String {
    let is_bare = |key: &str| {
        !key.is_empty() && key.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
    };
    let pairs = table.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| {
        let key = if is_bare(key) { key.clone() } else { in_toml(&key.as_str().into()) };
        format!("{key} = {}", in_toml(value))
    });
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
}
