//! The commands of manifests and settings files, with their places.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::{Around, Caller, Command, Line};
use super::fault::Fault;
use super::script::mentions;
use super::syntax::{self, Script};
use super::{of, scripts};
use crate::client::event::Event;
use crate::manifest::{Action, Hook, OnError, Origin};
use crate::settings::Handler;

#[derive(Clone, Debug)]
pub(crate) struct PlacedFault {
    /// The file with line and column.
    pub(crate) place: String,
    /// The hook's name, where it has one.
    pub(crate) hook: Option<String>,
    pub(crate) fault: Fault,
}

impl PlacedFault {
    /// Names the fault, with its hook.
    pub(crate) fn message(&self) -> String {
        match &self.hook {
            Some(hook) => format!("`{hook}`: {}", self.fault.message),
            None => self.fault.message.clone(),
        }
    }
}

/// Lists the faults of the commands of a manifest's hooks that are on.
pub(crate) fn of_hooks(hooks: &[Hook], manifest: &Path, around: &Around) -> Vec<PlacedFault> {
    let (mut found, mut to_read) = (Vec::new(), Vec::new());
    for hook in hooks.iter().filter(|hook| hook.enabled) {
        let Some(command) = command(hook, manifest) else { continue };
        let key = if matches!(hook.action, Action::Argv(_)) { "argv" } else { "command" };
        let origin = hook.origins.get(key).or_else(|| hook.origin());
        for fault in of(&command, &with_places(hook, manifest, around)) {
            let of_key = fault.key.and_then(|key| hook.origins.get(key));
            let place = of_key.or(origin).map(Origin::place).unwrap_or_default();
            found.push(PlacedFault { place, hook: Some(hook.name.clone()), fault });
        }
        for script in scripts(&command, around) {
            let place = origin.map(Origin::place).unwrap_or_default();
            to_read.push((script, place, Some(hook.name.clone())));
        }
    }
    found.extend(of_scripts(&to_read, around));
    found
}

/// Returns whether the command of a hook, or its script, has a word in it.
pub(crate) fn hook_mentions(hook: &Hook, manifest: &Path, around: &Around, word: &str) -> bool {
    command(hook, manifest)
        .is_some_and(|command| mentions(&command, &with_places(hook, manifest, around), word))
}

/// Gives the command of a hook; none where it has none.
fn command<'h>(hook: &'h Hook, manifest: &Path) -> Option<Command<'h>> {
    let line = match &hook.action {
        Action::Command(line) => Line::Shell(line),
        Action::Argv(words) => Line::Argv(words),
        Action::Builtin { .. } | Action::Passed(_) => return None,
    };
    let directory = manifest.parent().unwrap_or(manifest);
    Some(Command {
        line,
        caller: Caller::Hookman {
            manifest: (!hook.manner.adopted).then(|| directory.to_owned()),
            in_project: hook.surroundings.in_project,
        },
        events: hook.events.clone(),
        is_closed: hook.on_error == OnError::Closed,
        is_open: hook.on_error == OnError::Open,
        is_async: hook.manner.background,
    })
}

fn with_places(hook: &Hook, manifest: &Path, around: &Around) -> Around {
    let directory = manifest.parent().unwrap_or(manifest);
    let below = |given: &String| match (given.strip_prefix("~/"), &around.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => directory.join(given),
    };
    let more: Vec<PathBuf> = hook.surroundings.path.iter().map(below).collect();
    Around { path: longer(&around.path, &more), ..around.clone() }
}

/// The directories of programs that a hook's command has.
pub(crate) fn path_of(hook: &Hook, manifest: &Path, around: &Around) -> OsString {
    with_places(hook, manifest, around).path
}

/// Lists the faults of the commands of a settings file that are somebody else's; `at` gives the place
/// of a handler's key.
pub(crate) fn of_handlers(
    handlers: &[Handler],
    around: &Around,
    at: &dyn Fn(&Handler, &str) -> String,
) -> Vec<PlacedFault> {
    let (mut found, mut to_read) = (Vec::new(), Vec::new());
    for handler in handlers.iter().filter(|handler| !handler.ours) {
        let faults = with_command(handler, |command| of(command, around)).unwrap_or_default();
        let placed = |fault: Fault| {
            let place = at(handler, fault.key.unwrap_or("command"));
            PlacedFault { place, hook: None, fault }
        };
        found.extend(faults.into_iter().map(placed));
        let scripts = with_command(handler, |command| scripts(command, around));
        let placed = |script: Script| (script, at(handler, "command"), None);
        to_read.extend(scripts.unwrap_or_default().into_iter().map(placed));
    }
    found.extend(of_scripts(&to_read, around));
    found
}

/// Lists the faults of scripts, each with its place and hook, by the programs that will run them and by
/// a linter; all are read side by side.
fn of_scripts(to_read: &[(Script, String, Option<String>)], around: &Around) -> Vec<PlacedFault> {
    let scripts: Vec<&Script> = to_read.iter().map(|(script, ..)| script).collect();
    let faults = syntax::examine(&scripts, around);
    let placed = |(at, fault): (usize, Fault)| {
        let (_, place, hook) = &to_read[at];
        PlacedFault { place: place.clone(), hook: hook.clone(), fault }
    };
    faults.into_iter().map(placed).collect()
}

/// Returns whether the command of a handler, or its script, has a word in it.
pub(crate) fn handler_mentions(handler: &Handler, around: &Around, word: &str) -> bool {
    with_command(handler, |command| mentions(command, around, word)).unwrap_or_default()
}

/// Looks at the command of a handler; none where it has none.
fn with_command<T>(handler: &Handler, look: impl FnOnce(&Command<'_>) -> T) -> Option<T> {
    let text = |key: &str| handler.value.get(key).and_then(Value::as_str);
    let line = text("command").filter(|line| !line.trim().is_empty())?;
    if text("type") != Some("command") || text("shell") == Some("powershell") {
        return None;
    }
    let args = handler.value.get("args").and_then(Value::as_array);
    let words: Option<Vec<String>> = args.map(|args| {
        let args = args.iter().filter_map(|it| Some(it.as_str()?.to_owned()));
        std::iter::once(line.to_owned()).chain(args).collect()
    });
    let is_true = |key: &str| handler.value.get(key).and_then(Value::as_bool) == Some(true);
    let fails_closed = text("onFailure") == Some("block");
    Some(look(&Command {
        line: words.as_deref().map_or(Line::Shell(line), Line::Argv),
        caller: Caller::Client,
        events: vec![Event::from_name(&handler.event)?],
        is_closed: fails_closed,
        is_open: !fails_closed,
        // One that wakes the model up when it is done ends with 2 for that.
        is_async: is_true("async") && !is_true("asyncRewake"),
    }))
}

/// The directories of programs that a command has, in which some are added behind the others.
fn longer(path: &OsStr, more: &[PathBuf]) -> OsString {
    let all = std::env::split_paths(path).chain(more.iter().cloned());
    std::env::join_paths(all).unwrap_or_else(|_| path.to_owned())
}
