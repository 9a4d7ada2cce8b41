//! The hooks from plugins, skills and an administrator, which hookman neither orders nor switches.

use std::path::Path;

use serde_json::Value;

use super::check::{Check, Findings};
use super::facts::Facts;
use super::plugin::{HOOKS, Plugin};
use super::settings;
use super::settings_file::SettingsFile;
use crate::client::Event;
use crate::install::addition::managed;
use crate::install::target::binary::registered;
use crate::manifest::Hook;
use crate::manifest::package::Membership;
use crate::package::form;
use crate::settings::Handler;
use crate::state::Chain;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "plugin-present", run: present },
    Check { id: "plugin-loads", run: loads },
    Check { id: "plugin-hooks", run: listed },
    Check { id: "plugin-twice", run: twice },
    Check { id: "managed-only", run: managed_only },
    Check { id: "managed-loads", run: managed_loads },
    Check { id: "managed-hooks", run: managed_hooks },
    Check { id: "managed-held", run: managed_held },
    Check { id: "skill-loads", run: skills_load },
    Check { id: "skill-hooks", run: skills_listed },
];

fn present(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        if !plugin.root.is_dir() {
            let says = format!(
                "the plugin `{}` is on, and {} is not there",
                plugin.name,
                facts.paths.shown(&plugin.root)
            );
            let fix = format!("run `claude plugin install {}`, or take it out", plugin.name);
            findings.warn(&plugin.origin, says, fix);
        }
    }
}

fn loads(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        for name in ["hooks.json", ".claude-plugin/hooks.json"] {
            let path = plugin.root.join(name);
            if plugin.files.iter().all(|file| file.path != path)
                && let Some(place) = settings::hooks_of(facts, &path)
            {
                let says =
                    format!("it has hooks, but the client reads those of a plugin from `{HOOKS}`");
                findings.warn(
                    place,
                    says,
                    format!("move it to `{HOOKS}`, or tell the plugin's author"),
                );
            }
        }
        for file in &plugin.files {
            if matches!(file.text, Ok(None)) {
                let says = format!(
                    "the plugin `{}` names it as the file of its hooks, and it is not there",
                    plugin.name
                );
                findings.warn(
                    &file.shown,
                    says,
                    "correct `hooks` in its `plugin.json`, or tell the plugin's author",
                );
            }
            if let Some((why, place)) = file.unreadable() {
                let fix = match &file.text {
                    Ok(_) => "tell the plugin's author".to_owned(),
                    Err(_) if plugin.name.contains('@') => {
                        format!("run `claude plugin install {}`", plugin.name)
                    }
                    Err(_) => "correct it by hand, or take the plugin out".to_owned(),
                };
                findings.warn(place, why, fix);
            }
            if let Some(document) = file.document() {
                settings::other_keys(file, &document, findings);
            }
            for (defect, place) in file.dropped() {
                let says = format!("{}, and the plugin may have no hook at all", defect.message);
                findings.warn(place, says, format!("{}, or tell the plugin's author", defect.hint));
            }
        }
    }
}

pub(super) fn counted(handlers: &[Handler]) -> Option<String> {
    let count = match handlers.len() {
        0 => return None,
        1 => "1 hook".to_owned(),
        several => format!("{several} hooks"),
    };
    let mut events: Vec<&str> = Vec::new();
    for handler in handlers {
        if !events.contains(&&*handler.event) {
            events.push(&handler.event);
        }
    }
    Some(format!("{count} for {}", events.join(", ")))
}

fn listed(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        for file in &plugin.files {
            if let Some(count) = counted(&file.handlers()) {
                let says =
                    format!("the plugin `{}` has {count}, which only the client runs", plugin.name);
                let fix =
                    format!("nothing; `claude plugin disable {}` takes them out", plugin.name);
                findings.info(&file.shown, says, fix);
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
            (
                plugin,
                format!(
                    "the client runs the hooks of the plugin `{plugged}` as well as \
                              hookman, which has them from the package `{package}`"
                ),
            )
        }));
    }
    found
}

