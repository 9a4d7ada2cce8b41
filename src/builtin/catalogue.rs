//! The catalogue of ready-made hooks: every file in `templates/hooks/`, compiled in.

use std::sync::{LazyLock, OnceLock};

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::kind::Kind;
use super::{
    OptionProblem, command_guard, compaction_guard, content_guard, decision_log, directives, facts,
    notify, options, prefer_tool, protect, rules, run_after_edit, scope, session_cleanup,
    todo_gate,
};
use crate::client::Event;
use crate::syntax::object::Object;

// `NAMES`, sorted, `TEXTS`, each file's name, its text and that of its options, and `BUILD`.
include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

pub struct Entry {
    pub name: &'static str,
    pub kind: &'static Kind,
    pub summary: String,
    /// Notes for a user before the first use, in a few lines.
    pub description: String,
    /// The heading under which lists show it.
    pub group: String,
    /// Words by which people look for it.
    pub keywords: Vec<String>,
    /// The events it answers where the manifest names none.
    pub events: Vec<Event>,
    /// The matcher where the manifest gives none.
    pub matcher: Option<String>,
    /// Its time limit in seconds where the manifest gives none; that of all hooks if absent.
    pub timeout: Option<u64>,
    /// True if the manifest that `hookman install` makes has it.
    pub default: bool,
    pub options: Object,
    /// The compiled options, once for all hooks of the entry that override nothing.
    compiled: OnceLock<Result<Object, OptionProblem>>,
}

impl Entry {
    /// The hook's options with a manifest's overrides, as they are written. Fails when an override is
    /// unknown, of another shape, or names something the hook does not have.
    pub fn resolve(&self, overrides: &Map<String, Value>) -> Result<Object, OptionProblem> {
        // The catalogue's own options are checked by a test.
        if overrides.is_empty() {
            return Ok(self.options.clone());
        }
        let written = options::overlay(&self.options, overrides);
        (self.kind.check)(&written)?;
        Ok(written.into())
    }

    /// Compiles the options that [`Self::resolve`] gave for the kind's function.
    pub fn compile(&self, written: &Object) -> Result<Object, OptionProblem> {
        let compile = || (self.kind.compile)((**written).clone()).map(Object::from);
        if *written == self.options {
            return self.compiled.get_or_init(compile).clone();
        }
        compile()
    }

    /// Refuses options that can never have an effect at the hook's events.
    pub fn suits(
        &self,
        overrides: &Map<String, Value>,
        events: &[Event],
    ) -> Result<(), OptionProblem> {
        if overrides.is_empty() {
            return Ok(());
        }
        (self.kind.suits)(&options::overlay(&self.options, overrides), events)
    }
}

pub fn names() -> &'static [&'static str] {
    NAMES
}

/// All ready-made hooks by group and name, the groups in the order of [`GROUPS`].
pub fn entries() -> Vec<&'static Entry> {
    let mut entries: Vec<&Entry> = names().iter().filter_map(|name| find(name)).collect();
    let place = |entry: &&Entry| GROUPS.iter().position(|group| *group == entry.group);
    entries.sort_by_key(|entry| (place(entry), entry.name));
    entries
}

/// The headings under which ready-made hooks are listed.
pub const GROUPS: &[&str] = &[
    "Guards",
    "Gates",
    "Checks",
    "Advice",
    "Context",
    "Notices",
    "Records",
    "Housekeeping",
    "Only for certain workflows",
];

/// The ready-made hook of a name, or a kind's without options by `kind:NAME`; parsed the first time.
pub fn find(name: &str) -> Option<&'static Entry> {
    static PARSED: LazyLock<Vec<OnceLock<Option<Entry>>>> =
        LazyLock::new(|| TEXTS.iter().map(|_| OnceLock::new()).collect());
    if let Some(kind) = name.strip_prefix("kind:") {
        return plain().iter().find(|entry| entry.name == kind);
    }
    let at = TEXTS.iter().position(|(known, ..)| *known == name)?;
    PARSED[at].get_or_init(|| parse(TEXTS[at]).ok()).as_ref()
}

