//! The causes that keep registered hooks from firing: mistakes in a settings file, a switch for all hooks.

use std::path::Path;

use serde_json::Value;

use crate::builtin::catalogue;
use crate::client::off_switch::Off;
use crate::client::settings_schema;
use crate::install::change::{Change, Settings};
use crate::install::command_faults::{Around, Kind, Weight, places};
use crate::install::registration::off_switches;
use crate::install::target::Target;
use crate::machine::terminal::harmless;
use crate::machine::world::World;
use crate::machine::{environment, program};
use crate::manifest::{Action, Hook, Observe};
use crate::state::configured;
use crate::syntax::json::Document;

/// Warns of what [`found`] says of the files that the changes leave; gives whether it is anything.
pub(crate) fn show(world: &World, target: &Target, changes: &[&dyn Change]) -> bool {
    let found = found(world, target, changes);
    for warning in &found {
        world.terminal.warn(format!("warning: {warning}"));
    }
    !found.is_empty()
}

/// Warns of commands that cannot do what they are for; gives the hooks that are of no use at all.
pub(crate) fn of_commands(world: &World, target: &Target, hooks: &[Hook]) -> Vec<String> {
    let around = Around {
        project: target.project.clone().or_else(|| environment::current_directory().ok()),
        plugin: None,
        home: world.paths.home.clone(),
        path: environment::raw("PATH").unwrap_or_default(),
        variables: Vec::new(),
        sh_is_dash: program::sh_is_dash(),
        remembered: Some(world.paths.remembered()),
    };
    let commands = places::of_hooks(hooks, &target.chain.manifest, &around);
    let found = places::faults(vec![commands]);
    // What is but a hint is for the doctor.
    for placed in found.iter().filter(|placed| placed.fault.weight != Weight::Hints) {
        let fault = &placed.fault;
        let notice = fault.notice.map(|notice| format!("; {notice}")).unwrap_or_default();
        let line = format!("{}: {}{notice}: {}", placed.place, placed.message(), fault.fix);
        world.terminal.warn(harmless(&format!("warning: {line}")));
    }
    let broken = found.into_iter().filter(|placed| {
        placed.fault.weight == Weight::Breaks || placed.fault.kind == Kind::Missing
    });
    broken.filter_map(|placed| placed.hook).collect()
}

/// Each defect for which the client would ignore a changed file, and a switch that is on for all hooks.
pub(crate) fn found(world: &World, target: &Target, changes: &[&dyn Change]) -> Vec<String> {
    let planned: Vec<Settings<'_>> = changes.iter().filter_map(|it| it.settings()).collect();
    let mut found = Vec::new();
    for settings in &planned {
        if let Some(document) = settings.text.map(Document::parse).and_then(Result::ok) {
            found.extend(settings_schema::drops(&world.paths.shown(settings.path), &document));
        }
    }
    found.extend(switched_off(world, target, &planned));
    found
}

/// The switches for all hooks that are on, where they concern the target.
fn switched_off(world: &World, target: &Target, planned: &[Settings<'_>]) -> Vec<String> {
    let project = target.project.clone().or_else(configured::project);
    let files = off_switches::files_of(&world.paths, project.as_deref());
    let text = |path: &Path| match planned.iter().find(|settings| settings.path == path) {
        Some(settings) => settings.text.map(str::to_owned),
        None => off_switches::read(path),
    };
    let is_spared = |off: &Off| {
        off.spares_exec_form && target.is_users()
            || off.spares_managed && target.managed().is_some()
    };
    let on = off_switches::on(&world.paths, &files, &text).into_iter();
    let on = on.filter(|off| !is_spared(off));
    let on = on.map(|Off { place, message, fix, .. }| format!("{place}: {message}; {fix}"));
    // An administrator's hooks run all the same.
    let own = off_switches::of_hookman(&world.paths, &files).into_iter();
    let own = own.filter(|own| own.is_of_all() && target.managed().is_none());
    on.chain(own.map(|own| own.line)).collect()
}

/// Says of hooks, each by its name, which of them a variable in the settings leaves out.
pub(crate) fn skipped(world: &World, target: &Target, hooks: &[&str]) -> Vec<(String, String)> {
    let project = target.project.clone().or_else(configured::project);
    let files = off_switches::files_of(&world.paths, project.as_deref());
    let mut own = off_switches::of_hookman(&world.paths, &files);
    own.retain(|own| !own.is_of_all() && target.managed().is_none());
    let of = |hook: &&str| {
        let own = own.iter().find(|own| own.keeps(hook))?;
        Some(((*hook).to_owned(), own.line.clone()))
    };
    hooks.iter().filter_map(of).collect()
}

/// The command guards that share rules with one before them, but for those that only watch.
pub(crate) fn two_guards(hooks: &[Hook]) -> Vec<(&Hook, &Hook)> {
    let decides = |hook: &&Hook| hook.enabled && hook.manner.observe != Observe::Always;
    let is_guard = |hook: &&Hook| !rule_ids(hook).is_empty();
    let guards: Vec<&Hook> = hooks.iter().filter(decides).filter(is_guard).collect();
    let of = |(index, guard): (usize, &&'_ Hook)| {
        let ids = rule_ids(guard);
        let shares = |other: &&&Hook| rule_ids(other).iter().any(|id| ids.contains(id));
        Some((*guards[..index].iter().find(shares)?, guards[index]))
    };
    guards.iter().enumerate().filter_map(of).collect()
}

/// The ids of a command guard's rules; none of another hook's.
fn rule_ids(hook: &Hook) -> Vec<&str> {
    let Action::Builtin { name, .. } = &hook.action else { return Vec::new() };
    let is_guard = catalogue::find(name).is_some_and(|it| it.kind.name == "command-guard");
    let rules = hook.options.get("rules").filter(|_| is_guard).and_then(Value::as_array);
    rules.into_iter().flatten().filter_map(|rule| rule["id"].as_str()).collect()
}
