//! Reading a manifest and laying its overlay over it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::defaults::{self, Defaults};
use super::mode::{self, Mode};
use super::model::{
    Action, Audience, Hook, Manifest, Manner, OnError, Origin, Preset, Presets, Problem, Problems,
    Surroundings, check_name,
};
use super::passing::{self, Rest};
use super::reader::{NEWER, Reader, key_offset};
use super::{action, audience, manner, profiles, sessions, surroundings};
use crate::client::event::Event;
use crate::client::matcher;
use crate::syntax::suggestion::{did_you_mean, nearest};

/// A manifest's text and the name it goes by in messages.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file as the user would name it.
    pub file: &'a str,
    pub text: &'a str,
}

/// Keys of `[[hook]]`, in the order in which documentation gives them.
const HOOK_KEYS: &[&str] = &[
    "name", "builtin", "command", "argv", "prompt", "agent", "http", "mcp_tool", "event",
    "matcher", "enabled", "timeout", "on_error", "options",
];

/// Keys that an overlay may set for a hook that the manifest under it declares.
const OVERRIDABLE: &[&str] =
    &["enabled", "timeout", "on_error", "mode", "observe_until", "options"];

const DEFAULT_TIMEOUT_MS: u64 = 10_000;

/// Reads a manifest and, over it, its overlay: the overlay's own hooks come after the manifest's,
/// and of the manifest's hooks it may set [`OVERRIDABLE`] keys by name.
pub fn read(
    base: Option<Source<'_>>,
    overlay: Option<Source<'_>>,
    presets: &dyn Presets,
) -> Result<Manifest, Problems> {
    let mut hooks: Vec<Draft> = Vec::new();
    let mut places = BTreeMap::new();
    let mut problems = Vec::new();
    let mut manifest = Manifest::default();
    for (source, is_overlay) in [(base, false), (overlay, true)] {
        let Some(source) = source else { continue };
        let mut reader = Reader::new(source.file, source.text);
        let drafts = drafts(&mut reader, presets, &mut manifest);
        for draft in drafts {
            place(draft, is_overlay, &mut hooks, &mut places, &mut reader.problems);
        }
        problems.append(&mut reader.problems);
    }
    let mut hooks: Vec<Hook> = hooks
        .into_iter()
        .filter_map(|draft| draft.complete(presets).map_err(|problem| problems.push(problem)).ok())
        .collect();
    for hook in &mut hooks {
        hook.manner.unexplained = manifest.unexplained;
    }
    if problems.is_empty() {
        return Ok(Manifest { hooks, ..manifest });
    }
    // A hook is read key by key, not line by line.
    problems.sort_by_key(|Problem { origin, .. }| {
        let is_overlay = base.is_none_or(|base| base.file != origin.file);
        (is_overlay, origin.position)
    });
    Err(Problems(problems))
}

/// A hook as one file gives it; `None` is a key that the file leaves out.
struct Draft {
    name: String,
    action: Option<Action>,
    events: Option<Vec<Event>>,
    matcher: Option<String>,
    enabled: Option<bool>,
    timeout_ms: Option<u64>,
    on_error: Option<OnError>,
    mode: Mode,
    manner: Manner,
    surroundings: Surroundings,
    audience: Audience,
    options: Option<Map<String, Value>>,
    option_origins: Vec<(Vec<String>, Origin)>,
    origins: BTreeMap<String, Origin>,
    origin: Origin,
    overlay: Option<Origin>,
    defaults: Defaults,
}

fn place(
    draft: Draft,
    is_overlay: bool,
    hooks: &mut Vec<Draft>,
    places: &mut BTreeMap<String, usize>,
    problems: &mut Vec<Problem>,
) {
    let Some(earlier) = places.get(&draft.name).map(|place| &mut hooks[*place]) else {
        places.insert(draft.name.clone(), hooks.len());
        hooks.push(draft);
        return;
    };
    if !is_overlay || earlier.origin.file == draft.origin.file || draft.action.is_some() {
        let message =
            format!("the name `{}` is taken by the hook at {}", draft.name, earlier.origin);
        problems.push(Problem { origin: draft.origin, message });
        return;
    }
    let foreign = draft.origins.iter().find(|(key, _)| {
        !OVERRIDABLE.contains(&key.as_str()) && !matches!(key.as_str(), "name" | "hook")
    });
    if let Some((key, origin)) = foreign {
        let message = format!(
            "an overlay may set {} of a hook that the manifest declares, not `{key}`",
            OVERRIDABLE.join(", ")
        );
        problems.push(Problem { origin: origin.clone(), message });
        return;
    }
    if let (Some(Action::Passed(_)), Some(false)) = (&earlier.action, draft.enabled) {
        let message = format!(
            "the client runs `{}` by the settings.json of the project, so an overlay cannot switch \
             it off",
            draft.name
        );
        let origin = draft.origins.get("enabled").unwrap_or(&draft.origin).clone();
        problems.push(Problem { origin, message });
        return;
    }
    if let Some(overlay) = &earlier.overlay {
        let message = format!("this file sets `{}` at {overlay} already", draft.name);
        problems.push(Problem { origin: draft.origin, message });
        return;
    }
    earlier.overlay = Some(draft.origin);
    earlier.enabled = draft.enabled.or(earlier.enabled);
    earlier.timeout_ms = draft.timeout_ms.or(earlier.timeout_ms);
    earlier.on_error = draft.on_error.or(earlier.on_error);
    earlier.mode = draft.mode.over(std::mem::take(&mut earlier.mode));
    if let Some(options) = draft.options {
        earlier.options.get_or_insert_default().extend(options);
    }
    // The overlay's places come first, so that a problem is shown where it was caused.
    earlier.option_origins.splice(..0, draft.option_origins);
    earlier
        .origins
        .extend(draft.origins.into_iter().filter(|(key, _)| key != "hook" && key != "name"));
}

