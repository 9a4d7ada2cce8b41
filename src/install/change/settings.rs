//! A change of one settings file.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::records::{
    adoptions_file, back_up, backup_directory, folders_file, left_alone, print_diff, read, refused,
    undo, undo_file,
};
use super::writes::{Writes, changed};
use super::{Change, Settings};
use crate::adoption::{self, Adoption, Current, Kept};
use crate::client::host::CLAUDE;
use crate::client::host::files::Files;
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::{barred, parts};
use crate::install::registration::{entries, hosts, overlay_entries};
use crate::install::target::{Layers, Target, protection};
use crate::machine::{World, files};
use crate::settings::{
    Extra, Plan, Record, Refusal, Registration, Remembered, Undo, own_file, plan,
};
use crate::state::host_files;

enum Goal {
    Entries(Vec<Registration>),
    Nothing,
    /// The handlers of others but those that are adopted, and these entries.
    Adoption(Adopting),
}

/// The adoptions before a change and after it, with the entries that belong to it.
pub(crate) struct Adopting {
    pub(crate) now: Adoption,
    pub(crate) next: Adoption,
    pub(crate) entries: Vec<Registration>,
}

pub(crate) struct SettingsChange {
    target: Target,
    goal: Goal,
    pub(crate) plan: Plan,
    /// The way to take hookman's entries out of the text before.
    undo: Option<Undo>,
    /// True if nothing is said where nothing changes.
    quiet: bool,
}

impl SettingsChange {
    pub(crate) fn listed(all: &[Self]) -> Vec<crate::settings::Change> {
        all.iter().flat_map(|it| it.plan.changes.iter().cloned()).collect()
    }

    /// The changes that register a target's hooks in its settings and its overlay's; the entries call
    /// `binary`, or what those there call.
    pub(crate) fn of(
        world: &World,
        target: &Target,
        layers: &Layers,
        binary: Option<&Path>,
    ) -> Result<Vec<Self>> {
        let own = if layers.committed.is_for(CLAUDE.name) || target.local {
            Self::to(world, target, entries(world, target, layers, binary)?)?
        } else {
            Self::removal(world, target)?.quiet()
        };
        let overlay = Self::of_overlay(world, target, layers)?;
        let mut changes: Vec<Self> = std::iter::once(own).chain(overlay).collect();
        for host in hosts::targets(world, target) {
            changes.extend(Self::of_host(world, target, &host, layers, binary)?);
            if !host.host.is_some_and(|of| layers.committed.is_for(of.host.name)) {
                continue;
            }
            for state in AdoptionState::of_parts(world, &host) {
                if !state.twice().is_empty() {
                    changes.push(Self::to(world, &state.target, Vec::new())?.quiet());
                }
            }
        }
        Ok(changes)
    }

    /// The change of the file by which another program calls hookman.
    fn of_host(
        world: &World,
        target: &Target,
        host: &Target,
        layers: &Layers,
        binary: Option<&Path>,
    ) -> Result<Option<Self>> {
        match hosts::entries(world, target, host, layers, binary)? {
            Some(entries) => Ok(Some(Self::to(world, host, entries)?.quiet())),
            None if !hosts::calls(world, host) => Ok(None),
            None => Ok(Some(Self::removal(world, host)?)),
        }
    }

    /// The changes after which the program of a file without hookman's entries calls hookman by others.
    pub(crate) fn of_calls(
        world: &World,
        target: &Target,
        part: &Target,
        layers: &Layers,
        binary: Option<&Path>,
    ) -> Result<Vec<Self>> {
        let Some(of) = part.host.filter(|_| part.is_part()) else { return Ok(Vec::new()) };
        let main = hosts::target(world, target, of);
        let main = main.map(|main| Self::of_host(world, target, &main, layers, binary));
        let mut changes: Vec<Self> = main.transpose()?.flatten().into_iter().collect();
        let before = Layers::of(world, target, None).ok().flatten().unwrap_or_default();
        let runs =
            |it: &Layers| host_files::runs_claudes(&it.committed, target.project.is_some(), of);
        if runs(&before) || runs(layers) {
            changes.push(Self::to(world, target, entries(world, target, layers, binary)?)?.quiet());
        }
        Ok(changes)
    }

    /// The removals of hookman entries from the files of these other programs.
    pub(crate) fn of_hosts_removed(
        world: &World,
        target: &Target,
        files: impl IntoIterator<Item = &'static Files>,
    ) -> Result<Vec<Self>> {
        let mut removals = Vec::new();
        for host in files.into_iter().filter_map(|of| hosts::target(world, target, of)) {
            barred::check(world, &host)?;
            for state in AdoptionState::of_parts(world, &host) {
                if !state.adoption.hooks.is_empty() {
                    removals.push(Self::removal(world, &state.target)?.quiet());
                }
            }
            if hosts::calls(world, &host) {
                removals.push(Self::removal(world, &host)?);
            }
        }
        Ok(removals)
    }

