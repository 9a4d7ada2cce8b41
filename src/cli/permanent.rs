//! Switching hooks for good: in the manifest, as text.

use anyhow::{Context, Result, bail};

use super::{World, configured, exchange, switching};
use crate::machine::files;
use crate::manifest::enabled::set_enabled;
use crate::runtime::switchable::Switchable;
use crate::runtime::switching::Reply;
use crate::session::request::Verb;

/// Sets or removes `enabled = false` where the hooks are declared; a project's hooks only if
/// `in_project` says that it is meant, because their manifest is everybody's.
///
/// # Errors
///
/// When a manifest cannot be read, edited or written.
pub(super) fn switch(
    verb: Verb,
    hooks: &[Switchable],
    in_project: bool,
    world: &World,
) -> Result<Reply> {
    let on = verb == Verb::Enable;
    let scope = if in_project { "project" } else { "user" };
    let mut reply = Reply::default();
    let mut lines = Vec::new();
    if let (false, Some(hook)) =
        (on || switching::is_person(world), hooks.iter().find(|hook| hook.is_user_only()))
    {
        bail!("hook `{}` can be switched off only by the user, in another terminal", hook.name);
    }
    for hook in hooks {
        let name = &hook.name;
        let Some(chain) = configured::chains(world)
            .into_iter()
            .filter(|_| hook.scope.is_none_or(|it| it == scope))
            .find(|chain| chain.scope == scope && declares(world, &chain.manifest, name))
        else {
            bail!("{}", elsewhere(name, in_project));
        };
        let shown = world.paths.shown(&chain.manifest);
        let text = files::read_text(&chain.manifest)?.unwrap_or_default();
        let edited =
            set_enabled(&text, name, on).with_context(|| format!("`{shown}` is left as it is"))?;
        let changed = edited != text;
        if changed {
            exchange::write(world, &chain.manifest, Some(&text), Some(&edited))?;
        }
        reply.changed |= changed;
        lines.push(match (on, changed) {
            (false, true) => format!("🔒 Disabled {name} for good, in {shown}"),
            (false, false) => format!("⚠️ Hook '{name}' is already disabled for good, in {shown}"),
            (true, true) => format!("✅ Re-enabled {name}, in {shown}"),
            (true, false) => format!("ℹ️ Hook '{name}' is not disabled in {shown}"),
        });
    }
    if reply.changed {
        let flag = if in_project { " --project" } else { "" };
        lines.push(format!("`hookman apply{flag}` brings settings.json in line"));
    }
    reply.text = lines.join("\n");
    Ok(reply)
}

fn declares(world: &World, manifest: &std::path::Path, name: &str) -> bool {
    let shown = world.paths.shown(manifest);
    configured::hooks(world).is_ok_and(|hooks| {
        hooks.iter().any(|row| {
            row.hook.name == name && row.hook.origin().is_some_and(|origin| origin.file == shown)
        })
    })
}

fn elsewhere(name: &str, in_project: bool) -> String {
    if in_project {
        format!("the project's manifest declares no hook `{name}`; leave --project out for yours")
    } else {
        format!(
            "your own manifest declares no hook `{name}`; --project switches the project's for \
             everyone, and `enabled = false` in .claude/hookman.local.toml for you alone"
        )
    }
}
