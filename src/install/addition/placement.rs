//! The place of a new hook in a manifest, and the values that are set in it.

use anyhow::{Result, bail};

use crate::manifest::edit::{self, Place};

#[derive(Clone, Debug, Default)]
pub(crate) struct Placement {
    pub(crate) place: Option<Place>,
    pub(crate) settings: String,
}

impl Placement {
    /// Reads the words of a user: a hook to come before or after, and keys with values.
    pub(crate) fn of(before: Option<&str>, after: Option<&str>, set: &[String]) -> Result<Self> {
        let before = before.map(|name| Place::Before(name.to_owned()));
        let after = after.map(|name| Place::After(name.to_owned()));
        let mut settings = String::new();
        for typed in set {
            match edit::setting(typed) {
                Some(line) => settings.push_str(&line),
                None => bail!(
                    "`--set {typed}` is no `KEY=VALUE`, such as `level=block` or `levels.rm=block`"
                ),
            }
        }
        Ok(Self { place: before.or(after), settings })
    }

    pub(crate) fn add(&self, text: &str, block: &str) -> Result<String> {
        match &self.place {
            None => Ok(edit::add_block(text, block)),
            Some(place) => Ok(edit::add_at(text, block, place)?),
        }
    }
}
