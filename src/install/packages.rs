//! The packages of a chain's manifests: fetched, shown, and written with their locks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::change::Change;
use super::change::manifest::ManifestChange;
use super::change::records::colour;
use super::change::writes::{Writes, changed};
use super::target::Target;
use super::target::layers::Layers;
use crate::client::event::Event;
use crate::machine::terminal::harmless;
use crate::machine::trees::{self, Leaf, Tree};
use crate::machine::world::World;
use crate::machine::{agents, environment, files};
use crate::manifest::package::{PLUGIN, Package, Provenance};
use crate::manifest::{Action, Hook, OnChange, packages_of};
use crate::package::fetch::{self, Got};
use crate::package::lock::{self, Lock, Locked};
use crate::package::{definition, form, known, store};
use crate::state::{pins, plans};
use crate::syntax::diff::unified_diff;

/// The locks of a chain as they are and as they are to be, with the manifest where that changes too.
#[derive(Default)]
pub(crate) struct Packages {
    manifest: Option<ManifestChange>,
    files: Vec<LockFile>,
    /// The packages that are new or other than they were, to be shown.
    news: Vec<News>,
    /// The directories in which their programs may write.
    data: Vec<PathBuf>,
    /// True if the manifests' own hooks are locked too.
    locks_own: bool,
    /// True if a person says by `hookman trust` that they may run.
    by_trust: bool,
    /// A directory of the user's that a package is copied to.
    copy: Option<(PathBuf, Tree)>,
}

/// The lock of one manifest.
struct LockFile {
    path: PathBuf,
    manifest: PathBuf,
    before: Option<String>,
    old: Lock,
    new: Lock,
}

/// A package that a person is to look at.
pub(crate) struct News {
    pub(crate) package: Package,
    pub(crate) was: Option<Locked>,
    pub(crate) locked: Locked,
    /// The commits since.
    log: Option<Vec<String>>,
    lines: Vec<String>,
    diffs: Vec<String>,
}

impl News {
    fn of(
        package: &Package,
        was: Option<Locked>,
        locked: &Locked,
        log: Option<Vec<String>>,
    ) -> Self {
        let (lines, diffs) = (Vec::new(), Vec::new());
        Self { package: package.clone(), was, locked: locked.clone(), log, lines, diffs }
    }
}

/// The packages that are looked for again, though they are locked.
#[derive(Clone, Copy)]
pub(crate) enum Renewed<'a> {
    /// None: what is locked counts.
    None,
    /// None, and what is not locked is an error.
    Locked,
    /// Those of these names.
    Named(&'a [String]),
    /// None; a package becomes a copy in this directory, with the files that it was locked with.
    Copied(&'a Path, &'a Locked),
    /// None; a lock that a merge left in two minds is settled, and the manifest's own hooks are locked too.
    Settled,
}

impl Packages {
    /// The packages of a target's manifests, with `text` in the place of the one that it edits. What is
    /// not on this machine is fetched; nothing of the user's is written.
    pub(crate) fn of(
        world: &World,
        target: &Target,
        text: Option<&str>,
        renewed: Renewed<'_>,
    ) -> Result<Self> {
        let mut packages = Self::default();
        for manifest in target.chain.files() {
            let edited = text.filter(|_| manifest == target.manifest).map(str::to_owned);
            let text = match edited {
                Some(text) => Some(text),
                None => files::read_text(manifest)?,
            };
            let wanted = text.as_deref().map(packages_of).unwrap_or_default();
            packages.add(world, manifest, &wanted, renewed)?;
        }
        Ok(packages)
    }

