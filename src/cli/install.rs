//! `hookman install`: make the manifest, add hooks to it, register it.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::args::Install;
use super::companion::{self, Companions};
use super::ignoring::Ignoring;
use super::layers::Layers;
use super::registering::{self, Target};
use super::writes::Writes;
use super::{ExitStatus, World, adopting, caveats, consent, fence, settling, word};
use crate::builtin::catalogue;
use crate::doctor::own_hooks;
use crate::machine::files;
use crate::manifest::{self, Action, Manifest};
use crate::runtime::chains;
use crate::session::names::{self, Found};

const STARTER: &str = include_str!("../../templates/hookman.toml");
pub(super) const OVERLAY: &str = include_str!("../../templates/hookman.local.toml");

pub(super) fn install(args: &Install, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    fence::check_program(world, &target, args.binary.as_deref())?;
    let edit = Edit::of(args, world, &target)?;
    let binary = match (&target.project, &args.binary) {
        (None, given) => Some(registering::binary_path(world, given.as_deref())?),
        (Some(_), Some(given)) => Some(registering::binary_path(world, Some(given))?),
        (Some(_), None) => None,
    };
    let proposals = registering::propose(world, &target, &edit.layers, binary.as_deref())?;
    let mut companions = Companions::of(world, &target, binary.as_deref())?;
    let ignoring = match &target.project {
        Some(project) if target.local => Ignoring::of(world, project)?,
        _ => None,
    };
    edit.show(world);
    companions.show(world);
    if let Some(ignoring) = &ignoring {
        ignoring.show(world);
    }
    registering::show(world, &proposals);
    let caveats = caveats::show(world, &target, &proposals.iter().collect::<Vec<_>>());
    adopting::warn_of_losses(world, &target);
    let registered = proposals.iter().all(|proposal| proposal.plan.is_empty());
    if registered && !edit.changes() && companions.is_done() && ignoring.is_none() {
        // The plan is a cache, but the copy that gates fall back on should exist from the start.
        let _ = chains::compile(&world.paths, &target.chain);
        world.terminal.line("Already installed.");
        return Ok(ExitStatus::Done);
    }
    let how = how(args, world, &target);
    if !consent::given_or_preview(world, &args.writing, "Write this?", &how)? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    // Whatever is in the way of a later file is met before the first one is written.
    for proposal in &proposals {
        proposal.check(world)?;
    }
    companions.check()?;
    edit.check()?;
    if let Some(ignoring) = &ignoring {
        ignoring.check()?;
    }
    Writes::all(world, |writes| {
        if let Some(ignoring) = &ignoring {
            ignoring.write(world, writes)?;
        }
        edit.write(world, writes)?;
        companions.write(world, writes)?;
        proposals.iter().try_for_each(|it| it.write(world, "install", &lock, writes))
    })?;
    let _ = chains::compile(&world.paths, &target.chain);
    drop(lock);
    settling::settle(world, &target, wait, &registering::written(&proposals))?;
    next_steps(world, &target, !caveats);
    Ok(ExitStatus::Done)
}

/// A project's overlay that is still as it was made, and declares nothing.
///
/// # Errors
///
/// When there is one that cannot be read.
pub(super) fn untouched_overlay(target: &Target) -> Result<Option<PathBuf>> {
    let Some(overlay) = &target.chain.overlay else { return Ok(None) };
    let is_untouched = files::read_text(overlay)?.as_deref() == Some(OVERLAY);
    Ok(is_untouched.then(|| overlay.clone()))
}

/// The same command as it is to be typed where there is nobody to ask.
fn how(args: &Install, world: &World, target: &Target) -> String {
    let mut call = format!("{} install", word::hookman(world));
    for hook in &args.hooks {
        call.extend([" ", &word::quoted(hook)]);
    }
    if let Some(binary) = &args.binary
        && registering::binary_path(world, None).ok().as_ref() != Some(binary)
    {
        call.extend([" --binary ", &word::quoted(&binary.display().to_string())]);
    }
    call.extend([target.flag(), " --yes"]);
    call
}

/// The manifest as it is and as it is to be.
struct Edit {
    path: PathBuf,
    before: Option<String>,
    after: String,
    layers: Layers,
    local: bool,
    /// What was asked for and is declared already, and where.
    there: Vec<(&'static str, PathBuf)>,
}

impl Edit {
    fn of(args: &Install, world: &World, target: &Target) -> Result<Self> {
        let before = files::read_text(&target.manifest)?;
        let mut after = before.clone().unwrap_or_else(|| starter(target));
        let layers =
            |text: &str| Layers::of(world, target, Some(text)).map(Option::unwrap_or_default);
        let mut found = layers(&after)?;
        let mut there = Vec::new();
        for hook in &args.hooks {
            let name = ready_made(hook)?;
            if declares(&found.all, name) {
                let is_committed = target.local && declares(&found.committed, name);
                let file = if is_committed { &target.chain.manifest } else { &target.manifest };
                there.push((name, file.clone()));
            } else {
                target.check_open(world, &after)?;
                after = manifest::edit::add_builtin(&after, name);
                found = layers(&after).with_context(|| {
                    let file = world.paths.shown(&target.manifest);
                    format!("`{name}` does not fit in at the end of {file}; add it by hand")
                })?;
            }
        }
        let (path, local) = (target.manifest.clone(), target.local);
        Ok(Self { path, before, after, layers: found, local, there })
    }

