//! `when`: the conditions under which a hook runs.

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use super::document::Reader;

/// The keys of `when`.
const KEYS: &[&str] =
    &["agent", "agent_not", "branch", "ci", "headless", "paths", "permission_mode"];

/// The client's permission modes, as it names them in payloads.
const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];

/// The conditions; all that are there must be met, and of a list one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct When {
    /// Types of agents that it runs for; the main agent has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent: Vec<String>,
    /// Types of agents that it does not run for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agent_not: Vec<String>,
    /// Branches that may be checked out, with stars.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branch: Vec<String>,
    /// Whether it runs in continuous integration, or only outside of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<bool>,
    /// Whether it runs where nobody sits before the session, or only where somebody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
    /// Globs for the file that the event is about, as in a permission rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Permission modes of the client.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permission_mode: Vec<String>,
}

impl When {
    pub(super) fn read(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Self {
        let mut when = Self::default();
        let Some(table) = value.get_ref().as_table() else {
            reader.wrong_type("when", value, "a table");
            return when;
        };
        reader.unknown_keys(table, "`when`", KEYS);
        for (key, value) in table {
            let key = key.get_ref().as_ref();
            match key {
                "ci" => when.ci = reader.boolean(key, value),
                "headless" => when.headless = reader.boolean(key, value),
                _ => {
                    let Some(list) = when.list(key) else { continue };
                    *list = texts(reader, key, value);
                }
            }
        }
        when
    }

    fn list(&mut self, key: &str) -> Option<&mut Vec<String>> {
        match key {
            "agent" => Some(&mut self.agent),
            "agent_not" => Some(&mut self.agent_not),
            "branch" => Some(&mut self.branch),
            "paths" => Some(&mut self.paths),
            "permission_mode" => Some(&mut self.permission_mode),
            _ => None,
        }
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
                Some(format!("`{}` is no type of agent", text.escape_debug()))
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
