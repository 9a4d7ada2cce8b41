//! The catalogue of ready-made hooks: one file in `templates/hooks/` for each, compiled in.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::event::Event;

use super::options::OptionProblem;
use super::{Run, command_guard};

macro_rules! texts {
    ($($name:literal)*) => {
        static NAMES: &[&str] = &[$($name),*];
        static TEXTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../templates/hooks/", $name, ".toml")))),*];

        /// A number that changes whenever the catalogue does: what was compiled from another
        /// catalogue is compiled anew.
        pub const FINGERPRINT: u64 = {
            let hash = FNV_OFFSET;
            $(
                let hash = fnv(hash, $name.as_bytes());
                let hash = fnv(
                    hash,
                    include_bytes!(concat!("../../templates/hooks/", $name, ".toml")),
                );
            )*
            hash
        };
    };
}

texts! {
    "one-strike"
}

static KINDS: &[&Kind] = &[&command_guard::KIND];

/// A kind's function from its options and a manifest's to what runs.
pub type Resolve =
    fn(&Map<String, Value>, &Map<String, Value>) -> Result<Map<String, Value>, OptionProblem>;

/// What a built-in hook is made of.
pub struct Kind {
    /// The name that catalogue files use.
    pub name: &'static str,
    /// The function that answers a call.
    pub run: Run,
    /// Checks options as a catalogue file or a manifest writes them, in part or in whole.
    pub check: fn(&Map<String, Value>) -> Result<(), OptionProblem>,
    /// Lays the second options over the first, both checked, and gives what [`Kind::run`] reads.
    pub resolve: Resolve,
}

/// One ready-made hook.
pub struct Entry {
    /// The name that manifests use.
    pub name: &'static str,
    /// What runs.
    pub kind: &'static Kind,
    /// What it does, in one line.
    pub summary: String,
    /// What a user should know before using it, in a few lines.
    pub description: String,
    /// The events it answers where the manifest names none.
    pub events: Vec<Event>,
    /// The matcher where the manifest gives none.
    pub matcher: Option<String>,
    /// The options as its file writes them.
    pub options: Map<String, Value>,
}

impl Entry {
    /// The options that the hook runs with when a manifest overrides some of them.
    ///
    /// # Errors
    ///
    /// When an override is unknown, of another shape, or names something the hook does not have.
    pub fn resolve(
        &self,
        overrides: &Map<String, Value>,
    ) -> Result<Map<String, Value>, OptionProblem> {
        (self.kind.check)(overrides)?;
        (self.kind.resolve)(&self.options, overrides)
    }
}

/// The names of all ready-made hooks.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// The ready-made hook of this name.
///
/// Parses its file, so it has no place where every microsecond counts.
pub fn find(name: &str) -> Option<Entry> {
    let (name, text) = TEXTS.iter().find(|(known, _)| *known == name)?;
    parse(name, text).ok()
}

/// The kind of this name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

/// Lays overrides over options key by key: what most kinds resolve to.
pub fn overlay(options: &Map<String, Value>, overrides: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = options.clone();
    merged.extend(overrides.iter().map(|(key, value)| (key.clone(), value.clone())));
    merged
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kind: String,
    summary: String,
    description: String,
    events: Vec<String>,
    matcher: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
}

fn parse(name: &'static str, text: &str) -> Result<Entry, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let events = file
        .events
        .iter()
        .map(|event| Event::from_name(event).ok_or_else(|| format!("unknown event `{event}`")));
    Ok(Entry {
        name,
        kind: kind(&file.kind).ok_or_else(|| format!("unknown kind `{}`", file.kind))?,
        summary: file.summary,
        description: file.description,
        events: events.collect::<Result<_, _>>()?,
        matcher: file.matcher,
        options: file.options,
    })
}

// FNV-1a, because it can be computed at compile time: nothing here has to withstand an attacker.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(FNV_PRIME);
        index += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_is_a_hook_that_works_as_it_stands() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/hooks");
        let mut files: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        files.sort();
        let mut listed = names().to_vec();
        listed.sort_unstable();
        assert_eq!(files, listed);

        for (name, text) in TEXTS {
            let entry = parse(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (entry.kind.check)(&entry.options).unwrap_or_else(|error| panic!("{name}: {error}"));
            entry.resolve(&Map::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(entry.summary.chars().count() < 80, "{name}: {}", entry.summary);
            assert!(!entry.summary.contains('\n'), "{name}");
            assert!(!entry.description.is_empty(), "{name}");
            assert!(!entry.events.is_empty(), "{name}");
        }
    }

    #[test]
    fn names_and_kinds_are_found_and_others_are_not() {
        assert_eq!(find("one-strike").map(|entry| entry.kind.name), Some("command-guard"));
        assert!(find("two-strikes").is_none());
        assert!(kind("one-strike").is_none());
    }

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        assert_eq!(fnv(FNV_OFFSET, b"foobar"), 0x8594_4171_f739_67e8);
        assert_ne!(FINGERPRINT, FNV_OFFSET);
    }
}