    /// The change of an overlay's settings once the hooks are `layers`; `None` without an overlay.
    pub(crate) fn of_overlay(
        world: &World,
        target: &Target,
        layers: &Layers,
    ) -> Result<Option<Self>> {
        let Some(overlay) = target.overlay() else { return Ok(None) };
        Ok(Some(Self::to(world, &overlay, overlay_entries(layers))?.quiet()))
    }

    /// The change to these entries. Adopted handlers that are there again go as well.
    pub(crate) fn to(world: &World, target: &Target, entries: Vec<Registration>) -> Result<Self> {
        if target.host.is_some() {
            target.check_apart(world)?;
        }
        if let Some(of) = target.host.filter(|_| target.is_own_file()) {
            let before = read(world, &target.settings)?;
            if before.as_ref().is_some_and(|text| !own_file::is_own(of.form, text)) {
                bail!(
                    "`{}` has hooks that are not hookman's, and hookman writes that file whole; move them \
                     into a file of another name next to it, then run this again",
                    world.paths.shown(&target.settings)
                );
            }
            let plan = own_file::plan(of.form, before.as_deref(), &entries);
            let goal = Goal::Entries(entries);
            return Ok(Self { target: target.clone(), goal, plan, undo: None, quiet: false });
        }
        if target.has_guard_mod(world) {
            protection::check_seat(read(world, &target.settings)?.as_deref())?;
        }
        let state = AdoptionState::of_adopting(world, target);
        if let Some(state) = state.filter(|state| !state.twice().is_empty()) {
            let (now, next) = (state.adoption.clone(), state.adoption.clone());
            return Self::adopting(world, &state, Adopting { now, next, entries });
        }
        let before = read(world, &target.settings)?;
        let undo = undo(world, &target.settings, before.as_deref())?;
        // Where the text has no hookman entry, the record is about another text.
        let undo = match (before.as_deref(), undo) {
            (None, _) => None,
            (Some(text), Some(undo)) => undo.record.finds_ours(text).then_some(undo),
            (Some(text), None) => presumed(text, &entries),
        };
        let record = undo.as_ref().map_or_else(|| target.form(), |undo| undo.record.clone());
        let plan = plan(before.as_deref(), &entries, &record)
            .and_then(|plan| extras(world, target, plan, &record))
            .map_err(refused(world, target))?;
        Ok(Self { target: target.clone(), goal: Goal::Entries(entries), plan, undo, quiet: false })
    }

    pub(crate) fn removal(world: &World, target: &Target) -> Result<Self> {
        if target.is_own_file() {
            return Self::to(world, target, Vec::new());
        }
        // Nothing would run what was adopted from a program that calls hookman no more.
        let state = AdoptionState::of_adopting(world, target).filter(|_| target.host.is_some());
        if let Some(state) = state.filter(|state| !state.adoption.hooks.is_empty()) {
            let now = state.adoption.clone();
            let next = now.without(&now.names().into_iter().collect::<Vec<_>>());
            return Self::adopting(world, &state, Adopting { now, next, entries: Vec::new() });
        }
        let before = read(world, &target.settings)?;
        let undo = undo(world, &target.settings, before.as_deref())?;
        Self::removal_by(world, target, before.as_deref(), undo)
    }

    fn removal_by(
        world: &World,
        target: &Target,
        before: Option<&str>,
        undo: Option<Undo>,
    ) -> Result<Self> {
        let removal = match &undo {
            Some(undo) => undo.removal(before),
            None => {
                let form = target.form();
                let record = before.map_or_else(|| form.clone(), |text| form.presumed_of(text));
                plan(before, &[], &record)
            }
        };
        let presumed = || before.map(Record::presumed).unwrap_or_default();
        let record = undo.as_ref().map_or_else(presumed, |undo| undo.record.clone());
        let plan = removal
            .and_then(|plan| extras(world, target, plan, &record))
            .map_err(refused(world, target))?;
        Ok(Self { target: target.clone(), goal: Goal::Nothing, plan, undo, quiet: false })
    }

    pub(crate) fn adopting(world: &World, state: &AdoptionState, goal: Adopting) -> Result<Self> {
        let (before, undo) = (state.settings.clone(), state.undo.clone());
        Self::adopting_over(world, &state.target, before, undo, goal)
            .map_err(refused(world, &state.target))
    }

