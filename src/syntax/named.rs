//! Enumerations of which each variant has one word, and lists of words.

use std::fmt::Display;

macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$of_variant:meta])* $variant:ident = $word:literal),* $(,)?
    }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$of_variant])* $variant),* }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}

pub(crate) use named;

/// A list of a data file, as `build.rs` writes it.
macro_rules! listed {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"))
    };
}

pub(crate) use listed;

/// The fields of the row of a table that begins with a name, with ` | ` between them.
pub fn row<'t>(table: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let own = |line: &'t str| line.strip_prefix(name)?.strip_prefix(" | ");
    table.lines().find_map(own).unwrap_or_default().split(" | ")
}

/// A text of a table with values in the place of `{0}`, `{1}` and so on.
pub fn filled(text: &str, values: &[&dyn Display]) -> String {
    let mut parts = text.split('{');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.split_once('}').and_then(|(at, rest)| {
            Some(format!("{}{rest}", values.get(at.parse::<usize>().ok()?)?))
        });
        made.push_str(&value.unwrap_or_else(|| format!("{{{part}")));
    }
    made
}

/// The words of a text that has one blank between any two. Their number has to be said, as a list in a
/// constant has a length; another one does not compile.
pub const fn words<const N: usize>(text: &'static str) -> [&'static str; N] {
    let (mut words, mut rest, mut at) = ([""; N], text, 0);
    while at < N {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b' ' {
            end += 1;
        }
        (words[at], rest) = rest.split_at(end);
        at += 1;
        if at < N {
            rest = rest.split_at(1).1;
        }
    }
    assert!(rest.is_empty(), "there are more words");
    words
}
