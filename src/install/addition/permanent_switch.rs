//! Switching hooks for good: in a manifest, as text.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::chain::condition::is_within;
use crate::client::permission_rule::Anchors;
use crate::install::change::writes::Writes;
use crate::install::change::{Change, records};
use crate::install::target::protection;
use crate::machine::{World, files};
use crate::manifest::enabled::{Unclear, set_enabled};
use crate::manifest::package_edit::hook_block;
use crate::manifest::project_switch::{Project, set_in_project};
use crate::manifest::{Hook, edit, packages_of};
use crate::session::Verb;
use crate::state::{Chain, Switchable, chains};
use crate::syntax::diff::{Colour, unified_diff};

#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) verb: Verb,
    /// True if no name was typed for all of them, so that those of the other manifest stay.
    pub(crate) several: bool,
    pub(crate) project: bool,
    /// The project that it is about alone, in the user's own manifest.
    pub(crate) here: Option<&'a Path>,
    pub(crate) dry_run: bool,
}

impl Asked<'_> {
    fn on(self) -> bool {
        self.verb == Verb::Enable
    }

    pub(crate) fn scope(self) -> &'static str {
        if self.project { "project" } else { "user" }
    }
}

pub(crate) struct PermanentSwitch {
    manifest: PathBuf,
    before: String,
    pub(crate) after: String,
    /// The lock that has these hooks, before and after.
    pub(crate) lock: Option<(PathBuf, String, String)>,
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
        asked: Asked<'_>,
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
            bail!("{}", refusal(elsewhere.first().copied(), asked));
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
            let known = declared.iter().find(|it| it.name == hook.name);
            let (name, text) = named(&after, &hook.name, known);
            let edited = match asked.here {
                Some(directory) => in_project(&text, &name, directory, world, asked.on()),
                None => set_enabled(&text, &name, asked.on()),
            };
            let edited = edited.with_context(|| format!("`{shown}` is left as it is"))?;
            let edited = if edited == text { after.clone() } else { edited };
            let place = match asked.here {
                Some(directory) => format!("{}, in {shown}", world.paths.shown(directory)),
                None => shown.clone(),
            };
            lines.push(sentence(&hook.name, edited != after, asked, &place));
            let overruled = known.and_then(|known| overruled(known, asked.on(), &shown));
            is_overruled |= overruled.is_some();
            lines.extend(overruled);
            after = edited;
        }
        for hook in elsewhere {
            let label = hook.label();
            lines.push(format!("ℹ️ Left {label} as it is: {shown} does not declare it"));
        }
        Ok(Self { manifest: chain.manifest, before, after, lock: None, lines, is_overruled })
    }

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
        writes.exchange(&self.manifest, before, Some(&self.after))?;
        let lock = self.lock.as_ref();
        lock.map_or(Ok(()), |(path, was, now)| writes.exchange(path, Some(was), Some(now)))
    }
}

/// The manifest with a hook switched in one project, which it names as a person would.
fn in_project(
    manifest: &str,
    hook: &str,
    directory: &Path,
    world: &World,
    on: bool,
) -> Result<String, Unclear> {
    let project = directory.to_string_lossy();
    let home = world.paths.home.as_ref().map(|home| home.to_string_lossy()).unwrap_or_default();
    let anchors = Anchors { cwd: &project, project: &project, home: &home };
    let name = world.paths.shown(directory);
    let project = Project { name: &name, is_hit: &|glob| is_within(glob, anchors) };
    set_in_project(manifest, hook, &project, on)
}

/// The name of a hook in a manifest's text, and that text with a table for it where a package declares it.
fn named(text: &str, name: &str, known: Option<&Hook>) -> (String, String) {
    let Some(member) = known.and_then(|it| it.package.as_ref()) else {
        return (name.to_owned(), text.to_owned());
    };
    let name = format!("{}/{}", member.package, member.name);
    let with_table = edit::add_block(text, &hook_block(&member.package, &member.name));
    // A table that is there already is found by the same name.
    let text = if set_enabled(text, &name, true).is_ok() { text.to_owned() } else { with_table };
    (name, text)
}

fn sentence(hook: &str, changes: bool, asked: Asked<'_>, place: &str) -> String {
    match (asked.on(), changes, asked.dry_run) {
        (false, true, false) => format!("🔒 Disabled {hook} for good, in {place}"),
        (false, true, true) => format!("🔒 Would disable {hook} for good, in {place}"),
        (false, false, _) => format!("⚠️ Hook '{hook}' is already disabled for good, in {place}"),
        (true, true, false) => format!("✅ Re-enabled {hook}, in {place}"),
        (true, true, true) => format!("✅ Would re-enable {hook}, in {place}"),
        (true, false, _) => format!("ℹ️ Hook '{hook}' is not disabled in {place}"),
    }
}

/// The hooks that a chain's manifest itself declares, and not its overlay, as the two make them.
fn declared(world: &World, chain: &Chain) -> Result<Vec<Hook>> {
    let shown = world.paths.shown(&chain.manifest);
    let hooks = chains::read(&world.paths, chain)?.unwrap_or_default().hooks.into_iter();
    let packages = packages_of(&files::read_text(&chain.manifest)?.unwrap_or_default());
    let is_own = |hook: &Hook| match &hook.package {
        Some(member) => packages.iter().any(|it| it.name == member.package),
        None => hook.origin().is_some_and(|origin| origin.file == shown),
    };
    Ok(hooks.filter(is_own).collect())
}

fn overruled(hook: &Hook, on: bool, manifest: &str) -> Option<String> {
    let origin = hook.origins.get("enabled").filter(|origin| origin.file != manifest)?;
    let (enabled, state) = if hook.enabled { ("true", "on") } else { ("false", "off") };
    (hook.enabled != on).then(|| {
        format!(
            "⚠ It stays {state} here, because the overlay decides: enabled = {enabled} at {origin}"
        )
    })
}

fn refusal(hook: Option<&Switchable>, asked: Asked<'_>) -> String {
    if let Some(hook) = hook.filter(|hook| hook.is_managed()) {
        return format!(
            "`{}` is an administrator's, who alone switches it: with `enabled = false` in the managed \
             manifest",
            hook.label()
        );
    }
    let named = hook.map(|hook| (hook.scope, hook.label())).unwrap_or_default();
    match (named, asked.project) {
        ((Some("user"), label), true) => format!(
            "`{label}` is yours, not the project's: use --here to switch it in this project, or neither \
             flag for every project"
        ),
        ((Some("project"), label), false) => format!(
            "the project's manifest declares `{label}`; --project switches it for everyone, and \
             `enabled = false` in .claude/hookman.local.toml for you alone"
        ),
        ((_, label), true) => format!(
            "the project's manifest declares no hook `{label}`: use --here to switch yours in this project, \
             or neither flag for every project"
        ),
        ((_, label), false) => format!(
            "your own manifest declares no hook `{label}`; --project switches the project's for \
             everyone, and `enabled = false` in .claude/hookman.local.toml for you alone"
        ),
    }
}
