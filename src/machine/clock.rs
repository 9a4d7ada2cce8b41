//! The time of day.

use jiff::{Timestamp, Unit};

/// Now, to the millisecond, as `2026-01-31T12:00:00.123Z`.
pub fn stamp() -> String {
    rounded(Unit::Millisecond).to_string()
}

/// Now as a name for files that sorts by time: `20260131T120000.123Z`.
pub fn file_stamp() -> String {
    rounded(Unit::Millisecond).strftime("%Y%m%dT%H%M%S.%3fZ").to_string()
}

/// Seconds since 1970.
pub fn unix_seconds() -> i64 {
    Timestamp::now().as_second()
}

fn rounded(unit: Unit) -> Timestamp {
    let now = Timestamp::now();
    now.round(unit).unwrap_or(now)
}
