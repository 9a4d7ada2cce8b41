//! The hooks from plugins and from an administrator, which hookman neither orders nor switches.

use std::path::Path;

use serde_json::Value;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::plugin::Plugin;
use super::settings_file::SettingsFile;
use crate::client::event::Event;
use crate::install::addition::managed;
use crate::install::target::binary::registered;
use crate::manifest::Hook;
use crate::manifest::package::Membership;
use crate::package::form;
use crate::settings::Handler;
use crate::state::chains::Chain;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "plugin-present",
        about: "plugins that are on are where they were installed",
        notice: "none of the plugin's hooks runs",
        run: present,
    },
    Check {
        id: "plugin-loads",
        about: "the client would load every hook of the plugins",
        notice: "the plugin's hooks do not run",
        run: loads,
    },
    Check {
        id: "plugin-hooks",
        about: "no plugin has hooks that run next to the chains",
        notice: "they run at the same time as hookman's chain, in no order",
        run: listed,
    },
    Check {
        id: "plugin-twice",
        about: "no plugin has a handler that settings or a package have too",
        notice: "it runs twice for each call",
        run: twice,
    },
    Check {
        id: "managed-only",
        about: "no administrator keeps hooks from running",
        notice: "no hook of yours runs, and no gate of yours holds",
        run: managed_only,
    },
    Check {
        id: "managed-loads",
        about: "the client would load what an administrator sets",
        notice: "hooks of the administrator's, or other settings, have no effect",
        run: managed_loads,
    },
    Check {
        id: "managed-hooks",
        about: "no administrator's hooks run next to the chains",
        notice: "they run at the same time as hookman's chain, in no order",
        run: managed_hooks,
    },
    Check {
        id: "managed-held",
        about: "only root can change what an administrator has every user run, and all can read it",
        notice: "a gate of the administrator can be opened, or does not run for every user",
        run: managed_held,
    },
];

fn present(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        if !plugin.root.is_dir() {
            findings.add(
                Level::Warning,
                &plugin.origin,
                format!(
                    "the plugin `{}` is on, and {} is not there",
                    plugin.name,
                    facts.paths.shown(&plugin.root)
                ),
                format!("run `claude plugin install {}`, or take it out", plugin.name),
            );
        }
    }
}

fn loads(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        for file in &plugin.files {
            if let Some((why, place)) = file.unreadable() {
                let fix = match &file.text {
                    Ok(_) => "tell the plugin's author".to_owned(),
                    Err(_) if plugin.name.contains('@') => {
                        format!("run `claude plugin install {}`", plugin.name)
                    }
                    Err(_) => "correct it by hand, or take the plugin out".to_owned(),
                };
                findings.add(Level::Warning, place, why, fix);
            }
            for (defect, place) in file.dropped() {
                findings.add(
                    Level::Warning,
                    place,
                    format!("{}, and the plugin may have no hook at all", defect.message),
                    format!("{}, or tell the plugin's author", defect.hint),
                );
            }
        }
    }
}

/// Counts how many handlers there are, and on which events.
pub(super) fn counted(handlers: &[Handler]) -> Option<String> {
    let count = match handlers.len() {
        0 => return None,
        1 => "1 hook".to_owned(),
        several => format!("{several} hooks"),
    };
    let mut events: Vec<&str> = handlers.iter().map(|handler| handler.event.as_str()).collect();
    events.dedup();
    let mut once: Vec<&str> = Vec::new();
    for event in events {
        if !once.contains(&event) {
            once.push(event);
        }
    }
    Some(format!("{count} for {}", once.join(", ")))
}

fn listed(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        for file in &plugin.files {
            if let Some(count) = counted(&file.handlers()) {
                findings.add(
                    Level::Info,
                    &file.shown,
                    format!("the plugin `{}` has {count}, which only the client runs", plugin.name),
                    format!("nothing; `claude plugin disable {}` takes them out", plugin.name),
                );
            }
        }
    }
}

/// The plugins that are on and whose hooks a package among `hooks` has too, each with the words for it.
pub fn doubled<'p>(plugins: &'p [Plugin], hooks: &[Hook]) -> Vec<(&'p Plugin, String)> {
    let mut packages: Vec<&Membership> =
        hooks.iter().filter_map(|it| it.package.as_ref()).collect();
    packages.sort_by_key(|it| &it.package);
    packages.dedup_by_key(|it| &it.package);
    let mut found = Vec::new();
    for package in packages.into_iter().filter(|it| it.foreign) {
        let reading = form::read(Path::new(&*package.root)).ok();
        let Some(name) = reading.and_then(|reading| reading.plugin) else { continue };
        let is_it = |it: &&Plugin| it.is_on && it.name.split('@').next() == Some(&name);
        found.extend(plugins.iter().filter(is_it).map(|plugin| {
            let (plugged, package) = (&plugin.name, &package.package);
            (plugin, format!("the client runs the hooks of the plugin `{plugged}` as well as hookman, which has them from the package `{package}`"))
        }));
    }
    found
}

