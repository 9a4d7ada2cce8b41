//! `hookman adopt`: have hookman run hooks that others installed.

use std::collections::HashSet;

use anyhow::{Result, bail};
use serde_json::json;

use super::args::Adopt;
use super::exit::ExitStatus;
use super::word::hint;
use super::{adopt_by_hand, adopt_plugins};
use crate::client::host::CLAUDE;
use crate::client::host::files::{Files, Form};
use crate::install::adoption::offers::{Offer, adopt as adoption, offers, picked};
use crate::install::adoption::parts::editable;
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::{offers as offered, warnings as adoption_warnings};
use crate::install::change::{
    Assets, Change, Gitignore, Outcome, SettingsChange, Transaction, each, is_empty,
};
use crate::install::registration::{self, causes, codex_trust, hosts, warnings};
use crate::install::target::{Target, protection};
use crate::install::trusting::Trusting;
use crate::machine::{World, harmless};
use crate::session::names;

pub(super) fn adopt(args: &Adopt, world: &World) -> Result<ExitStatus> {
    if args.plugins {
        return adopt_plugins::adopt(args, world);
    }
    let target = Target::of(&args.options.scope, world)?;
    let Some(name) = &args.host else {
        return adopt_from(args, &args.names, world, &target, &target, &[]);
    };
    let named = hosts::named(world, std::slice::from_ref(name))?;
    if named.len() > 1 && !args.names.is_empty() {
        bail!(
            "NAME belongs to one agent: name the agent too, as in `hookman adopt guard --host \
             codex`"
        );
    }
    for name in &named {
        let from = match Files::of(name) {
            None => target.clone(),
            Some(_) => hosts::one(world, &target, name)?,
        };
        if let Some(of) = from.host.filter(|_| from.is_own_file()) {
            adopt_parts(args, world, &target, &from, of)?;
            continue;
        }
        adopt_from(args, &args.names, world, &target, &from, &[])?;
    }
    Ok(ExitStatus::Done)
}

struct Part {
    target: Target,
    /// The names of hooks that can be adopted, are or were.
    names: HashSet<String>,
    /// The names that the files before have.
    given: Vec<String>,
}