    fn add(
        &mut self,
        world: &World,
        manifest: &Path,
        wanted: &[Package],
        renewed: Renewed<'_>,
    ) -> Result<()> {
        let path = lock::next_to(manifest);
        let before = files::read_text(&path)?;
        let shown = world.paths.shown(&path);
        self.locks_own = matches!(renewed, Renewed::Settled);
        let old = match before.as_deref().map(Lock::parse) {
            None => Lock::default(),
            Some(Err(_)) if self.locks_own => Lock::merged(before.as_deref().unwrap_or_default()),
            Some(lock) => lock.with_context(|| format!("`{shown}` cannot be read"))?,
        };
        let mut new = Lock { own: old.own.clone(), ..Lock::default() };
        for package in wanted {
            let kept = old.of(package);
            let is_renewed =
                matches!(renewed, Renewed::Named(names) if names.contains(&package.name));
            let is_path = matches!(package.from, Provenance::Path(_));
            let is_here = |locked: &&Locked| is_path || store::is_kept(&world.paths, &locked.tree);
            if matches!(renewed, Renewed::Locked) && kept.is_none() {
                bail!(
                    "`{shown}` has nothing about the package `{}`, and --locked changes no lock",
                    package.name
                );
            }
            if let Some(locked) = kept.filter(is_here).filter(|_| !is_renewed && !is_path) {
                new.package.push(locked.clone());
                if !store::is_trusted(&world.paths, &locked.tree) {
                    self.data.push(store::data(&world.paths, &package.name));
                    let was = store::seen_before(&world.paths, locked);
                    self.news.push(News::of(package, was, locked, Some(Vec::new())));
                }
                continue;
            }
            // Whatever the manifest says of its revision, it is the same package.
            let was =
                kept.or_else(|| old.package.iter().find(|it| it.name == package.name)).cloned();
            let since = was.as_ref().map(|was| was.commit.as_str()).filter(|it| !it.is_empty());
            let folder = manifest.parent().unwrap_or(manifest);
            let asks = world.terminal.can_ask();
            if matches!(&package.from, Provenance::Git(url) if !url.starts_with(PLUGIN)) {
                world.terminal.warn(format!("fetching `{}` …", harmless(&package.name)));
            }
            let fixed = kept.filter(|_| !is_renewed && !is_path);
            let Got { locked, log } = match (renewed, &package.from) {
                (Renewed::Copied(to, old), Provenance::Path(path)) if old.name == package.name => {
                    let (name, path, tree) = (old.name.clone(), path.clone(), old.tree.clone());
                    self.copy =
                        Some((to.to_owned(), trees::read(&store::place(&world.paths, &tree))?));
                    let locked = Locked { name, path, tree, ..Locked::default() };
                    Got { locked, log: Some(Vec::new()) }
                }
                _ => {
                    let since = since.filter(|_| is_renewed);
                    let got = fetch::get(&world.paths, folder, package, fixed, since, asks);
                    got.with_context(|| format!("the package `{}` cannot be had", package.name))?
                }
            };
            if matches!(renewed, Renewed::Locked)
                && was.as_ref().is_some_and(|was| was.tree != locked.tree)
            {
                bail!(
                    "the files of the package `{}` are not those that `{shown}` names",
                    package.name
                );
            }
            self.data.push(store::data(&world.paths, &package.name));
            new.package.push(locked.clone());
            if was
                .as_ref()
                .is_none_or(|was| (&was.tree, &was.commit) != (&locked.tree, &locked.commit))
                || kept.is_some_and(|_| !is_path)
            {
                self.news.push(News::of(package, was, &locked, log));
            }
        }
        self.files.push(LockFile { path, manifest: manifest.to_owned(), before, old, new });
        Ok(())
    }

    /// The lock afterwards, of all manifests.
    pub(crate) fn lock(&self) -> Lock {
        let new = self.files.iter().flat_map(|file| &file.new.package);
        Lock { package: new.cloned().collect(), own: Vec::new() }
    }

    /// The same with the manifest that changes, and the hooks that come of it all.
    pub(crate) fn completed(
        mut self,
        world: &World,
        manifest: Option<ManifestChange>,
        layers: &Layers,
    ) -> Self {
        self.manifest = manifest;
        let hooks = &layers.all.hooks;
        for (index, file) in self.files.iter_mut().enumerate() {
            // What an overlay says otherwise is no concern of the lock that others have too.
            let hooks = if index == 0 { &layers.committed.hooks } else { hooks };
            for locked in &mut file.new.package {
                let own = hooks.iter().filter(|hook| is_of(hook, &locked.name));
                locked.hooks =
                    own.map(|hook| definition::line(&world.paths, hook, &file.manifest)).collect();
            }
            if self.locks_own || !file.old.own.is_empty() {
                file.new.own = own_lines(world, hooks, &file.manifest);
            }
        }
        for news in &mut self.news {
            let manifest = &self.files[0].manifest;
            news.lines = described(world, news, hooks, manifest);
            news.diffs = differences(world, news, hooks, manifest);
        }
        self
    }

    /// The same as the word of `hookman trust`.
    pub(crate) fn by_trust(self) -> Self {
        Self { by_trust: true, ..self }
    }

    /// Returns whether they may run from now on.
    fn is_agreed(&self, world: &World) -> bool {
        let is_enough = self.by_trust || pins::on_change(&world.paths) != Some(OnChange::Hold);
        is_enough && is_persons_word()
    }

    /// The packages that a person is to look at.
    pub(crate) fn news(&self) -> &[News] {
        &self.news
    }
}

pub(crate) fn is_of(hook: &Hook, package: &str) -> bool {
    hook.package.as_ref().is_some_and(|it| it.package == package)
}

