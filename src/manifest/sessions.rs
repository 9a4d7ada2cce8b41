//! `[sessions]`: how long the state of sessions is kept.

use toml::de::{DeTable, DeValue};

use super::model::KeepDays;
use super::reader::Reader;

/// The days that a manifest names, also where something else in it is wrong; `None` where it
/// names none or is no TOML.
pub fn keep_days(text: &str) -> Option<u64> {
    let mut reader = Reader::new("", text);
    let document = reader.parse();
    let is_toml = reader.problems.is_empty();
    read(&mut reader, document.get_ref()).filter(|_| is_toml).map(|keep| keep.days)
}

/// Reads a file's `[sessions]`.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<KeepDays> {
    let sessions = reader.inner("sessions", table.get("sessions")?)?;
    reader.unknown_keys(sessions, "[sessions]", &["keep_days"]);
    let value = sessions.get("keep_days")?;
    let DeValue::Integer(days) = value.get_ref() else {
        reader.wrong_type("keep_days", value, "a number of days");
        return None;
    };
    match u64::from_str_radix(days.as_str(), days.radix()) {
        Ok(days @ 1..=3650) => Some(KeepDays { days, origin: reader.origin(value.span().start) }),
        _ => {
            let message = "`keep_days` takes days from 1 to 3650".to_owned();
            reader.problem(value.span().start, message);
            None
        }
    }
}