/// Adopts from the files next to the one that holds hookman's entries alone.
fn adopt_parts(
    args: &Adopt,
    world: &World,
    target: &Target,
    main: &Target,
    of: &Files,
) -> Result<()> {
    let (title, host) = (of.title, main.host_flag());
    if of.form == Form::Plugin {
        world.terminal.warn(format!("{title} has plugins and no hook entries to adopt."));
        return Ok(());
    }
    let (mut given, mut rows, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    let mut standing: Vec<String> = Vec::new();
    for part in editable(world, main) {
        let state = AdoptionState::of(world, &part)?;
        let offers = offers(world, &state, &given)?;
        let mut of_part = json_rows(&offers);
        for row in &mut of_part {
            row["settings"] = json!(part.settings);
        }
        rows.extend(of_part);
        standing.extend(state.twice().into_iter().map(str::to_owned));
        let open = offers.iter().filter(|it| it.wrapped().is_some());
        let open: Vec<String> = open.map(|it| it.name.clone()).collect();
        let known = state.adopted().into_iter().map(|hook| hook.name.clone());
        let names: HashSet<String> = open.iter().cloned().chain(known).collect();
        let has_any = !open.is_empty() || !state.twice().is_empty() || !args.names.is_empty();
        if has_any && !names.is_empty() {
            parts.push(Part { target: part, names, given: given.clone() });
        }
        given.extend(open);
    }
    let found = adopt_by_hand::by_hand(world, main);
    if args.json {
        let found = adopt_by_hand::as_json(&found);
        let report =
            json!({"host": of.host.name, "handlers": rows, "standing": standing, "by_hand": found});
        world.terminal.line(report.to_string());
        return Ok(());
    }
    if parts.is_empty() && found.is_empty() && args.names.is_empty() {
        world.terminal.line(format!("{title} has no hooks of others"));
        return Ok(());
    }
    let is_known = |name: &&String| parts.iter().any(|part| part.names.contains(*name));
    if let Some(name) = args.names.iter().find(|name| !is_known(name)) {
        bail!(
            "{title} has no hook `{name}` to adopt; `hookman adopt{host}` lists those that it has"
        );
    }
    for part in &parts {
        let is_here = |name: &&String| part.names.contains(*name);
        let names: Vec<String> = args.names.iter().filter(is_here).cloned().collect();
        if names.is_empty() && !args.names.is_empty() {
            continue;
        }
        adopt_from(args, &names, world, target, &part.target, &part.given)?;
    }
    let asks = !args.all && args.names.is_empty();
    if asks && !parts.is_empty() && !world.terminal.can_choose() {
        hint(
            world,
            format!("To adopt them: `hookman adopt NAME…{host}` or `hookman adopt --all{host}`"),
        );
    }
    if asks || args.all {
        adopt_by_hand::show(world, main, &found);
    }
    Ok(())
}

/// Adopts from the file of `from` into the target's manifest; `given` are names that other files have.
fn adopt_from(
    args: &Adopt,
    names: &[String],
    world: &World,
    target: &Target,
    from: &Target,
    given: &[String],
) -> Result<ExitStatus> {
    let transaction = Transaction::begin(world, target, &args.options.writing)?;
    let binary = protection::binary(world, target, args.options.binary.as_deref())?;
    let binary = binary.as_deref();
    if from.host.is_some() {
        from.check_links(world)?;
        from.check_apart(world)?;
    }
    let state = AdoptionState::of(world, from)?;
    let offers = offers(world, &state, given)?;
    let Some(chosen) = chosen(args, names, &offers, &state, world)? else {
        return Ok(ExitStatus::Done);
    };
    let step = adoption(world, &state, &chosen, |layers| match from.host {
        Some(_) if from.is_part() => Ok(Vec::new()),
        Some(_) => Ok(hosts::entries(world, target, from, layers, binary)?.unwrap_or_default()),
        None => registration::entries(world, target, layers, binary),
    })?;
    let mut assets = Assets::initial(world, target, binary)?;
    if let Some(of) = from.host {
        // The commands for a user are those of the program.
        assets = if target.project.is_none() { assets.none() } else { assets };
        assets = assets.with_hosts(world, target, [of])?;
    }
    let gitignore = Gitignore::of(world, target)?;
    let calls = SettingsChange::of_calls(world, target, from, &step.layers, binary)?;
    let overlay = SettingsChange::of_overlay(world, target, &step.layers)?;
    adoption_warnings::of_adoption(world, &state, &chosen);
    let mut changes: Vec<&dyn Change> = vec![&assets];
    changes.extend(each(&gitignore));
    changes.extend(each(&calls));
    changes.extend(step.changes());
    changes.extend(each(&overlay));
    let names: Vec<&str> = chosen.iter().map(|offer| &*offer.name).collect();
    let trusting = Trusting::of(world, target, &step.layers.all.hooks).adopting(&names);
    changes.push(&trusting);
    if !args.options.writing.dry_run && !is_empty(&step.changes()) {
        protection::check_adoption()?;
    }
    transaction.show(&changes);
    if args.all && !from.is_part() {
        left(&offers, &state, world);
        adopt_by_hand::show(world, from, &adopt_by_hand::by_hand(world, from));
    }
    match from.host {
        Some(of) => {
            adoption_warnings::of_new_host(world, &state, &step.layers, of);
            causes::warn(world, target, &step.layers);
        }
        None => drop(warnings::show(world, target, &changes)),
    }
    let adopted = step.layers.all.hooks.iter().filter(|hook| hook.manner.adopted);
    warnings::of_commands(world, target, &adopted.cloned().collect::<Vec<_>>());
    let question = "Write this?";
    if transaction.commit("adopt", question, &changes)? == Outcome::Written {
        let flag = target.flag();
        hint(world, format!("Done. `hookman release{flag}` gives an adopted hook back."));
        codex_trust::tell(world, target, &from.host.map_or_else(Vec::new, |of| vec![of.host.name]));
    }
    Ok(ExitStatus::Done)
}

/// Chooses the hooks to adopt, none where only adopted ones go out again; `None` where all was said.
fn chosen<'o>(
    args: &Adopt,
    names: &[String],
    offers: &'o [Offer],
    state: &AdoptionState,
    world: &World,
) -> Result<Option<Vec<&'o Offer>>> {
    let twice = state.twice();
    if offers.is_empty() && twice.is_empty() {
        offered::refuse_malformed(world, state)?;
    }
    let open: Vec<&Offer> = offers.iter().filter(|offer| offer.wrapped().is_some()).collect();
    let asks = !args.all && names.is_empty();
    if args.json {
        world.terminal.line(as_json(offers, state, world).to_string());
        return Ok(None);
    }
    if asks && (!world.terminal.can_choose() || open.is_empty()) {
        list(offers, state, world);
        let from = &state.target;
        if !from.is_part() {
            adopt_by_hand::show(world, from, &adopt_by_hand::by_hand(world, from));
        }
        return Ok(None);
    }
    let chosen = if args.all {
        open
    } else if asks {
        let rows: Vec<String> = open.iter().map(|offer| row(offer)).collect();
        let indices = world.terminal.choose("Which hooks should hookman run?", &rows, 0)?;
        let names = indices.unwrap_or_default().into_iter().map(|index| &*open[index].name);
        picked(offers, &names.collect::<Vec<_>>())
    } else {
        let adopted = state.adopted().into_iter().map(|hook| hook.name.as_str());
        let adopted: Vec<&str> = adopted.filter(|name| !twice.contains(name)).collect();
        let typed = names.iter().map(String::as_str);
        let (done, typed): (Vec<&str>, Vec<&str>) = typed.partition(|name| adopted.contains(name));
        for name in &done {
            world.terminal.line(format!("{name} is adopted already"));
        }
        if typed.is_empty() {
            return Ok(None);
        }
        let known: Vec<&str> =
            open.iter().map(|offer| &*offer.name).chain(twice.iter().copied()).collect();
        picked(offers, &named(&typed, &known)?)
    };
    if chosen.is_empty() && (asks || twice.is_empty()) {
        world.terminal.line(if asks {
            "Nothing was chosen: the space bar marks a row, and `hookman adopt --all` takes all."
        } else {
            "Nothing to adopt."
        });
        return Ok(None);
    }
    Ok(Some(chosen))
}

