//! `[sessions]`: how long the state of sessions is kept.

use toml::de::{DeTable, DeValue};

use super::document::Reader;
use super::types::{Manifest, Origin, Problem, Problems};

/// For how many days the state of a session is kept after its last use, and where that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepDays {
    /// The days, 1 to 3650.
    pub days: u64,
    /// The place.
    pub origin: Origin,
}

impl KeepDays {
    /// The days that a manifest names, also where something else in it is wrong; `None` where it
    /// names none or is no TOML.
    pub fn in_text(text: &str) -> Option<u64> {
        let mut reader = Reader::new("", text);
        let document = reader.parse();
        let is_toml = reader.problems.is_empty();
        read(&mut reader, document.get_ref()).filter(|_| is_toml).map(|keep| keep.days)
    }
}

/// Reads a file's `[sessions]`.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<KeepDays> {
    let value = table.get("sessions")?;
    let Some(sessions) = value.get_ref().as_table() else {
        reader.wrong_type("sessions", value, "a table");
        return None;
    };
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

impl Manifest {
    /// The same, as a project's: what is the user's alone may not stand in it.
    ///
    /// # Errors
    ///
    /// Where it does.
    pub fn of_project(self) -> Result<Self, Problems> {
        let Some(KeepDays { origin, .. }) = self.keep else { return Ok(self) };
        let message = "the state of sessions is each user's own, so `[sessions]` stands in the \
                       user's manifest";
        Err(Problems(vec![Problem { origin, message: message.to_owned() }]))
    }
}