    fn changes(&self) -> bool {
        self.before.as_deref() != Some(&self.after)
    }

    /// The names of the hooks that the edited manifest declares.
    fn own(&self) -> Vec<&str> {
        let Layers { committed, all } = &self.layers;
        own_hooks(self.local, &committed.hooks, &all.hooks).map(|hook| hook.name.as_str()).collect()
    }

    fn show(&self, world: &World) {
        let file = world.paths.shown(&self.path);
        let hooks = hooks_in(&self.own());
        match &self.before {
            None => world.terminal.line(format!("{file}: new, with {hooks}")),
            Some(before) if self.changes() => {
                let colour = registering::colour(world);
                let (before, after) = (Some(&**before), Some(&*self.after));
                let diff = crate::settings::unified_diff(&file, before, after, colour);
                world.terminal.print(&diff);
            }
            Some(_) => world.terminal.line(format!("{file}: {hooks}")),
        }
        for (name, file) in self.there.iter().filter(|(_, file)| *file != self.path) {
            let file = world.paths.shown(file);
            world.terminal.line(format!("{name}: left out, because {file} declares it already"));
        }
    }

    fn check(&self) -> Result<()> {
        if self.changes() {
            files::check_replaceable(&self.path)?;
        }
        Ok(())
    }

    fn write(&self, world: &World, writes: &mut Writes) -> Result<()> {
        if !self.changes() {
            return Ok(());
        }
        writes.exchange_and_say(world, &self.path, self.before.as_deref(), Some(&self.after))
    }
}

/// The text of a new manifest, with the command that applies it as it is typed for it.
fn starter(target: &Target) -> String {
    let apply = format!("`hookman apply{}`", target.flag());
    if target.local { OVERLAY.to_owned() } else { STARTER.replace("`hookman apply`", &apply) }
}

fn ready_made(typed: &str) -> Result<&'static str> {
    match names::resolve(typed, catalogue::names()) {
        Found::One(name) => Ok(name),
        Found::Several(several) => {
            bail!("several ready-made hooks match `{typed}`: {}", several.join(", "))
        }
        Found::None(Some(nearest)) => {
            bail!("no ready-made hook matches `{typed}`; did you mean `{nearest}`?")
        }
        Found::None(None) => bail!(
            "no ready-made hook matches `{typed}`; there are {}. A hook of your own is written into the manifest",
            catalogue::names().join(", ")
        ),
    }
}

fn declares(manifest: &Manifest, builtin: &str) -> bool {
    manifest
        .hooks
        .iter()
        .any(|hook| matches!(&hook.action, Action::Builtin { name, .. } if name == builtin))
}

fn hooks_in(names: &[&str]) -> String {
    match names {
        [] => "no hooks of its own".to_owned(),
        [name] => format!("1 hook: {name}"),
        names => format!("{} hooks: {}", names.len(), names.join(", ")),
    }
}

fn next_steps(world: &World, target: &Target, fires: bool) {
    let (file, flag) = (world.paths.shown(&target.manifest), target.flag());
    let settings = target.settings.file_name().unwrap_or_default().to_string_lossy();
    // The slash commands are the user's, and come with an installation for the user.
    let typed = if target.project.is_some() { "" } else { "; /hook:disable X inside Claude Code" };
    let hookman = word::hookman(world);
    let mut rows = vec![
        ("doctor".to_owned(), "checks that every hook would really fire".to_owned()),
        ("disable X".to_owned(), format!("switches a hook off for one session{typed}")),
        (format!("uninstall{flag}"), format!("puts {settings} back as it was")),
    ];
    if target.project.is_some() && !companion::has_commands(world) {
        let does = "gives you /hook:disable X inside Claude Code, and keeps switches after /clear";
        rows.insert(2, ("install".to_owned(), does.to_owned()));
    }
    let done = if fires {
        "Done. Running sessions pick it up within seconds."
    } else {
        "Written, but no hook of it fires until what the warning names is corrected."
    };
    let mut text = format!(
        "\n{done}\n  \
         {file}  lists the hooks; edit it, then `{hookman} apply{flag}`"
    );
    let width = rows.iter().map(|(verb, _)| verb.len()).max().unwrap_or_default();
    for (verb, does) in rows {
        let _ = write!(text, "\n  {hookman} {verb:width$}  {does}");
    }
    world.terminal.line(text);
}