/// The lines of a lock about a manifest's own hooks that run files next to it.
pub(crate) fn own_lines(world: &World, hooks: &[Hook], manifest: &Path) -> Vec<String> {
    let shown = world.paths.shown(manifest);
    let own = hooks.iter().filter(|hook| {
        hook.package.is_none() && hook.origin().is_some_and(|origin| origin.file == shown)
    });
    own.map(|hook| definition::line(&world.paths, hook, manifest))
        .filter(|line| !line.rsplit(' ').next().unwrap_or_default().starts_with("definition="))
        .collect()
}

/// Lists what a package is and runs.
fn described(world: &World, news: &News, hooks: &[Hook], manifest: &Path) -> Vec<String> {
    let News { package, locked, was, log, .. } = news;
    let (Provenance::Git(from) | Provenance::Path(from)) = &package.from;
    let from = from.strip_prefix(PLUGIN).unwrap_or(from);
    let inner =
        if package.folder.is_empty() { String::new() } else { format!("//{}", package.folder) };
    let rev = if locked.rev.is_empty() { String::new() } else { format!(" {}", locked.rev) };
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let commit = if locked.commit.is_empty() {
        String::new()
    } else {
        format!(", commit {}", short(&locked.commit))
    };
    let mut lines = vec![format!("package {}: {from}{inner}{rev}{commit}", package.name)];
    let folder = manifest.parent().unwrap_or(manifest);
    let place = match &package.from {
        Provenance::Git(_) => store::place(&world.paths, &locked.tree),
        Provenance::Path(path) => known::planned(
            &world.paths,
            known::at(&world.paths, folder, path, &package.folder),
            locked,
        ),
    };
    if let Ok(reading) = form::read(&place) {
        lines.extend(reading.notes.iter().map(|note| format!("  {note}")));
        if let Some(plugin) = reading.plugin {
            lines.push(format!("  it is the plugin `{plugin}`"));
        }
    }
    let own: Vec<&Hook> = hooks.iter().filter(|hook| is_of(hook, &package.name)).collect();
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
            .map(|file| file.name)
            .collect();
        if !files.is_empty() {
            lines.push(format!("      files {}", files.join(", ")));
        }
    }
    if own.is_empty() {
        lines.push("  it gives no hook that hookman runs".to_owned());
    }
    if let Some(was) = was.as_ref().filter(|was| !was.commit.is_empty()) {
        match log {
            Some(log) => lines.extend(log.iter().map(|line| format!("  {line}"))),
            None => lines.push(format!(
                "  ⚠ the commit that was locked, {}, is not among the last 100 before it: the history may \
                 have been rewritten",
                short(&was.commit)
            )),
        }
    }
    lines.iter().map(|line| harmless(line)).collect()
}

/// Diffs of what a package declares and of each file that can run, since it was locked.
fn differences(world: &World, news: &News, hooks: &[Hook], manifest: &Path) -> Vec<String> {
    let Some(was) = news.was.as_ref().filter(|was| was.tree != news.locked.tree) else {
        return Vec::new();
    };
    let places = [&was.tree, &news.locked.tree].map(|tree| store::place(&world.paths, tree));
    let [Ok(old), Ok(new)] = places.each_ref().map(|place| trees::read(place)) else {
        return Vec::new();
    };
    let definition = |place: &Path| form::read(place).ok();
    let [before, after] = places.each_ref().map(|place| definition(place));
    let file = after.as_ref().or(before.as_ref()).map(|it| it.file.clone()).unwrap_or_default();
    let both = before.iter().chain(&after).flat_map(|it| &it.entries);
    let entries: BTreeSet<String> = both.map(|(file, _)| file.clone()).collect();
    let [before, after] = [before, after].map(|it| it.map(|it| it.text));
    let run: Vec<String> = hooks
        .iter()
        .filter(|hook| is_of(hook, &news.package.name))
        .flat_map(|hook| definition::files(&world.paths, hook, manifest))
        .map(|file| file.name)
        .collect();
    let diff = |path: &str, before: Option<&str>, after: Option<&str>| {
        unified_diff(&format!("{}/{path}", news.package.name), before, after, colour(world))
    };
    let mut found = Vec::new();
    if before != after {
        found.push(diff(&file, before.as_deref(), after.as_deref()));
    }
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for path in paths {
        let sides = [old.get(path), new.get(path)];
        let can_run = |leaf: Option<&Leaf>| {
            leaf.is_some_and(|it| it.executable || it.bytes.starts_with(b"#!"))
        };
        let is_named = run.contains(path) || entries.contains(path);
        if sides[0] == sides[1] || !(is_named || sides.into_iter().any(can_run)) {
            continue;
        }
        let texts = sides.map(|leaf| leaf.map(|leaf| std::str::from_utf8(&leaf.bytes)));
        found.push(match texts {
            [None | Some(Ok(_)), None | Some(Ok(_))] => {
                let [before, after] = texts.map(|text| text.and_then(Result::ok));
                diff(path, before, after)
            }
            _ => format!("{}/{path}: another program, which is no text\n", news.package.name),
        });
    }
    found
}

