//! The hooks that are configured here: the user's chain and that of the project around.

use std::path::PathBuf;

use anyhow::Result;

use super::{World, word};
use crate::chain::plan::Plan;
use crate::machine::environment;
use crate::manifest::Hook;
use crate::runtime::chains::{self, Chain, Loaded};

/// One configured hook.
pub(super) struct Configured {
    /// `user` or `project`.
    pub scope: &'static str,
    /// The hook.
    pub hook: Hook,
}

/// The hooks of the user's chain, then those of the project's.
///
/// # Errors
///
/// When a manifest cannot be read; the message has every problem in it.
pub(super) fn hooks(world: &World) -> Result<Vec<Configured>> {
    let mut found = Vec::new();
    for chain in chains(world) {
        if let Some(manifest) = chains::read(&world.paths, &chain)? {
            let scope = chain.scope;
            found.extend(manifest.hooks.into_iter().map(|hook| Configured { scope, hook }));
        }
    }
    Ok(found)
}

/// What to say where no hook is configured.
pub(super) fn none(world: &World) -> String {
    let chains = chains(world);
    let manifests: Vec<String> = chains
        .iter()
        .flat_map(Chain::files)
        .filter(|path| path.exists())
        .map(|path| world.paths.shown(path))
        .collect();
    match manifests.as_slice() {
        [] => {
            word::typed(world, "No hooks are configured here; `hookman install` makes a manifest")
        }
        [one] => format!("No hooks are configured here: {one} declares none"),
        several => format!("No hooks are configured here: {} declare none", several.join(" and ")),
    }
}

/// What a switch needs to know of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Switchable {
    /// Its name.
    pub name: String,
    /// One line on what it is for; a plan has none.
    pub summary: String,
    /// Where the manifest has it off for good.
    pub off_at: Option<String>,
}

/// The hooks that can be switched: those that run, so where a manifest cannot be read, those of its
/// last good version.
///
/// # Errors
///
/// When a manifest cannot be read and nothing of it runs.
pub(super) fn switchable(world: &World) -> Result<Vec<Switchable>> {
    let mut found: Vec<Switchable> = Vec::new();
    for chain in chains(world) {
        let hooks = match chains::read(&world.paths, &chain) {
            Ok(manifest) => of_manifest(manifest.map(|manifest| manifest.hooks)),
            Err(problems) => match chains::load(&world.paths, &chain) {
                Loaded::LastGood(plan, _) => {
                    world.terminal.warn(format!(
                        "the manifest cannot be read, so its last good version is used\n{problems}"
                    ));
                    of_plan(&plan)
                }
                _ => return Err(problems.into()),
            },
        };
        // A switch is for all hooks of its name.
        for hook in hooks {
            if !found.iter().any(|known| known.name == hook.name) {
                found.push(hook);
            }
        }
    }
    Ok(found)
}

fn of_manifest(hooks: Option<Vec<Hook>>) -> Vec<Switchable> {
    let off_at = |hook: &Hook| {
        (!hook.enabled).then(|| hook.origins.get("enabled").map(ToString::to_string)).flatten()
    };
    hooks
        .unwrap_or_default()
        .into_iter()
        .map(|hook| Switchable { off_at: off_at(&hook), name: hook.name, summary: hook.summary })
        .collect()
}

fn of_plan(plan: &str) -> Vec<Switchable> {
    let hook =
        |name: &str| Switchable { name: name.to_owned(), summary: String::new(), off_at: None };
    Plan::parse(plan).map(|plan| plan.hooks().map(hook).collect()).unwrap_or_default()
}

/// The chains that apply to the current directory.
pub(super) fn chains(world: &World) -> Vec<Chain> {
    let mut chains = vec![Chain::of_user(&world.paths)];
    // A home directory that is a project has one manifest, and it is the user's.
    chains.extend(
        project()
            .map(|project| Chain::of_project(&project))
            .filter(|chain| chain != &chains[0])
            .filter(|chain| chain.manifest != chains[0].manifest),
    );
    chains
}

/// The project: what the client says, else the nearest directory upwards with a manifest.
pub(super) fn project() -> Option<PathBuf> {
    if let Some(project) = environment::raw("CLAUDE_PROJECT_DIR") {
        return Some(PathBuf::from(project));
    }
    let here = environment::current_directory().ok()?;
    let has_manifest = |folder: &&std::path::Path| {
        ["hookman.toml", "hookman.local.toml"]
            .iter()
            .any(|name| folder.join(".claude").join(name).is_file())
    };
    here.ancestors().find(has_manifest).map(PathBuf::from)
}
