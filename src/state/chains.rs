//! The chains on this machine: where their manifests are, and their compiled plans.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::{Catalogue, catalogue, pins};
use crate::chain::Plan;
use crate::chain::entries::Entries;
use crate::chain::plan::{self, Header, Source};
use crate::client::Event;
use crate::machine::files::{self, Stamp};
use crate::machine::paths::real;
use crate::machine::{Paths, agents, foreign};
use crate::manifest::{self, Hook, Manifest, OnError, Position, Problem, Problems};
use crate::package::known::Known;
use crate::package::{form, lock, store};
use crate::syntax::json::is_blank;

pub use super::chain::{Chain, MANAGED};

/// The chains that apply in a project or outside of any: an administrator's, the user's, the project's.
pub fn chains_of(paths: &Paths, project: Option<&Path>) -> Vec<Chain> {
    let mut chains = vec![Chain::of_user(paths)];
    // A home directory that is a project has one manifest, and it is the user's.
    let of_project = project.map(Chain::of_project);
    let is_another = |chain: &Chain| real(&chain.manifest) != real(&chains[0].manifest);
    chains.extend(of_project.filter(is_another));
    let managed = Chain::of_managed(&paths.managed_folder());
    if files::is_there(&managed.manifest) {
        chains.insert(0, managed);
    }
    chains
}

/// The nearest directory upwards with a manifest, or with the launcher that looks for one.
pub fn project_around(directory: &Path) -> Option<PathBuf> {
    let has_manifest = |folder: &&Path| {
        let inner = folder.join(".claude");
        let names = ["hookman.toml", "hookman.local.toml", "hookman"];
        inner.exists() && names.iter().any(|name| inner.join(name).is_file())
    };
    directory.ancestors().find(has_manifest).map(PathBuf::from)
}

#[derive(Debug)]
pub enum Loaded {
    Plan(String),
    /// A plan that was made again because the cached one was damaged.
    Mended(String),
    /// The last plan that could be made, and what is wrong with the manifests since.
    LastGood(String, String),
    Absent,
    /// Manifests that cannot be read and no earlier plan, or that are gone while the client still calls.
    Broken {
        problems: String,
        /// The strictest that they seem to say of failures.
        on_error: OnError,
    },
}

/// The plan of a chain: the cached one where it still fits, else made again on the spot.
pub fn load(paths: &Paths, chain: &Chain) -> Loaded {
    load_with(paths, chain, (false, files::read_into), &StableRead::default())
}

/// As [`load`], for a run: a cached plan may be its head alone, with the file for the rest. `is_called` tells
/// that the caller has entries for the chain in files of its own.
pub fn load_called(
    paths: &Paths,
    chain: &Chain,
    is_called: bool,
    file: &mut Option<OwnedFd>,
) -> Loaded {
    let read = |path: &Path, text: &mut String| {
        *file = files::read_head(path, plan::head, text)?;
        Ok(file.is_some())
    };
    load_with(paths, chain, (is_called, read), &StableRead::default())
}

fn load_with(
    paths: &Paths,
    chain: &Chain,
    (is_called, read): (bool, impl FnOnce(&Path, &mut String) -> io::Result<bool>),
    stable: &StableRead<'_>,
) -> Loaded {
    let mut cached = String::new();
    let plan_file = chain.plan_file(paths);
    let known = read(&plan_file, &mut cached);
    let good = match &known {
        Ok(true) => Header::parse(&cached),
        _ => None,
    };
    if good.as_ref().is_some_and(|header| fits(paths, header, chain)) {
        return Loaded::Plan(cached);
    }
    let was_good = good.is_some();
    stable.wait_for_the_end(|| chain.files());
    let compiled = || match emptied(paths, chain) {
        Some(problems) => Err(problems),
        None => plan(paths, chain, true),
    };
    let mut made = compiled();
    if was_good && matches!(made, Ok(None)) {
        // Some programs remove a file before they write it.
        (stable.wait)(QUIET);
        made = compiled();
    }
    match made {
        // A file that is cut where it still is a manifest may be half a save, and opens no gate.
        Ok(Some(plan))
            if was_good && plan::loses(&cached, &plan) && stable.is_in_doubt(chain.files()) =>
        {
            Loaded::Plan(cached)
        }
        Ok(Some(plan)) => {
            keep(paths, chain, &plan);
            let is_new = was_good || matches!(known, Ok(false));
            if is_new { Loaded::Plan(plan) } else { Loaded::Mended(plan) }
        }
        Ok(None) => match gone(paths, chain, is_called, &cached) {
            Some(lost) => lost,
            None => {
                let _ = files::remove(&plan_file);
                Loaded::Absent
            }
        },
        // In CI nothing runs that the lock does not name.
        Err(problems) if was_good && !pins::is_by_lock() => {
            Loaded::LastGood(cached, problems.to_string())
        }
        // Where a package is not on this machine, only its own hooks are missing.
        Err(problems) => match without_packages(paths, chain) {
            Some(plan) => Loaded::Plan(plan),
            None => {
                Loaded::Broken { problems: problems.to_string(), on_error: strictest(paths, chain) }
            }
        },
    }
}