fn drafts(reader: &mut Reader<'_>, presets: &dyn Presets, manifest: &mut Manifest) -> Vec<Draft> {
    let document = reader.parse();
    if !reader.problems.is_empty() {
        return Vec::new();
    }
    let table = document.get_ref();
    reader.unknown_keys(
        table,
        "a manifest",
        &["defaults", "hook", "hosts", "journal", "profiles", "sessions"],
    );
    profiles::read(reader, table, &mut manifest.profiles);
    if let Some(value) = table.get("hosts") {
        manifest.hosts = Some(audience::hosts(reader, value));
    }
    manifest.unexplained = unexplained(reader, table).unwrap_or(manifest.unexplained);
    manifest.keep = sessions::read(reader, table).or_else(|| manifest.keep.take());
    let defaults =
        table.get("defaults").map(|value| Defaults::read(reader, value)).unwrap_or_default();
    let Some(hooks) = table.get("hook") else { return Vec::new() };
    let Some(items) = hooks.get_ref().as_array() else {
        reader.problem(
            hooks.span().start,
            "hooks are declared as `[[hook]]`, in double brackets".to_owned(),
        );
        return Vec::new();
    };
    items
        .iter()
        .filter_map(|item| {
            let table = reader.inner("hook", item)?;
            read_hook(reader, table, item.span().start, &defaults, presets)
        })
        .collect()
}

