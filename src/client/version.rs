//! Versions of the client.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u32; 3]);

impl Version {
    /// The version at the beginning of a text; what comes behind it does not count.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().splitn(3, '.');
        let (major, minor, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let patch = rest.split(|it: char| !it.is_ascii_digit()).next()?;
        Some(Self([major.parse().ok()?, minor.parse().ok()?, patch.parse().ok()?]))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(formatter, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared_by_number() {
        for (text, version) in [
            ("2.1.329 (Claude Code)\n", Some([2, 1, 329])),
            ("2.1.9", Some([2, 1, 9])),
            ("2.1", None),
            ("v2.1.9", None),
            ("", None),
        ] {
            assert_eq!(Version::parse(text).map(|it| it.0), version, "{text}");
        }
        assert!(Version([2, 1, 9]) < Version([2, 1, 85]));
    }
}
