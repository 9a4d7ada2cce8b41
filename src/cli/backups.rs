//! `hookman backups`: the copies of settings.json and of the manifest from before each write.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use super::apply::name_project;
use super::args;
use super::exit::ExitStatus;
use super::word::hint;
use crate::install::adoption::parts::besides;
use crate::install::change::records::backup_directory;
use crate::install::registration::hosts;
use crate::install::target::Target;
use crate::machine::World;
use crate::machine::backups::{self, Backup, KEPT};

pub(super) fn backups(args: &args::Backups, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let all = backups::list(&backup_directory(world, &target.settings))?;
    let launchers = launchers(world, &target)?;
    let hosts = of_hosts(world, &target)?;
    let manifests = backups::list(&backup_directory(world, &target.manifest))?;
    if args.json {
        let mut report = json!({
            "settings": target.settings,
            "backups": numbered(&all),
            "manifest": target.manifest,
            "manifest_backups": numbered(&manifests),
        });
        if !launchers.is_empty() {
            let row =
                |it: &Backup| json!({"time": it.iso_time(), "bytes": it.size, "path": it.path});
            report["launchers"] = launchers.iter().map(row).collect();
        }
        if !hosts.is_empty() {
            let row = |(of, copies): &(Target, Vec<Backup>)| json!({"host": of.host_name(), "settings": of.settings, "backups": numbered(copies)});
            report["hosts"] = hosts.iter().map(row).collect();
        }
        world.terminal.line(report.to_string());
        return Ok(ExitStatus::Done);
    }
    let flag = target.flag();
    let shown = world.paths.shown(&target.settings);
    if all.is_empty() {
        world.terminal.line(format!("No backups of {shown} yet: every write makes one."));
        name_project(world, &target, "backups", "lists those of the project's settings.json");
    } else {
        world.terminal.line(format!("{shown} as it was; up to {KEPT} copies are kept:"));
        show(args, world, &all);
        hint(world, format!("`hookman restore N{flag}` puts one back."));
    }
    if !manifests.is_empty() {
        let shown = world.paths.shown(&target.manifest);
        world.terminal.line(format!("{shown} as it was:"));
        show(args, world, &manifests);
        let does = "puts one back, and settings.json in line with it.";
        hint(world, format!("`hookman restore --manifest N{flag}` {does}"));
    }
    for (of, copies) in &hosts {
        world.terminal.line(format!("{} as it was:", world.paths.shown(&of.settings)));
        show(args, world, copies);
        hint(world, format!("`hookman restore --host {} N{flag}` puts one back.", of.file_name()));
    }
    show_launchers(args, world, &target, &launchers);
    Ok(ExitStatus::Done)
}

fn numbered(all: &[Backup]) -> Vec<Value> {
    let row = |(index, backup): (usize, &Backup)| {
        json!({
            "number": index + 1,
            "time": backup.iso_time(),
            "before": backup.verb,
            "bytes": backup.size,
            "path": backup.path,
        })
    };
    all.iter().enumerate().map(row).collect()
}

fn show(args: &args::Backups, world: &World, all: &[Backup]) {
    for (index, backup) in all.iter().enumerate() {
        let start = format!(
            "{:3}  {}  before {:9}  {:>8} bytes",
            index + 1,
            backup.time(),
            backup.verb,
            backup.size,
        );
        world.terminal.print_row(&start, &path(args, world, backup), 5);
    }
}

/// The copies of other agents' files, where there are any.
fn of_hosts(world: &World, target: &Target) -> Result<Vec<(Target, Vec<Backup>)>> {
    let mut found = Vec::new();
    let with_more = |of: Target| {
        let more = besides(world, &of);
        std::iter::once(of).chain(more)
    };
    for of in hosts::targets(world, target).into_iter().flat_map(with_more) {
        let copies = backups::list(&backup_directory(world, &of.settings))?;
        if !copies.is_empty() {
            found.push((of, copies));
        }
    }
    Ok(found)
}

/// The copies of what was in the place of a project's launcher.
fn launchers(world: &World, target: &Target) -> Result<Vec<Backup>> {
    let launcher = target.launcher().filter(|_| !target.local);
    let list = |path: PathBuf| backups::list(&backup_directory(world, &path));
    Ok(launcher.map(list).transpose()?.unwrap_or_default())
}

fn path(args: &args::Backups, world: &World, backup: &Backup) -> String {
    if args.verbose { format!("  {}", world.paths.shown(&backup.path)) } else { String::new() }
}

fn show_launchers(args: &args::Backups, world: &World, target: &Target, launchers: &[Backup]) {
    let Some(launcher) = target.launcher().filter(|_| !launchers.is_empty()) else { return };
    let shown = world.paths.shown(&launcher);
    world.terminal.line(format!("{shown} as it was before hookman's launcher replaced it:"));
    for copy in launchers {
        let (time, path) = (copy.time(), path(args, world, copy));
        world.terminal.print_row(&format!("     {time}  {:>8} bytes", copy.size), &path, 5);
    }
}
