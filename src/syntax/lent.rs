//! A text that is borrowed from its source if the source has it unescaped.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// A `Cow` that borrows without a word at each field: a struct of these has `#[serde(bound = "'de: 'a")]`
/// once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lent<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl Deref for Lent<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<'a, T: Into<Cow<'a, str>>> From<T> for Lent<'a> {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl PartialEq<&str> for Lent<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}
