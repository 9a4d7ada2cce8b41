//! The packages of a chain's manifests: fetched, shown, and written with their locks.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::change::writes::{Writes, changed};
use super::change::{Change, ManifestChange};
use super::locks::{self, is_of, own_lines};
use super::news::{News, place};
use super::target::{Layers, Target};
use crate::machine::terminal::harmless;
use crate::machine::trees::{self, Tree};
use crate::machine::{World, agents, files};
use crate::manifest::package::{PLUGIN, Package, Provenance};
use crate::manifest::{OnChange, check_package_name, packages_of};
use crate::package::fetch::{self, Got};
use crate::package::lock::{self, Lock, Locked};
use crate::package::{definition, form, known, store};
use crate::state::{pins, plans};

/// The locks of a chain as they are and as they are to be, with the manifest where that changes too.
#[derive(Default)]
pub(crate) struct Packages {
    manifest: Option<ManifestChange>,
    files: Vec<LockFile>,
    /// The packages that are new or other than they were, to be shown.
    news: Vec<News>,
    /// True if a person says by `hookman trust` that they may run.
    by_trust: bool,
    /// True if the locks count, and stay as they are.
    is_fixed: bool,
    /// A directory of the user's that a package is copied to.
    copy: Option<(PathBuf, Tree)>,
}

const FIXED: &str = "and --locked and `HOOKMAN_TRUST=lock` change no lock";

fn instead(lock: &Lock, package: &Package) -> String {
    match lock.with_name(&package.name) {
        Some(other) => format!("`{}` and not `{}`", other.version(), package.version()),
        None => format!("nothing about the package `{}`", package.name),
    }
}

struct LockFile {
    path: PathBuf,
    manifest: PathBuf,
    before: Option<String>,
    old: Lock,
    new: Lock,
    /// True if the manifest's own hooks are locked too.
    has_own: bool,
}

