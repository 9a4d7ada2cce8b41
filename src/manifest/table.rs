//! Tables whose keys are described once.

use serde_json::{Map, Value, json};
use toml::de::DeTable;

use super::reader::{Item, NEWER, Reader};
use crate::syntax::suggestion::{did_you_mean, nearest};

pub(super) struct Form<T> {
    /// Reads it; a problem is noted, and mostly there is no value then.
    pub(super) read: fn(&mut Reader<'_>, &str, &Item<'_>) -> Option<T>,
    pub(super) schema: fn() -> Value,
}

#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    /// The values that it takes, in Markdown.
    pub about: &'static str,
    /// The value without it, in Markdown.
    pub default: &'static str,
    pub(super) schema: fn() -> Value,
}

impl Key {
    pub(super) fn property(&self) -> Value {
        let mut property = (self.schema)();
        if !self.about.is_empty() {
            property["description"] = plain(self.about).into();
        }
        property
    }
}

/// Turns Markdown into what an editor shows in a line.
fn plain(markdown: &str) -> String {
    let mut text = markdown.replace("\\|", "|");
    while let Some((before, link)) = text.split_once('[')
        && let Some((words, rest)) = link.split_once("](")
        && let Some((_, after)) = rest.split_once(')')
    {
        text = format!("{before}{words}{after}");
    }
    text
}

pub(super) trait Table: Default {
    const PLACE: &'static str;
    const KEYS: &'static [Key];

    fn set(&mut self, reader: &mut Reader<'_>, key: &str, item: &Item<'_>);

    fn of(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Self {
        let names: Vec<&str> = Self::KEYS.iter().map(|key| key.name).collect();
        unknown_keys(reader, table, Self::PLACE, &names);
        let mut keys = Self::default();
        for (key, item) in table {
            keys.set(reader, key.get_ref(), item);
        }
        keys
    }

    fn schema() -> Value {
        let properties = Self::KEYS.iter().map(|key| (key.name.to_owned(), key.property()));
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": properties.collect::<Map<_, _>>(),
        })
    }
}

/// Reports keys of `table` that are none of `known`.
pub(super) fn unknown_keys(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    place: &str,
    known: &[&str],
) {
    const NAMED: usize = 20;
    let unknown = || table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
    if let Some(next) = unknown().nth(NAMED) {
        let more = unknown().count() - NAMED;
        reader.problem(next.span().start, format!("{more} more unknown keys in the same table"));
    }
    for key in unknown().take(NAMED) {
        let name = key.get_ref().as_ref();
        let hint = nearest(name, known.iter().copied())
            .map_or_else(|| format!("{NEWER}; {place} takes {}", known.join(", ")), did_you_mean);
        reader.problem(key.span().start, format!("unknown key `{name}`{hint}"));
    }
}

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident in $place:literal {
        $($field:ident: $type:ty = $key:literal, $form:expr, $about:literal, $default:literal;)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Default)]
        pub(super) struct $name { $(pub(super) $field: Option<$type>),* }

        impl Table for $name {
            const PLACE: &'static str = $place;
            const KEYS: &'static [Key] = &[$({
                const FORM: Form<$type> = $form;
                Key { name: $key, about: $about, default: $default, schema: FORM.schema }
            }),*];

            fn set(&mut self, reader: &mut Reader<'_>, key: &str, item: &Item<'_>) {
                match key {
                    $($key => {
                        const FORM: Form<$type> = $form;
                        self.$field = (FORM.read)(reader, key, item);
                    })*
                    _ => {}
                }
            }
        }
    )*};
}

pub(super) use keys;