impl Change for Packages {
    fn is_empty(&self) -> bool {
        self.manifest.as_ref().is_none_or(Change::is_empty)
            && self.files.iter().all(|file| file.before == file.new.text())
            && self.news.is_empty()
    }

    fn show(&self, world: &World) {
        if let Some((folder, tree)) = &self.copy {
            let shown = world.paths.shown(folder);
            world.terminal.line(format!("{shown}: {} files are copied there", tree.len()));
        }
        for news in &self.news {
            news.lines.iter().for_each(|line| world.terminal.line(line));
            news.diffs.iter().for_each(|diff| world.terminal.print(diff));
        }
        if let Some(manifest) = &self.manifest {
            manifest.show(world);
        }
        for file in self.files.iter().filter(|file| file.before != file.new.text()) {
            let packages: Vec<&str> = file.new.package.iter().map(|it| it.name.as_str()).collect();
            let shown = world.paths.shown(&file.path);
            world.terminal.line(match packages.as_slice() {
                [] => format!("{shown}: locks no package"),
                names => format!("{shown}: locks {}", names.join(", ")),
            });
        }
    }

    fn check(&self, world: &World) -> Result<()> {
        if let Some(manifest) = &self.manifest {
            manifest.check(world)?;
        }
        for file in &self.files {
            if files::read_text(&file.path)? != file.before {
                return Err(changed(world, &file.path));
            }
            if file.before != file.new.text() {
                files::check_replaceable(&file.path)?;
            }
        }
        Ok(())
    }

    // Between the two writes of the manifest's command the lock has both: whichever manifest a kill
    // leaves, it is locked.
    fn begin(&self, writes: &mut Writes<'_>) -> Result<()> {
        for file in &self.files {
            let both = file.both();
            if file.before != both {
                writes.exchange(&file.path, file.before.as_deref(), both.as_deref())?;
            }
        }
        Ok(())
    }

    fn write(&self, writes: &mut Writes<'_>) -> Result<()> {
        if self.is_agreed(writes.world) {
            for locked in self.files.iter().flat_map(|file| &file.new.package) {
                store::trust(&writes.world.paths, locked)?;
            }
        }
        for folder in &self.data {
            files::make_private_directory(folder)?;
        }
        if let Some((folder, tree)) = &self.copy {
            trees::lay_out(folder, tree)?;
        }
        self.manifest.as_ref().map_or(Ok(()), |manifest| manifest.write(writes))
    }

    fn end(&self, writes: &mut Writes<'_>) -> Result<()> {
        for file in &self.files {
            let (both, after) = (file.both(), file.new.text());
            if both != after {
                writes.exchange(&file.path, both.as_deref(), after.as_deref())?;
            }
            if file.before != after {
                let shown = writes.world.paths.shown(&file.path);
                let deed = if after.is_some() { "wrote" } else { "removed" };
                writes.world.terminal.line(format!("{deed} {shown}"));
            }
        }
        if !self.news.is_empty() && !self.is_agreed(writes.world) {
            let line = "The packages do not run yet: only you can say that they may, with `hookman trust` in \
                        a terminal of your own.";
            writes.world.terminal.line(line);
        }
        sweep(writes.world, &self.lock());
        Ok(())
    }
}

/// Returns whether this is what a person wants, and no agent's tool: a person typed it, or set the variable
/// with which continuous integration trusts what the lock says.
pub(crate) fn is_persons_word() -> bool {
    let by_lock = environment::text("HOOKMAN_TRUST").is_some_and(|it| it == "lock");
    agents::is_person() || (by_lock && !agents::is_agent())
}

/// Removes packages that no manifest of this machine has named for long.
fn sweep(world: &World, lock: &Lock) {
    let manifests = plans::manifests(&world.paths);
    let locks: Vec<Lock> = manifests.iter().filter_map(|it| known::read(it).ok()).collect();
    let all = locks.iter().chain([lock]).flat_map(|lock| &lock.package);
    let named: Vec<&str> = all.map(|it| it.tree.as_str()).collect();
    store::sweep(&world.paths, &named);
}

impl LockFile {
    fn both(&self) -> Option<String> {
        let is_kept = |it: &&Locked| self.new.package.iter().all(|new| !new.is_like(it));
        let old = self.old.package.iter().filter(is_kept);
        Lock { package: old.chain(&self.new.package).cloned().collect(), own: self.new.own.clone() }
            .text()
    }
}
