//! The hooks from plugins, skills and an administrator, which hookman neither orders nor switches.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::check::{Check, Findings, Level};
use super::facts::Facts;
use super::plugin::{HOOKS, Plugin};
use super::settings;
use super::settings_file::SettingsFile;
use crate::install::addition::managed;
use crate::install::target::binary::registered;
use crate::manifest::Hook;
use crate::package::form;
use crate::settings::Handler;
use crate::state::Chain;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "plugin-present", run: present },
    Check { id: "plugin-loads", run: loads },
    Check { id: "plugin-hooks", run: |facts, findings| listed(of_plugins(facts), findings) },
    Check { id: "plugin-twice", run: twice },
    Check { id: "managed-only", run: managed_only },
    Check { id: "managed-loads", run: managed_loads },
    Check { id: "managed-hooks", run: |facts, findings| listed(of_managed(facts), findings) },
    Check { id: "managed-held", run: managed_held },
    Check { id: "skill-loads", run: skills_load },
    Check { id: "skill-hooks", run: |facts, findings| listed(of_skills(facts), findings) },
];

/// A file, and the words for what it is of.
type Of<'f> = (&'f SettingsFile, &'f str);

fn of_plugins(facts: &Facts) -> Vec<Of<'_>> {
    let plugins = facts.plugins.iter();
    plugins.flat_map(|it| it.files.iter().map(|file| (file, &*it.name))).collect()
}

fn of_managed(facts: &Facts) -> Vec<Of<'_>> {
    facts.managed.iter().map(|file| (file, "")).collect()
}

fn of_skills(facts: &Facts) -> Vec<Of<'_>> {
    facts.frontmatters.iter().map(|file| (file, file.scope)).collect()
}

fn present(facts: &Facts, findings: &mut Findings) {
    for plugin in facts.plugins.iter().filter(|plugin| !plugin.root.is_dir()) {
        let root = facts.paths.shown(&plugin.root);
        findings.say("plugin-missing", &plugin.origin, &[&plugin.name, &root]);
    }
}

fn loads(facts: &Facts, findings: &mut Findings) {
    for plugin in &facts.plugins {
        for name in ["hooks.json", ".claude-plugin/hooks.json"] {
            let path = plugin.root.join(name);
            if plugin.files.iter().all(|file| file.path != path)
                && let Some(place) = settings::hooks_of(facts, &path)
            {
                findings.say("plugin-file-elsewhere", place, &[&HOOKS]);
            }
        }
    }
    for (file, plugin) in of_plugins(facts) {
        if matches!(file.text, Ok(None)) {
            findings.say("plugin-file-missing", &file.shown, &[&plugin]);
        }
        if let Some((why, place)) = file.unreadable() {
            findings.say("plugin-unreadable", place, &[&why]);
        }
        if let Some(document) = file.document() {
            settings::other_keys(file, &document, findings);
        }
        for (defect, place) in file.dropped() {
            findings.say("plugin-defect", place, &[&defect.message, &defect.hint]);
        }
    }
}

fn counted(handlers: &[Handler]) -> Option<String> {
    let count = match handlers.len() {
        0 => return None,
        1 => "1 hook".to_owned(),
        several => format!("{several} hooks"),
    };
    let mut events: Vec<&str> = handlers.iter().map(|handler| &*handler.event).collect();
    events.dedup();
    Some(format!("{count} for {}", events.join(", ")))
}

fn listed(files: Vec<Of<'_>>, findings: &mut Findings) {
    for (file, of) in files {
        let foreign = file.handlers().into_iter().filter(|handler| !handler.ours);
        if let Some(count) = counted(&foreign.collect::<Vec<Handler>>()) {
            findings.say(findings.check, &file.shown, &[&of, &count]);
        }
    }
}

/// The plugins that are on and whose hooks a package among `hooks` has too, each with the words for it.
pub fn doubled<'p>(plugins: &'p [Plugin], hooks: &[Hook]) -> Vec<(&'p Plugin, String)> {
    let packages = hooks.iter().filter_map(|it| it.package.as_ref()).filter(|it| it.foreign);
    let packages: BTreeMap<_, _> = packages.map(|it| (&it.package, &it.root)).collect();
    let mut found = Vec::new();
    for (package, root) in packages {
        let reading = form::read(Path::new(&**root)).ok();
        let Some(name) = reading.and_then(|reading| reading.plugin) else { continue };
        let is_it = |it: &&Plugin| it.is_on && it.name.split('@').next() == Some(&name);
        for plugin in plugins.iter().filter(is_it) {
            let says = format!(
                "the client runs the hooks of the plugin `{}` as well as hookman, which has them from \
                 the package `{package}`",
                plugin.name
            );
            found.push((plugin, says));
        }
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
                let here = called(&handler, &root);
                let is_same = |it: &&Handler| here.is_some() && called(it, &root) == here;
                let same = settings.iter().find_map(|(other, handlers)| {
                    Some(other.at_key(handlers.iter().find(is_same)?, "command"))
                });
                if let Some(same) = same {
                    let (place, event) = (file.at_key(&handler, "command"), &handler.event);
                    findings.say("plugin-handler-twice", place, &[event, &same, &plugin.off()]);
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
    const ONLY: [&str; 3] =
        ["disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization"];
    for file in &facts.managed {
        for key in ONLY {
            if let Some(place) = is_set(file, key) {
                findings.say(key, place, &[]);
            }
        }
    }
    for file in facts.writable_files() {
        if let Some(place) = is_set(file, "allowManagedHooksOnly") {
            findings.say("managed-key-elsewhere", place, &[]);
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
    for file in &facts.managed {
        if let Some((why, place)) = file.unreadable() {
            findings.say("managed-unreadable", place, &[&why]);
        }
        for (defect, place) in file.dropped() {
            findings.say("managed-defect", place, &[&defect.message]);
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
        findings.say("managed-loose", facts.paths.shown(&file), &[&reason]);
    }
}

fn skills_load(facts: &Facts, findings: &mut Findings) {
    for file in &facts.frontmatters {
        if let Err(why) = &file.text {
            findings.say("skill-yaml", &file.shown, &[&why]);
        }
        for (defect, place) in file.dropped() {
            findings.say("skill-defect", place, &[&defect.message, &file.scope, &defect.hint]);
        }
    }
}