/// The packages that are looked for again, though they are locked.
#[derive(Clone, Copy)]
pub(crate) enum Renewed<'a> {
    /// None: what is locked counts.
    None,
    /// None, and what is not locked is an error.
    Locked,
    Named(&'a [String]),
    /// None; this one was fetched just now.
    Got(&'a Locked),
    /// None; a package becomes a copy in this directory, with the files that it was locked with.
    Copied(&'a Path, &'a Locked),
    /// None; a lock that a merge left in two minds is settled, and the manifest's own hooks are locked too.
    Settled,
}

impl Packages {
    /// The packages of a target's manifests, `text` for the edited one; what is missing is fetched.
    pub(crate) fn of(
        world: &World,
        target: &Target,
        text: Option<&str>,
        renewed: Renewed<'_>,
    ) -> Result<Self> {
        let is_fixed = matches!(renewed, Renewed::Locked) || pins::is_by_lock();
        let mut packages = Self { is_fixed, ..Self::default() };
        for manifest in target.chain.files() {
            let edited = text.filter(|_| manifest == target.manifest).map(str::to_owned);
            let text = match edited {
                Some(text) => Some(text),
                None => files::read_text(manifest)?,
            };
            let wanted = text.as_deref().map(packages_of).unwrap_or_default();
            packages.add(world, target, manifest, &wanted, renewed)?;
        }
        store::sweep_left(&world.paths, &target.manifest);
        Ok(packages)
    }

    fn add(
        &mut self,
        world: &World,
        target: &Target,
        manifest: &Path,
        wanted: &[Package],
        renewed: Renewed<'_>,
    ) -> Result<()> {
        let path = lock::next_to(manifest);
        let before = files::read_text(&path)?;
        let shown = world.paths.shown(&path);
        let is_settled = matches!(renewed, Renewed::Settled);
        let is_mended = is_settled || matches!(renewed, Renewed::Named(_));
        let (old, disputed) = match before.as_deref().map(Lock::parse) {
            None => Default::default(),
            Some(Err(_)) if is_mended && files::is_link(&path) => bail!(
                "`{shown}` is a link to a file that is no lock; put a file in the place of the link"
            ),
            Some(Err(_)) if is_mended => Lock::merged(before.as_deref().unwrap_or_default()),
            Some(lock) => (lock.with_context(|| format!("`{shown}` cannot be read"))?, Vec::new()),
        };
        let mut new = Lock { own: old.own.clone(), ..Lock::default() };
        for package in wanted {
            let is_renewed =
                matches!(renewed, Renewed::Named(names) if names.contains(&package.name));
            let is_path = matches!(package.from, Provenance::Path(_));
            let folder = manifest.parent().unwrap_or(manifest);
            let sides: Vec<&Locked> = disputed.iter().filter(|it| it.is_of(package)).collect();
            let kept = match sides[..] {
                [one, other] if !is_renewed => {
                    let later = later(world, folder, package, [one, other])?;
                    Some(later.with_context(|| in_two_minds(&shown, target, [one, other]))?)
                }
                _ => old.of(package),
            };
            let is_here = |locked: &&Locked| is_path || store::is_kept(&world.paths, &locked.tree);
            if self.is_fixed && kept.is_none() {
                bail!("`{shown}` has {}, {FIXED}", instead(&old, package));
            }
            if let Some(locked) = kept.filter(is_here).filter(|_| !is_renewed && !is_path) {
                new.package.push(locked.clone());
                if !store::is_trusted(&world.paths, &locked.tree) {
                    let was = store::seen_before(&world.paths, locked);
                    self.news.push(News::of(package, was, locked, Some(Vec::new())));
                }
                continue;
            }
            let fixed = kept.filter(|_| !is_renewed && !is_path);
            // A pulled lock can name content that nobody here has seen.
            let pulled = fixed.filter(|it| !store::is_trusted(&world.paths, &it.tree));
            let seen = pulled.and_then(|locked| store::seen_before(&world.paths, locked));
            let is_since = is_renewed || seen.is_some();
            // Whatever the manifest says of its revision, it is the same package.
            let all = || old.package.iter().chain(&disputed);
            let named = || all().find(|it| it.name == package.name);
            let was = seen.or_else(|| kept.or_else(named).cloned());
            let since = was.as_ref().map(|was| was.commit.as_str()).filter(|it| !it.is_empty());
            let Got { locked, log } = match (renewed, &package.from) {
                (Renewed::Copied(to, old), Provenance::Path(_)) if old.name == package.name => {
                    let tree = old.tree.clone();
                    let copy = trees::read(&store::place(&world.paths, &tree))?;
                    if trees::digest(&copy) != tree {
                        bail!(
                            "the files of `{}` on this machine are not those that `{shown}` names; \
                             `hookman apply{}` gets them again",
                            package.name,
                            target.flag()
                        );
                    }
                    self.copy = Some((to.to_owned(), copy));
                    let locked = Locked { tree, ..Locked::named(package) };
                    Got { locked, log: Some(Vec::new()) }
                }
                (Renewed::Got(locked), _) if locked.is_of(package) => {
                    Got { locked: locked.clone(), log: Some(Vec::new()) }
                }
                _ => fetched(world, folder, package, fixed, since.filter(|_| is_since))?,
            };
            let is_unlocked = is_settled && kept.is_none() && !is_path;
            let unlocked =
                || is_unlocked.then(|| unlocked(world, &shown, package, &locked)).flatten();
            let was = was.or_else(unlocked);
            if self.is_fixed && kept.is_some_and(|kept| kept.tree != locked.tree) {
                bail!(
                    "the files of the package `{}` are not those that `{shown}` names",
                    package.name
                );
            }
            new.package.push(locked.clone());
            if was
                .as_ref()
                .is_none_or(|was| (&was.tree, &was.commit) != (&locked.tree, &locked.commit))
                || kept.is_some_and(|_| !is_path)
            {
                self.news.push(News::of(package, was, &locked, log));
            }
        }
        // A project's own hooks that are not locked do not run where the lock alone counts.
        let is_projects = target.project.is_some() && manifest == target.chain.manifest;
        let is_needed = is_projects && matches!(renewed, Renewed::Locked) && pins::is_by_lock();
        let has_own = is_settled || !old.own.is_empty() || is_needed;
        self.files.push(LockFile {
            path,
            manifest: manifest.to_owned(),
            before,
            old,
            new,
            has_own,
        });
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
            if file.has_own {
                file.new.own = own_lines(world, hooks, &file.manifest);
            }
        }
        let manifest = &self.files[0].manifest;
        self.news.iter_mut().for_each(|news| news.describe(world, hooks, manifest));
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

    pub(crate) fn news(&self) -> &[News] {
        &self.news
    }
}

/// Gets a package, and says so if that may take time.
fn fetched(
    world: &World,
    folder: &Path,
    package: &Package,
    locked: Option<&Locked>,
    since: Option<&str>,
) -> Result<Got> {
    if matches!(&package.from, Provenance::Git(url) if !url.starts_with(PLUGIN)) {
        world.terminal.warn(format!("fetching `{}` …", harmless(&package.name)));
    }
    let got = fetch::get(&world.paths, folder, package, locked, since, world.terminal.can_ask());
    got.with_context(|| format!("the package `{}` cannot be used", package.name))
}

/// The content that was seen of a package of which the lock says nothing.
fn unlocked(world: &World, shown: &str, package: &Package, locked: &Locked) -> Option<Locked> {
    world.terminal.warn(harmless(&format!(
        "`{shown}` names no commit of the package `{}`, so it is taken as it is now",
        package.version()
    )));
    store::seen_before(&world.paths, locked)
}

/// Of the two commits of a package that a merge left, the one that came after the other.
fn later<'l>(
    world: &World,
    folder: &Path,
    package: &Package,
    [one, other]: [&'l Locked; 2],
) -> Result<Option<&'l Locked>> {
    for (late, early) in [(one, other), (other, one)] {
        if fetched(world, folder, package, Some(late), Some(&early.commit))?.log.is_some() {
            return Ok(Some(late));
        }
    }
    Ok(None)
}

