//! For whom a hook runs, and who may switch it off.

use toml::de::DeTable;

use super::model::Audience;
use super::reader::Reader;
use super::when;

/// The keys that are read here.
pub(super) const KEYS: &[&str] = &["when", "switch"];

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
    audience
}
