//! `hookman outdated`: the packages that have a newer version.

use anyhow::Result;
use serde_json::json;

use super::args::Outdated;
use super::exit::ExitStatus;
use super::packaging;
use super::word::hint;
use crate::install::target::Target;
use crate::machine::{World, files, trees};
use crate::manifest::package::{PLUGIN, Provenance};
use crate::manifest::packages_of;
use crate::package::lock::Locked;
use crate::package::{fetch, known};

pub(super) struct Newer {
    pub(super) package: String,
    pub(super) was: (String, String),
    /// The revision that is newer, or the same one with another commit.
    pub(super) rev: String,
    pub(super) commit: String,
}

/// The packages of a manifest that have a newer version, and those that could not be checked.
#[derive(Default)]
pub(super) struct Looked {
    pub(super) newer: Vec<Newer>,
    /// The packages that could not be looked for, each with the reason.
    pub(super) unknown: Vec<(String, String)>,
    /// The packages that `vendor` copied, which have no newer version.
    copies: Vec<String>,
    count: usize,
}

impl Looked {
    pub(super) const fn exit(&self) -> ExitStatus {
        if !self.unknown.is_empty() {
            ExitStatus::Error
        } else if self.newer.is_empty() {
            ExitStatus::Done
        } else {
            ExitStatus::Found
        }
    }
}

pub(super) fn outdated(args: &Outdated, world: &World) -> Result<ExitStatus> {
    let target = Target::of(&args.scope, world)?;
    let looked = looked(world, &target, &|_| true)?;
    if args.json {
        let row = |it: &Newer| {
            json!({"package": it.package, "rev": it.was.0, "commit": it.was.1,
                   "newest_rev": it.rev, "newest_commit": it.commit})
        };
        let rows: Vec<_> = looked.newer.iter().map(row).collect();
        let unknown = looked.unknown.iter();
        let unknown: Vec<_> =
            unknown.map(|(package, why)| json!({"package": package, "message": why})).collect();
        world.terminal.line(json!({"outdated": rows, "unknown": unknown}).to_string());
    } else {
        tell(world, &looked);
    }
    Ok(looked.exit())
}

pub(super) fn tell(world: &World, looked: &Looked) {
    let Looked { newer, unknown, copies, count } = looked;
    for package in copies {
        hint(
            world,
            format!(
                "`{package}` is a copy that `hookman vendor` made: for a newer one remove the package, delete \
                 the copy, and install and vendor it again"
            ),
        );
    }
    for (package, why) in unknown {
        hint(world, format!("⚠ {package} could not be checked: {why}"));
    }
    if newer.is_empty() {
        world.terminal.line(match (unknown.len(), count) {
            (_, 0) if !copies.is_empty() => return,
            (_, 0) => "There are no packages from elsewhere.",
            (0, _) => "Every package is the newest.",
            (unknown, count) if unknown == *count => {
                "So nobody knows whether there is a newer one."
            }
            _ => "The other packages are the newest.",
        });
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

/// Looks for something newer of the packages of a manifest that are meant.
pub(super) fn looked(
    world: &World,
    target: &Target,
    is_meant: &dyn Fn(&str) -> bool,
) -> Result<Looked> {
    let text = files::read_text(&target.manifest)?.unwrap_or_default();
    let lock = known::read(&target.manifest).unwrap_or_default();
    let mut looked = Looked::default();
    for package in packages_of(&text).into_iter().filter(|it| is_meant(&it.name)) {
        let url = match &package.from {
            Provenance::Git(url) => url,
            Provenance::Path(path) => {
                let is_copy = *path == packaging::copy_of(&package.name);
                looked.copies.extend(is_copy.then_some(package.name));
                continue;
            }
        };
        let kept = lock.of(&package).cloned().unwrap_or_else(|| Locked::named(&package));
        looked.count += 1;
        let mut unknown = |why: String| looked.unknown.push((package.name.clone(), why));
        let (was, (rev, commit)) = match url.strip_prefix(PLUGIN) {
            Some(plugin) => {
                let tree = match fetch::plugged(&world.paths, &target.manifest, plugin) {
                    Ok(tree) => tree,
                    Err(why) => {
                        unknown(format!("{why:#}; the installed version keeps running"));
                        continue;
                    }
                };
                ((String::new(), kept.tree), (String::new(), trees::digest(&tree)))
            }
            None => match newest(url, &kept.rev, world.terminal.can_ask()) {
                Ok(newest) => ((kept.rev, kept.commit), newest),
                Err(why) => {
                    unknown(format!("{:#}", anyhow::Error::from(why)));
                    continue;
                }
            },
        };
        if was.1 != commit {
            looked.newer.push(Newer { package: package.name, was, rev, commit });
        }
    }
    Ok(looked)
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