fn in_two_minds(shown: &str, target: &Target, [one, other]: [&Locked; 2]) -> String {
    format!(
        "the merge left `{shown}` two commits of `{name}`, and neither came after the other: {} and {}; \
         `hookman update {name}{}` gets the newest and shows what is different",
        one.commit,
        other.commit,
        target.flag(),
        name = one.name,
    )
}

/// Gets a package that no manifest has yet; gives it with the name that it gives itself, where it does.
pub(crate) fn first(world: &World, target: &Target, package: &Package) -> Result<Locked> {
    let folder = target.manifest.parent().unwrap_or(&target.manifest);
    let mut locked = fetched(world, folder, package, None, None)?.locked;
    let place = place(world, folder, package, &locked);
    let name = form::read(&place).ok().and_then(|reading| reading.said("name"));
    if let Some(name) = name.filter(|name| check_package_name(name).is_ok()) {
        locked.name = name;
    }
    Ok(locked)
}

impl Change for Packages {
    fn is_empty(&self) -> bool {
        self.manifest.as_ref().is_none_or(Change::is_empty)
            && self.files.iter().all(|file| file.before == file.after())
            && self.news.is_empty()
    }

    fn show(&self, world: &World) {
        if let Some((folder, tree)) = &self.copy {
            let shown = world.paths.shown(folder);
            world.terminal.line(format!("{shown}: {} files are copied there", tree.len()));
        }
        self.news.iter().for_each(|news| news.show(world));
        if let Some(manifest) = &self.manifest {
            manifest.show(world);
        }
        for file in self.files.iter().filter(|file| file.before != file.after()) {
            let packages: Vec<&str> = file.new.package.iter().map(|it| it.name.as_str()).collect();
            let shown = world.paths.shown(&file.path);
            world.terminal.line(match packages.as_slice() {
                [] if !file.new.own.is_empty() => {
                    format!("{shown}: locks the manifest's own hooks")
                }
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
            if file.before == file.after() {
                continue;
            }
            if self.is_fixed {
                let lines = |lock: &Lock| {
                    let hooks = lock.package.iter().flat_map(|it| &it.hooks);
                    hooks.chain(&lock.own).cloned().collect::<Vec<String>>()
                };
                let shown = world.paths.shown(&file.path);
                let what = locks::differing(&lines(&file.old), &lines(&file.new), &shown);
                let what =
                    what.first().cloned().unwrap_or(format!("{shown} is not as it would be"));
                bail!("{what}, {FIXED}");
            }
            files::check_replaceable(&file.path)?;
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
        for locked in self.files.iter().flat_map(|file| &file.new.package) {
            files::make_private_directory(&store::data(&writes.world.paths, &locked.name))?;
        }
        if let Some((folder, tree)) = &self.copy {
            trees::lay_out(folder, tree)?;
        }
        self.manifest.as_ref().map_or(Ok(()), |manifest| manifest.write(writes))
    }

    fn end(&self, writes: &mut Writes<'_>) -> Result<()> {
        for file in &self.files {
            let (both, after) = (file.both(), file.after());
            if both != after {
                writes.exchange(&file.path, both.as_deref(), after.as_deref())?;
            }
            if file.before != after {
                let shown = writes.world.paths.shown(&file.path);
                let deed = if after.is_some() { "wrote" } else { "removed" };
                writes.world.terminal.line(format!("{deed} {shown}"));
            }
        }
        let is_agreed = self.is_agreed(writes.world);
        // It is the last step: what is not seen yet tells the next update that this one was killed.
        for locked in self.files.iter().flat_map(|file| &file.new.package).filter(|_| is_agreed) {
            store::trust(&writes.world.paths, locked)?;
        }
        if !self.news.is_empty() && !is_agreed {
            let line = "The packages do not run yet: only you can allow them, with `hookman \
                        trust` in a terminal of your own.";
            writes.world.terminal.line(line);
        }
        sweep(writes.world, &self.lock());
        Ok(())
    }
}

/// Returns whether a person wants this: typed it, or set the variable by which CI trusts the lock.
pub(crate) fn is_persons_word() -> bool {
    agents::is_person() || (pins::is_by_lock() && !agents::is_agent())
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
    /// Returns whether it stays as it was written, as it says the same, and no merge left it in two minds.
    fn stays(&self) -> bool {
        self.old == self.new && self.before.as_deref().is_none_or(|it| Lock::parse(it).is_ok())
    }

    fn after(&self) -> Option<String> {
        if self.stays() { self.before.clone() } else { self.new.text() }
    }

    fn both(&self) -> Option<String> {
        if self.stays() {
            return self.before.clone();
        }
        let is_kept = |it: &&Locked| self.new.package.iter().all(|new| !new.is_like(it));
        let old = self.old.package.iter().filter(is_kept);
        Lock { package: old.chain(&self.new.package).cloned().collect(), own: self.new.own.clone() }
            .text()
    }
}
