//! The commands of manifests and settings files, with their places.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::{Around, Caller, Command, Fault, Kind, Line};
use super::of;
pub(crate) use super::programs::whole;
use crate::client::Event;
use crate::client::host::CLAUDE;
use crate::manifest::package::Membership;
use crate::manifest::{Action, Hook, OnError, Origin};
use crate::settings::Handler;

#[derive(Clone, Debug)]
pub(crate) struct PlacedFault {
    pub(crate) place: String,
    pub(crate) hook: Option<String>,
    pub(crate) fault: Fault,
}

impl PlacedFault {
    pub(crate) fn message(&self) -> String {
        match &self.hook {
            Some(hook) => format!("`{hook}`: {}", self.fault.message),
            None => self.fault.message.clone(),
        }
    }
}

/// The commands of one file, and how a fault of one of them, by its number, gets its place.
pub(crate) struct Commands<'a> {
    of: Vec<(Command, Around)>,
    placed: Box<dyn Fn(usize, Fault) -> Option<PlacedFault> + 'a>,
}

/// Lists the faults of the commands of several files, whose scripts are read together.
pub(crate) fn faults(files: Vec<Commands<'_>>) -> Vec<PlacedFault> {
    let (mut all, mut from) = (Vec::new(), Vec::new());
    for Commands { of, placed } in files {
        from.push((all.len(), placed));
        all.extend(of);
    }
    let placed = |(number, fault): (usize, Fault)| {
        let (first, placed) = from.iter().rfind(|(first, _)| *first <= number)?;
        placed(number - first, fault)
    };
    of(&all).into_iter().filter_map(placed).collect()
}

pub(crate) fn of_hooks<'a>(hooks: &'a [Hook], manifest: &'a Path, around: &Around) -> Commands<'a> {
    let hooks = hooks.iter().filter(|hook| hook.enabled);
    let with_command = |hook| Some((hook, command(hook, manifest)?));
    let (hooks, commands): (Vec<&Hook>, Vec<Command>) = hooks.filter_map(with_command).unzip();
    let around = hooks.iter().map(|hook| with_places(hook, manifest, around));
    let commands = commands.into_iter().zip(around).collect();
    let placed = move |at: usize, mut fault: Fault| {
        let hook: &Hook = hooks[at];
        // Another agent's hook answers in the words of that agent.
        if fault.kind == Kind::Answer && !hook.audience.includes(CLAUDE.name) {
            return None;
        }
        // What was fetched stays as it is; what a machine lacks is its user's concern.
        let is_fetched = |it: &Membership| it.foreign || !it.rev.is_empty();
        if hook.package.as_ref().is_some_and(is_fetched) && !fault.fix.starts_with("install ") {
            let name = &hook.name;
            fault.executable = None;
            fault.fix = format!(
                "tell the author of the package, or leave the hook out: `hookman disable {name} --permanent`"
            );
        }
        let key = if matches!(hook.action, Action::Argv(_)) { "argv" } else { "command" };
        let origin = hook.origins.get(key).or_else(|| hook.origin());
        let place = origin.map(Origin::place).unwrap_or_default();
        Some(PlacedFault { place, hook: Some(hook.name.clone()), fault })
    };
    Commands { of: commands, placed: Box::new(placed) }
}

/// The command of a hook, and what it finds around it.
pub(crate) fn command_of_hook(
    hook: &Hook,
    manifest: &Path,
    around: &Around,
) -> Option<(Command, Around)> {
    Some((command(hook, manifest)?, with_places(hook, manifest, around)))
}

fn command(hook: &Hook, manifest: &Path) -> Option<Command> {
    let line = match &hook.action {
        Action::Command(line) => Line::Shell(line.clone()),
        Action::Argv(words) => Line::Argv(words.clone()),
        Action::Builtin { .. } | Action::Passed(_) => return None,
    };
    let package = hook.package.as_ref();
    let is_foreign = package.is_some_and(|package| package.foreign);
    let directory = match package {
        Some(package) => Path::new(&*package.root),
        None => manifest.parent().unwrap_or(manifest),
    };
    Some(Command {
        line,
        caller: Caller::Hookman {
            manifest: (!hook.manner.adopted && !is_foreign).then(|| directory.to_owned()),
            in_project: hook.surroundings.in_project,
        },
        events: hook.events.clone(),
        matcher: hook.matcher.clone(),
        is_async: hook.manner.background,
        is_closed: hook.on_error == OnError::Closed,
    })
}

fn with_places(hook: &Hook, manifest: &Path, around: &Around) -> Around {
    let directory = manifest.parent().unwrap_or(manifest);
    let below = |given: &String| match (given.strip_prefix("~/"), &around.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => directory.join(given),
    };
    let more: Vec<PathBuf> = hook.surroundings.path.iter().map(below).collect();
    let root = hook.package.as_ref().map(|package| PathBuf::from(&*package.root));
    let plugin = root.or_else(|| around.plugin.clone());
    Around { path: longer(&around.path, &more), plugin, ..around.clone() }
}

/// The commands of a settings file that are somebody else's; `at` gives the place of a handler's command.
pub(crate) fn of_handlers<'a>(
    handlers: Vec<Handler>,
    around: &Around,
    at: impl Fn(&Handler) -> String + 'a,
) -> Commands<'a> {
    let foreign = handlers.into_iter().filter(|handler| !handler.ours);
    let with_command = foreign.filter_map(|it| Some(((command_of(&it)?, around.clone()), it)));
    let (of, handlers): (Vec<(Command, Around)>, Vec<Handler>) = with_command.unzip();
    let placed = move |number: usize, fault| {
        Some(PlacedFault { place: at(&handlers[number]), hook: None, fault })
    };
    Commands { of, placed: Box::new(placed) }
}

pub(crate) fn text_of_handler(handler: &Handler, around: &Around) -> String {
    command_of(handler).map(|command| whole(&command, around)).unwrap_or_default()
}

pub(crate) fn command_of(handler: &Handler) -> Option<Command> {
    let line = handler.text("command").filter(|line| !line.trim().is_empty())?;
    if handler.text("type") != Some("command") {
        return None;
    }
    let args = handler.value.get("args").and_then(Value::as_array);
    let is_set = |key: &str| handler.value.get(key).and_then(Value::as_bool) == Some(true);
    Some(Command {
        line: match (handler.text("shell"), args) {
            // Of a line for PowerShell it is known that this has to be there.
            (Some("powershell"), _) => Line::Argv(vec!["pwsh".to_owned()]),
            (_, Some(args)) => {
                let args = args.iter().filter_map(Value::as_str);
                Line::Argv(std::iter::once(line).chain(args).map(str::to_owned).collect())
            }
            (_, None) => Line::Shell(line.to_owned()),
        },
        caller: Caller::Client,
        events: vec![Event::from_name(&handler.event)?],
        matcher: handler.matcher.clone(),
        is_async: is_set("async") && !is_set("asyncRewake"),
        is_closed: handler.text("onFailure") == Some("block"),
    })
}

/// The directories of programs that a command has, in which some are added behind the others.
fn longer(path: &OsStr, more: &[PathBuf]) -> OsString {
    let all = std::env::split_paths(path).chain(more.iter().cloned());
    std::env::join_paths(all).unwrap_or_else(|_| path.to_owned())
}
