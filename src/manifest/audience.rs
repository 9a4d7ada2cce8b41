//! For whom a hook runs, and who may switch it off.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::Reader;

/// The keys that are read here.
pub(super) const KEYS: &[&str] = &["when", "switch"];

/// For whom a hook runs, and who may switch it off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Types of agents it does not run for.
    pub agent_not: Vec<String>,
    /// Whether only a person may switch it off, and no agent's tool.
    pub user_only: bool,
}

impl Audience {
    pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Self {
        let mut audience = Self::default();
        if let Some(value) = table.get("switch") {
            match reader.text("switch", value).as_deref() {
                Some("user") => audience.user_only = true,
                Some("anyone") | None => {}
                Some(word) => {
                    let message = format!("`switch` is \"anyone\" or \"user\", not \"{word}\"");
                    reader.problem(value.span().start, message);
                }
            }
        }
        if let Some(value) = table.get("when") {
            audience.agent_not = agents(reader, value);
        }
        audience
    }
}

fn agents(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<String> {
    let Some(table) = value.get_ref().as_table() else {
        reader.wrong_type("when", value, "a table");
        return Vec::new();
    };
    reader.unknown_keys(table, "`when`", &["agent_not"]);
    let Some(value) = table.get("agent_not") else { return Vec::new() };
    let mut agents = Vec::new();
    for (offset, agent) in
        reader.texts("agent_not", value, "a string or a list of strings").unwrap_or_default()
    {
        if agent.is_empty() || agent.contains(['\t', '\n', '\r', ',']) {
            reader.problem(offset, format!("`{}` is no type of agent", agent.escape_debug()));
        } else {
            agents.push(agent);
        }
    }
    agents
}
