//! The hooks that only the user may switch off, before commands that would take them out of force.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use super::switching::is_person;
use super::target::Target;
use super::{World, binary};
use crate::chain::plan::Plan;
use crate::client::json::Document;
use crate::machine::files;
use crate::manifest::Hook;
use crate::runtime::chains::{self, Chain};
use crate::runtime::switchable;

/// Refuses to take such a hook out of force for an agent's tool.
///
/// # Errors
///
/// The refusal, where the hook is one and this was not called by a person.
pub(super) fn check(hook: &str, user_only: bool) -> Result<()> {
    if user_only && !is_person() {
        bail!("hook `{hook}` can be switched off only by the user, in another terminal");
    }
    Ok(())
}

/// As [`check`], for what takes out all hooks of a target that are on.
///
/// # Errors
///
/// As [`check`].
pub(super) fn check_all(world: &World, target: &Target) -> Result<()> {
    fenced(world, target).map_or(Ok(()), |hook| check(&hook, true))
}

/// As [`check_all`], for hooks that another text of the settings may not call.
///
/// # Errors
///
/// As [`check`].
pub(super) fn check_texts(
    world: &World,
    target: &Target,
    before: Option<&str>,
    after: &str,
) -> Result<()> {
    let of_hooks = |text: &str| {
        let document = Document::parse(text).ok()?;
        let value = document.value(document.root());
        Some(["hooks", "disableAllHooks"].map(|key| value.get(key).cloned().unwrap_or(Value::Null)))
    };
    let before = before.and_then(of_hooks);
    if before.is_some() && before == of_hooks(after) { Ok(()) } else { check_all(world, target) }
}

/// As [`check_all`], where the entries are to call another program than they do, or to become those
/// of another manifest than the one beside them.
///
/// # Errors
///
/// As [`check`].
pub(super) fn check_program(world: &World, target: &Target, given: Option<&Path>) -> Result<()> {
    // Where the settings are a symlink, the entries in them can be those of another manifest.
    if let Some(hook) = linked(target).find_map(|chain| fenced_in(world, &chain)) {
        check(&hook, true)?;
    }
    let (Some(given), Some(now)) = (given, binary::registered(&target.settings)) else {
        return Ok(());
    };
    if now == std::path::absolute(given)? { Ok(()) } else { check_all(world, target) }
}

/// A hook of a target that is on and that only the user may switch off. Where the settings are a
/// symlink, what it leads to is written, so the manifests beside that have a say as well.
fn fenced(world: &World, target: &Target) -> Option<String> {
    std::iter::once(target.chain.clone())
        .chain(linked(target))
        .find_map(|chain| fenced_in(world, &chain))
}

fn linked(target: &Target) -> impl Iterator<Item = Chain> {
    let settings = files::led_to(&target.settings).into_iter();
    settings
        .map(|settings| Chain::beside(&settings, target.chain.scope))
        .filter(|chain| chain.manifest != target.chain.manifest)
}

/// Such a hook of a chain; where the manifest cannot be read, one of its last good version.
fn fenced_in(world: &World, chain: &Chain) -> Option<String> {
    let is_fenced = |hook: &Hook| hook.enabled && hook.audience.user_only;
    match chains::read(&world.paths, chain) {
        Ok(manifest) => {
            manifest.unwrap_or_default().hooks.into_iter().find(is_fenced).map(|hook| hook.name)
        }
        Err(_) => {
            let plan = switchable::last_good(&world.paths, chain)?;
            let plan = Plan::parse(&plan)?;
            plan.hooks().find(|(_, user_only)| *user_only).map(|(name, _)| name.to_owned())
        }
    }
}
