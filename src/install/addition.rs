//! Ready-made hooks that come into a manifest, which is made where there is none.

pub(crate) mod edition;
pub(crate) mod managed;
pub(crate) mod nearby;
pub(crate) mod permanent_switch;
pub(crate) mod placement;
pub(crate) mod recipe;
pub(crate) mod tool_consent;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use super::change::writes::Writes;
use super::change::{Change, ManifestChange};
use super::registration::entries::own_hooks;
use super::registration::hosts;
use super::target::{Layers, Target, protection};
use crate::builtin::catalogue;
use crate::machine::{World, files};
use crate::manifest::edit::{Place, Unset};
use crate::manifest::option_edit::set_option;
use crate::manifest::{self, Action, Hook, Manifest};
use crate::session::names;
use placement::Placement;
use recipe::{Part, RECIPES, Recipe};

const STARTER: &str = include_str!("../../templates/hookman.toml");
const OVERLAY: &str = include_str!("../../templates/hookman.local.toml");

/// The guard of a new manifest, as it is written there.
const STARTER_GUARD: &str =
    "# Stops a destructive shell command once, says why, and lets the retry through.
[[hook]]
builtin = \"one-strike\"
";
/// The guard that has all rules of the starter's, and takes its place.
const LARGE_GUARD: &str = "destructive-guard";

/// A manifest with ready-made hooks added to it.
pub(crate) struct Addition {
    manifest: ManifestChange,
    pub(crate) layers: Layers,
    /// The hooks that were asked for and are not added.
    left_out: Vec<LeftOut>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// Ready-made hooks, by name or part of one.
    pub(crate) hooks: &'a [String],
    pub(crate) recipes: &'a [String],
    /// True if the desktop shows the notices of these hooks.
    pub(crate) desktop: bool,
    /// The place of the hooks, and the options that are set in them.
    pub(crate) placement: &'a Placement,
    /// The programs that are to call the hooks, besides those that do.
    pub(crate) hosts: &'a [&'static str],
}

struct LeftOut {
    what: String,
    why: Why,
}

enum Why {
    Declared(PathBuf),
    /// The file's `[defaults]` is one line.
    Inline(PathBuf),
}

impl Addition {
    /// Adds the ready-made hooks and the recipes of these names to the manifest of a target.
    pub(crate) fn of(world: &World, target: &Target, wanted: Wanted<'_>) -> Result<Self> {
        Layers::check_filled(world, target)?;
        let before = files::read_text(&target.manifest)?;
        let is_more = target.guard_mod.is_some() || target.status_line.is_some();
        let is_named = !wanted.hooks.is_empty() || !wanted.recipes.is_empty() || is_more;
        let made = || if is_named { bare(target) } else { starter(target) };
        let mut after = before.clone().unwrap_or_else(made);
        let layers =
            |text: &str| Layers::of(world, target, Some(text)).map(Option::unwrap_or_default);
        let mut found = layers(&after)?;
        let mut left_out = Vec::new();
        let mut placement = wanted.placement.clone();
        for hook in wanted.hooks {
            let hook = ready_made(hook)?;
            if target.local && declares(&found.committed, hook) {
                let why = Why::Declared(target.chain.manifest.clone());
                left_out.push(LeftOut { what: hook.to_owned(), why });
            } else if !declares(&found.all, hook) {
                target.check_open(world, &after)?;
                let is_notice = catalogue::find(hook).is_some_and(|it| it.kind.name == "notify");
                let desktop = if wanted.desktop && is_notice { "desktop = true\n" } else { "" };
                let block = placement.block(hook, desktop);
                after = match (hook, &placement.place) {
                    (LARGE_GUARD, None) => add_guard(&after, &block),
                    _ => placement.add(&after, &block)?,
                };
                found = layers(&after).with_context(|| {
                    let file = world.paths.shown(&target.manifest);
                    if placement.settings.is_empty() {
                        format!("`{hook}` cannot be added to {file}; add it by hand")
                    } else {
                        format!("`{hook}` cannot be added to {file} with these options")
                    }
                })?;
                // Several come in the order in which they were typed.
                placement.place = placement.place.map(|_| Place::After(hook.to_owned()));
            } else if !placement.settings.is_empty() {
                after = set(world, target, (&after, &found.all), hook, &placement)?;
                found = layers(&after).with_context(|| {
                    let file = world.paths.shown(&target.manifest);
                    format!("`{hook}` in {file} cannot have these options")
                })?;
            }
        }
        let recipes: Vec<&Recipe> =
            wanted.recipes.iter().map(|typed| Recipe::of(typed)).collect::<Result<_>>()?;
        for part in recipes.iter().flat_map(|recipe| recipe.parts()) {
            match with(&after, part, target, &found) {
                Ok(text) => {
                    target.check_open(world, &after)?;
                    found = layers(&text).with_context(|| {
                        let file = world.paths.shown(&target.manifest);
                        format!("the recipe cannot be added to {file}; add it by hand")
                    })?;
                    after = text;
                }
                Err(left) => left_out.push(left),
            }
        }
        let is_new = before.is_none();
        let listed = hosts::listed(&found.committed, is_new, wanted.hosts);
        if let Some(listed) = listed.filter(|listed| found.committed.hosts.as_ref() != Some(listed))
        {
            after = manifest::edit::set_hosts(&after, Some(&listed));
            found = layers(&after)?;
        }
        // What a new manifest begins with was not there already.
        let is_of_new = |why: &Why| matches!(why, Why::Declared(file) if *file == target.manifest);
        left_out.retain(|left| !(is_new && is_of_new(&left.why)));
        let manifest = ManifestChange::to(&target.manifest, before, Some(after));
        let own = own_hooks(target.local, &found.committed.hooks, &found.all.hooks);
        let hooks = counted(&own.map(|hook| hook.name.as_str()).collect::<Vec<_>>());
        let file = world.paths.shown(&target.manifest);
        let manifest = match (is_new, manifest.is_empty()) {
            (true, _) if recipes.is_empty() => {
                manifest.told_as(format!("{file}: new, with {hooks}"))
            }
            (false, true) => manifest.told_as(format!("{file}: {hooks}")),
            _ => manifest,
        };
        Ok(Self { manifest, layers: found, left_out })
    }
}