    fn adopting_over(
        world: &World,
        target: &Target,
        before: Option<String>,
        undo: Option<Undo>,
        goal: Adopting,
    ) -> Result<Self, Refusal> {
        let form = target.form();
        let text = form.inner(before.as_deref().unwrap_or_default());
        let inner = undo.clone().map(Undo::inner);
        let current = Current { text: &text, undo: inner.as_ref(), adoption: &goal.now };
        let mut plan = adoption::plan(current, &goal.next, &goal.entries)?;
        plan.record.bare = form.bare;
        plan.after = plan.after.map(|text| form.outer(text));
        plan.before = before;
        let record = undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
        let plan = extras(world, target, plan, &record)?;
        Ok(Self { target: target.clone(), goal: Goal::Adoption(goal), plan, undo, quiet: false })
    }

    /// The same where nothing is to be said if nothing changes.
    pub(crate) fn quiet(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// Returns whether a person expects the file to be named, as all but an overlay's.
    pub(crate) fn is_shown(&self) -> bool {
        !self.quiet || self.target.host.is_some()
    }

    pub(crate) fn removes(&self, path: &Path) -> bool {
        path == self.target.settings && self.plan.after.is_none()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.target.settings
    }

    /// The same change of what the file holds now.
    fn again(&self, world: &World) -> Result<Self> {
        let settings = &self.target.settings;
        let goal = match &self.goal {
            Goal::Entries(entries) => return Self::to(world, &self.target, entries.clone()),
            Goal::Nothing => {
                // The removal took with it what was kept.
                let before = read(world, settings)?;
                return Self::removal_by(world, &self.target, before.as_deref(), self.undo.clone());
            }
            Goal::Adoption(goal) => goal,
        };
        let before = read(world, settings)?;
        let (mut undo_now, mut both) = (self.undo.clone(), (goal.now.clone(), goal.next.clone()));
        if before != self.plan.before {
            undo_now = undo(world, settings, before.as_deref())?;
            let text = self.target.form().inner(before.as_deref().unwrap_or_default()).into_owned();
            both = goal
                .in_line_with(&text, undo_now.clone().map(Undo::inner).as_ref())
                .map_err(refused(world, &self.target))?;
        }
        let (now, next) = both;
        let again = Adopting { now, next, entries: goal.entries.clone() };
        Self::adopting_over(world, &self.target, before, undo_now, again)
            .map_err(refused(world, &self.target))
    }

    /// Gives the record of the file before, on which the next one is based.
    fn base(&self) -> Option<Undo> {
        let Goal::Adoption(goal) = &self.goal else { return self.undo.clone() };
        let record = self.undo.as_ref().map(|undo| undo.record.clone()).unwrap_or_default();
        let after = self.plan.before.clone().unwrap_or_default();
        let original = self.target.form().outer(goal.next.original.clone());
        Some(Undo { original: Some(original), after, record })
    }

    fn leaves_entries(&self) -> bool {
        match &self.goal {
            Goal::Entries(_) => !self.target.is_own_file(),
            Goal::Nothing => false,
            Goal::Adoption(goal) => !goal.entries.is_empty(),
        }
    }
}

impl Adopting {
    /// Gives the adoption now and to come over another text, such as an older one of a session.
    fn in_line_with(
        &self,
        text: &str,
        undo: Option<&Undo>,
    ) -> Result<(Adoption, Adoption), Refusal> {
        // First every handler is put back, then those that stay adopted are taken out.
        let now = Adoption::of(Some(&self.next.joined(&self.now)), text, undo)?;
        let stays = |hook: &&str| self.next.hooks.iter().any(|next| next.hook == *hook);
        let hooks = now.hooks.iter().map(|hook| &*hook.hook);
        let released: Vec<&str> = hooks.filter(|hook| !stays(hook)).collect();
        let next = now.without(&released);
        Ok((now, next))
    }
}

/// The plan with the guard mod's seat and the status line, which need hookman's entries.
fn extras(world: &World, target: &Target, plan: Plan, record: &Record) -> Result<Plan, Refusal> {
    if !target.is_users() {
        return Ok(plan);
    }
    let has_entries = plan.has_entries();
    plan.seating(has_entries && target.has_guard_mod(world), record)?
        .with_status_line(if has_entries { target.status_line } else { Some(false) }, record)
}

/// Makes the record of a file written elsewhere whose entries only a record tells from others'.
fn presumed(text: &str, entries: &[Registration]) -> Option<Undo> {
    let record = Record::presumed_for(text, entries);
    let known = !record.passed.is_empty();
    known.then(|| Undo { original: None, after: String::new(), record })
}

impl Change for SettingsChange {
    fn is_empty(&self) -> bool {
        self.plan.is_empty()
    }