/// Makes the plan of a chain of whose packages some are not on this machine, and keeps it.
pub fn without_packages(paths: &Paths, chain: &Chain) -> Option<String> {
    if emptied(paths, chain).is_some() {
        return None;
    }
    let plan = plan(paths, chain, false).ok().flatten()?;
    keep(paths, chain, &plan);
    Some(plan)
}

/// Gives the message about a manifest that is gone while its hooks are called, which opens no gate.
fn gone(paths: &Paths, chain: &Chain, is_called: bool, cached: &str) -> Option<Loaded> {
    Plan::parse(cached)?.hooks().next()?;
    if !is_called && entries(chain).is_empty() {
        return None;
    }
    let flag = chain.flag();
    let file = paths.shown(&chain.manifest);
    let problems = format!(
        "{file} is gone, and the settings still call its hooks; `hookman install{flag}` makes a \
         manifest, and `hookman uninstall{flag}` takes the entries out"
    );
    Some(Loaded::Broken { problems, on_error: plan::strictest(cached) })
}

/// The manifests that a plan comes of: for a project also the user's, for its `on_change`.
fn manifests<'c>(paths: &Paths, chain: &'c Chain) -> impl Iterator<Item = Cow<'c, Path>> {
    let of_user = chain.overlay.as_ref().map(|_| paths.user_manifest().into());
    chain.files().map(Cow::Borrowed).chain(of_user)
}

fn fits(paths: &Paths, header: &Header<'_>, chain: &Chain) -> bool {
    let is_same = |path: &Path, source: &Source<'_>| {
        path.to_str() == Some(&*source.path) && is_as_it_was(path, source)
    };
    let count = manifests(paths, chain).count();
    header.build == build()
        && header.sources.len() >= count
        && manifests(paths, chain).zip(&header.sources).all(|(path, source)| is_same(&path, source))
        // The settings are among them where a hook has an entry of its own, and what defines packages.
        && header.sources[count..].iter().all(|it| is_as_it_was(Path::new(&*it.path), it))
}

fn is_as_it_was(path: &Path, source: &Source<'_>) -> bool {
    match source.stamp {
        Some(_) => files::stamp(path).is_ok_and(|stamp| stamp.map(triple) == source.stamp),
        // A link into nowhere is not nothing.
        None => !files::is_there(path),
    }
}

fn triple(stamp: Stamp) -> (u64, i64, u64) {
    (stamp.size, i64::try_from(stamp.modified).unwrap_or(i64::MAX), stamp.inode)
}

/// Reads a chain's manifests, if there are any, with hooks by the lock for a package that is absent.
pub fn read(paths: &Paths, chain: &Chain) -> Result<Option<Manifest>, Problems> {
    read_with(paths, chain, false)
}

/// The words about a manifest that can be read, though not with all of its packages.
pub const LACKING: &str = "a package of the manifest cannot run yet";

/// As [`read`], where all packages have to be there.
pub fn read_whole(paths: &Paths, chain: &Chain) -> Result<Option<Manifest>, Problems> {
    read_with(paths, chain, true)
}

fn read_with(paths: &Paths, chain: &Chain, whole: bool) -> Result<Option<Manifest>, Problems> {
    emptied(paths, chain).map_or_else(|| parse(paths, chain, whole), Err)
}

