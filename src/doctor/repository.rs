//! Does git keep what others need, and nothing of this machine?

use std::path::Path;

use regress::Regex;

use super::check::{Check, Findings};
use super::facts::Facts;
use super::settings_file::SettingsFile;
use crate::machine::{files, git};
use crate::manifest::Action;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "git-local", run: local },
    Check { id: "git-paths", run: machine_paths },
    Check { id: "git-together", run: together },
];

fn project(facts: &Facts) -> Option<&Path> {
    let has_project = facts.settings.iter().any(|file| file.scope != "user");
    facts.project.as_deref().filter(|_| has_project)
}

fn local(facts: &Facts, findings: &mut Findings) {
    let Some(project) = project(facts) else { return };
    let ignored = files::read_text(&project.join(".gitignore")).ok().flatten().unwrap_or_default();
    let is_open = !ignored.is_empty() && !ignored.ends_with('\n');
    let start = if is_open { "echo >> .gitignore; " } else { "" };
    for name in ["settings.local.json", "hookman.local.toml"] {
        let path = project.join(".claude").join(name);
        if !path.is_file() || git::ignores(project, &path) != Some(false) {
            continue;
        }
        let shown = facts.paths.shown(&path);
        if git::tracks(project, &path) == Some(true) {
            findings.say("local-tracked", shown, &[&name]);
        } else {
            findings.say("local-not-ignored", shown, &[&start, &name]);
        }
    }
}

fn machine_paths(facts: &Facts, findings: &mut Findings) {
    for file in facts.settings.iter().filter(|file| file.scope == "project") {
        // Hookman's own entries are a matter of `registration-scope`.
        for handler in file.handlers().iter().filter(|handler| !handler.ours) {
            let text = |key: &str| handler.value.get(key).map(ToString::to_string);
            let text = text("command").unwrap_or_default() + &text("args").unwrap_or_default();
            if let Some(path) = of_machine(facts, &text) {
                let place = file.at_key(handler, "command");
                findings.say("settings-with-machine-path", place, &[&path]);
            }
        }
    }
    for chain in facts.chains.iter().filter(|chain| chain.chain.scope == "project") {
        for hook in &chain.committed.hooks {
            let (key, text) = match &hook.action {
                Action::Command(line) => ("command", line.clone()),
                Action::Argv(words) => ("argv", words.join(" ")),
                _ => continue,
            };
            let Some(path) = of_machine(facts, &text) else { continue };
            findings.say("hook-with-machine-path", hook.place_of(key), &[&hook.name, &path]);
        }
    }
}

/// A path in a text that only one machine has: one in a home directory or in the project.
fn of_machine(facts: &Facts, text: &str) -> Option<String> {
    let homes = facts.paths.home.iter().map(|home| home.display().to_string());
    let folders = homes.chain(facts.project.iter().map(|it| it.display().to_string()));
    let mut folders = folders.filter(|folder| folder.len() > 1);
    let own = folders.find_map(|folder| text.find(&format!("{folder}/")));
    let path = &text[own.or_else(|| in_a_home(text))?..];
    let ends = |it: char| it.is_whitespace() || "\"';|&<>()".contains(it);
    let path = path.split(ends).next().unwrap_or_default();
    Some(path.trim_end_matches('\\').to_owned())
}

/// Finds the path in somebody's home directory that a text names.
fn in_a_home(text: &str) -> Option<usize> {
    const HOME: &str =
        r"(?<![\w.\-}/])(?:/home/|/Users/|C:(?:/|\\\\?)Users(?:/|\\\\?))[\w.\-]+[/\\]";
    Regex::with_flags(HOME, "u").ok()?.find(text).map(|found| found.start())
}

fn together(facts: &Facts, findings: &mut Findings) {
    let Some(project) = project(facts) else { return };
    let folder = project.join(".claude");
    let manifest = folder.join("hookman.toml");
    let has_entries = |file: &SettingsFile| {
        file.scope == "project" && file.handlers().iter().any(|handler| handler.ours)
    };
    if !manifest.is_file() || !facts.settings.iter().any(has_entries) {
        return;
    }
    let names = ["hookman.toml", "settings.json", "hookman"];
    let kept = names.map(|name| git::tracks(project, &folder.join(name)) == Some(true));
    // If git tracks none of them, they are not meant for others.
    if !kept.contains(&true) {
        return;
    }
    for (name, _) in names.iter().zip(kept).filter(|(_, is_kept)| !is_kept) {
        findings.say("not-tracked", facts.paths.shown(&folder.join(name)), &[&name]);
    }
}
