//! `mode` and `observe_until`: hooks that only watch, so that a person sees what they would do.

use std::collections::BTreeMap;

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::{Observe, Origin, Problem};
use super::reader::Reader;

pub(super) const KEYS: &[&str] = &[MODE, UNTIL];

const MODE: &str = "mode";
const UNTIL: &str = "observe_until";

/// The keys as one table writes them.
#[derive(Clone, Default)]
pub(super) struct Mode {
    /// True if it only watches.
    pub(super) observes: Option<bool>,
    /// The last day of that.
    pub(super) until: Option<String>,
}

impl Mode {
    pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Self {
        Self {
            observes: table.get(MODE).and_then(|value| observes(reader, value)),
            until: table.get(UNTIL).and_then(|value| day(reader, value)),
        }
    }

    /// Lays these keys over those of a layer below.
    pub(super) fn over(self, below: Self) -> Self {
        Self { observes: self.observes.or(below.observes), until: self.until.or(below.until) }
    }

    /// Gives what a hook with these keys does, where `[defaults]` has those.
    pub(super) fn complete(
        self,
        defaults: &Self,
        origins: &BTreeMap<String, Origin>,
    ) -> Result<Observe, Problem> {
        let observes = self.observes.or(defaults.observes).unwrap_or_default();
        if let (false, true, Some(origin)) = (observes, self.until.is_some(), origins.get(UNTIL)) {
            let message = "`observe_until` needs `mode = \"observe\"`: without it the hook decides \
                           from the first day on";
            return Err(Problem { origin: origin.clone(), message: message.to_owned() });
        }
        let until = self.until.or_else(|| defaults.until.clone()).map(Observe::Until);
        Ok(if observes { until.unwrap_or(Observe::Always) } else { Observe::Never })
    }
}

fn observes(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<bool> {
    match reader.text(MODE, value)?.as_str() {
        "observe" => Some(true),
        "enforce" => Some(false),
        word => {
            let message = format!("`mode` is \"enforce\" or \"observe\", not \"{word}\"");
            reader.problem(value.span().start, message);
            None
        }
    }
}

/// A day, as TOML or as a text has it.
fn day(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let text = match value.get_ref() {
        DeValue::Datetime(date) => date.to_string(),
        DeValue::String(text) => text.to_string(),
        _ => String::new(),
    };
    // A time would be read as its day.
    let day = text.parse::<Date>().ok().map(|day| day.to_string()).filter(|day| *day == text);
    if day.is_none() {
        let message = "`observe_until` takes the last day of watching, such as 2026-12-31";
        reader.problem(value.span().start, message.to_owned());
    }
    day
}