/// Gives the message about emptied manifests whose last plan had hooks, as a save that died leaves them.
pub fn emptied(paths: &Paths, chain: &Chain) -> Option<Problems> {
    let is_blank = |path: &&Path| {
        files::stamp(path).is_ok_and(|it| it.is_some_and(|it| it.size <= BLANKS))
            && files::read_text(path).is_ok_and(|it| it.is_some_and(|it| is_blank(&it)))
    };
    let blank: Vec<&Path> = chain.files().filter(is_blank).collect();
    if blank.is_empty() {
        return None;
    }
    let mut cached = String::new();
    files::read_into(&chain.plan_file(paths), &mut cached).ok().filter(|found| *found)?;
    let header = Header::parse(&cached)?;
    Plan::parse(&cached)?.hooks().next()?;
    let was_other = |path: &&Path| {
        let source = header.sources.iter().find(|it| path.to_str() == Some(&*it.path));
        let before = source.and_then(|it| it.stamp).map(|(size, ..)| size);
        let now = files::stamp(path).ok().flatten().map(|it| it.size);
        before.is_some_and(|before| Some(before) != now)
    };
    let message = "it is empty; write a comment into it, or delete it, to have no hooks";
    let problem =
        |path: &Path| Problem { origin: origin(&paths.shown(path)), message: message.to_owned() };
    let problems: Vec<Problem> = blank.into_iter().filter(was_other).map(problem).collect();
    (!problems.is_empty()).then_some(Problems(problems))
}

/// The most bytes of a file that may be nothing but blanks.
const BLANKS: u64 = 4096;

/// The most bytes of a manifest.
const LARGEST: u64 = 1024 * 1024;

/// Refuses a manifest of more bytes than anybody writes, as reading it would take long.
pub fn check_size(paths: &Paths, path: &Path, bytes: u64) -> Result<(), Problems> {
    if bytes <= LARGEST {
        return Ok(());
    }
    let message = "it has more than 1 MiB, the most that a manifest may have".to_owned();
    Err(Problems(vec![Problem { origin: origin(&paths.shown(path)), message }]))
}

fn parse(paths: &Paths, chain: &Chain, whole: bool) -> Result<Option<Manifest>, Problems> {
    let mut texts = Vec::new();
    for path in chain.files() {
        let file = paths.shown(path);
        let size = files::stamp(path).ok().flatten().map_or(0, |stamp| stamp.size);
        check_size(paths, path, size)?;
        let text = files::read_text(path).map_err(|error| unreadable(&file, &error.source))?;
        texts.push(text.map(|text| (file, text)));
    }
    if texts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut sources =
        texts.iter().map(|text| text.as_ref().map(|(file, text)| manifest::Source { file, text }));
    let (base, overlay) = (sources.next().flatten(), sources.next().flatten());
    let catalogue = Catalogue { is_whole: whole, ..catalogue(paths, chain) };
    let manifest = manifest::read(base, overlay, &catalogue)?;
    if chain.overlay.is_some() { manifest.of_project().map(Some) } else { Ok(Some(manifest)) }
}

/// The ready-made hooks, and the packages that a chain's locks name.
pub fn catalogue(paths: &Paths, chain: &Chain) -> Catalogue {
    Catalogue { known: Known::of(paths, chain.files()), is_whole: true }
}

fn unreadable(file: &str, error: &io::Error) -> Problems {
    let message = format!("it cannot be read: {error}");
    Problems(vec![Problem { origin: origin(file), message }])
}

fn origin(file: &str) -> manifest::Origin {
    manifest::Origin { file: file.to_owned(), position: Position { line: 1, column: 1 } }
}

/// Reads a chain's manifests, just written and so believed, and saves their plan, if there are any. With
/// errors the earlier plan stays; one that cannot be saved is no error, as it is a cache.
pub fn compile(paths: &Paths, chain: &Chain) -> Result<Option<String>, Problems> {
    let plan = plan(paths, chain, true)?;
    if let Some(plan) = &plan {
        keep(paths, chain, plan);
    }
    Ok(plan)
}

/// The late options of a hook from a plan that is made again, as where the one on disk is damaged.
pub fn late_options(paths: &Paths, chain: &Chain, hook: &str) -> io::Result<String> {
    let plan = compile(paths, chain).ok().flatten();
    let plan = plan.as_deref().and_then(Plan::parse);
    let late = plan.and_then(|plan| plan.late_options(hook).map(str::to_owned));
    late.ok_or_else(|| io::Error::other("the plan is damaged, and cannot be made again"))
}

/// Makes the plan of a chain again after a command; half a save is believed no more than by a run.
pub fn refresh(paths: &Paths, chain: &Chain) {
    if agents::is_person() {
        let _ = compile(paths, chain);
    } else {
        load(paths, chain);
    }
}

fn keep(paths: &Paths, chain: &Chain, plan: &str) {
    // Every user reads an administrator's, and only the administrator can write it.
    let file = chain.plan_file(paths);
    if chain.is_managed() && files::is_link(&file) {
        return;
    }
    let write = if chain.is_managed() { files::replace } else { files::replace_private };
    let _ = write(&file, plan);
}

