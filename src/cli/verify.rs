//! `hookman verify`: does settings.json hold what the manifest asks for?

use anyhow::Result;
use serde_json::json;

use super::apply;
use super::args::Verify;
use super::exit::ExitStatus;
use super::word::hint;
use crate::doctor;
use crate::install::adoption::barred;
use crate::install::adoption::state::AdoptionState;
use crate::install::adoption::warnings as adoption_warnings;
use crate::install::change::{Assets, Change, SettingsChange, each};
use crate::install::locks;
use crate::install::registration::{codex_trust, hosts, warnings};
use crate::install::target::{Layers, Target};
use crate::machine::{World, harmless};
use crate::package::lock::Lock;
use crate::state::pins;

pub(super) fn verify(args: &Verify, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let lost = adoption_warnings::losses(world, &target);
    let layers = match Layers::of(world, &target, None) {
        Ok(None) if !lost.is_empty() => None,
        Ok(None) => Some(Layers::required(world, &target, &Lock::default())?),
        Ok(layers) => layers,
        Err(why) => {
            let unlocked = locks::unlocked(world, &target)?;
            if unlocked.is_empty() {
                return Err(why);
            }
            if args.json {
                let report = json!({"drift": true, "files": [], "missing": [], "lost": [], "locks": unlocked, "caveats": []});
                world.terminal.line(report.to_string());
            } else {
                world.terminal.line(harmless(&unlocked.join("\n")));
            }
            return Ok(ExitStatus::Found);
        }
    };
    let settings = |layers| SettingsChange::of(world, &target, layers, None);
    let settings = layers.as_ref().map(settings).transpose()?.unwrap_or_default();
    // The launcher is the committed target's, and what is local runs through it too.
    let launched = target.of_launcher().unwrap_or_else(|| target.clone());
    let assets = |layers| Assets::required(world, &launched, layers, None);
    let assets = layers.as_ref().map(assets).transpose()?;
    let missing = assets.map(|assets| assets.missing(world)).unwrap_or_default();
    let mismatches = |layers| locks::mismatches(world, &target, layers);
    let mut mismatches = layers.as_ref().map(mismatches).transpose()?.unwrap_or_default();
    let mut caveats = warnings::found(world, &target, &each(&settings).collect::<Vec<_>>());
    if let Some(layers) = &layers {
        caveats.extend(hosts::switched_off(world, &target, layers));
        caveats.extend(hosts::unserved(&layers.committed));
        if !target.local {
            caveats.extend(doctor::dropped(&world.paths, &target.chain, &layers.committed));
        }
    }
    for host in hosts::targets(world, &target) {
        caveats.extend(barred::barred(world, &host)?.into_iter().map(|it| it.why));
    }
    caveats.extend(codex_trust::skipped(world, &target));
    caveats.extend(locks::ignored(world, &target));
    let hooks = layers.as_ref().map_or(&[][..], |layers| &layers.all.hooks);
    let held = pins::held(&world.paths, &target.chain, hooks);
    if pins::is_by_lock() && mismatches.is_empty() {
        let lacking = hooks.iter().filter(|hook| hook.enabled);
        let lacking = lacking.filter_map(|hook| Some((&hook.name, held.get(&hook.name)?)));
        mismatches.extend(lacking.map(|(hook, why)| format!("`{hook}` does not run: {why}")));
    }
    let drifted: Vec<&SettingsChange> = settings.iter().filter(|it| !it.is_empty()).collect();
    let drift =
        !drifted.is_empty() || !missing.is_empty() || !lost.is_empty() || !mismatches.is_empty();
    // A gate that the manifest switches off is among these until a person has seen that.
    let off = hooks.iter().filter(|hook| !hook.enabled && held.contains_key(&hook.name));
    caveats.extend(off.map(|hook| format!("`{}` is off, and {}", hook.name, held[&hook.name])));
    if args.json {
        let files: Vec<_> = settings
            .iter()
            .map(|it| json!({"settings": it.path(), "changes": it.plan.changes}))
            .collect();
        let names: Vec<&str> = lost.iter().flat_map(AdoptionState::lost).collect();
        let report = json!({"drift": drift, "files": files, "missing": missing, "lost": names, "locks": mismatches, "caveats": caveats});
        world.terminal.line(report.to_string());
    } else {
        for line in &missing {
            let does = if line.ends_with("left over") { "removes" } else { "writes" };
            hint(world, format!("{line}; `hookman apply{}` {does} it", launched.flag()));
        }
        for change in &drifted {
            say(world, &target, change);
        }
        for mismatch in &mismatches {
            world.terminal.line(harmless(mismatch));
        }
        if mismatches.iter().any(|it| it.contains(locks::ANOTHER)) {
            let flag = target.flag();
            hint(world, format!("`hookman lock{flag}` puts it into the lock as it is now"));
        }
        for state in &lost {
            adoption_warnings::of_lost(world, state);
        }
        for caveat in &caveats {
            world.terminal.warn(format!("warning: {caveat}"));
        }
        if !drift {
            for file in settings.iter().filter(|it| it.is_shown()) {
                let shown = world.paths.shown(file.path());
                world.terminal.line(format!("{shown} is what the manifest asks for"));
            }
        }
        apply::name_project(world, &target, "verify", "looks at its settings.json");
    }
    Ok(if drift || !caveats.is_empty() { ExitStatus::Found } else { ExitStatus::Done })
}

fn say(world: &World, target: &Target, drifted: &SettingsChange) {
    let shown = world.paths.shown(drifted.path());
    let (flag, summary) = (target.flag(), drifted.plan.summary());
    hint(world, format!("{shown} drifted; `hookman apply{flag}` {summary}"));
    for change in &drifted.plan.changes {
        world.terminal.line(format!("  {change}"));
    }
}