/// Says of the handlers that cannot be adopted why they stay.
fn left(offers: &[Offer], state: &AdoptionState, world: &World) {
    let client = state.target.host.map_or("the client", |of| of.title);
    for offer in offers {
        let Err(reason) = &offer.candidate.wrapped else { continue };
        let line = format!("left to {client}: {}: {reason}", row(offer).trim_start());
        world.terminal.warn(harmless(&line));
    }
}

fn named<'k>(typed: &[&str], known: &[&'k str]) -> Result<Vec<&'k str>> {
    let what = ["hook to adopt", "hooks to adopt"];
    let name = |typed: &&str| names::one(typed, known, what, "`hookman adopt` lists them");
    Ok(typed.iter().map(name).collect::<Result<_, _>>()?)
}

fn row(offer: &Offer) -> String {
    let Offer { candidate, name, .. } = offer;
    harmless(&format!("{name}  {}  {}", candidate.fires(), candidate.summary))
}

fn as_json(offers: &[Offer], state: &AdoptionState, world: &World) -> serde_json::Value {
    json!({
        "host": state.target.host.map_or(CLAUDE.name, |of| of.host.name),
        "settings": state.target.settings,
        "handlers": json_rows(offers),
        "standing": state.twice(),
        "by_hand": adopt_by_hand::as_json(&adopt_by_hand::by_hand(world, &state.target)),
    })
}

fn json_rows(offers: &[Offer]) -> Vec<serde_json::Value> {
    let row = |offer: &Offer| {
        let Offer { candidate, name, .. } = offer;
        json!({
            "name": offer.wrapped().map(|_| name),
            "event": candidate.event,
            "matcher": candidate.matcher,
            "summary": candidate.summary,
            "pointer": candidate.pointer,
            "reason": candidate.wrapped.as_ref().err().map(ToString::to_string),
        })
    };
    offers.iter().map(row).collect()
}

fn list(offers: &[Offer], state: &AdoptionState, world: &World) {
    let shown = world.paths.shown(&state.target.settings);
    let (open, mut refused): (Vec<&Offer>, Vec<&Offer>) =
        offers.iter().partition(|offer| offer.wrapped().is_some());
    if state.target.is_part() {
        // These are listed with what to type for each.
        refused.clear();
    }
    let (twice, flag, host) = (state.twice(), state.target.flag(), state.target.host_flag());
    if !twice.is_empty() {
        let names = twice.join(", ");
        world.terminal.line(format!("{shown} again has handlers that you have adopted: {names}"));
        hint(world, format!("To take them out: `hookman apply{flag}`"));
    }
    if offers.is_empty() && twice.is_empty() {
        world.terminal.line(format!("{shown} has no hooks of others"));
        return;
    }
    if !open.is_empty() {
        world.terminal.line(format!("{shown} has hooks that hookman can run:"));
    }
    for offer in &open {
        world.terminal.print_row("  ", &row(offer), 6);
    }
    if !refused.is_empty() {
        world.terminal.line("These stay where they are:");
    }
    for offer in refused {
        let reason =
            offer.candidate.wrapped.as_ref().err().map_or_else(String::new, ToString::to_string);
        let summary = &offer.candidate.summary;
        let handler = world.terminal.row(&format!("  {}  ", offer.candidate.fires()), summary, 6);
        world
            .terminal
            .line(harmless(&format!("{handler}\n{}", world.terminal.row("    ", &reason, 4))));
    }
    if !open.is_empty() && !state.target.is_part() {
        hint(
            world,
            format!("To adopt them: `hookman adopt NAME…{host}` or `hookman adopt --all{host}`"),
        );
    }
}