/// With `whole`, all packages have to be there.
fn plan(paths: &Paths, chain: &Chain, whole: bool) -> Result<Option<String>, Problems> {
    let settings = chain.settings();
    let manifests: Vec<_> = manifests(paths, chain).collect();
    let mut sources: Vec<Source<'_>> =
        manifests.iter().map(|it| source(it, pins::SETTLED)).collect();
    let of_settings: Vec<Source<'_>> = settings.iter().map(|it| source(it, HEARD)).collect();
    let Some(mut manifest) = parse(paths, chain, whole)? else { return Ok(None) };
    let pins = pins::columns(paths, chain, &mut manifest.hooks);
    manifest.hooks.iter_mut().for_each(catalogue::compile);
    let entries = entries(chain);
    let is_new = settings.iter().any(|it| is_newer_than(it, HEARD));
    let has_own = |hook: &Hook| hook.enabled && hook.manner.own_entry().is_some();
    if entries.any_apart() || manifest.hooks.iter().any(has_own) {
        sources.extend(of_settings);
    }
    let owned = |it: PathBuf| {
        let Source { path, stamp } = source(&it, pins::SETTLED);
        Source { path: path.into_owned().into(), stamp }
    };
    sources.extend(definitions(paths, chain, &manifest).into_iter().map(owned));
    let mut before = String::new();
    let _ = is_new && files::read_into(&chain.plan_file(paths), &mut before).is_ok();
    let before = Header::parse(&before).and_then(|_| Plan::parse(&before));
    let lately = |hook: &Hook, event: Event| {
        is_new && before.as_ref().is_some_and(|plan| plan.chains(event, &hook.name))
    };
    let hooks = (&*manifest.hooks, &*pins);
    let plan = plan::render(&build(), &sources, hooks, &entries, &lately);
    plan.map(Some)
        .map_err(|error| unreadable(&paths.shown(&chain.manifest), &io::Error::other(error)))
}

/// The files that say which hooks packages have: the locks, and definitions in directories.
fn definitions(paths: &Paths, chain: &Chain, manifest: &Manifest) -> Vec<PathBuf> {
    let of_packages = manifest.hooks.iter().filter(|hook| hook.package.is_some());
    if of_packages.clone().next().is_none() {
        return Vec::new();
    }
    let folders = of_packages.filter(|hook| !store::holds(paths, hook));
    let folders = folders.filter_map(|hook| hook.package.as_ref().filter(|it| it.absent.is_none()));
    let folders: BTreeSet<&Path> = folders.map(|it| Path::new(&*it.root)).collect();
    let locks = chain.files().map(lock::next_to);
    locks.chain(folders.into_iter().flat_map(form::definitions)).collect()
}

/// By which entries the client calls a chain; settings that cannot be read hold none.
pub fn entries(chain: &Chain) -> Entries {
    entries_of(chain, |_| true)
}

/// As [`entries`], of the files whose text `counts`.
pub fn entries_of(chain: &Chain, counts: impl Fn(&str) -> bool) -> Entries {
    let mut entries = Entries::default();
    for path in chain.settings() {
        if let Some(text) = files::read_text(&path).ok().flatten().filter(|text| counts(text)) {
            entries.add(&text, chain.overlay.is_some());
        }
    }
    entries
}

/// The nanoseconds after which a running client calls what its settings say (2.1.197 needs one second).
const HEARD: i128 = 5_000_000_000;

fn is_newer_than(path: &Path, age: i128) -> bool {
    let now = jiff::Timestamp::now().as_nanosecond();
    let stamp = files::stamp(path).ok().flatten();
    stamp.is_some_and(|stamp| (0..age).contains(&(now - stamp.modified)))
}

// The stamp of a file that was written a moment ago is spoiled, so that the next run looks again.
fn source(path: &Path, moment: i128) -> Source<'_> {
    let now = jiff::Timestamp::now().as_nanosecond();
    let stamp = files::stamp(path).ok().flatten().map(|stamp| {
        let (size, modified, inode) = triple(stamp);
        (size, modified, if now - stamp.modified < moment { 0 } else { inode })
    });
    Source { path: path.to_string_lossy(), stamp }
}

