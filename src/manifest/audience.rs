//! For whom a hook runs, and who may switch it off.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::Audience;
use super::reader::Reader;
use super::when;
use crate::client::host::HOSTS;
use crate::syntax::suggestion::{did_you_mean, nearest};

pub(super) const KEYS: &[&str] = &["when", "switch", "hosts"];

/// Reads for whom a hook runs.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Audience {
    let mut audience = Audience::default();
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
        audience.when = when::read(reader, value);
    }
    if let Some(value) = table.get("hosts") {
        audience.hosts = hosts(reader, value);
        if value.get_ref().as_array().is_some_and(|list| list.is_empty()) {
            let message = "`hosts` is empty; `enabled = false` switches a hook off".to_owned();
            reader.problem(value.span().start, message);
        }
    }
    audience
}

/// Reads the names of programs.
pub(super) fn hosts(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Vec<&'static str> {
    let named = reader.texts("hosts", value, "a name or a list of names").unwrap_or_default();
    let mut hosts = Vec::new();
    for (offset, name) in named {
        match HOSTS.iter().find(|host| host.name == name) {
            Some(host) => hosts.push(host.name),
            None => {
                let known: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
                let hint = nearest(&name, known.iter().copied())
                    .map_or_else(|| format!("; there are {}", known.join(", ")), did_you_mean);
                reader.problem(offset, format!("hookman knows no program `{name}`{hint}"));
            }
        }
    }
    hosts
}
