//! The options as catalogue and manifest write them, and their way into the runtime's form.

use serde_json::{Map, Value};

use super::super::catalogue;
use super::super::options::{self, Field, OptionProblem, Shape, suggestion};

const LEVELS: Shape = Shape::OneOf(&["one-strike", "block", "ask", "warn"]);
const WORDS: Shape = Shape::List(&Shape::Word);

macro_rules! fields {
    ($($name:literal $required:literal $shape:expr, $help:literal;)*) => {
        &[$(Field { name: $name, required: $required, shape: $shape, help: $help }),*]
    };
}

static RULE: &[Field] = fields! {
    "id" true Shape::Word, "the name that `skip`, `levels` and messages use";
    "program" true Shape::Word, "the program, or several with `|` between them";
    "subcommand" false Shape::Text, "the words after the program and its own options";
    "flags" false WORDS, "one of these must be given";
    "all_flags" false WORDS, "each must be given; spellings have `|` between them";
    "operands" false WORDS, "one of these must be given; `*` at the end stands for any rest";
    "values" false WORDS, "flags that take the next word as their value";
    "except_flags" false WORDS, "each of these spares the command";
    "except_subcommands" false WORDS, "each of these as the first operand spares the command";
    "except_operands" false WORDS, "names that spare the command when every operand ends in one";
    "level" false LEVELS, "this rule's own level";
    "what" true Shape::Text, "what the command does, after `it`, and why it cannot be undone";
    "instead" false Shape::Text, "what to do instead, after `Safer:`";
};

/// Every option of the kind.
pub(super) static FIELDS: &[Field] = fields! {
    "level" false LEVELS, "deny once a session, deny always, ask the user, or tell the model";
    "levels" false Shape::Each(&LEVELS), "the level rule by rule";
    "forget_after" false Shape::Duration, "how long a warning counts";
    "per_agent" false Shape::Flag, "whether every subagent is warned anew";
    "skip" false WORDS, "rules to leave out, by id";
    "rules" false Shape::List(&Shape::Table(RULE)), "the rules";
    "extra_rules" false Shape::List(&Shape::Table(RULE)), "rules to add";
    "globals" false Shape::Each(&WORDS), "options before a subcommand that take a value, by program";
};

/// Checks options as they are written.
///
/// # Errors
///
/// When a key is unknown, missing in a rule, or of another shape.
pub(super) fn check(written: &Map<String, Value>) -> Result<(), OptionProblem> {
    options::check(written, FIELDS)?;
    for list in ["rules", "extra_rules"] {
        for (index, rule) in items(written, list).enumerate() {
            let id = text(rule, "id");
            if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
                let path = [list, &index.to_string(), "id"];
                let message = format!("expected letters, digits, `-` and `_`, found `{id}`");
                return Err(OptionProblem::at(&path, message));
            }
        }
    }
    Ok(())
}

/// Lays a manifest's options over a catalogue entry's and brings them into the runtime's form.
///
/// # Errors
///
/// When `skip` or `levels` names no rule.
pub(super) fn resolve(
    entry: &Map<String, Value>,
    overrides: &Map<String, Value>,
) -> Result<Map<String, Value>, OptionProblem> {
    let merged = catalogue::overlay(entry, overrides);
    let mut rules: Vec<Map<String, Value>> = ["rules", "extra_rules"]
        .iter()
        .flat_map(|list| items(&merged, list))
        .filter_map(|rule| rule.as_object().map(compact))
        .collect();
    adjust(&mut rules, &merged)?;

    let forget_after =
        merged.get("forget_after").and_then(options::seconds).unwrap_or(24 * 60 * 60);
    let level = merged.get("level").cloned().unwrap_or_else(|| "one-strike".into());
    let mut resolved = Map::new();
    // First, because the runtime reads no further when a command calls none of them.
    resolved.insert("programs".into(), programs(&rules).into());
    resolved.insert("level".into(), level);
    resolved.insert("forget_after".into(), forget_after.into());
    if merged.get("per_agent") == Some(&Value::Bool(true)) {
        resolved.insert("per_agent".into(), true.into());
    }
    resolved.insert("globals".into(), globals(entry, overrides).into());
    resolved.insert("rules".into(), rules.into_iter().map(Value::Object).collect());
    Ok(resolved)
}

fn adjust(
    rules: &mut Vec<Map<String, Value>>,
    merged: &Map<String, Value>,
) -> Result<(), OptionProblem> {
    let ids: Vec<String> = rules.iter().map(|rule| id(rule).to_owned()).collect();
    let unknown = |name: &str| {
        let known = ids.iter().map(String::as_str);
        let message = format!("no rule has the id `{name}`{}", suggestion(name, known));
        (!ids.iter().any(|id| id == name)).then_some(message)
    };
    if let Some(levels) = merged.get("levels").and_then(Value::as_object) {
        for (name, level) in levels {
            if let Some(message) = unknown(name) {
                return Err(OptionProblem::at(&["levels", name], message));
            }
            for rule in rules.iter_mut().filter(|rule| id(rule) == name) {
                rule.insert("level".into(), level.clone());
            }
        }
    }
    for (index, name) in items(merged, "skip").enumerate() {
        let name = name.as_str().unwrap_or_default();
        if let Some(message) = unknown(name) {
            return Err(OptionProblem::at(&["skip", &index.to_string()], message));
        }
        rules.retain(|rule| id(rule) != name);
    }
    Ok(())
}

/// A rule with its lists as texts, and without what is empty.
fn compact(rule: &Map<String, Value>) -> Map<String, Value> {
    let joined = rule.iter().map(|(key, value)| match value {
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            (key.clone(), Value::String(items.join(" ")))
        }
        value => (key.clone(), value.clone()),
    });
    joined.filter(|(_, value)| value != "").collect()
}

/// The programs of the rules, each with the first word of its subcommand where it has one, each
/// once, with `|` between them.
fn programs(rules: &[Map<String, Value>]) -> String {
    let word = |rule: &Map<String, Value>, key: &str| {
        rule.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut programs: Vec<String> = Vec::new();
    for rule in rules {
        let subcommand = word(rule, "subcommand");
        let subcommand = subcommand.split_whitespace().next().unwrap_or_default();
        for name in word(rule, "program").split('|') {
            let call = format!("{name} {subcommand}").trim_end().to_owned();
            if !programs.contains(&call) {
                programs.push(call);
            }
        }
    }
    programs.join("|")
}

fn globals(entry: &Map<String, Value>, overrides: &Map<String, Value>) -> Vec<Value> {
    let table = |from: &Map<String, Value>| match from.get("globals") {
        Some(Value::Object(table)) => table.clone(),
        _ => Map::new(),
    };
    let merged = catalogue::overlay(&table(entry), &table(overrides));
    let line = |(program, options): (&String, &Value)| {
        let options = options.as_array().into_iter().flatten().filter_map(Value::as_str);
        let words: Vec<&str> = std::iter::once(program.as_str()).chain(options).collect();
        Value::String(words.join(" "))
    };
    merged.iter().map(line).collect()
}

fn items<'a>(table: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    table.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(rule: &'a Value, key: &str) -> &'a str {
    rule.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn id(rule: &Map<String, Value>) -> &str {
    rule.get("id").and_then(Value::as_str).unwrap_or_default()
}