impl Addition {
    pub(crate) fn text(&self) -> Option<&str> {
        self.manifest.after.as_deref()
    }
}

impl Change for Addition {
    fn is_empty(&self) -> bool {
        self.manifest.is_empty()
    }

    fn show(&self, world: &World) {
        self.manifest.show(world);
        for LeftOut { what, why } in &self.left_out {
            world.terminal.line(match why {
                Why::Declared(file) => {
                    let file = world.paths.shown(file);
                    format!("{what}: left out, because {file} declares it already")
                }
                Why::Inline(file) => format!(
                    "{what}: left out, because {} has `defaults` on one line; add it there",
                    world.paths.shown(file)
                ),
            });
        }
    }

    fn check(&self, world: &World) -> Result<()> {
        self.manifest.check(world)
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        self.manifest.write(writes)
    }
}

fn set(
    world: &World,
    target: &Target,
    (text, manifest): (&str, &Manifest),
    builtin: &str,
    placement: &Placement,
) -> Result<String> {
    let file = world.paths.shown(&target.manifest);
    let by_hand = format!("`hookman edit{}` changes it", target.flag());
    let mut declared = manifest.hooks.iter().filter(|hook| is_of(hook, builtin));
    let (Some(hook), None, None) = (declared.next(), declared.next(), &placement.place) else {
        bail!("{file} declares `{builtin}` already; {by_hand}");
    };
    protection::check(&hook.name, hook.enabled && hook.audience.user_only)?;
    let edited = placement
        .lines()
        .try_fold(text.to_owned(), |text, line| set_option(&text, &hook.name, &line));
    edited.with_context(|| format!("`{}` cannot be set in {file}; {by_hand}", hook.name))
}

/// The text with the large guard added, in the place of the starter's where that is untouched.
fn add_guard(text: &str, block: &str) -> String {
    match text.split_once(STARTER_GUARD) {
        Some((before, after)) if after.is_empty() || after.starts_with('\n') => {
            format!("{before}{block}{after}")
        }
        _ => manifest::edit::add_block(text, block),
    }
}

