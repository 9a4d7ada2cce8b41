//! For whom a hook runs, and who may switch it off.

use toml::de::DeTable;

use super::document::Reader;
use super::when::When;

/// The keys that are read here.
pub(super) const KEYS: &[&str] = &["when", "switch"];

/// For whom a hook runs, and who may switch it off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// The conditions under which it runs.
    pub when: When,
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
            audience.when = When::read(reader, value);
        }
        audience
    }
}
