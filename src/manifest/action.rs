//! The action of a hook: exactly one key of a `[[hook]]` names it.

use toml::de::{DeTable, DeValue};

use super::model::{Action, Presets};
use super::passing;
use super::reader::{NEWER, Reader};
use crate::syntax::suggestion::{did_you_mean, nearest};

/// Reads the one key that says what a hook does; none where there is none or it is wrong.
pub(super) fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    offset: usize,
    presets: &dyn Presets,
) -> Option<Action> {
    let given: Vec<&str> = ["builtin", "command", "argv"]
        .iter()
        .chain(passing::ACTIONS)
        .copied()
        .filter(|key| table.get(*key).is_some())
        .collect();
    if given.len() > 1 {
        let message = format!("a hook is one of {}, not {}", one_of(), given.join(" and "));
        reader.problem(offset, message);
        return None;
    }
    let key = *given.first()?;
    let value = table.get(key)?;
    match key {
        key if passing::ACTIONS.contains(&key) => passing::read(reader, table, key, value),
        "builtin" => {
            let name = reader.text(key, value)?;
            if let Some(preset) = presets.find(&name) {
                return Some(Action::Builtin { name, kind: preset.kind });
            }
            let names = presets.names();
            let hint = nearest(&name, names.iter().copied()).map_or_else(
                || format!("{NEWER}; `hookman list --available` names them"),
                did_you_mean,
            );
            reader
                .problem(value.span().start, format!("no built-in hook is called `{name}`{hint}"));
            None
        }
        "command" => {
            let line = reader.text(key, value)?;
            if line.trim().is_empty() {
                reader.problem(value.span().start, "`command` is empty".to_owned());
                return None;
            }
            if line.contains('\0') {
                let message = "`command` has a NUL character, which no shell can be given";
                reader.problem(value.span().start, message.to_owned());
                return None;
            }
            Some(Action::Command(line))
        }
        _ => {
            let words = match value.get_ref() {
                DeValue::Array(_) => reader.texts(key, value, "a list of strings")?,
                _ => {
                    reader.wrong_type(key, value, "a list of strings");
                    return None;
                }
            };
            if let Some((at, _)) = words.iter().find(|(_, word)| word.contains('\0')) {
                let message = "this word has a NUL character, which no program can be given";
                reader.problem(*at, message.to_owned());
                return None;
            }
            if words.first().is_none_or(|(_, program)| program.is_empty()) {
                reader.problem(value.span().start, "`argv` names no program".to_owned());
                return None;
            }
            // The handler of an adopted hook is the client's, to which the word means nothing.
            if words[0].1.contains("{file}") && !table.contains_key("adopted") {
                let message =
                    "`argv` would run the file of the call: a program comes before `{file}`";
                reader.problem(words[0].0, message.to_owned());
                return None;
            }
            Some(Action::Argv(words.into_iter().map(|(_, word)| word).collect()))
        }
    }
}

/// Gives the purpose of a hook in a line, where nothing else says it.
pub(super) fn described(action: &Action) -> String {
    match action {
        Action::Builtin { name, .. } => name.clone(),
        Action::Command(line) => line.lines().next().unwrap_or_default().to_owned(),
        Action::Argv(words) => words.join(" "),
        Action::Passed(passed) => passed.summary(),
    }
}

/// Lists the keys of which a hook has exactly one.
pub(super) fn one_of() -> String {
    format!("builtin, command, argv, {}", passing::ACTIONS.join(", "))
}