fn twice(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let hooks = chain.manifest.as_ref().ok().and_then(|it| it.as_ref());
        let hooks = hooks.map(|manifest| &*manifest.hooks).unwrap_or_default();
        for (plugin, message) in doubled(&facts.plugins, hooks) {
            findings.add(Level::Warning, &plugin.origin, message, plugin.off());
        }
    }
    let settings: Vec<_> = facts.settings.iter().map(|file| (file, file.handlers())).collect();
    for plugin in &facts.plugins {
        let root = plugin.root.display().to_string();
        for file in &plugin.files {
            for handler in file.handlers() {
                let Some(here) = called(&handler, &root) else { continue };
                let same = settings.iter().find_map(|(other, handlers)| {
                    let same = handlers.iter().find(|it| called(it, &root).as_ref() == Some(&here));
                    same.map(|it| other.at_key(it, "command"))
                });
                if let Some(same) = same {
                    findings.add(
                        Level::Warning,
                        file.at_key(&handler, "command"),
                        format!("`{}` is also at {same}", handler.event),
                        if plugin.name.contains('@') {
                            format!(
                                "run `claude plugin disable {}`, or delete it there",
                                plugin.name
                            )
                        } else {
                            "delete it there, or take the plugin out".to_owned()
                        },
                    );
                }
            }
        }
    }
}

/// Writes the command of a handler with its event.
fn called(handler: &Handler, root: &str) -> Option<String> {
    let whole = |value: &Value| Some(value.as_str()?.replace("${CLAUDE_PLUGIN_ROOT}", root));
    let command = whole(handler.value.get("command")?)?;
    let args = handler.value.get("args").and_then(Value::as_array);
    let args: Vec<String> = args.into_iter().flatten().filter_map(whole).collect();
    Some(format!("{} {} {command} {}", handler.event, args.len(), args.join("\0")).replace('"', ""))
}

fn managed_only(facts: &Facts, findings: &mut Findings) {
    const ONLY: [(&str, &str); 2] = [
        ("disableAllHooks", "so no hook runs, from whichever file"),
        (
            "allowManagedHooksOnly",
            "so only the administrator's own hooks run, and no entry of hookman",
        ),
    ];
    for file in &facts.managed {
        for (key, means) in ONLY {
            if let Some(place) = is_true(file, key) {
                findings.add(
                    Level::Error,
                    place,
                    format!("the administrator of this machine set `{key}`, {means}"),
                    "ask the administrator",
                );
            }
        }
    }
    for file in &facts.managed {
        if let Some(place) = only_of_plugins(file) {
            let message = "the administrator of this machine set `strictPluginOnlyCustomization`, so only \
                           hooks of the administrator and of plugins run, and no entry of hookman";
            findings.add(Level::Error, place, message, "ask the administrator");
        }
    }
    for file in facts.writable_files() {
        if let Some(place) = is_true(file, "allowManagedHooksOnly") {
            let message = "`allowManagedHooksOnly` has an effect in an administrator's files alone";
            let finding = findings.add(Level::Warning, place, message, "delete the key");
            finding.notice("the hooks of all files run all the same");
        }
    }
}

/// The place of the key that leaves hooks to plugins: true, or a list that names them.
fn only_of_plugins(file: &SettingsFile) -> Option<String> {
    let (value, place) = file.value("/strictPluginOnlyCustomization")?;
    let is_on = match value {
        Value::Bool(is_on) => is_on,
        Value::Array(list) => list.iter().any(|it| it == "hooks"),
        _ => false,
    };
    is_on.then_some(place)
}

fn is_true(file: &SettingsFile, key: &str) -> Option<String> {
    let (value, place) = file.value(&format!("/{key}"))?;
    (value == true).then_some(place)
}

// The client says nothing of these, and keeps other settings of such a file.
fn managed_loads(facts: &Facts, findings: &mut Findings) {
    const FIX: &str = "tell the administrator";
    for file in &facts.managed {
        if let Some((why, place)) = file.unreadable() {
            findings.add(Level::Warning, place, why, FIX);
        }
        for (defect, place) in file.dropped() {
            let message =
                format!("{}, and none of the administrator's hooks may run", defect.message);
            findings.add(Level::Warning, place, message, FIX);
        }
    }
}

fn managed_hooks(facts: &Facts, findings: &mut Findings) {
    for file in &facts.managed {
        let known = |handler: &Handler| !handler.ours && Event::from_name(&handler.event).is_some();
        let handlers: Vec<Handler> = file.handlers().into_iter().filter(known).collect();
        if let Some(count) = counted(&handlers) {
            findings.add(
                Level::Info,
                &file.shown,
                format!("the administrator of this machine set {count}"),
                "nothing",
            );
        }
    }
}

fn managed_held(facts: &Facts, findings: &mut Findings) {
    let folder = facts.paths.managed_folder();
    let Some(chain) = facts.chains.iter().find(|it| it.chain.is_managed()) else { return };
    let settings = Chain::managed_settings(&folder);
    let manifest = &chain.chain.manifest;
    let mut files =
        vec![manifest.clone(), manifest.with_file_name("hookman.plan"), settings.clone()];
    files.extend(registered(&settings));
    for (file, reason) in managed::loose(&folder, &files) {
        findings.add(
            Level::Error,
            facts.paths.shown(&file),
            format!("{reason}, so what it holds is not held for every user"),
            "put it where only root writes and all read, such as /usr/local/bin for the program",
        );
    }
}
