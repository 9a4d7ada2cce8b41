//! Types that the options of several kinds share.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::silence::Silence;
use super::{Context, OptionProblem};
use crate::client::Answer;
use crate::client::permission_rule::path_hits;
use crate::session::request;

/// The reaction of a hook to a call that it has something against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Nothing.
    Off,
    /// Tell the model, and let the call through; `warn` means the same.
    Advise,
    /// Ask the user.
    Ask,
    /// Deny the first time in a session, and let a retry through.
    OneStrike,
    /// Always deny.
    Block,
}

impl Level {
    pub const NAMES: &[&str] = &["off", "advise", "ask", "one-strike", "block"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "off" => Self::Off,
            "advise" | "warn" => Self::Advise,
            "ask" => Self::Ask,
            "one-strike" => Self::OneStrike,
            "block" => Self::Block,
            _ => return None,
        })
    }

    /// The answer to a call that is found, for a kind without retries: `one-strike` denies as `block` does.
    pub(super) fn answer(self, message: String) -> Answer {
        match self {
            Self::Off => Silence::LevelOff.answer(),
            Self::Advise => Answer::context(message),
            Self::Ask => Answer::ask(message),
            Self::OneStrike | Self::Block => Answer::deny(message),
        }
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Level;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "one of `{}`", Level::NAMES.join("`, `"))
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Level, E> {
                Level::from_name(name).ok_or_else(|| E::unknown_variant(name, Level::NAMES))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// A length of time, written as seconds or as `90s`, `30m`, `8h`, `2d`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(u64);

impl Period {
    pub const fn seconds(seconds: u64) -> Self {
        Self(seconds)
    }

    pub const fn as_seconds(self) -> u64 {
        self.0
    }

    pub const fn duration(self) -> Duration {
        Duration::from_secs(self.0)
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Period {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(24 * 60 * 60, 'd'), (60 * 60, 'h'), (60, 'm')];
        let whole = units.iter().find(|(unit, _)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match whole {
            Some((unit, letter)) => write!(formatter, "{}{letter}", self.0 / unit),
            None => write!(formatter, "{}s", self.0),
        }
    }
}

impl Serialize for Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Period;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("seconds, or a text such as `90s`, `30m`, `8h` or `2d`")
            }

            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Period, E> {
                Ok(Period(seconds))
            }

            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Period, E> {
                let wrong = || E::invalid_value(de::Unexpected::Signed(seconds), &self);
                u64::try_from(seconds).map(Period).map_err(|_| wrong())
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Period, E> {
                let wrong = || E::invalid_value(de::Unexpected::Str(text), &self);
                request::seconds(text).map(Period).ok_or_else(wrong)
            }
        }
        deserializer.deserialize_any(Text)
    }
}

/// A span of the day in this machine's time zone, written as `22:00-07:00`; its end is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    from: String,
    to: String,
}

impl TimeSpan {
    pub fn parse(text: &str) -> Option<Self> {
        let is_time = |text: &str| {
            let (hour, minute) = text.split_once(':')?;
            let number = |text: &str, most: u32| {
                let is_it = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().is_ok_and(|number: u32| is_it && number < most)
            };
            (number(hour, 24) && number(minute, 60)).then_some(())
        };
        let (from, to) = text.split_once('-')?;
        is_time(from).and(is_time(to))?;
        (from != to).then(|| Self { from: from.to_owned(), to: to.to_owned() })
    }

    /// Returns whether a time such as `23:15` is in it; a span that ends before it begins goes over midnight.
    pub fn contains(&self, time: &str) -> bool {
        let (from, to) = (self.from.as_str(), self.to.as_str());
        if from <= to { from <= time && time < to } else { from <= time || time < to }
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}-{}", self.from, self.to))
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let wrong = || format!("expected a span of the day such as `22:00-07:00`, found `{text}`");
        Self::parse(&text).ok_or_else(|| de::Error::custom(wrong()))
    }
}

/// A glob for files as in the client's permission rules: without a slash at any depth, `/x` below
/// the project, `~/x` below the home, `//x` from the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PathGlob(String);

impl PathGlob {
    /// Returns whether it hits a path, which may be relative to the session's directory.
    pub fn hits(&self, path: &str, context: &Context<'_>) -> bool {
        context.anchored(|anchors| path_hits(&self.0, path, anchors))
    }
}

/// A text whose form the schema tells by name.
macro_rules! schema_of {
    ($($type:ident $shape:tt $format:literal)*) => {$(
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": $shape, "format": $format})
            }
        }
    )*};
}
pub(super) use schema_of;

schema_of! {
    Period ["string", "integer"] "period"
    TimeSpan "string" "time-span"
    PathGlob "string" "path-glob"
}

/// Checks the name that a rule has in denials and in `levels`.
pub(super) fn check_id(id: &str) -> Result<(), OptionProblem> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if id.is_empty() || !id.bytes().all(fits) {
        let message = format!("expected letters, digits, `-` and `_`, found `{id}`");
        return Err(OptionProblem::at(&["id"], message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn periods_are_seconds_or_a_number_with_a_unit() {
        let rows = [
            (json!(5), Some(5)),
            (json!("90s"), Some(90)),
            (json!("30m"), Some(1800)),
            (json!("8h"), Some(28_800)),
            (json!("2d"), Some(172_800)),
            (json!("h"), None),
            (json!("5"), None),
            (json!(1.5), None),
            (json!(-1), None),
        ];
        for (value, expected) in rows {
            let found: Option<Period> = serde_json::from_value(value.clone()).ok();
            assert_eq!(found.map(Period::as_seconds), expected, "{value}");
            if let Some(period) = found {
                let written = serde_json::to_value(period).unwrap();
                assert_eq!(serde_json::from_value::<Period>(written).unwrap(), period);
            }
        }
        assert_eq!(Period::seconds(5400).to_string(), "90m");
        assert_eq!(Period::seconds(61).to_string(), "61s");
    }

    #[test]
    fn a_level_may_be_called_by_its_old_name() {
        let level = |name: &str| serde_json::from_value::<Level>(Value::from(name));
        assert_eq!(level("warn").unwrap(), Level::Advise);
        for name in Level::NAMES {
            assert_eq!(serde_json::to_value(level(name).unwrap()).unwrap(), *name);
        }
        let wrong = level("stop").unwrap_err().to_string();
        assert!(wrong.starts_with("unknown variant `stop`, expected one of `off`, "), "{wrong}");
    }
}