fn twice(facts: &Facts, findings: &mut Findings) {
    for chain in &facts.chains {
        let hooks = chain.manifest.as_ref().ok().and_then(|it| it.as_ref());
        let hooks = hooks.map(|manifest| &*manifest.hooks).unwrap_or_default();
        for (plugin, message) in doubled(&facts.plugins, hooks) {
            findings.warn(&plugin.origin, message, plugin.off());
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
                    let says = format!("`{}` is also at {same}", handler.event);
                    let fix = if plugin.name.contains('@') {
                        format!("run `claude plugin disable {}`, or delete it there", plugin.name)
                    } else {
                        "delete it there, or take the plugin out".to_owned()
                    };
                    findings.warn(file.at_key(&handler, "command"), says, fix);
                }
            }
        }
    }
}

fn called(handler: &Handler, root: &str) -> Option<String> {
    let whole = |value: &Value| Some(value.as_str()?.replace("${CLAUDE_PLUGIN_ROOT}", root));
    let command = whole(handler.value.get("command")?)?;
    let args = handler.value.get("args").and_then(Value::as_array);
    let args: Vec<String> = args.into_iter().flatten().filter_map(whole).collect();
    Some(format!("{} {} {command} {}", handler.event, args.len(), args.join("\0")).replace('"', ""))
}

fn managed_only(facts: &Facts, findings: &mut Findings) {
    const ONLY: [(&str, &str); 3] = [
        ("disableAllHooks", "so no hook runs, from whichever file"),
        (
            "allowManagedHooksOnly",
            "so only the administrator's own hooks run, and no entry of hookman",
        ),
        (
            "strictPluginOnlyCustomization",
            "so only hooks of the administrator and of plugins run, and no entry of hookman",
        ),
    ];
    for file in &facts.managed {
        for (key, means) in ONLY {
            if let Some(place) = is_set(file, key) {
                let says = format!("the administrator of this machine set `{key}`, {means}");
                findings.error(place, says, "ask the administrator");
            }
        }
    }
    for file in facts.writable_files() {
        if let Some(place) = is_set(file, "allowManagedHooksOnly") {
            let message = "`allowManagedHooksOnly` has an effect in an administrator's files alone";
            let finding = findings.warn(place, message, "delete the key");
            finding.notice("the hooks of all files run all the same");
        }
    }
}

/// The place of a key that is on: true, or a list that names hooks.
fn is_set(file: &SettingsFile, key: &str) -> Option<String> {
    let (value, place) = file.value(&format!("/{key}"))?;
    let is_on = value.as_array().map_or(value == true, |list| list.iter().any(|it| it == "hooks"));
    is_on.then_some(place)
}

// The client says nothing of these, and keeps other settings of such a file.
fn managed_loads(facts: &Facts, findings: &mut Findings) {
    const FIX: &str = "tell the administrator";
    for file in &facts.managed {
        if let Some((why, place)) = file.unreadable() {
            findings.warn(place, why, FIX);
        }
        for (defect, place) in file.dropped() {
            let message =
                format!("{}, and none of the administrator's hooks may run", defect.message);
            findings.warn(place, message, FIX);
        }
    }
}

fn managed_hooks(facts: &Facts, findings: &mut Findings) {
    for file in &facts.managed {
        let known = |handler: &Handler| !handler.ours && Event::from_name(&handler.event).is_some();
        let handlers: Vec<Handler> = file.handlers().into_iter().filter(known).collect();
        if let Some(count) = counted(&handlers) {
            let says = format!("the administrator of this machine set {count}");
            findings.info(&file.shown, says, "nothing");
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
        let says = format!("{reason}, so what it holds is not held for every user");
        let fix =
            "put it where only root writes and all read, such as /usr/local/bin for the program";
        findings.error(facts.paths.shown(&file), says, fix);
    }
}

fn skills_load(facts: &Facts, findings: &mut Findings) {
    for file in &facts.frontmatters {
        if let Err(why) = &file.text {
            let message = format!("its hooks are no YAML: {why}");
            findings.warn(&file.shown, message, "correct it by hand");
        }
        for (defect, place) in file.dropped() {
            let message = format!(
                "{}, and the client may run no hook of this {}",
                defect.message, file.scope
            );
            findings.warn(place, message, defect.hint);
        }
    }
}

fn skills_listed(facts: &Facts, findings: &mut Findings) {
    for file in &facts.frontmatters {
        if let Some(count) = counted(&file.handlers()) {
            let says = format!("the {} has {count}, which only the client runs", file.scope);
            findings.info(&file.shown, says, "nothing");
        }
    }
}