/// The strictest that a chain's unreadable manifests and plan seem to say of failures.
pub fn strictest(paths: &Paths, chain: &Chain) -> OnError {
    // What is there and cannot be looked at may well declare a gate.
    let read = |path: &Path| {
        let stamp = files::stamp(path).ok().flatten();
        if stamp.is_some_and(|stamp| stamp.size > LARGEST) {
            return Err(io::Error::other("it is too large"));
        }
        foreign::read(path)
    };
    let of_manifest = |path: &Path| match read(path) {
        Ok(None) if files::is_link(path) => Some(OnError::Closed),
        Ok(bytes) => bytes.map(|bytes| manifest::read::on_error(&bytes)),
        Err(_) => Some(OnError::Closed),
    };
    // Of a plan without a manifest nothing runs.
    let manifests: Vec<OnError> = chain.files().filter_map(of_manifest).collect();
    let Some(strictest) = manifests.into_iter().max() else { return OnError::Open };
    let plan = foreign::read(&chain.plan_file(paths)).ok().flatten().unwrap_or_default();
    strictest.max(plan::strictest(&String::from_utf8_lossy(&plan)))
}

/// The build that plans are stamped with, as another may know other hooks or trust a lock otherwise.
pub fn build() -> Cow<'static, str> {
    let build = crate::builtin::catalogue::BUILD;
    if pins::is_by_lock() { format!("{build}+lock").into() } else { build.into() }
}

/// A file that has not changed for so long is not being written.
const QUIET: Duration = Duration::from_millis(50);

/// The time that all waiting together takes at most.
const PATIENCE: Duration = Duration::from_millis(200);

/// The nanoseconds around its date in which a manifest takes no gate away, as a disk's clock may be ahead.
const DOUBT: i128 = 2_000_000_000;

/// The clock, in nanoseconds since 1970, and how to wait.
pub struct StableRead<'a> {
    /// The current time in nanoseconds since the epoch.
    pub now: &'a dyn Fn() -> i128,
    pub wait: &'a dyn Fn(Duration),
}

impl Default for StableRead<'_> {
    fn default() -> Self {
        Self { now: &|| jiff::Timestamp::now().as_nanosecond(), wait: &thread::sleep }
    }
}

