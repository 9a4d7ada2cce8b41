//! `hookman uninstall`: take hookman out of settings.json again.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::adopting::Place;
use super::args::{Uninstall, Writing};
use super::companion::Companions;
use super::ignoring::Ignoring;
use super::proposal::Proposal;
use super::registering::{self, Target};
use super::settling::Written;
use super::step::Step;
use super::writes::Writes;
use super::{ExitStatus, World, consent, fence, install, release, remarks, settling};
use crate::runtime::chains;

pub(super) fn uninstall(args: &Uninstall, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let early = target.lock_early(world, &args.writing)?;
    let places = places(world, &target)?;
    let steps: Vec<Step<'_>> = places
        .iter()
        .map(|place| {
            release::plan(world, place, (&place.adopted(), &place.undeclared()), |_| Ok(Vec::new()))
        })
        .collect::<Result<_>>()?;
    let mut proposals = registering::propose_removal(world, &target)?;
    // Where a step gives hooks back, it takes our entries out too.
    proposals.retain(|proposal| {
        !places.iter().any(|place| place.target.settings == proposal.settings())
    });
    let companions = Companions::of(world, &target, None)?;
    let own = Own::of(world, &target, &|path| {
        steps.iter().any(|step| step.removes(path)) || proposals.iter().any(|it| it.removes(path))
    })?;
    for (place, step) in places.iter().zip(&steps) {
        remarks::of_release(world, place, &place.adopted());
        step.show(world);
    }
    if steps.is_empty() {
        registering::show(world, &proposals);
    } else {
        registering::show_changing(world, &proposals);
    }
    companions.show_removal(world);
    own.show(world);
    let is_registered = !steps.is_empty() || !proposals.iter().all(|it| it.plan.is_empty());
    if !is_registered && !companions.has_any() && !own.has_any() {
        own.forget(&args.writing)?;
        world.terminal.line("hookman is not installed here.");
        return Ok(ExitStatus::Done);
    }
    if is_registered && !args.writing.dry_run {
        fence::check_all(world, &target)?;
    }
    if !consent::given(world, &args.writing, "Remove it?")? {
        return Ok(ExitStatus::Done);
    }
    let wait = settling::is_needed(world, &args.writing);
    let lock = target.lock(world, early)?;
    for step in &steps {
        step.check(world)?;
    }
    for proposal in &proposals {
        proposal.check(world)?;
    }
    own.check()?;
    Writes::all(world, |writes| {
        steps.iter().try_for_each(|step| step.write(world, "uninstall", &lock, writes))?;
        proposals.iter().try_for_each(|it| it.write(world, "uninstall", &lock, writes))?;
        own.remove(world, writes)
    })?;
    companions.remove()?;
    if !steps.is_empty() {
        let _ = chains::compile(&world.paths, &target.chain);
    }
    drop(lock);
    settling::settle(world, &target, wait, &written(&steps, &proposals))?;
    let back = if steps.is_empty() { "" } else { " The adopted hooks are back in the settings." };
    if target.manifest.exists() {
        let manifest = world.paths.shown(&target.manifest);
        world.terminal.line(format!("Done.{back} {manifest} stays: it is yours."));
    } else {
        world.terminal.line(format!("Done.{back}"));
    }
    Ok(ExitStatus::Done)
}

/// What an installation made for one person in a project beside the entries: the overlay, if nothing
/// was written into it, and the lines that hide that from git, if nothing is left to hide.
#[derive(Default)]
struct Own {
    overlay: Option<PathBuf>,
    ignoring: Option<Ignoring>,
    /// A file that the lines still hide.
    hidden: Option<PathBuf>,
}

impl Own {
    fn of(world: &World, target: &Target, goes: &dyn Fn(&Path) -> bool) -> Result<Self> {
        let Some(project) = &target.project else { return Ok(Self::default()) };
        let overlay = install::untouched_overlay(target)?;
        let ignoring = Ignoring::removal(world, project)?;
        let stays = |path: &PathBuf| path.exists() && !goes(path) && overlay.as_ref() != Some(path);
        let hidden = Ignoring::hidden(project).find(stays);
        Ok(Self { overlay, ignoring, hidden })
    }

    /// The lines where they go.
    fn lines(&self) -> Option<&Ignoring> {
        self.ignoring.as_ref().filter(|_| self.hidden.is_none())
    }

    fn has_any(&self) -> bool {
        self.overlay.is_some() || self.lines().is_some_and(Ignoring::changes)
    }

    fn show(&self, world: &World) {
        if let Some(overlay) = &self.overlay {
            let shown = world.paths.shown(overlay);
            world.terminal.line(format!("{shown}: to be removed, because it declares nothing"));
        }
        match (&self.ignoring, &self.hidden) {
            (Some(ignoring), Some(hidden)) if ignoring.changes() => {
                ignoring.show_staying(world, hidden);
            }
            (Some(ignoring), None) => ignoring.show(world),
            _ => {}
        }
    }

    /// Forgets lines that somebody else took out.
    fn forget(&self, writing: &Writing) -> Result<()> {
        self.lines().filter(|_| !writing.dry_run).map_or(Ok(()), Ignoring::forget)
    }

    fn check(&self) -> Result<()> {
        self.lines().map_or(Ok(()), Ignoring::check)
    }

    fn remove(&self, world: &World, writes: &mut Writes) -> Result<()> {
        if let Some(overlay) = &self.overlay {
            writes.exchange_and_say(world, overlay, Some(install::OVERLAY), None)?;
        }
        self.lines().map_or(Ok(()), |lines| lines.write(world, writes))
    }
}

/// The settings files that hooks were adopted from; nobody would run those any more.
fn places(world: &World, target: &Target) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for target in std::iter::once(target.clone()).chain(target.overlay()) {
        if !Place::is_worth_a_look(world, &target)? {
            continue;
        }
        let place = Place::of(world, target)?;
        if !place.adopted().is_empty() || !place.adoption.hooks.is_empty() {
            places.push(place);
        }
    }
    Ok(places)
}

fn written<'w>(steps: &'w [Step<'_>], proposals: &'w [Proposal]) -> Vec<&'w dyn Written> {
    let mut written = registering::written(proposals);
    written.extend(steps.iter().map(|step| step as &dyn Written));
    written
}