/// A hook of each kind without options, for what a package lays over it.
fn plain() -> &'static [Entry] {
    static PLAIN: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let entry = |kind: &&'static Kind| Entry {
            name: kind.name,
            kind,
            summary: kind.name.to_owned(),
            description: String::new(),
            group: String::new(),
            keywords: Vec::new(),
            events: Vec::new(),
            matcher: None,
            timeout: None,
            default: false,
            options: Map::new().into(),
            compiled: OnceLock::new(),
        };
        KINDS.iter().map(entry).collect()
    });
    &PLAIN
}

pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kind: String,
    summary: String,
    description: String,
    group: String,
    #[serde(default)]
    keywords: Vec<String>,
    events: Vec<String>,
    matcher: Option<String>,
    timeout: Option<u64>,
    #[serde(default)]
    default: bool,
}

fn parse((name, text, options): (&'static str, &str, &'static str)) -> anyhow::Result<Entry> {
    let file: File = serde_json::from_str(text)?;
    let events = file
        .events
        .iter()
        .map(|event| Event::from_name(event).with_context(|| format!("unknown event `{event}`")));
    Ok(Entry {
        name,
        kind: kind(&file.kind).with_context(|| format!("unknown kind `{}`", file.kind))?,
        summary: file.summary,
        description: file.description,
        group: file.group,
        keywords: file.keywords,
        events: events.collect::<anyhow::Result<_>>()?,
        matcher: file.matcher,
        timeout: file.timeout,
        default: file.default,
        options: Object::of_text(options),
        compiled: OnceLock::new(),
    })
}

pub(super) static KINDS: &[&Kind] = &[
    &command_guard::KIND,
    &compaction_guard::KIND,
    &content_guard::KIND,
    &decision_log::KIND,
    &directives::KIND,
    &facts::KIND,
    &notify::KIND,
    &prefer_tool::KIND,
    &protect::KIND,
    &rules::KIND,
    &run_after_edit::KIND,
    &scope::KIND,
    &session_cleanup::KIND,
    &todo_gate::KIND,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::outline;

    #[test]
    fn every_file_is_a_hook_that_works_as_it_is() {
        for texts @ (name, _, options) in TEXTS {
            let entry = parse(*texts).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(serde_json::from_str::<Map<String, Value>>(options).is_ok(), "{name}");
            (entry.kind.check)(&entry.options).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(entry.summary.chars().count() < 80, "{name}: {}", entry.summary);
            assert!(!entry.summary.contains('\n'), "{name}");
            assert!(!entry.description.is_empty(), "{name}");
            assert!(!entry.events.is_empty(), "{name}");
            assert!(GROUPS.contains(&&*entry.group), "{name}: no group `{}`", entry.group);
        }
    }

    #[test]
    fn every_option_of_every_kind_is_explained() {
        for kind in KINDS {
            for option in outline::options(kind) {
                assert!(
                    !option.help.is_empty(),
                    "{}: `{}` has no doc comment",
                    kind.name,
                    option.path
                );
                assert!(!option.shape.is_empty(), "{}: `{}` has no shape", kind.name, option.path);
            }
            assert!((kind.schema)()["additionalProperties"] == false, "{}", kind.name);
            let entries = names()
                .iter()
                .filter_map(|name| find(name))
                .filter(|entry| entry.kind.name == kind.name);
            assert!(entries.count() > 0, "no ready-made hook is of the kind {}", kind.name);
        }
    }

    #[test]
    fn names_and_kinds_are_found_and_others_are_not() {
        assert_eq!(find("one-strike").map(|entry| entry.kind.name), Some("command-guard"));
        assert!(find("two-strikes").is_none());
        assert!(kind("one-strike").is_none());
        assert!(names().is_sorted());
    }
}
