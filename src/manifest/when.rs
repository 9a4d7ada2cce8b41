//! `when`: the conditions under which a hook runs.

use toml::Spanned;
use toml::de::DeValue;

use super::model::When;
use super::reader::Reader;
use crate::syntax::escaped::escaped;

const KEYS: &[&str] =
    &["agent", "agent_not", "branch", "ci", "headless", "paths", "permission_mode"];

/// The client's permission modes, as it names them in payloads.
const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

/// Reads the table `when`.
pub(super) fn read(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> When {
    let mut when = When::default();
    let Some(table) = reader.inner("when", value) else { return when };
    reader.unknown_keys(table, "`when`", KEYS);
    for (key, value) in table {
        let key = key.get_ref().as_ref();
        match key {
            "ci" => when.ci = reader.boolean(key, value),
            "headless" => when.headless = reader.boolean(key, value),
            _ => {
                let Some(list) = list(&mut when, key) else { continue };
                *list = texts(reader, key, value);
            }
        }
    }
    when
}

fn list<'w>(when: &'w mut When, key: &str) -> Option<&'w mut Vec<String>> {
    match key {
        "agent" => Some(&mut when.agent),
        "agent_not" => Some(&mut when.agent_not),
        "branch" => Some(&mut when.branch),
        "paths" => Some(&mut when.paths),
        "permission_mode" => Some(&mut when.permission_mode),
        _ => None,
    }
}

fn texts(reader: &mut Reader<'_>, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<String> {
    let found = reader.texts(key, value, "a string or a list of strings").unwrap_or_default();
    if found.is_empty() && value.get_ref().as_array().is_some_and(|list| list.is_empty()) {
        reader.problem(value.span().start, format!("`{key}` is empty; leave it out"));
    }
    let mut texts = Vec::new();
    for (offset, text) in found {
        let problem = match key {
            "agent" | "agent_not" if text.is_empty() || text.contains(['\t', '\n', '\r', ',']) => {
                Some(format!("`{}` is no type of agent", escaped(&text)))
            }
            "permission_mode" if !MODES.contains(&text.as_str()) => {
                let modes = MODES.join(", ");
                Some(format!("the client has no permission mode `{text}`; there are {modes}"))
            }
            _ if text.is_empty() => Some(format!("an empty text in `{key}` hits nothing")),
            _ => None,
        };
        match problem {
            Some(message) => reader.problem(offset, message),
            None => texts.push(text),
        }
    }
    texts
}
