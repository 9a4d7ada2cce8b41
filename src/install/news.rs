//! Packages that are new or other than they were, as a person is shown them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::change::records::colour;
use super::locks::is_of;
use crate::client::Event;
use crate::machine::World;
use crate::machine::terminal::harmless;
use crate::machine::trees::{self, Leaf};
use crate::manifest::package::{PLUGIN, Package, Provenance};
use crate::manifest::{Action, Hook};
use crate::package::definition::ABSENT;
use crate::package::lock::Locked;
use crate::package::{definition, fetch, form, known, store};
use crate::syntax::diff::unified_diff;

/// A package that a person is to look at.
pub(crate) struct News {
    pub(crate) package: Package,
    pub(crate) was: Option<Locked>,
    pub(crate) locked: Locked,
    /// The commits since.
    log: Option<Vec<String>>,
    text: String,
}

impl News {
    pub(super) fn of(
        package: &Package,
        was: Option<Locked>,
        locked: &Locked,
        log: Option<Vec<String>>,
    ) -> Self {
        let (package, locked) = (package.clone(), locked.clone());
        Self { package, was, locked, log, text: String::new() }
    }

    /// Looks at its hooks and files, as they are to be.
    pub(super) fn describe(&mut self, world: &World, hooks: &[Hook], manifest: &Path) {
        let lines = described(world, self, hooks, manifest).into_iter();
        let lines: String = lines.map(|line| harmless(&line) + "\n").collect();
        self.text = lines + &differences(world, self);
    }

    pub(crate) fn show(&self, world: &World) {
        world.terminal.print(&self.text);
    }
}

pub(super) fn place(world: &World, folder: &Path, package: &Package, locked: &Locked) -> PathBuf {
    match &package.from {
        Provenance::Git(_) => store::place(&world.paths, &locked.tree),
        Provenance::Path(path) => {
            let place = known::at(&world.paths, folder, path, &package.folder);
            known::planned(&world.paths, place, locked)
        }
    }
}

fn described(world: &World, news: &News, hooks: &[Hook], manifest: &Path) -> Vec<String> {
    let News { package, locked, was, log, .. } = news;
    let (Provenance::Git(from) | Provenance::Path(from)) = &package.from;
    let from = from.strip_prefix(PLUGIN).unwrap_or(from);
    let with = |mark: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{mark}{text}"),
    };
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let (inner, rev) = (with("//", &package.folder), with(" ", &locked.rev));
    let commit = with(", commit ", &short(&locked.commit));
    let mut lines = vec![format!("package {}: {from}{inner}{rev}{commit}", package.name)];
    let folder = manifest.parent().unwrap_or(manifest);
    let own: Vec<&Hook> = hooks.iter().filter(|hook| is_of(hook, &package.name)).collect();
    let reading = form::read(&place(world, folder, package, locked)).ok();
    if let Some(reading) = &reading {
        lines.extend(reading.said("summary").map(|it| format!("  {}", it.replace('\n', " "))));
        lines.extend(reading.notes.iter().map(|note| format!("  {note}")));
        lines.extend(reading.plugin.as_ref().map(|it| format!("  it is the plugin `{it}`")));
    }
    for hook in &own {
        let events = Event::names(&hook.events).join(", ");
        let matcher = hook.matcher.as_deref().map(|it| format!("({it})")).unwrap_or_default();
        lines.push(format!("  {}  {events}{matcher}", hook.name));
        lines.push(match &hook.action {
            Action::Builtin { name, .. } => format!("      {} ({name})", hook.summary),
            Action::Command(line) => format!("      runs {}", line.replace('\n', "\n        ")),
            Action::Argv(words) => format!("      runs {}", words.join(" ")),
            Action::Passed(passed) => format!("      the client runs {}", passed.summary()),
        });
        let files: Vec<String> = definition::files(&world.paths, hook, manifest)
            .into_iter()
            .filter(|file| file.hash != ABSENT)
            .map(|file| file.name)
            .collect();
        if !files.is_empty() {
            lines.push(format!("      files {}", files.join(", ")));
        }
    }
    let is_taken = |name: &String| {
        own.iter().any(|hook| hook.package.as_ref().is_some_and(|it| it.name == *name))
    };
    let mut left = reading.map(|it| it.names()).unwrap_or_default();
    left.retain(|name| !is_taken(name));
    if !left.is_empty() {
        lines.push(format!("  not taken: {}", left.join(", ")));
    }
    if own.is_empty() {
        lines.push("  it has no hook that hookman runs".to_owned());
    }
    if let Some(was) = was.as_ref().filter(|was| !was.commit.is_empty()) {
        let is_tag = (&was.git, &was.rev) == (&locked.git, &locked.rev)
            && fetch::version(&was.rev).is_some();
        if is_tag && was.commit != locked.commit {
            let (rev, commit) = (&was.rev, short(&was.commit));
            lines.push(format!("  ⚠ the tag {rev} was moved: it was the commit {commit}"));
        }
        match log {
            _ if was.git != locked.git && !locked.git.is_empty() => {
                lines.push(format!("  ⚠ the `{}` that was seen came from {}", package.name, was.git));
            }
            Some(log) => lines.extend(log.iter().map(|line| format!("  {line}"))),
            None => lines.push(format!(
                "  ⚠ the commit that was locked, {}, is not among the last 100 before it: this is an \
                 older one, or the history was rewritten",
                short(&was.commit)
            )),
        }
    }
    lines
}

/// Diffs of each file of a package since it was locked: a script can read or run any of them.
fn differences(world: &World, news: &News) -> String {
    let Some(was) = news.was.as_ref().filter(|was| was.tree != news.locked.tree) else {
        return String::new();
    };
    let places = [&was.tree, &news.locked.tree].map(|tree| store::place(&world.paths, tree));
    let [Ok(old), Ok(new)] = places.map(|place| trees::read(&place)) else {
        return String::new();
    };
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let sides = paths.into_iter().map(|path| (path, [old.get(path), new.get(path)]));
    let differing = sides.filter(|(_, [before, after])| before != after);
    let diff = |(path, sides): (&String, [Option<&Leaf>; 2])| {
        let name = format!("{}/{path}", news.package.name);
        let texts = sides.map(|leaf| leaf.map(|leaf| std::str::from_utf8(&leaf.bytes).ok()));
        match texts {
            [Some(None), _] | [_, Some(None)] => {
                format!("{name}: changed, and not a text\n")
            }
            [before, after] if before == after => format!("{name}: its executable bit changed\n"),
            [before, after] => {
                unified_diff(&name, before.flatten(), after.flatten(), colour(world))
            }
        }
    };
    differing.map(diff).collect()
}
