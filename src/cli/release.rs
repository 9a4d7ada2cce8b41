//! `hookman release`: give adopted hooks back to settings.json as they were.

use anyhow::{Result, bail};
use serde_json::json;

use super::args::Release;
use super::exit::ExitStatus;
use super::list::fires;
use super::word::hint;
use crate::install::adoption::releasable::{Forgetting, Releasable, releasable, with_twins};
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::{step as adoption_step, warnings as adoption_warnings};
use crate::install::change::{Assets, Change, Outcome, SettingsChange, Transaction, each};
use crate::install::registration::{self, warnings};
use crate::install::target::{Target, protection};
use crate::machine::{World, harmless};
use crate::manifest::Hook;
use crate::session::names;

pub(super) fn release(args: &Release, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let transaction = Transaction::begin(world, &target, &args.options.writing)?;
    let state = AdoptionState::of(world, &target)?;
    let all = releasable(&state, fires)?;
    let Some(chosen) = chosen(args, &all, &state, world)? else { return Ok(ExitStatus::Done) };
    if args.forget {
        forget(transaction, &chosen, &state, world)?;
        return Ok(ExitStatus::Done);
    }
    let chosen = with_twins(&chosen, &all, &state, world);
    let hooks: Vec<&Hook> = chosen.iter().filter_map(|it| it.hook).collect();
    for hook in hooks.iter().filter(|hook| hook.enabled && !args.options.writing.dry_run) {
        protection::check(&hook.name, hook.audience.user_only)?;
    }
    let names: Vec<&str> = chosen.iter().map(|it| &*it.name).collect();
    let step = adoption_step::release(world, &state, &names, |layers| {
        if layers.all.hooks.is_empty() {
            return Ok(Vec::new());
        }
        registration::entries(world, &target, layers, None)
    })?;
    let overlay = SettingsChange::of_overlay(world, &target, &step.layers)?;
    let assets = step.is_end().then(|| Assets::removal(world, &target)).transpose()?;
    adoption_warnings::of_release(world, &state, &hooks);
    let mut changes: Vec<&dyn Change> = step.changes().into();
    changes.extend(each(&overlay));
    changes.extend(each(&assets));
    transaction.show(&changes);
    warnings::show(world, &target, &changes);
    let question = "Write this?";
    if transaction.commit("release", question, &changes)? == Outcome::Written {
        world.terminal.line("Done.");
    }
    Ok(ExitStatus::Done)
}

/// Forgets handlers that are in neither file; the settings and the manifest stay as they are.
fn forget(
    transaction: Transaction<'_>,
    chosen: &[&Releasable<'_>],
    state: &AdoptionState,
    world: &World,
) -> Result<()> {
    let flag = state.target.flag();
    if let Some(Releasable { name, .. }) = chosen.iter().find(|it| it.hook.is_some()) {
        bail!(
            "the manifest declares `{name}`, so there is nothing to forget; `hookman release {name}{flag}` \
             puts it back into the settings"
        );
    }
    let names: Vec<&str> = chosen.iter().map(|it| &*it.name).collect();
    let rows = chosen.iter().map(|it| row(it)).collect();
    let forgetting = Forgetting::of(world, state, &names, rows)?;
    transaction.show(&[&forgetting]);
    let question = "Forget this for good?";
    if transaction.commit("forget", question, &[&forgetting])? == Outcome::Written {
        let names = names.join(", ");
        hint(
            world,
            format!("Forgot {names}. `hookman backups{flag}` lists copies that may have it."),
        );
    }
    Ok(())
}

/// Chooses the hooks to give back or to forget; `None` where all was said already.
fn chosen<'a, 's>(
    args: &Release,
    all: &'a [Releasable<'s>],
    state: &AdoptionState,
    world: &World,
) -> Result<Option<Vec<&'a Releasable<'s>>>> {
    let asks = !args.all && args.names.is_empty();
    let mut open: Vec<&Releasable<'_>> = all.iter().collect();
    if args.forget && args.names.is_empty() {
        open.retain(|it| it.hook.is_none());
    }
    if args.json {
        let row = |it: &&Releasable<'_>| {
            let Releasable { name, fires, summary, hook } = it;
            json!({"name": name, "fires": fires, "summary": summary, "declared": hook.is_some()})
        };
        let rows: Vec<_> = open.iter().map(row).collect();
        world.terminal.line(json!({"adopted": rows}).to_string());
        return Ok(None);
    }
    if asks && (!world.terminal.can_choose() || open.is_empty()) {
        list(&open, state, args.forget, world);
        return Ok(None);
    }
    let chosen = if asks {
        let rows: Vec<String> = open.iter().map(|it| row(it)).collect();
        let question = if args.forget { "Which to forget?" } else { "Which hooks should go back?" };
        let picked = world.terminal.choose(question, &rows, 0)?.unwrap_or_default();
        picked.into_iter().map(|index| open[index]).collect()
    } else if args.all {
        open
    } else {
        let names = named(&args.names, all)?;
        open.into_iter().filter(|it| names.contains(&&*it.name)).collect()
    };
    if chosen.is_empty() {
        let deed = if args.forget { "forget" } else { "release" };
        world.terminal.line(format!("Nothing to {deed}."));
        return Ok(None);
    }
    Ok(Some(chosen))
}

fn named<'a>(typed: &[String], all: &'a [Releasable<'_>]) -> Result<Vec<&'a str>> {
    let known: Vec<&str> = all.iter().map(|hook| hook.name.as_str()).collect();
    let what = ["adopted hook", "adopted hooks"];
    let name = |typed: &String| names::one(typed, &known, what, "`hookman release` lists them");
    Ok(typed.iter().map(name).collect::<Result<_, _>>()?)
}

fn row(hook: &Releasable<'_>) -> String {
    let Releasable { name, fires, summary, .. } = hook;
    let gone = if hook.hook.is_none() { "  (gone from the manifest)" } else { "" };
    harmless(&format!("{name}  {fires}  {summary}{gone}"))
}

fn list(hooks: &[&Releasable<'_>], state: &AdoptionState, forget: bool, world: &World) {
    if hooks.is_empty() {
        let none = if forget { "Nothing to forget." } else { "No hook is adopted here." };
        world.terminal.line(none);
        return;
    }
    for hook in hooks {
        world.terminal.print_row("", &row(hook), 4);
    }
    let flag = state.target.flag();
    let (deed, call) = if forget {
        ("To forget them", "hookman release --forget")
    } else {
        ("To give them back", "hookman release")
    };
    hint(world, format!("{deed}: `{call} NAME…{flag}` or `{call} --all{flag}`"));
}