impl StableRead<'_> {
    /// Waits until none of the files has changed for a moment, but not for long.
    pub fn wait_for_the_end<'f, I: Iterator<Item = &'f Path>>(&self, files: impl Fn() -> I) {
        let mut left = PATIENCE;
        while let Some(rest) = self.rest(files()).filter(|rest| *rest <= left) {
            (self.wait)(rest);
            left -= rest;
        }
    }

    /// Returns whether one of the files was written so lately that it may be half a save.
    pub fn is_in_doubt<'f>(&self, mut files: impl Iterator<Item = &'f Path>) -> bool {
        let now = (self.now)();
        files.any(|path| {
            let stamp = files::stamp(path).ok().flatten();
            stamp.is_some_and(|stamp| (now - stamp.modified).abs() < DOUBT)
        })
    }

    /// Gives the time for which the newest file is still left alone; the future is not waited for.
    fn rest<'f>(&self, files: impl Iterator<Item = &'f Path>) -> Option<Duration> {
        let now = (self.now)();
        let age = |path: &Path| {
            let modified = files::stamp(path).ok()??.modified;
            Some(Duration::from_nanos(u64::try_from(now - modified).ok()?))
        };
        files
            .filter_map(age)
            .filter_map(|age| QUIET.checked_sub(age))
            .max()
            .filter(|rest| !rest.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::time::Duration;

    use super::*;

    const WHOLE: &str = "[[hook]]\nname = \"one\"\nevent = \"Stop\"\ncommand = \"1\"\n\n\
                         [[hook]]\nname = \"two\"\nevent = \"Stop\"\ncommand = \"2\"\n";

    /// The steps of a save while the manifest is read; no text removes it.
    type Save = &'static [Option<&'static str>];

    /// The hooks that are loaded, or what else comes, and how often was waited. A moment after each
    /// write is looked at, whatever the machine takes for it.
    fn loaded(paths: &Paths, save: Save) -> (String, usize) {
        let manifest = paths.user_manifest();
        let write = |text: Option<&str>| match text {
            Some(text) => fs::write(&manifest, text).unwrap(),
            None => {
                let _ = fs::remove_file(&manifest);
            }
        };
        let steps = RefCell::new(save.iter());
        steps.borrow_mut().next().copied().map(write);
        let waited = RefCell::new(0);
        let wait = |_: Duration| {
            *waited.borrow_mut() += 1;
            steps.borrow_mut().next().copied().map(write);
        };
        let is_over = || steps.borrow().len() == 0 && *waited.borrow() > 0;
        let now = || {
            let modified = files::stamp(&manifest).unwrap().map_or(0, |stamp| stamp.modified);
            modified + if is_over() { 1_000_000_000 } else { 10_000_000 }
        };
        let stable = StableRead { now: &now, wait: &wait };
        let found =
            match load_with(paths, &Chain::of_user(paths), (false, files::read_into), &stable) {
                Loaded::Plan(plan) | Loaded::Mended(plan) => names(&plan),
                Loaded::LastGood(plan, problems) => format!("{}; {problems}", names(&plan)),
                Loaded::Absent => "absent".to_owned(),
                Loaded::Broken { problems, .. } => problems,
            };
        (found, waited.into_inner())
    }

    fn names(plan: &str) -> String {
        let names: Vec<&str> = Plan::parse(plan).unwrap().hooks().map(|(name, _)| name).collect();
        names.join(" ")
    }

    #[test]
    fn a_manifest_is_not_taken_for_what_it_is_while_it_is_saved() {
        let half = Some(WHOLE.split_once("\n\n").unwrap().0);
        let (whole, other) = (Some(WHOLE), Some("# none\n"));
        let odd: Save = &[Some("x")];
        let rows: &[(&[Option<&str>], &str)] = &[
            (&[whole], "one two"),
            (&[half, whole], "one two"),
            (&[Some(""), half, whole], "one two"),
            (&[None, whole], "one two"),
            (&[half], "one"),
            (&[other], ""),
            // It is not waited for ever.
            (&[half, half, half, half, half, half, half, whole], "one"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().to_owned();
        let state = config.join("state");
        let paths = Paths { home: Some(config.clone()), config, state };
        for (save, expected) in rows {
            let save: Save = save.to_vec().leak();
            assert_eq!(loaded(&paths, &[Some(WHOLE)]).0, "one two");
            assert_eq!(loaded(&paths, save).0, *expected, "{save:?}");
        }
        // One that stays empty is no manifest without hooks, and the last good one stays.
        let empty = "it is empty; write a comment into it, or delete it, to have no hooks";
        for (save, expected) in [
            (&[Some(WHOLE)] as Save, "one two".to_owned()),
            (&[Some("")], format!("one two; ~/hookman.toml:1:1: {empty}")),
            (&[Some(" \n\n")], format!("one two; ~/hookman.toml:1:1: {empty}")),
            (
                odd,
                "one two; ~/hookman.toml:1:2: not valid TOML: key with no value, expected `=`"
                    .to_owned(),
            ),
            (&[Some("")], format!("one two; ~/hookman.toml:1:1: {empty}")),
            (&[None], "absent".to_owned()),
            (&[Some("")], String::new()),
        ] {
            assert_eq!(loaded(&paths, save).0, expected, "{save:?}");
        }
        // To find that it is gone costs one more look, once.
        assert_eq!(loaded(&paths, &[Some(WHOLE)]).0, "one two");
        assert_eq!(loaded(&paths, &[None]), ("absent".to_owned(), 1));
        assert_eq!(loaded(&paths, &[None]), ("absent".to_owned(), 0));
        // Half a save opens no gate, wherever it is cut; a while later it is what is meant.
        let gate = "[[hook]]\nname = \"gate\"\nevent = \"PreToolUse\"\non_error = \"closed\"\n\
                    builtin = \"protect\"\noptions.per_agent = true\nswitch = \"user\"\n";
        let whole = format!("# mine\n[defaults]\ntimeout = 5\n\n{gate}");
        let mut believed = 0;
        for cut in (0..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
            let manifest = paths.user_manifest();
            let look = |text: &str, age: i128| {
                fs::write(&manifest, text).unwrap();
                let now = || files::stamp(&manifest).unwrap().unwrap().modified + age;
                let stable = StableRead { now: &now, wait: &|_| {} };
                load_with(&paths, &Chain::of_user(&paths), (false, files::read_into), &stable)
            };
            fs::write(&manifest, &whole).unwrap();
            let whole_plan = compile(&paths, &Chain::of_user(&paths)).unwrap().unwrap();
            let is_held = |loaded: &Loaded| match loaded {
                Loaded::Plan(plan) | Loaded::LastGood(plan, _) => !plan::loses(&whole_plan, plan),
                _ => false,
            };
            assert!(is_held(&look(&whole[..cut], 60_000_000)), "{}", &whole[..cut]);
            believed += usize::from(!is_held(&look(&whole[..cut], 3_000_000_000)));
        }
        assert!(believed > 10, "{believed}");
    }
}