/// Returns whether a file's `[journal]` wants no reasons in the journal; `None` where it does not say.
fn unexplained(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<bool> {
    let journal = reader.inner("journal", table.get("journal")?)?;
    reader.unknown_keys(journal, "[journal]", &["reasons"]);
    reader.boolean("reasons", journal.get("reasons")?).map(|reasons| !reasons)
}

fn read_hook(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    offset: usize,
    defaults: &Defaults,
    presets: &dyn Presets,
) -> Option<Draft> {
    let before = reader.problems.len();
    reader.unknown_keys(
        table,
        "[[hook]]",
        &[HOOK_KEYS, manner::KEYS, mode::KEYS, surroundings::KEYS, audience::KEYS, passing::KEYS]
            .concat(),
    );
    let action = action::read(reader, table, offset, presets);
    let is_wrong = reader.problems.len() > before;
    let name = read_name(reader, table, offset, action.as_ref(), is_wrong);
    let mut draft = Draft {
        name: name.unwrap_or_default(),
        action,
        events: table.get("event").and_then(|value| read_events(reader, value)),
        matcher: table.get("matcher").and_then(|value| reader.text("matcher", value)),
        enabled: table.get("enabled").and_then(|value| reader.boolean("enabled", value)),
        timeout_ms: table.get("timeout").and_then(|value| reader.seconds("timeout", value)),
        on_error: table.get("on_error").and_then(|value| defaults::on_error(reader, value)),
        mode: Mode::read(reader, table),
        manner: Manner::default(),
        surroundings: Surroundings::default(),
        audience: Audience::default(),
        options: table.get("options").and_then(|value| reader.table("options", value)),
        option_origins: Vec::new(),
        origins: BTreeMap::new(),
        origin: reader.origin(offset),
        overlay: None,
        defaults: defaults.clone(),
    };
    for key in table.keys() {
        draft.origins.insert(key.get_ref().to_string(), reader.origin(key.span().start));
    }
    draft.origins.insert("hook".to_owned(), draft.origin.clone());
    if let Some(options) = table.get("options") {
        option_origins(reader, options, &mut Vec::new(), &mut draft.option_origins);
    }
    draft.audience = audience::read(reader, table);
    draft.manner = manner::read(reader, table, draft.events.as_deref());
    let path = defaults.path.as_ref().map(|(path, _)| path);
    draft.surroundings = surroundings::read(reader, table, path);
    check_matcher(reader, table, draft.events.as_deref());
    (reader.problems.len() == before).then_some(draft)
}

fn option_origins(
    reader: &Reader<'_>,
    value: &Spanned<DeValue<'_>>,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Origin)>,
) {
    let keys: Vec<String> = match value.get_ref() {
        DeValue::Table(table) => table.keys().map(|key| key.get_ref().to_string()).collect(),
        DeValue::Array(items) => (0..items.len()).map(|index| index.to_string()).collect(),
        _ => return,
    };
    for key in keys {
        let inner = match value.get_ref() {
            DeValue::Table(table) => table.get(key.as_str()),
            DeValue::Array(items) => key.parse().ok().and_then(|index: usize| items.get(index)),
            _ => None,
        };
        let at = key_offset(value, std::slice::from_ref(&key));
        path.push(key);
        found.push((path.clone(), reader.origin(at)));
        if let Some(inner) = inner {
            option_origins(reader, inner, path, found);
        }
        path.pop();
    }
}

fn read_name(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    offset: usize,
    action: Option<&Action>,
    is_wrong: bool,
) -> Option<String> {
    let Some(value) = table.get("name") else {
        if let Some(Action::Builtin { name, .. }) = action {
            return Some(name.clone());
        }
        // A built-in hook brings its name along, and where it is misspelled, that was said.
        if !is_wrong {
            reader.problem(offset, "this hook has no name; give it one: name = \"…\"".to_owned());
        }
        return None;
    };
    let name = reader.text("name", value)?;
    if let Err(error) = check_name(&name) {
        reader.problem(value.span().start, error.to_string());
        return None;
    }
    Some(name)
}

fn read_events(reader: &mut Reader<'_>, value: &Spanned<DeValue<'_>>) -> Option<Vec<Event>> {
    let names = reader.texts("event", value, "a string or a list of strings")?;
    if names.is_empty() {
        reader.problem(value.span().start, "`event` names no event".to_owned());
    }
    let mut events = Vec::new();
    for (offset, name) in names {
        match Event::from_name(&name) {
            Some(event) => events.push(event),
            None => {
                let known = Event::ALL.iter().map(|event| event.name());
                let hint = nearest(&name, known).map_or_else(|| NEWER.to_owned(), did_you_mean);
                reader.problem(offset, format!("the client has no event `{name}`{hint}"));
            }
        }
    }
    events.sort_unstable();
    events.dedup();
    Some(events)
}

// A pattern that is no JavaScript regular expression never fires and the client does not say so.
fn check_matcher(reader: &mut Reader<'_>, table: &DeTable<'_>, events: Option<&[Event]>) {
    let Some(value) = table.get("matcher") else { return };
    let Some(text) = value.get_ref().as_str() else { return };
    let events = events.unwrap_or(&[Event::PreToolUse]);
    let is_pattern = |event: &Event| matcher::kind(Some(text), *event) == matcher::Kind::Pattern;
    if let (true, Err(error)) = (events.iter().any(is_pattern), matcher::compile(text)) {
        let message =
            format!("`{text}` is no JavaScript regular expression and would never match: {error}");
        reader.problem(value.span().start, message);
    }
}

/// The time limit in milliseconds of a hook that names none: what a ready-made hook needs, or what
/// all hooks have where that is more.
fn default_timeout(defaults: &Defaults, preset: Option<&Preset>) -> u64 {
    let of_all = defaults.timeout_ms.as_ref().map_or(DEFAULT_TIMEOUT_MS, |(ms, _)| *ms);
    preset.and_then(|preset| preset.timeout_ms).map_or(of_all, |ms| ms.max(of_all))
}

/// Gives the manner of a hook with the context budget of its file, of which an action of the client
/// uses nothing.
fn budgeted(manner: Manner, defaults: &Defaults, is_passed: bool) -> Manner {
    let budget = defaults.budget.as_ref().filter(|_| !is_passed);
    Manner { budget: budget.map(|(budget, _)| *budget), ..manner }
}

/// Refuses what only a process has where a built-in hook starts none.
fn surrounds_nothing(origins: &BTreeMap<String, Origin>) -> Result<(), Problem> {
    let Some((key, origin)) =
        surroundings::KEYS.iter().find_map(|key| Some((key, origins.get(*key)?)))
    else {
        return Ok(());
    };
    let message = format!("`{key}` is for commands; a built-in hook starts no process");
    Err(Problem { origin: origin.clone(), message })
}

impl Draft {
    /// Gives the problem of a hook in the background that is to block.
    fn never_blocks(&self) -> Option<Problem> {
        let on_error = self.on_error.filter(|it| *it != OnError::Open)?;
        if !self.manner.background {
            return None;
        }
        let message = format!(
            "`on_error = \"{}\"` has no effect with `async = true`: the client does not wait \
             for the hook, so it can never block; leave one of the two out",
            on_error.name()
        );
        let origin = self.origins.get("on_error").unwrap_or(&self.origin).clone();
        Some(Problem { origin, message })
    }

    fn complete(self, presets: &dyn Presets) -> Result<Hook, Problem> {
        let background = self.never_blocks();
        let Some(mut action) = self.action else {
            let ways = action::one_of();
            let message = format!("the hook `{}` does nothing: it needs one of {ways}", self.name);
            return Err(Problem { origin: self.origin, message });
        };
        if let Some(problem) = passing::misplaced(&action, &self.origins) {
            return Err(problem);
        }
        if matches!(action, Action::Builtin { .. }) {
            surrounds_nothing(&self.origins)?;
        }
        let overrides = self.options.unwrap_or_default();
        let mut options = Arc::default();
        let mut preset = None;
        let is_passed = matches!(action, Action::Passed(_));
        if let Action::Builtin { name: builtin, .. } = &action {
            preset = presets.find(builtin);
            let of_preset = preset.as_ref().map(|preset| preset.events.as_slice());
            let events = self.events.as_deref().or(of_preset).unwrap_or_default();
            options = presets.options(builtin, &overrides, events).map_err(|(path, message)| {
                let origins = &self.option_origins;
                // Of several layers the last that wrote the value, or the nearest table around it.
                let written = |path: &[String]| {
                    origins.iter().rev().find(|(known, _)| known == path).map(|(_, it)| it.clone())
                };
                let origin = (1..=path.len()).rev().find_map(|length| written(&path[..length]));
                Problem { origin: origin.unwrap_or_else(|| self.origin.clone()), message }
            })?;
        } else if let (false, Some(origin)) = (is_passed, self.origins.get("options")) {
            let message = "`options` are for built-in hooks; a command takes arguments".to_owned();
            return Err(Problem { origin: origin.clone(), message });
        }
        let Some(events) = self.events.or_else(|| Some(preset.as_ref()?.events.clone())) else {
            let message = format!(
                "the hook `{}` has no event; say when it runs: event = \"PreToolUse\"",
                self.name
            );
            return Err(Problem { origin: self.origin, message });
        };
        let mut manner = budgeted(self.manner, &self.defaults, is_passed);
        let mut passed_timeout = None;
        if let Action::Passed(passed) = action {
            passed_timeout = events.first().map(|event| passed.handler.timeout_ms(*event));
            let rest = Rest {
                manner: &manner,
                timeout_ms: self.timeout_ms,
                events: &events,
                origins: &self.origins,
                origin: &self.origin,
            };
            action = Action::Passed(passing::complete(passed, &rest)?);
        }
        if let Some(problem) = background.filter(|_| !is_passed) {
            return Err(problem);
        }
        let mut origins = self.origins;
        if !is_passed {
            manner.observe = self.mode.complete(&self.defaults.mode, &origins)?;
        }
        for (path, origin) in self.option_origins {
            if let [option] = path.as_slice() {
                origins.entry(format!("options.{option}")).or_insert(origin);
            }
        }
        let mut fall_back = |key: &str, origin: Option<&Origin>| {
            if let (false, Some(origin)) = (origins.contains_key(key), origin) {
                origins.insert(key.to_owned(), origin.clone());
            }
        };
        let defaults = if is_passed { Defaults::default() } else { self.defaults };
        fall_back("timeout", defaults.timeout_ms.as_ref().map(|(_, origin)| origin));
        let default_timeout = default_timeout(&defaults, preset.as_ref());
        // What is the default of the other hooks would have no effect on one in the background.
        let default_on_error = defaults.on_error.filter(|_| !manner.background);
        let default_path =
            defaults.path.as_ref().filter(|_| !matches!(action, Action::Builtin { .. }));
        fall_back("path", default_path.map(|(_, origin)| origin));
        fall_back("context_budget", defaults.budget.as_ref().map(|(_, origin)| origin));
        for (key, origin) in &defaults.mode_origins {
            fall_back(key, Some(origin));
        }
        fall_back("on_error", default_on_error.as_ref().map(|(_, origin)| origin));
        let summary = preset.as_ref().map(|it| it.summary.clone());
        Ok(Hook {
            summary: summary.unwrap_or_else(|| action::described(&action)),
            matcher: self.matcher.or_else(|| preset.and_then(|preset| preset.matcher)),
            name: self.name,
            action,
            events,
            enabled: self.enabled.unwrap_or(true),
            timeout_ms: self.timeout_ms.or(passed_timeout).unwrap_or(default_timeout),
            on_error: self.on_error.or(default_on_error.map(|(it, _)| it)).unwrap_or_default(),
            manner,
            surroundings: if is_passed { Surroundings::default() } else { self.surroundings },
            audience: self.audience,
            options,
            origins,
        })
    }
}
