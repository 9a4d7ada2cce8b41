//! `hookman outdated`: the packages of which there is a newer version.

use anyhow::{Context, Result};
use serde_json::json;

use super::args::Outdated;
use super::exit::ExitStatus;
use super::word::hint;
use crate::install::target::Target;
use crate::machine::{World, files, trees};
use crate::manifest::package::{PLUGIN, Provenance};
use crate::manifest::packages_of;
use crate::package::lock::Locked;
use crate::package::{fetch, known};

pub(super) struct Newer {
    pub(super) package: String,
    /// The revision and the commit that are locked.
    pub(super) was: (String, String),
    /// The revision that is newer, or the same one with another commit.
    pub(super) rev: String,
    pub(super) commit: String,
}

pub(super) fn outdated(args: &Outdated, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let newer = newer(world, &target)?;
    if args.json {
        let row = |it: &Newer| {
            json!({"package": it.package, "rev": it.was.0, "commit": it.was.1,
                   "newest_rev": it.rev, "newest_commit": it.commit})
        };
        let rows: Vec<_> = newer.iter().map(row).collect();
        world.terminal.line(json!({"outdated": rows}).to_string());
    } else {
        tell(world, &newer);
    }
    Ok(if newer.is_empty() { ExitStatus::Done } else { ExitStatus::Found })
}

pub(super) fn tell(world: &World, newer: &[Newer]) {
    if newer.is_empty() {
        world.terminal.line("Every package is the newest.");
        return;
    }
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    for Newer { package, was, rev, commit } in newer {
        let (old, new) = if was.0 == *rev {
            (format!("{rev} {}", short(&was.1)), short(commit))
        } else {
            (was.0.clone(), rev.clone())
        };
        world.terminal.line(format!("{package}: {} → {new}", old.trim_start()));
    }
    hint(world, "`hookman update` shows what is different, and asks");
}

/// The packages of a manifest of which there is something newer.
pub(super) fn newer(world: &World, target: &Target) -> Result<Vec<Newer>> {
    let text = files::read_text(&target.manifest)?.unwrap_or_default();
    let lock = known::read(&target.manifest).unwrap_or_default();
    let mut found = Vec::new();
    for package in packages_of(&text) {
        let Provenance::Git(url) = &package.from else { continue };
        let locked = lock.of(&package).cloned().unwrap_or_else(|| Locked::named(&package));
        let (was, (rev, commit)) = match url.strip_prefix(PLUGIN) {
            Some(plugin) => {
                // What the client has removed since runs on as it was.
                let plugged = fetch::plugged(&world.paths, &target.manifest, plugin);
                let Ok(tree) = plugged else { continue };
                ((String::new(), locked.tree), (String::new(), trees::digest(&tree)))
            }
            None => {
                let newest = newest(url, &locked.rev, world.terminal.can_ask());
                let name = &package.name;
                let newest =
                    newest.with_context(|| format!("the package `{name}` cannot be looked for"))?;
                ((locked.rev, locked.commit), newest)
            }
        };
        if was.1 != commit {
            found.push(Newer { package: package.name, was, rev, commit });
        }
    }
    Ok(found)
}

/// The newest revision of a package, and its commit.
fn newest(url: &str, rev: &str, asks: bool) -> Result<(String, String), fetch::NotFetched> {
    let newest = match fetch::version(rev) {
        Some(now) => {
            let newest = fetch::newest(url, asks)?;
            if fetch::version(&newest).is_some_and(|it| it > now) { newest } else { rev.to_owned() }
        }
        None => rev.to_owned(),
    };
    let commit = fetch::commit(url, &newest, asks)?;
    Ok((newest, commit))
}