    fn show(&self, world: &World) {
        if self.quiet && self.is_empty() {
            return;
        }
        let (before, after) = (self.plan.before.as_deref(), self.plan.after.as_deref());
        let shown = world.paths.shown(self.path());
        // A file with an entry for each event says no more than that.
        let is_made = self.target.host.is_some() && (before.is_none() || after.is_none());
        if is_made && before != after {
            let new = if after.is_some() { "new; " } else { "" };
            world.terminal.line(format!("{shown}: {new}{}", self.plan.summary()));
            return;
        }
        print_diff(world, self.path(), before, after);
        world.terminal.line(format!("{shown}: {}", self.plan.summary()));
    }

    fn check(&self, world: &World) -> Result<()> {
        let settings = self.path();
        if read(world, settings)? != self.plan.before {
            return Err(changed(world, settings));
        }
        if matches!(self.goal, Goal::Adoption(_)) {
            files::check_replaceable(&adoptions_file(world, settings))?;
        }
        if self.is_empty() {
            return Ok(());
        }
        if let Goal::Adoption(goal) = &self.goal
            && goal.next.hooks.len() >= goal.now.hooks.len()
        {
            protection::check_adoption()?;
        }
        protection::check_owner(world, &self.target)?;
        if self.plan.extras.contains(&Extra::GuardTaken) {
            protection::check_all(world, &self.target)?;
        }
        files::check_replaceable(&undo_file(world, settings))?;
        files::check_replaceable(&backup_directory(world, settings).join("new"))?;
        files::check_replaceable(settings).with_context(|| left_alone(world, settings))
    }

    fn begin(&self, writes: &mut Writes<'_>) -> Result<()> {
        let Goal::Adoption(goal) = &self.goal else { return Ok(()) };
        let kept = Kept { now: goal.now.clone(), next: Some(goal.next.clone()) };
        let file = adoptions_file(writes.world, self.path());
        writes.keep(&file, Some(&serde_json::to_string(&kept)?))?;
        parts::note(writes, &self.target, true)
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let (world, settings) = (writes.world, self.path());
        self.check(world)?;
        let (before, after) = (self.plan.before.as_deref(), self.plan.after.as_deref());
        let backup = back_up(world, settings, before, self.undo.as_ref(), writes.verb)?;
        let undo_file = undo_file(world, settings);
        let base = self.base();
        if self.leaves_entries()
            && let Some(last) = Undo::of(base.as_ref(), &self.plan)?
        {
            let kept = Remembered { last, earlier: base };
            writes.keep(&undo_file, Some(&serde_json::to_string(&kept)?))?;
        }
        let made = if after.is_some() { writes.make_folders(settings)? } else { Vec::new() };
        if self.target.host.is_some() && !made.is_empty() {
            let file = folders_file(world, settings);
            writes.keep(&file, Some(&serde_json::to_string(&made)?))?;
        }
        writes.exchange(settings, before, after)?;
        if !self.leaves_entries() {
            // What is left of it says that it belongs to another text.
            let _ = writes.keep(&undo_file, None);
        }
        let kept = backup.map(|path| format!(" (backup: {})", world.paths.shown(&path)));
        let deed = if after.is_some() { "wrote" } else { "removed" };
        let shown = world.paths.shown(settings);
        world.terminal.line(format!("{deed} {shown}{}", kept.unwrap_or_default()));
        Ok(())
    }

    fn end(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.target.host.is_some() && self.plan.after.is_none() {
            let file = folders_file(writes.world, self.path());
            if let Some(text) = files::read_text(&file)? {
                files::remove_empty(&serde_json::from_str::<Vec<PathBuf>>(&text)?);
                writes.keep(&file, None)?;
            }
        }
        let Goal::Adoption(goal) = &self.goal else { return Ok(()) };
        let file = adoptions_file(writes.world, self.path());
        if goal.next.hooks.is_empty() {
            parts::note(writes, &self.target, false)?;
            return writes.keep(&file, None);
        }
        let kept = Kept { now: goal.next.clone(), next: None };
        writes.keep(&file, Some(&serde_json::to_string(&kept)?))
    }

    fn settings(&self) -> Option<Settings<'_>> {
        // The others do not write an old copy back.
        self.target
            .host
            .is_none()
            .then_some(Settings { path: self.path(), text: self.plan.after.as_deref() })
    }

    fn verify(&self, world: &World) -> Result<bool> {
        // What was written is what was asked for; only another text has to be looked into.
        let is_as_written = read(world, self.path())? == self.plan.after;
        Ok(is_as_written || self.again(world)?.plan.is_in_line())
    }

    fn write_again(&self, writes: &mut Writes<'_>) -> Result<()> {
        let again = self.again(writes.world)?;
        again.begin(writes)?;
        again.write(writes)?;
        again.end(writes)
    }
}
