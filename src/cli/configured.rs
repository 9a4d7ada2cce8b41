//! The hooks that are configured here: the user's chain and that of the project around.

use std::path::PathBuf;

use anyhow::Result;

use super::World;
use crate::machine::environment;
use crate::manifest::Hook;
use crate::runtime::chains::{self, Chain};

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
