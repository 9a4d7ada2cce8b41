//! `hookman release`: give adopted hooks back to settings.json as they were.

use anyhow::{Result, bail};
use serde_json::json;

use super::args::Release;
use super::exit::ExitStatus;
use super::list::fires;
use super::word::hint;
use crate::client::host::CLAUDE;
use crate::install::adoption::barred::{self, Barred};
use crate::install::adoption::releasable::{Forgetting, Releasable, releasable, with_twins};
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::{step as adoption_step, warnings as adoption_warnings};
use crate::install::change::{Assets, Change, Outcome, SettingsChange, Transaction, each};
use crate::install::registration::{self, hosts, warnings};
use crate::install::target::{Target, protection};
use crate::machine::{World, harmless};
use crate::manifest::Hook;
use crate::session::names;

pub(super) fn release(args: &Release, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.options.scope, world)?;
    let mut transaction = Some(Transaction::begin(world, &target, &args.options.writing)?);
    let mut states = vec![AdoptionState::of(world, &target)?];
    let others = hosts::targets(world, &target);
    let names = |it: &Barred| args.names.iter().any(|name| it.hooks.contains(name));
    for host in &others {
        for it in barred::barred(world, host)? {
            if args.all || names(&it) {
                bail!("{}", it.why);
            }
            world.terminal.warn(format!("warning: {}", it.why));
        }
        states.extend(AdoptionState::of_adopting(world, host));
        // The first of these has noted what the manifest was before.
        states.extend(AdoptionState::of_parts(world, host).into_iter().rev());
    }
    if let Some(unknown) = barred::unknown(world, &target, &states[0].layers)? {
        world.terminal.warn(format!("warning: {unknown}"));
    }
    let mut all = Vec::new();
    for state in &states {
        all.extend(releasable(state, fires)?);
    }
    let Some(chosen) = chosen(args, &all, &target, world)? else { return Ok(ExitStatus::Done) };
    for state in &states {
        let here = chosen.iter().filter(|it| it.file == state.target.settings);
        let names: Vec<&str> = here.map(|it| &*it.name).collect();
        if names.is_empty() {
            continue;
        }
        let begun = match transaction.take() {
            Some(transaction) => transaction,
            None => Transaction::begin(world, &target, &args.options.writing)?,
        };
        // The file before may have changed the manifest.
        let state = AdoptionState::of(world, &state.target)?;
        release_to(args, world, &target, &state, &names, begun)?;
    }
    Ok(ExitStatus::Done)
}

/// Gives the hooks of these names back to the file that they came from.
fn release_to(
    args: &Release,
    world: &World,
    target: &Target,
    state: &AdoptionState,
    names: &[&str],
    transaction: Transaction<'_>,
) -> Result<()> {
    let all = releasable(state, fires)?;
    let chosen: Vec<&Releasable<'_>> = all.iter().filter(|it| names.contains(&&*it.name)).collect();
    if args.forget {
        return forget(transaction, &chosen, state, world);
    }
    let chosen = with_twins(&chosen, &all, state, world);
    let hooks: Vec<&Hook> = chosen.iter().filter_map(|it| it.hook).collect();
    for hook in hooks.iter().filter(|hook| hook.enabled && !args.options.writing.dry_run) {
        protection::check(&hook.name, hook.audience.user_only)?;
    }
    let names: Vec<&str> = chosen.iter().map(|it| &*it.name).collect();
    let step = adoption_step::release(world, state, &names, |layers| match state.target.host {
        _ if layers.all.hooks.is_empty() || state.target.is_part() => Ok(Vec::new()),
        Some(_) => {
            Ok(hosts::entries(world, target, &state.target, layers, None)?.unwrap_or_default())
        }
        None => registration::entries(world, target, layers, None),
    })?;
    let overlay = SettingsChange::of_overlay(world, target, &step.layers)?;
    let calls = SettingsChange::of_calls(world, target, &state.target, &step.layers, None)?;
    let left = state.target.host.filter(|of| !step.layers.committed.is_for(of.host.name));
    let mut assets = Assets::removal(world, target)?;
    if !step.is_end() || state.target.host.is_some() && target.project.is_none() {
        assets = assets.none();
    }
    let assets = assets.with_hosts(world, target, left)?;
    adoption_warnings::of_release(world, state, &hooks);
    let mut changes: Vec<&dyn Change> = step.changes().into();
    changes.extend(each(&calls));
    changes.extend(each(&overlay));
    changes.push(&assets);
    transaction.show(&changes);
    if let Some(of) = left {
        adoption_warnings::of_left_host(world, state, &step.layers, of);
    }
    warnings::show(world, target, &changes);
    let question = "Write this?";
    if transaction.commit("release", question, &changes)? == Outcome::Written {
        world.terminal.line("Done.");
    }
    Ok(())
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
    target: &Target,
    world: &World,
) -> Result<Option<Vec<&'a Releasable<'s>>>> {
    let asks = !args.all && args.names.is_empty();
    let mut open: Vec<&Releasable<'_>> = all.iter().collect();
    if args.forget && args.names.is_empty() {
        open.retain(|it| it.hook.is_none());
    }
    if args.json {
        let row = |it: &&Releasable<'_>| {
            let Releasable { name, fires, summary, hook, .. } = it;
            json!({"host": it.of.map_or(CLAUDE.name, |of| of.host.name), "name": name, "fires": fires, "summary": summary, "declared": hook.is_some()})
        };
        let rows: Vec<_> = open.iter().map(row).collect();
        world.terminal.line(json!({"adopted": rows}).to_string());
        return Ok(None);
    }
    if asks && (!world.terminal.can_choose() || open.is_empty()) {
        list(&open, target, args.forget, world);
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
    let from = hook.of.map(|of| format!("  (from {})", of.title)).unwrap_or_default();
    harmless(&format!("{name}  {fires}  {summary}{from}{gone}"))
}

fn list(hooks: &[&Releasable<'_>], target: &Target, forget: bool, world: &World) {
    if hooks.is_empty() {
        let none = if forget { "Nothing to forget." } else { "No hook is adopted here." };
        world.terminal.line(none);
        return;
    }
    for hook in hooks {
        world.terminal.print_row("", &row(hook), 4);
    }
    let flag = target.flag();
    let (deed, call) = if forget {
        ("To forget them", "hookman release --forget")
    } else {
        ("To give them back", "hookman release")
    };
    hint(world, format!("{deed}: `{call} NAME…{flag}` or `{call} --all{flag}`"));
}