/// Takes away the comments that a starter or a recipe has above the block of a hook.
pub(crate) fn without_comments(text: String, name: &str) -> String {
    let of_recipe = |part| match part {
        Part::Hook { name: of, text } => (of == name).then_some(text),
        Part::Default { .. } => None,
    };
    let blocks = RECIPES.iter().flat_map(Recipe::parts).filter_map(of_recipe);
    let starter = (name == "one-strike").then(|| STARTER_GUARD.to_owned());
    blocks.chain(starter).fold(text, |text, block| match block.split_once("[[hook]]") {
        Some((comment, _)) => text.replace(&format!("{comment}[[hook]]"), "[[hook]]"),
        None => text,
    })
}

/// The text of a manifest with a part of a recipe added, unless it has it already.
fn with(text: &str, part: Part, target: &Target, found: &Layers) -> Result<String, LeftOut> {
    match part {
        Part::Hook { name, text: block } => {
            let has = |manifest: &Manifest| manifest.hooks.iter().any(|hook| hook.name == name);
            let file = match (has(&found.committed), has(&found.all)) {
                (true, _) => &target.chain.manifest,
                (false, true) => &target.manifest,
                (false, false) if name == LARGE_GUARD => return Ok(add_guard(text, &block)),
                (false, false) => return Ok(manifest::edit::add_block(text, &block)),
            };
            Err(LeftOut { what: name, why: Why::Declared(file.clone()) })
        }
        Part::Default { key, line } => {
            manifest::edit::add_default(text, &key, &line).map_err(|unset| {
                let file = target.manifest.clone();
                match unset {
                    Unset::IsSet => LeftOut { what: key, why: Why::Declared(file) },
                    Unset::Inline => LeftOut { what: format!("`{line}`"), why: Why::Inline(file) },
                }
            })
        }
    }
}

/// The removal of a project's overlay that is still as it was made, and declares nothing.
pub(crate) fn untouched_overlay(world: &World, target: &Target) -> Result<Option<ManifestChange>> {
    let Some(overlay) = &target.chain.overlay else { return Ok(None) };
    let made = with_schema(OVERLAY);
    let before =
        files::read_text(overlay)?.filter(|text| [OVERLAY, &made].contains(&text.as_str()));
    let shown = world.paths.shown(overlay);
    let removal = |before| {
        ManifestChange::to(overlay, Some(before), None)
            .told_as(format!("{shown}: to be removed, because it declares nothing"))
    };
    Ok(before.map(removal))
}

/// The text of a new manifest, with the command that applies it as it is typed for it.
pub(super) fn starter(target: &Target) -> String {
    let apply = format!("`hookman apply{}`", target.flag());
    let text =
        if target.local { OVERLAY.to_owned() } else { STARTER.replace("`hookman apply`", &apply) };
    with_schema(&text)
}

/// A new manifest's text, behind a line that names its schema where that is published.
fn with_schema(text: &str) -> String {
    match env!("HOOKMAN_ADDRESS") {
        "" => {
            format!("# `hookman schema` prints the JSON schema of this file, for editors.\n{text}")
        }
        address => format!("#:schema {address}/raw/main/docs/hookman.schema.json\n{text}"),
    }
}

/// As [`starter`], without a hook that nobody asked for.
pub(crate) fn bare(target: &Target) -> String {
    let text = starter(target);
    let Some((before, behind)) = text.split_once(STARTER_HOOK) else { return text };
    let behind = behind.split_once("\n\n").map_or("", |(_, behind)| behind);
    format!("{before}{behind}")
}

const STARTER_HOOK: &str = "# Stops a destructive shell command once";

fn ready_made(typed: &str) -> Result<&'static str> {
    let what = ["ready-made hook", "ready-made hooks"];
    let hint = "`hookman list --available` names them, and `hookman add` takes a hook of your own";
    names::one(typed, catalogue::names(), what, hint).map_err(|why| {
        let is_folder = Path::new(typed).is_dir();
        let package = format!("; `./{typed}` is the package in the directory of that name");
        anyhow!("{why}{}", if is_folder { &package } else { "" })
    })
}

fn declares(manifest: &Manifest, builtin: &str) -> bool {
    manifest.hooks.iter().any(|hook| is_of(hook, builtin))
}

fn is_of(hook: &Hook, builtin: &str) -> bool {
    matches!(&hook.action, Action::Builtin { name, .. } if name == builtin)
}

fn counted(names: &[&str]) -> String {
    match names {
        [] => "no hooks of its own".to_owned(),
        [name] => format!("1 hook: {name}"),
        names => format!("{} hooks: {}", names.len(), names.join(", ")),
    }
}
