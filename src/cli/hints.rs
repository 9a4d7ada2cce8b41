//! What to type next, with the scope that the command was called with.

use anyhow::anyhow;

use super::World;
use super::registering::Target;

/// A call of hookman for the scope of `target`.
pub(super) fn call(target: &Target, verb: &str) -> String {
    let scope = if target.project.is_some() { " --project" } else { "" };
    format!("hookman {verb}{scope}")
}

/// The error of a command that needs a manifest where there is none.
pub(super) fn no_manifest(world: &World, target: &Target) -> anyhow::Error {
    anyhow!(
        "there is no manifest at `{}`; `{}` makes one",
        world.paths.shown(&target.chain.manifest),
        call(target, "install")
    )
}
