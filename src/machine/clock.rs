//! The time of day.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Unit};

/// Now, to the millisecond, as `2026-01-31T12:00:00.123Z`.
pub fn stamp() -> String {
    stamp_of(Timestamp::now())
}

/// Writes a time with all three digits behind the point, so that stamps sort as text.
fn stamp_of(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Now as a name for files that sorts by time: `20260131T120000.123Z`.
pub fn file_stamp() -> String {
    rounded(Unit::Millisecond).strftime("%Y%m%dT%H%M%S.%3fZ").to_string()
}

pub fn unix_seconds() -> i64 {
    Timestamp::now().as_second()
}

/// A time for programs, as `2026-01-31T18:00:00Z`.
pub fn utc(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).to_string()
}

/// A time for people, in this machine's time zone, as `2026-01-31 18:00:00`.
pub fn local_time(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Now in this machine's time zone, by a pattern of `strftime`; the pattern itself where it is none.
pub fn local_by(pattern: &str) -> String {
    by(Timestamp::now(), pattern)
}

/// As [`local_by`], of a second since 1970.
pub fn local_at(seconds: i64, pattern: &str) -> String {
    by(Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX), pattern)
}

fn by(time: Timestamp, pattern: &str) -> String {
    let time = time.to_zoned(TimeZone::system());
    jiff::fmt::strtime::format(pattern, &time).unwrap_or_else(|_| pattern.to_owned())
}

/// Today in this machine's time zone, as `2026-01-31`.
pub fn today() -> String {
    local_by("%Y-%m-%d")
}

/// The second since 1970 of what [`stamp`] wrote.
pub fn seconds(stamp: &str) -> Option<i64> {
    stamp.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// The nanosecond since 1970 of what [`stamp`] wrote.
pub fn nanoseconds(stamp: &str) -> Option<i128> {
    stamp.parse::<Timestamp>().ok().map(Timestamp::as_nanosecond)
}

/// Writes a [`stamp`] for people: as [`local_time`]; the stamp itself where it is none.
pub fn local_stamp(stamp: &str) -> String {
    seconds(stamp).map_or_else(|| stamp.to_owned(), local_time)
}

/// The second since 1970 of the next `18:00` here, or of an RFC 3339 time; `None` for other texts.
pub fn next(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_second());
    }
    let zone = TimeZone::system();
    next_at(text, Timestamp::now(), &zone)
}

fn next_at(text: &str, now: Timestamp, zone: &TimeZone) -> Option<i64> {
    let time =
        Time::strptime(if text.matches(':').count() == 2 { "%H:%M:%S" } else { "%H:%M" }, text)
            .ok()?;
    let today = now.to_zoned(zone.clone()).date();
    let of_day = |date: jiff::civil::Date| {
        date.to_datetime(time).to_zoned(zone.clone()).ok().map(|time| time.timestamp())
    };
    let next = match of_day(today) {
        Some(time) if time > now => time,
        _ => of_day(today.checked_add(1.day()).ok()?)?,
    };
    Some(next.as_second())
}

fn rounded(unit: Unit) -> Timestamp {
    let now = Timestamp::now();
    now.round(unit).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_sort_as_text() {
        let of = |millisecond| stamp_of(Timestamp::from_millisecond(millisecond).unwrap());
        assert_eq!(of(120), "1970-01-01T00:00:00.120Z");
        assert!([0, 1, 99, 100, 120, 123, 1000].map(of).is_sorted());
    }

    #[test]
    fn a_time_of_day_is_the_next_one() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("18:00", Some("2026-01-31T16:00:00Z")),
            ("14:01", Some("2026-01-31T12:01:00Z")),
            ("14:00", Some("2026-02-01T12:00:00Z")),
            ("09:30:15", Some("2026-02-01T07:30:15Z")),
            ("25:00", None),
            ("noon", None),
            ("", None),
        ] {
            let expected = expected.map(|time| time.parse::<Timestamp>().unwrap().as_second());
            assert_eq!(next_at(text, now, &zone), expected, "{text:?}");
        }
        assert_eq!(next("1970-01-01T00:01:00+00:00"), Some(60));
    }
}
