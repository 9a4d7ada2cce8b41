//! Hooks that only the user may switch off, checked before a command that would do so.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use serde_json::{Value, json};

use super::{Target, binary};
use crate::chain::Plan;
use crate::client::call;
use crate::install::registration::hosts;
use crate::machine::agents::{is_agent, is_person};
use crate::machine::{World, files};
use crate::manifest::Hook;
use crate::settings::{is_taken, own_handlers};
use crate::state::{Chain, chains};
use crate::syntax::json::Document;

/// Refuses to switch such a hook off for an agent's tool.
pub(crate) fn check(hook: &str, user_only: bool) -> Result<()> {
    if user_only && !is_person() {
        bail!("hook `{hook}` can be switched off only by the user, in another terminal");
    }
    Ok(())
}

/// As [`check`], for a command after which no hook of a target runs.
pub(crate) fn check_all(world: &World, target: &Target) -> Result<()> {
    if let Some(hook) = fenced(world, target) {
        return check(&hook, true);
    }
    if is_person() {
        return Ok(());
    }
    let manifest = &target.chain.manifest;
    // Entries without a manifest next to them may be those of another one, by a link to the settings.
    let lack = if !files::is_there(manifest) {
        binary::registered(&target.settings).map(|_| "is not there")
    } else if chains::read(&world.paths, &target.chain).is_err() {
        Some("cannot be read")
    } else {
        None
    };
    if let Some(lack) = lack {
        bail!(
            "`{}` {lack}, so nobody knows which hooks these entries run; only the user can change \
             them, in another terminal",
            world.paths.shown(manifest)
        );
    }
    Ok(())
}

/// Refuses an agent that puts other settings back, as any value may keep hooks from running.
pub(crate) fn check_texts(
    world: &World,
    target: &Target,
    before: Option<&str>,
    after: &str,
) -> Result<()> {
    let value = |text: &str| {
        let document = Document::parse(text).ok()?;
        Some(document.value(document.root()))
    };
    let before = before.and_then(value);
    if before.is_some() && before == value(after) {
        return Ok(());
    }
    if is_agent() {
        bail!("only the user can restore other settings, in another terminal");
    }
    check_all(world, target)
}

/// Refuses to take a handler of somebody else's out of the settings for an agent.
pub(crate) fn check_adoption() -> Result<()> {
    if !is_agent() {
        return Ok(());
    }
    bail!("only the user can take hooks of others into the manifest, in another terminal")
}

/// Refuses to put the guard mod before a mod that the user put first, for an agent.
pub(crate) fn check_seat(settings: Option<&str>) -> Result<()> {
    let document = settings.and_then(|text| Document::parse(text).ok());
    if is_agent() && document.is_some_and(|document| is_taken(&document)) {
        bail!("only the user can put the guard mod before another mod, in another terminal");
    }
    Ok(())
}

/// Refuses an agent's change after which entries call the hooks of another manifest, or of none.
pub(crate) fn check_owner(world: &World, target: &Target) -> Result<()> {
    if let Some(hook) = hosts::owner(target).and_then(|owner| fenced_in(world, &owner)) {
        check(&hook, true)?;
    }
    let of_project = target.project.is_some();
    let is_others = |handler: &Value| call::is_of_project(handler) != of_project;
    if !is_person() && handlers(target).iter().any(is_others) {
        let [now, next] =
            if of_project { ["your own", "a project's"] } else { ["a project's", "your own"] };
        bail!(
            "`{}` calls {now} hooks and would call {next}; only the user can change that, in another terminal",
            world.paths.shown(&target.settings)
        );
    }
    Ok(())
}

/// The handlers in a settings file, or another agent's, that call hookman.
fn handlers(target: &Target) -> Vec<Value> {
    if target.host.is_some() {
        let handler = |line| json!({ "type": "command", "command": line });
        return hosts::lines(target).into_iter().map(handler).collect();
    }
    let text = files::read_text(&target.settings).ok().flatten().unwrap_or_default();
    Document::parse(&text).map(|document| own_handlers(&document)).unwrap_or_default()
}

/// The path given for the entries of a target, if one was; refuses an agent, like [`check_all`], where
/// another program or manifest would then be called.
pub(crate) fn binary(
    world: &World,
    target: &Target,
    given: Option<&Path>,
) -> Result<Option<PathBuf>> {
    // Where the settings are a symlink, the entries in them can be those of another manifest.
    if let Some(hook) = linked(target).find_map(|chain| fenced_in(world, &chain)) {
        check(&hook, true)?;
    }
    let given = given.map(|given| binary::binary_path(world, Some(given))).transpose()?;
    let of_hosts =
        hosts::targets(world, target).into_iter().flat_map(|host| hosts::programs(&host));
    // Those in other agents' files stay where no other is named.
    let of_hosts = of_hosts.filter(|now| given.is_some() || !files::is_executable(now));
    let now = binary::named(&target.settings).into_iter().chain(of_hosts);
    let kept = || binary::registered(&target.settings);
    // Without one that is named or kept, the one that was called is written.
    let next = given.clone().or_else(kept).or_else(|| binary::binary_path(world, None).ok());
    if let Some(next) = &next
        && let Some(now) = now.into_iter().find(|now| binary::file(now) != binary::file(next))
    {
        let (now, next) = (world.paths.shown(&now), world.paths.shown(next));
        check_all(world, target)
            .with_context(|| format!("`{next}` is to be called in the place of `{now}`"))?;
    }
    Ok(given)
}

/// A hook of a target that is on and only the user may switch off, also where a symlinked file is.
fn fenced(world: &World, target: &Target) -> Option<String> {
    std::iter::once(target.chain.clone())
        .chain(linked(target))
        .find_map(|chain| fenced_in(world, &chain))
}

fn linked(target: &Target) -> impl Iterator<Item = Chain> {
    let settings = files::led_to(&target.settings).into_iter();
    settings
        .map(|settings| Chain::next_to(&settings, target.chain.scope))
        .filter(|chain| chain.manifest != target.chain.manifest)
}

/// Such a hook of a chain or of its last plan, as the manifest may be broken by now.
fn fenced_in(world: &World, chain: &Chain) -> Option<String> {
    let is_fenced = |hook: &Hook| hook.enabled && hook.audience.user_only;
    let manifest = chains::read(&world.paths, chain).ok().flatten().unwrap_or_default();
    let fenced = manifest.hooks.into_iter().find(is_fenced).map(|hook| hook.name);
    fenced.or_else(|| {
        let plan = files::read_text(&chain.plan_file(&world.paths)).ok()??;
        let plan = Plan::parse(&plan)?;
        plan.hooks().find(|(_, user_only)| *user_only).map(|(name, _)| name.to_owned())
    })
}
