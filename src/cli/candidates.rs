//! The names of this machine that a shell may offer for a word; what cannot be read offers nothing.

use std::ffi::OsStr;

use clap_complete::CompletionCandidate;

use crate::builtin::{Level, catalogue, command_guard};
use crate::client::Event;
use crate::client::host::CLAUDE;
use crate::client::host::files::FILES;
use crate::doctor;
use crate::install::addition::recipe::RECIPES;
use crate::machine::{Paths, Terminal, World, files, harmless};
use crate::manifest::package::{Package, Provenance};
use crate::manifest::{Hook, packages_of};
use crate::state::sessions::{self, Seen};
use crate::state::{Chain, configured, profiles};

fn world() -> Option<World> {
    Some(World { paths: Paths::from_environment().ok()?, terminal: Terminal::of_process() })
}

fn candidate(name: &str, help: impl Into<String>) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(harmless(&help.into()).into()))
}

/// As [`candidate`], for a name that a clone may have brought: bash puts it into the line as it is.
fn foreign(name: &str, help: impl Into<String>) -> Option<CompletionCandidate> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.:/@+,=".contains(letter);
    name.chars().all(is_plain).then(|| candidate(name, help))
}

pub(super) fn hooks() -> Vec<CompletionCandidate> {
    let found = world().and_then(|world| configured::hooks(&world).ok()).unwrap_or_default();
    let events =
        |hook: &Hook| hook.events.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    found.iter().filter_map(|it| foreign(&it.hook.name, events(&it.hook))).collect()
}

/// The packages of the manifests here, with where they come from.
pub(super) fn packages() -> Vec<CompletionCandidate> {
    let Some(world) = world() else { return Vec::new() };
    let chains = configured::chains(&world);
    let texts = chains.iter().flat_map(Chain::files).filter_map(|it| files::read_text(it).ok()?);
    let from = |it: Package| match it.from {
        Provenance::Git(from) | Provenance::Path(from) => foreign(&it.name, from),
    };
    texts.flat_map(|text| packages_of(&text)).filter_map(from).collect()
}

pub(super) fn ready_made() -> Vec<CompletionCandidate> {
    let entries = catalogue::names().iter().filter_map(|name| catalogue::find(name));
    entries.map(|entry| candidate(entry.name, entry.summary.as_str())).collect()
}

pub(super) fn recipes() -> Vec<CompletionCandidate> {
    RECIPES.iter().map(|recipe| candidate(recipe.name, recipe.summary())).collect()
}

/// The hooks that are configured here, then those that come with hookman.
pub(super) fn all_hooks() -> Vec<CompletionCandidate> {
    let mut all = hooks();
    let more: Vec<_> = ready_made()
        .into_iter()
        .filter(|it| !all.iter().any(|known| known.get_value() == it.get_value()))
        .collect();
    all.extend(more);
    all
}

/// The profiles that the manifests declare, with the hooks they switch off.
pub(super) fn profiles() -> Vec<CompletionCandidate> {
    let project = configured::project();
    let found = world()
        .and_then(|world| profiles::profiles(&world.paths, project.as_deref()).ok())
        .map(|(found, _)| found)
        .unwrap_or_default();
    found.iter().filter_map(|it| foreign(&it.name, it.disable.join(", "))).collect()
}

pub(super) fn sessions() -> Vec<CompletionCandidate> {
    let Some(world) = world() else { return Vec::new() };
    let describe = |seen: &Seen| {
        let state = if seen.live { "running" } else { "ended" };
        let folder = world.paths.shown(seen.started_in());
        if folder.is_empty() { state.to_owned() } else { format!("{state}, in {folder}") }
    };
    let seen = sessions::seen(&world.paths);
    seen.iter().filter_map(|it| foreign(it.id.as_str(), describe(it))).collect()
}

pub(super) fn careful() -> Vec<CompletionCandidate> {
    let wishes = [("on", "Have every guard block"), ("off", "Let levels count again")];
    wishes.map(|(wish, help)| candidate(wish, help)).into()
}

pub(super) fn checks() -> Vec<CompletionCandidate> {
    let families = doctor::FAMILIES.iter().map(|it| candidate(it.name, it.about()));
    families.chain(doctor::checks().map(|it| candidate(it.id, it.about()))).collect()
}

pub(super) fn events() -> Vec<CompletionCandidate> {
    Event::ALL.iter().map(|it| CompletionCandidate::new(it.name())).collect()
}

/// Lists the values that a hook can be set to: a guard's level and that of a rule or a category, and
/// what its failure means.
pub(super) fn settings(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    if let Some((key, _)) = typed.split_once('=') {
        let is_level =
            key == "level" || key.starts_with("levels.") || key.starts_with("categories.");
        let values: &[&str] = match key {
            "on_error" => &["open", "ask", "closed"],
            _ if is_level => Level::NAMES,
            _ => &[],
        };
        let all = values.iter().map(|it| CompletionCandidate::new(format!("{key}={it}")));
        return all.filter(|it| starts(it, typed)).collect();
    }
    let named = std::env::args().find_map(|word| catalogue::find(&word));
    let hook = named.or_else(|| catalogue::find("destructive-guard"));
    let rules = hook.map(|it| command_guard::rules(&it.options)).unwrap_or_default();
    let mut all = vec![candidate("on_error=", "The effect of a failure of the hook")];
    if !rules.is_empty() {
        all.push(candidate("level=", "What is done about a command that a rule finds"));
        all.push(candidate("careful=true", "Every rule blocks"));
    }
    for rule in rules.iter().filter(|rule| !rule.category.is_empty()) {
        let key = format!("categories.{}=", rule.category);
        if !all.iter().any(|it| it.get_value() == key.as_str()) {
            all.push(candidate(&key, "The least level of the category's rules"));
        }
    }
    all.extend(rules.iter().map(|it| candidate(&format!("levels.{}=", it.id), it.what.as_str())));
    all.retain(|it| starts(it, typed));
    all
}

fn starts(candidate: &CompletionCandidate, typed: &str) -> bool {
    candidate.get_value().to_str().is_some_and(|value| value.starts_with(typed))
}

pub(super) fn hosts() -> Vec<CompletionCandidate> {
    let others = FILES.iter().map(|of| of.host.name);
    [CLAUDE.name, "all"].into_iter().chain(others).map(CompletionCandidate::new).collect()
}
