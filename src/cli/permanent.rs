//! Switching hooks for good: in the manifest, as text.

use anyhow::{Context, Result, bail};

use super::{World, configured, exchange, switching};
use crate::machine::files;
use crate::manifest::Hook;
use crate::manifest::enabled::set_enabled;
use crate::runtime::chains::{self, Chain};
use crate::runtime::switchable::Switchable;
use crate::runtime::switching::Reply;
use crate::session::request::Verb;

/// Sets or removes `enabled = false` where the hooks are declared; a project's hooks only if
/// `in_project` says that it is meant, because their manifest is everybody's. All of them are
/// switched or none; of `several` that no name was typed for, those of the other manifest stay.
///
/// # Errors
///
/// When a hook is declared elsewhere, or a manifest cannot be read, edited or written.
pub(super) fn switch(
    verb: Verb,
    hooks: &[Switchable],
    (in_project, several): (bool, bool),
    world: &World,
) -> Result<Reply> {
    let on = verb == Verb::Enable;
    let scope = if in_project { "project" } else { "user" };
    let chain = configured::chains(world).into_iter().find(|chain| chain.scope == scope);
    let declared = match &chain {
        Some(chain) => declared(world, chain)?,
        None => Vec::new(),
    };
    let is_here = |hook: &&Switchable| {
        hook.scope.is_none_or(|it| it == scope) && declared.contains(&hook.name)
    };
    let (here, elsewhere): (Vec<&Switchable>, Vec<&Switchable>) = hooks.iter().partition(is_here);
    let (Some(chain), false) = (&chain, here.is_empty() || (!several && !elsewhere.is_empty()))
    else {
        bail!("{}", refusal(elsewhere.first().copied(), in_project));
    };
    if let (false, Some(hook)) =
        (on || switching::is_person(), here.iter().find(|hook| hook.is_user_only()))
    {
        bail!("hook `{}` can be switched off only by the user, in another terminal", hook.name);
    }
    let shown = world.paths.shown(&chain.manifest);
    let text = files::read_text(&chain.manifest)?.unwrap_or_default();
    let mut edited = text.clone();
    let mut lines = Vec::new();
    for hook in here {
        let name = &hook.name;
        let before = edited;
        edited = set_enabled(&before, name, on)
            .with_context(|| format!("`{shown}` is left as it is"))?;
        lines.push(match (on, edited != before) {
            (false, true) => format!("🔒 Disabled {name} for good, in {shown}"),
            (false, false) => format!("⚠️ Hook '{name}' is already disabled for good, in {shown}"),
            (true, true) => format!("✅ Re-enabled {name}, in {shown}"),
            (true, false) => format!("ℹ️ Hook '{name}' is not disabled in {shown}"),
        });
    }
    let changed = edited != text;
    if changed {
        exchange::write(world, &chain.manifest, Some(&text), Some(&edited))?;
    }
    for hook in elsewhere {
        lines.push(format!("ℹ️ Left {} as it is: {shown} does not declare it", hook.label()));
    }
    if changed {
        let flag = if in_project { " --project" } else { "" };
        lines.push(format!("`hookman apply{flag}` brings settings.json in line"));
    }
    Ok(Reply { text: lines.join("\n"), changed, failed: false })
}

/// The names of the hooks that a chain's manifest itself declares, and not its overlay.
fn declared(world: &World, chain: &Chain) -> Result<Vec<String>> {
    let shown = world.paths.shown(&chain.manifest);
    let hooks = chains::read(&world.paths, chain)?.unwrap_or_default().hooks.into_iter();
    let is_own = |hook: &Hook| hook.origin().is_some_and(|origin| origin.file == shown);
    Ok(hooks.filter(is_own).map(|hook| hook.name).collect())
}

fn refusal(hook: Option<&Switchable>, in_project: bool) -> String {
    let named = hook.map(|hook| (hook.scope, hook.label())).unwrap_or_default();
    match (named, in_project) {
        ((Some("user"), label), true) => {
            format!("`{label}` stands in your own manifest; leave --project out for it")
        }
        ((Some("project"), label), false) => format!(
            "`{label}` stands in the project's manifest; --project switches it for everyone, and \
             `enabled = false` in .claude/hookman.local.toml for you alone"
        ),
        ((_, label), true) => format!(
            "the project's manifest declares no hook `{label}`; leave --project out for yours"
        ),
        ((_, label), false) => format!(
            "your own manifest declares no hook `{label}`; --project switches the project's for \
             everyone, and `enabled = false` in .claude/hookman.local.toml for you alone"
        ),
    }
}
