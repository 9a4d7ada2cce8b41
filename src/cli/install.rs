//! `hookman install`: make the manifest, add hooks to it, register it.

use anyhow::{Result, bail};

use super::args::Install;
use super::companion::Companions;
use super::registering::{self, Target};
use super::{ExitStatus, World, caveats, consent, hints};
use crate::builtin::catalogue;
use crate::machine::files;
use crate::manifest::{self, Action, Manifest, Source};
use crate::runtime::catalogue::Catalogue;
use crate::runtime::chains;
use crate::session::names::{self, Found};

const STARTER: &str = include_str!("../../templates/hookman.toml");

pub(super) fn install(args: &Install, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let file = world.paths.shown(&target.chain.manifest);
    let before = files::read_text(&target.chain.manifest)?;
    let mut text = before.clone().unwrap_or_else(|| STARTER.to_owned());
    let mut manifest = read(&file, &text)?;
    for hook in &args.hooks {
        let name = ready_made(hook)?;
        if !declares(&manifest, name) {
            text = manifest::edit::add_builtin(&text, name);
            manifest = read(&file, &text)?;
        }
    }
    let binary = match target.project {
        Some(_) => None,
        None => Some(registering::binary_path(world, args.binary.as_deref())?),
    };
    let proposal = registering::propose(world, &target, &manifest, binary.as_deref())?;
    let mut companions = Companions::of(world, &target, binary.as_deref())?;
    let manifest_changes = before.as_deref() != Some(&text);

    match &before {
        None => world.terminal.line(format!("{file}: new, with {}", hooks_in(&manifest))),
        Some(before) if manifest_changes => {
            let colour = registering::colour(world);
            let diff = crate::settings::unified_diff(&file, Some(before), Some(&text), colour);
            world.terminal.print(&diff);
        }
        Some(_) => world.terminal.line(format!("{file}: {}", hooks_in(&manifest))),
    }
    companions.show(world);
    proposal.show(world);
    caveats::show(world, &target, &proposal);
    if !manifest_changes && companions.is_done() && proposal.plan.is_empty() {
        // The plan is a cache, but the copy that gates fall back on should exist from the start.
        let _ = chains::compile(&world.paths, &target.chain);
        world.terminal.line("Already installed.");
        return Ok(ExitStatus::Done);
    }
    if !consent::given(world, &args.writing, "Write this?")? {
        return Ok(ExitStatus::Done);
    }
    if manifest_changes {
        if let Some(folder) = target.chain.manifest.parent() {
            files::make_directory(folder)?;
        }
        files::replace(&target.chain.manifest, &text)?;
        world.terminal.line(format!("wrote {file}"));
    }
    companions.write()?;
    proposal.write(world, "install")?;
    let _ = chains::compile(&world.paths, &target.chain);
    next_steps(world, &target, &file);
    Ok(ExitStatus::Done)
}

fn read(file: &str, text: &str) -> Result<Manifest> {
    manifest::read(Some(Source { file, text }), None, &Catalogue).map_err(|problems| {
        anyhow::anyhow!("the manifest cannot be read, so nothing was written\n{problems}")
    })
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

fn hooks_in(manifest: &Manifest) -> String {
    match manifest.hooks.as_slice() {
        [] => "no hooks".to_owned(),
        [hook] => format!("1 hook: {}", hook.name),
        hooks => {
            let names: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
            format!("{} hooks: {}", hooks.len(), names.join(", "))
        }
    }
}

fn next_steps(world: &World, target: &Target, file: &str) {
    let (apply, undo) = (hints::call(target, "apply"), hints::call(target, "uninstall"));
    // The slash commands are the user's, and come with an installation for the user.
    let typed = if target.project.is_some() { "" } else { "; /hook:disable X inside Claude Code" };
    let text = format!(
        "
Done. Running sessions pick it up within seconds.
  {file}  lists the hooks; edit it, then `{apply}`
  hookman doctor     checks that every hook would really fire
  hookman disable X  switches a hook off for one session{typed}
  {undo}  puts settings.json back as it was"
    );
    world.terminal.line(text);
}
