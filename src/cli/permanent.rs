//! Switching hooks for good: in the manifest, as text.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{ExitStatus, World, args, configured, exchange, fence, registering, switching};
use crate::machine::files;
use crate::machine::lock::Lock;
use crate::manifest::Hook;
use crate::manifest::enabled::set_enabled;
use crate::runtime::chains::{self, Chain};
use crate::runtime::switchable::Switchable;
use crate::runtime::switching::Reply;
use crate::session::request::Verb;
use crate::settings::{Colour, unified_diff};

/// Sets or removes `enabled = false` where the hooks are declared, and shows the change; a project's
/// hooks only with `--project`, because their manifest is everybody's. All of them are switched or
/// none; of `several` that no name was typed for, those of the other manifest stay.
///
/// # Errors
///
/// When a hook is declared elsewhere, or a manifest cannot be read, edited or written.
pub(super) fn switch(
    verb: Verb,
    hooks: &[Switchable],
    several: bool,
    which: &args::Which,
    world: &World,
) -> Result<ExitStatus> {
    let _lock = if which.dry_run { None } else { lock(which, world)? };
    let change = Change::of(verb, hooks, several, which, world)?;
    let changes = change.before != change.after;
    let shown = world.paths.shown(&change.manifest);
    let diff = |colour| unified_diff(&shown, Some(&change.before), Some(&change.after), colour);
    if !which.json {
        world.terminal.print(&diff(registering::colour(world)));
    }
    if changes && !which.dry_run {
        exchange::write(world, &change.manifest, Some(&change.before), Some(&change.after))?;
    }
    let mut lines = change.lines;
    if which.dry_run {
        lines.push("Nothing was written (--dry-run).".to_owned());
    } else if changes {
        let flag = if which.project { " --project" } else { "" };
        lines.push(format!("`hookman apply{flag}` brings settings.json in line"));
    }
    let text = lines.join("\n");
    let reply = Reply { text, changed: changes && !which.dry_run, ..Reply::default() };
    if !which.json {
        return Ok(switching::told(which, world, &reply));
    }
    let mut report = switching::as_json(&reply, None);
    report["would_change"] = json!(changes);
    report["diff"] = json!(diff(Colour::Never));
    world.terminal.line(report.to_string());
    Ok(ExitStatus::Done)
}

/// The lock under which every command of hookman writes the manifest, so that of many that switch at
/// once each sees what the ones before it wrote.
fn lock(which: &args::Which, world: &World) -> Result<Option<Lock>> {
    let Some(chain) = chain(which, world) else { return Ok(None) };
    let settings = chain.manifest.with_file_name("settings.json");
    Ok(Some(Lock::take(&world.paths.kept("locks", &settings))?))
}

/// The chain whose manifest is to be written.
fn chain(which: &args::Which, world: &World) -> Option<Chain> {
    let scope = scope(which);
    configured::chains(world).into_iter().find(|chain| chain.scope == scope)
}

fn scope(which: &args::Which) -> &'static str {
    if which.project { "project" } else { "user" }
}

/// A change of a manifest, not written yet.
struct Change {
    manifest: PathBuf,
    before: String,
    after: String,
    /// What it does with each hook.
    lines: Vec<String>,
}

impl Change {
    fn of(
        verb: Verb,
        hooks: &[Switchable],
        several: bool,
        which: &args::Which,
        world: &World,
    ) -> Result<Self> {
        let on = verb == Verb::Enable;
        let (scope, chain) = (scope(which), chain(which, world));
        let declared = match &chain {
            Some(chain) => declared(world, chain)?,
            None => Vec::new(),
        };
        let is_here = |hook: &&Switchable| {
            hook.scope.is_none_or(|it| it == scope)
                && declared.iter().any(|it| it.name == hook.name)
        };
        let (here, elsewhere): (Vec<&Switchable>, Vec<&Switchable>) =
            hooks.iter().partition(is_here);
        let (Some(chain), false) = (chain, here.is_empty() || (!several && !elsewhere.is_empty()))
        else {
            bail!("{}", refusal(elsewhere.first().copied(), which.project));
        };
        for hook in here.iter().filter(|_| !on) {
            fence::check(&hook.name, hook.is_user_only())?;
        }
        let shown = world.paths.shown(&chain.manifest);
        let before = files::read_text(&chain.manifest)?.unwrap_or_default();
        let mut after = before.clone();
        let mut lines = Vec::new();
        for hook in here {
            let edited = set_enabled(&after, &hook.name, on)
                .with_context(|| format!("`{shown}` is left as it is"))?;
            let deed = sentence(&hook.name, (on, edited != after), which.dry_run);
            lines.push(format!("{deed} {shown}"));
            let known = declared.iter().find(|it| it.name == hook.name);
            lines.extend(known.and_then(|known| overruled(known, on, &shown)));
            after = edited;
        }
        for hook in elsewhere {
            let label = hook.label();
            lines.push(format!("ℹ️ Left {label} as it is: {shown} does not declare it"));
        }
        Ok(Self { manifest: chain.manifest, before, after, lines })
    }
}

/// What is done with a hook, up to the name of the file.
fn sentence(hook: &str, (on, changes): (bool, bool), dry_run: bool) -> String {
    match (on, changes, dry_run) {
        (false, true, false) => format!("🔒 Disabled {hook} for good, in"),
        (false, true, true) => format!("🔒 Would disable {hook} for good, in"),
        (false, false, _) => format!("⚠️ Hook '{hook}' is already disabled for good, in"),
        (true, true, false) => format!("✅ Re-enabled {hook}, in"),
        (true, true, true) => format!("✅ Would re-enable {hook}, in"),
        (true, false, _) => format!("ℹ️ Hook '{hook}' is not disabled in"),
    }
}

/// The hooks that a chain's manifest itself declares, and not its overlay, as the two make them.
fn declared(world: &World, chain: &Chain) -> Result<Vec<Hook>> {
    let shown = world.paths.shown(&chain.manifest);
    let hooks = chains::read(&world.paths, chain)?.unwrap_or_default().hooks.into_iter();
    let is_own = |hook: &Hook| hook.origin().is_some_and(|origin| origin.file == shown);
    Ok(hooks.filter(is_own).collect())
}

/// What to say where the overlay keeps a switch from having effect here.
fn overruled(hook: &Hook, on: bool, manifest: &str) -> Option<String> {
    let origin = hook.origins.get("enabled").filter(|origin| origin.file != manifest)?;
    let (enabled, state) = if hook.enabled { ("true", "on") } else { ("false", "off") };
    (hook.enabled != on).then(|| {
        format!(
            "It stays {state} here, because the overlay decides: enabled = {enabled} at {origin}"
        )
    })
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
