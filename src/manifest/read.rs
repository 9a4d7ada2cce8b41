//! Reading a manifest and laying its overlay over it.

mod members;

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::draft::{Defaults, Draft};
use super::forms::HOSTS;
use super::keys::{
    ACTIONS, DefaultKeys, HookKeys, JournalKeys, OVERRIDABLE, ProfileKeys, SessionKeys,
};
use super::model::{
    Action, Hook, KeepDays, Manifest, OnChange, OnError, Origin, Passed, Presets, Problem,
    Problems, check_name,
};
use super::reader::{Item, NEWER, Reader};
use super::table::{Table, unknown_keys};
use super::{packages, passing};
use crate::client::event::Handler;
use crate::client::{Event, Subject, matcher};
use crate::syntax::suggestion::{did_you_mean, nearest};

/// A manifest's text and the name it goes by in messages.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

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
    let mut files = Vec::new();
    for (source, is_overlay) in [(base, false), (overlay, true)] {
        let Some(source) = source else { continue };
        let mut reader = Reader::new(source.file, source.text);
        files.push((drafts(&mut reader, presets, &mut manifest), is_overlay));
        problems.append(&mut reader.problems);
    }
    members::settle(&mut files, &mut problems);
    for (drafts, is_overlay) in files {
        for draft in drafts {
            place(draft, is_overlay, &mut hooks, &mut places, &mut problems);
        }
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
    if let (Some(Action::Passed(_)), Some(false)) = (&earlier.action, draft.keys.enabled) {
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
    earlier.overlay = Some(draft.origin.clone());
    earlier.lay(draft);
}

fn drafts(reader: &mut Reader<'_>, presets: &dyn Presets, manifest: &mut Manifest) -> Vec<Draft> {
    let document = reader.parse();
    if !reader.problems.is_empty() {
        return Vec::new();
    }
    let table = document.get_ref();
    unknown_keys(
        reader,
        table,
        "a manifest",
        &["defaults", "hook", "hosts", "journal", "package", "profiles", "sessions"],
    );
    if let Some(profiles) = table.get("profiles") {
        read_profiles(reader, profiles, &mut manifest.profiles);
    }
    if let Some(hosts) = table.get("hosts") {
        manifest.hosts = Some((HOSTS.read)(reader, "hosts", hosts).unwrap_or_default());
    }
    let journal: Option<JournalKeys> = inner(reader, table, "journal");
    if let Some(reasons) = journal.and_then(|journal| journal.reasons) {
        manifest.unexplained = !reasons;
    }
    let sessions: Option<SessionKeys> = inner(reader, table, "sessions");
    manifest.keep = sessions.and_then(|sessions| sessions.keep).or_else(|| manifest.keep.take());
    let keys: Option<DefaultKeys> = inner(reader, table, "defaults");
    let defaults = table.get("defaults").and_then(|defaults| defaults.get_ref().as_table());
    let origins = defaults.map(|defaults| reader.origins(defaults)).unwrap_or_default();
    manifest.on_change = origins.get("on_change").cloned().or_else(|| manifest.on_change.take());
    let defaults = Defaults { keys: keys.unwrap_or_default(), origins };
    let mut found: Vec<(usize, Vec<Draft>)> = Vec::new();
    for (at, package) in packages::read(reader, table) {
        let one: members::ReadHook<'_> =
            &|reader, table, at, defaults| read_hook(reader, table, at, defaults, presets);
        found.push((at, members::of(reader, &package, at, (&defaults, presets), one)));
        manifest.packages.push(package);
    }
    if let Some(hooks) = table.get("hook") {
        let Some(items) = hooks.get_ref().as_array() else {
            let message = "hooks are declared as `[[hook]]`, in double brackets".to_owned();
            reader.problem(hooks.span().start, message);
            return Vec::new();
        };
        found.extend(items.iter().filter_map(|item| {
            let (table, at) = (reader.inner("hook", item)?, item.span().start);
            Some((at, vec![read_hook(reader, table, at, &defaults, presets)?]))
        }));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().flat_map(|(_, drafts)| drafts).collect()
}

fn inner<T: Table>(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Option<T> {
    let table = reader.inner(key, table.get(key)?)?;
    Some(T::of(reader, table))
}

/// The days that a manifest names, also where something else in it is wrong.
pub fn keep_days(text: &str) -> Option<u64> {
    let mut reader = Reader::new("", text);
    let document = reader.parse();
    let is_toml = reader.problems.is_empty();
    let sessions: SessionKeys = inner(&mut reader, document.get_ref(), "sessions")?;
    sessions.keep.filter(|_| is_toml).map(|KeepDays { days, .. }| days)
}

/// The meaning that a manifest gives to a change of a hook, also where something else in it is wrong.
pub fn on_change(text: &str) -> Option<OnChange> {
    let mut reader = Reader::new("", text);
    let document = reader.parse();
    let keys: DefaultKeys = inner(&mut reader, document.get_ref(), "defaults")?;
    keys.on_change
}

/// Adds the profiles of a file to those that are known; an overlay's take the place of others.
fn read_profiles(
    reader: &mut Reader<'_>,
    item: &Item<'_>,
    profiles: &mut BTreeMap<String, Vec<String>>,
) {
    for (name, item) in reader.inner("profiles", item).into_iter().flatten() {
        let Some(profile) = reader.inner(name.get_ref(), item) else { continue };
        let keys = ProfileKeys::of(reader, profile);
        if profile.contains_key("disable") {
            profiles.insert(name.get_ref().to_string(), keys.disable.unwrap_or_default());
        } else {
            let message =
                format!("the profile `{}` names no hooks: disable = [\"…\"]", name.get_ref());
            reader.problem(name.span().start, message);
        }
    }
}

fn read_hook(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    offset: usize,
    defaults: &Defaults,
    presets: &dyn Presets,
) -> Option<Draft> {
    let before = reader.problems.len();
    let keys = HookKeys::of(reader, table);
    let action = read_action(reader, table, offset, &keys, presets);
    let is_wrong = reader.problems.len() > before;
    let name = read_name(reader, table, offset, &keys, is_wrong);
    let origin = reader.origin(offset);
    let mut draft = Draft {
        name: name.unwrap_or_default(),
        membership: None,
        action,
        summary: None,
        keys,
        option_origins: Vec::new(),
        origins: reader.origins(table),
        origin: origin.clone(),
        overlay: None,
        defaults: defaults.clone(),
    };
    draft.origins.insert("hook".to_owned(), origin);
    if let Some(options) = table.get("options") {
        option_origins(reader, options, &mut Vec::new(), &mut draft.option_origins);
    }
    if let Some(hosts) = table.get("hosts")
        && hosts.get_ref().as_array().is_some_and(|list| list.is_empty())
    {
        let message = "`hosts` is empty; `enabled = false` switches a hook off".to_owned();
        reader.problem(hosts.span().start, message);
    }
    check_rule(reader, table, &draft.keys);
    check_matcher(reader, table, draft.keys.events.as_deref());
    (reader.problems.len() == before).then_some(draft)
}

/// Reads the one key that says what a hook runs; `None` if it is missing or wrong.
fn read_action(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    offset: usize,
    keys: &HookKeys,
    presets: &dyn Presets,
) -> Option<Action> {
    let given: Vec<&str> = ACTIONS.iter().copied().filter(|key| table.contains_key(*key)).collect();
    if given.len() > 1 {
        let message =
            format!("a hook is one of {}, not {}", ACTIONS.join(", "), given.join(" and "));
        reader.problem(offset, message);
        return None;
    }
    let key = *given.first()?;
    let item = table.get(key)?;
    match key {
        "builtin" => {
            let name = keys.builtin.clone()?;
            if let Some(preset) = presets.find(&name) {
                return Some(Action::Builtin { name, kind: preset.kind });
            }
            let hint = nearest(&name, presets.names()).map_or_else(
                || format!("{NEWER}; `hookman list --available` names them"),
                did_you_mean,
            );
            reader.refuse(item, format!("no built-in hook is called `{name}`{hint}"))
        }
        "command" => keys.command.clone().map(Action::Command),
        "argv" => {
            let words = keys.argv.clone()?;
            // The handler of an adopted hook is the client's, to which the word means nothing.
            if words[0].contains("{file}") && !table.contains_key("adopted") {
                let message =
                    "`argv` would run the file of the call: a program comes before `{file}`";
                return reader.refuse(item, message.to_owned());
            }
            Some(Action::Argv(words))
        }
        _ => {
            let handler = Handler::from_name(key)?;
            let keys = passing::handler_keys(handler, keys)?;
            Some(Action::Passed(Passed { handler, keys }))
        }
    }
}

fn option_origins(
    reader: &Reader<'_>,
    item: &Item<'_>,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Origin)>,
) {
    let mut note = |key: &str, at: usize, inner: &Item<'_>| {
        path.push(key.to_owned());
        found.push((path.clone(), reader.origin(at)));
        option_origins(reader, inner, path, found);
        path.pop();
    };
    match item.get_ref() {
        DeValue::Table(table) => {
            table.iter().for_each(|(key, inner)| note(key.get_ref(), key.span().start, inner));
        }
        DeValue::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| note(&index.to_string(), item.span().start, item));
        }
        _ => {}
    }
}

