//! Switching hooks for good: in a manifest, as text.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::install::change::Change;
use crate::install::change::records;
use crate::install::change::writes::Writes;
use crate::install::target::protection;
use crate::machine::files;
use crate::machine::world::World;
use crate::manifest::Hook;
use crate::manifest::enabled::set_enabled;
use crate::session::request::Verb;
use crate::settings::{Colour, unified_diff};
use crate::state::chains::{self, Chain};
use crate::state::switchable::Switchable;

#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// True if the hooks are switched on or off.
    pub(crate) verb: Verb,
    /// True if no name was typed for all of them, so that those of the other manifest stay.
    pub(crate) several: bool,
    /// True if it is about the project's manifest.
    pub(crate) project: bool,
    /// True if nothing will be written.
    pub(crate) dry_run: bool,
}

impl Asked {
    fn on(self) -> bool {
        self.verb == Verb::Enable
    }

    /// The scope of the chain whose manifest is to be written.
    pub(crate) fn scope(self) -> &'static str {
        if self.project { "project" } else { "user" }
    }
}

/// A switch in a manifest, not written yet.
pub(crate) struct PermanentSwitch {
    manifest: PathBuf,
    before: String,
    pub(crate) after: String,
    /// A line for each hook, for people.
    pub(crate) lines: Vec<String>,
    /// True if an overlay keeps it from having effect here.
    pub(crate) is_overruled: bool,
}

impl PermanentSwitch {
    /// Sets or removes `enabled = false` where a chain's own manifest declares the hooks.
    pub(crate) fn of(
        world: &World,
        chain: Option<Chain>,
        hooks: &[Switchable],
        asked: Asked,
    ) -> Result<Self> {
        let scope = asked.scope();
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
        let (Some(chain), false) =
            (chain, here.is_empty() || (!asked.several && !elsewhere.is_empty()))
        else {
            bail!("{}", refusal(elsewhere.first().copied(), asked.project));
        };
        for hook in here.iter().filter(|_| !asked.on()) {
            protection::check(&hook.name, hook.is_user_only())?;
        }
        let shown = world.paths.shown(&chain.manifest);
        let before = files::read_text(&chain.manifest)?.unwrap_or_default();
        let mut after = before.clone();
        let mut lines = Vec::new();
        let mut is_overruled = false;
        for hook in here {
            let edited = set_enabled(&after, &hook.name, asked.on())
                .with_context(|| format!("`{shown}` is left as it is"))?;
            let deed = sentence(&hook.name, edited != after, asked);
            lines.push(format!("{deed} {shown}"));
            let known = declared.iter().find(|it| it.name == hook.name);
            let overruled = known.and_then(|known| overruled(known, asked.on(), &shown));
            is_overruled |= overruled.is_some();
            lines.extend(overruled);
            after = edited;
        }
        for hook in elsewhere {
            let label = hook.label();
            lines.push(format!("ℹ️ Left {label} as it is: {shown} does not declare it"));
        }
        Ok(Self { manifest: chain.manifest, before, after, lines, is_overruled })
    }

    /// The change as a unified diff.
    pub(crate) fn diff(&self, world: &World, colour: Colour) -> String {
        let shown = world.paths.shown(&self.manifest);
        unified_diff(&shown, Some(&self.before), Some(&self.after), colour)
    }
}

impl Change for PermanentSwitch {
    fn is_empty(&self) -> bool {
        self.before == self.after
    }

    fn show(&self, world: &World) {
        world.terminal.print(&self.diff(world, records::colour(world)));
    }

    fn check(&self, _: &World) -> Result<()> {
        Ok(files::check_replaceable(&self.manifest)?)
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let before = Some(&*self.before);
        records::back_up_manifest(writes.world, &self.manifest, before, writes.verb)?;
        writes.exchange(&self.manifest, before, Some(&self.after))
    }
}

/// Says what is done with a hook, up to the name of the file.
fn sentence(hook: &str, changes: bool, asked: Asked) -> String {
    match (asked.on(), changes, asked.dry_run) {
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

/// Gives the message for a switch that the overlay overrules here.
fn overruled(hook: &Hook, on: bool, manifest: &str) -> Option<String> {
    let origin = hook.origins.get("enabled").filter(|origin| origin.file != manifest)?;
    let (enabled, state) = if hook.enabled { ("true", "on") } else { ("false", "off") };
    (hook.enabled != on).then(|| {
        format!(
            "⚠ It stays {state} here, because the overlay decides: enabled = {enabled} at {origin}"
        )
    })
}

fn refusal(hook: Option<&Switchable>, in_project: bool) -> String {
    if let Some(hook) = hook.filter(|hook| hook.is_managed()) {
        return format!(
            "`{}` is an administrator's, who alone switches it: with `enabled = false` in the managed \
             manifest",
            hook.label()
        );
    }
    let named = hook.map(|hook| (hook.scope, hook.label())).unwrap_or_default();
    match (named, in_project) {
        ((Some("user"), label), true) => {
            format!(
                "`{label}` is yours, not the project's; leave --project out to switch it, in every project"
            )
        }
        ((Some("project"), label), false) => format!(
            "the project's manifest declares `{label}`; --project switches it for everyone, and \
             `enabled = false` in .claude/hookman.local.toml for you alone"
        ),
        ((_, label), true) => format!(
            "`{label}` is not in the project's manifest; leave --project out to switch off yours, in every \
             project"
        ),
        ((_, label), false) => format!(
            "your own manifest declares no hook `{label}`; --project switches the project's for \
             everyone, and `enabled = false` in .claude/hookman.local.toml for you alone"
        ),
    }
}