fn read_name(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    offset: usize,
    keys: &HookKeys,
    is_wrong: bool,
) -> Option<String> {
    let Some(item) = table.get("name") else {
        // A built-in hook brings its name along, and where it is misspelled, that was said.
        if keys.builtin.is_none() && !is_wrong {
            reader.problem(offset, "this hook has no name; give it one: name = \"…\"".to_owned());
        }
        return keys.builtin.clone();
    };
    let name = keys.name.clone()?;
    match check_name(&name) {
        Ok(()) => Some(name),
        Err(error) => reader.refuse(item, error.to_string()),
    }
}

/// Refuses a rule about tools for a hook of which an event is about something else.
fn check_rule(reader: &mut Reader<'_>, table: &DeTable<'_>, keys: &HookKeys) {
    let (Some(item), Some(_)) = (table.get("if"), &keys.condition) else { return };
    let is_deaf = |event: &&Event| event.facts().subject != Subject::Tool;
    if let Some(event) = keys.events.iter().flatten().find(is_deaf) {
        let message = format!(
            "`if` is a rule about tools, and on {event} the client never runs a hook with one"
        );
        reader.problem(item.span().start, message);
    }
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

/// The strictest of the words `closed` and `ask` in the bytes of a manifest that is no valid one. In doubt,
/// as for bytes that are no text, an escape or another value of `on_error`, it is [`OnError::Closed`]. Only
/// a line that begins with `#` is a comment, as a later `#` may be in a string.
pub fn on_error(bytes: &[u8]) -> OnError {
    let Ok(text) = std::str::from_utf8(bytes) else { return OnError::Closed };
    if ["\0", "\\u", "\\x"].iter().any(|hidden| text.contains(hidden)) {
        return OnError::Closed;
    }
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    let lines = text.split(['\n', '\r']).filter(is_code).map(str::to_ascii_lowercase);
    lines.map(|line| of_line(&line)).max().unwrap_or_default()
}

fn of_line(line: &str) -> OnError {
    let words = line.split(|it: char| !it.is_ascii_alphanumeric());
    let named = words.filter_map(OnError::from_name).max().unwrap_or_default();
    let mut values = line.split("on_error").skip(1).filter_map(value);
    let is_unknown = values.any(|value| OnError::from_name(value).is_none());
    if is_unknown { OnError::Closed } else { named }
}

fn value(rest: &str) -> Option<&str> {
    let is_around = |it: char| it.is_whitespace() || matches!(it, '"' | '\'');
    let value = rest.trim_start_matches(is_around).strip_prefix('=')?;
    let value = value.trim_start_matches(is_around);
    value.split(|it: char| !it.is_ascii_alphanumeric()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_word_counts_and_doubt_is_a_gate() {
        let rows = [
            ("", OnError::Open),
            ("[[hook]]\nname = \"x\"\n", OnError::Open),
            ("on_error = \"ask\"\non_error = \"open\"", OnError::Ask),
            ("on_error = \"ask\"\non_error = \"closed\"", OnError::Closed),
            ("on_error = \"\"\"\nclosed\"\"\"", OnError::Closed),
            ("hook = [ { command = \"echo '#1'\", on_error=\"closed\" } ]", OnError::Closed),
            ("  # on_error = \"closed\"\n", OnError::Open),
            ("# a comment with an old line end\ron_error = \"closed\"", OnError::Closed),
            // What is broken is the line itself.
            ("on_error = closed", OnError::Closed),
            ("on_error = \"open", OnError::Open),
            ("on_error \"ask\"", OnError::Ask),
            ("ON_ERROR = \"CLOSED\"", OnError::Closed),
            ("on_eror = \"closed\"", OnError::Closed),
            ("on_error.closed = true", OnError::Closed),
            ("on_error = \"clsed\"", OnError::Closed),
            ("\"on_error\" = 'block'", OnError::Closed),
            ("on_error =", OnError::Closed),
            ("name = \"a\0b\"", OnError::Closed),
            ("\"on_\\u0065rror\" = \"clo\\x73ed\"", OnError::Closed),
            // Whole words only.
            ("command = \"task close enclosed\"", OnError::Open),
            ("prompt = \"say on_error what is meant\"", OnError::Open),
        ];
        for (text, expected) in rows {
            assert_eq!(on_error(text.as_bytes()), expected, "{text}");
        }
        let wide: Vec<u8> = "name".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(on_error(&wide), OnError::Closed);
        assert_eq!(on_error(b"\xff\xfe"), OnError::Closed);
    }
}
