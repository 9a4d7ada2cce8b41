//! Pins: the hooks of a chain as a person has seen them, each with the files that it runs.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chain::Chain;
use crate::chain::Plan;
use crate::machine::files::{self, Stamp};
use crate::machine::{Paths, environment, git, trees};
use crate::manifest::{self, Hook, Observe, OnChange, OnError, Origin};
use crate::package::definition::{self, ABSENT, Run};
use crate::package::known::Known;
use crate::package::lock::Lock;
use crate::package::store;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub definition: String,
    /// The SHA-256 of each file that it runs, by its whole path.
    pub files: BTreeMap<String, String>,
    /// True if the project switches it off for everybody.
    #[serde(default, skip_serializing_if = "is_false")]
    off: bool,
    /// True if it is unchanged from its fetched package, which is pinned as a whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub whole: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(it: &bool) -> bool {
    !it
}

impl Pin {
    pub fn of(rule: &Rule<'_>, hook: &Hook) -> Self {
        let is_fetched = store::holds(rule.paths, hook);
        let whole = is_fetched && !rule.is_changed(hook);
        let files = if is_fetched { BTreeMap::new() } else { rule.files(hook) };
        let off = rule.is_off(hook);
        Self { definition: definition::text(hook), files, off, whole }
    }

    /// The definition and the switch, as shown to a person.
    pub fn shown(&self) -> String {
        self.definition.clone() + if self.off { definition::OFF } else { "" }
    }

    fn says(&self, key: &str) -> Option<&str> {
        self.definition.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))
    }
}

pub type Pins = BTreeMap<String, Pin>;

pub fn file(paths: &Paths, chain: &Chain) -> PathBuf {
    paths.cache_for("pins", &chain.manifest)
}

/// The pins of a chain; `None` before the first run, whose hooks count as seen.
pub fn read(paths: &Paths, chain: &Chain) -> Option<Pins> {
    let mut text = String::new();
    match files::read_into(&file(paths, chain), &mut text) {
        Ok(false) => None,
        // Pins that cannot be read hold nothing as seen.
        Ok(true) => Some(serde_json::from_str(&text).unwrap_or_default()),
        Err(_) => Some(Pins::new()),
    }
}

/// Keeps the text of pinned files, to show later what changed; best effort.
pub fn keep_contents<'p>(paths: &Paths, pins: impl Iterator<Item = &'p Pin>) {
    const LARGEST: usize = 256 * 1024;
    for (path, hash) in pins.flat_map(|pin| &pin.files) {
        let kept = content_file(paths, hash);
        let text = std::path::Path::new(path);
        if let (false, Ok(Some(text))) = (files::is_there(&kept), files::read_text(text))
            && text.len() <= LARGEST
            && trees::hash(text.as_bytes()) == *hash
        {
            let _ = files::replace_private(&kept, &text);
        }
    }
}

/// The kept text of a pinned file.
pub fn content(paths: &Paths, hash: &str) -> Option<String> {
    files::read_text(&content_file(paths, hash)).ok().flatten()
}

fn content_file(paths: &Paths, hash: &str) -> PathBuf {
    paths.state.join("seen").join(hash)
}

pub fn on_change(paths: &Paths) -> Option<OnChange> {
    let text = files::read_text(&paths.user_manifest()).ok()??;
    // Most say nothing of it, and reading TOML takes long; a quoted key may be written by escapes.
    let may_say = text.contains("on_change") || text.contains('\\');
    may_say.then(|| manifest::on_change(&text)).flatten()
}

/// Returns whether only the lock is trusted, as in CI, where nobody can be asked.
pub fn is_by_lock() -> bool {
    environment::text("HOOKMAN_TRUST").is_some_and(|it| it == "lock")
}

/// The rule by which hooks of a chain run only as they were pinned.
pub struct Rule<'a> {
    paths: &'a Paths,
    chain: &'a Chain,
    said: Option<OnChange>,
    own: OnceCell<bool>,
}

impl<'a> Rule<'a> {
    pub fn of(paths: &'a Paths, chain: &'a Chain) -> Self {
        Self { paths, chain, said: on_change(paths), own: OnceCell::new() }
    }

    /// Returns whether a hook runs only as pinned; of a fetched package, the manifest's changes to it.
    pub fn is_held(&self, hook: &Hook) -> bool {
        if self.chain.is_managed() || hook.passed().is_some() {
            return false;
        }
        match self.said {
            Some(said) => said != OnChange::Run,
            None if store::holds(self.paths, hook) => self.chain.overlay.is_some(),
            None => {
                hook.package.is_some() || hook.manner.adopted || self.is_projects(hook.origin())
            }
        }
    }

    /// Returns whether a person has seen the hook in its current form, `now`.
    pub fn is_seen(&self, hook: &Hook, seen: &Pin, now: &Pin) -> bool {
        let is_same = (&seen.definition, &seen.files) == (&now.definition, &now.files);
        seen.whole && now.whole || is_same && !self.is_switched(hook, seen, now)
    }

    /// Returns whether a hook's switch differs from the pinned one, but for the user's own overlay.
    fn is_switched(&self, hook: &Hook, seen: &Pin, now: &Pin) -> bool {
        seen.off != now.off && self.is_projects(hook.origins.get("enabled"))
    }

    /// Returns whether a lock has the hook, whatever the user's own overlay says of its switch.
    pub fn is_locked(&self, hook: &Hook, lock: &Lock) -> bool {
        let has = |hook| lock.has(&definition::line(self.paths, hook, &self.chain.manifest));
        let is_users = self.is_overlays(hook.origins.get("enabled")) && self.is_own();
        has(hook) || is_users && has(&Hook { enabled: !hook.enabled, ..hook.clone() })
    }

    /// The files that a hook runs, with their hashes.
    pub fn files(&self, hook: &Hook) -> BTreeMap<String, String> {
        let files = definition::files(self.paths, hook, &self.chain.manifest).into_iter();
        files.map(|it| (it.path.to_string_lossy().into_owned(), it.hash)).collect()
    }

    fn is_changed(&self, hook: &Hook) -> bool {
        let manifest = self.paths.shown(&self.chain.manifest);
        let is_overlay = |origin| self.is_overlays(Some(origin)) && !self.is_own();
        hook.origins.values().any(|origin| origin.file == manifest || is_overlay(origin))
    }

    fn is_off(&self, hook: &Hook) -> bool {
        let is_projects = self.chain.overlay.is_some() && !hook.enabled;
        is_projects && self.is_projects(hook.origins.get("enabled"))
    }

    /// Returns whether a value comes from a project's files, not from the user's own overlay.
    fn is_projects(&self, origin: Option<&Origin>) -> bool {
        self.chain.overlay.is_some() && (!self.is_overlays(origin) || !self.is_own())
    }

    fn is_overlays(&self, origin: Option<&Origin>) -> bool {
        let overlay = self.chain.overlay.as_deref().map(|overlay| self.paths.shown(overlay));
        origin.is_some_and(|it| Some(&it.file) == overlay.as_ref())
    }

    /// Returns whether the overlay is the user's own, as git does not track it.
    fn is_own(&self) -> bool {
        let is_tracked = || {
            let overlay = self.chain.overlay.as_deref()?;
            git::tracks(overlay.parent()?, Path::new(overlay.file_name()?))
        };
        *self.own.get_or_init(|| is_tracked() != Some(true))
    }
}

fn short(hook: &Hook) -> &String {
    hook.package.as_ref().map_or(&hook.name, |package| &package.name)
}

/// The locks of a chain merged into one; empty if one cannot be read.
pub fn lock(paths: &Paths, chain: &Chain) -> Lock {
    Known::of(paths, chain.files()).lock().cloned().unwrap_or_default()
}

/// The record that decides whether a person has seen a hook.
enum Basis {
    Pins(Pins),
    /// The lock, where nobody can be asked.
    Lock(Lock),
    /// Nothing was pinned yet: the hooks of the last plan count as seen, or else all.
    First(Option<BTreeSet<String>>),
}

impl Basis {
    fn of(paths: &Paths, chain: &Chain) -> Self {
        if is_by_lock() {
            return Self::Lock(lock(paths, chain));
        }
        read(paths, chain).map_or_else(|| Self::First(planned(paths, chain)), Self::Pins)
    }
}

/// The hooks of a chain's last plan; `None` if no plan can be read.
pub fn planned(paths: &Paths, chain: &Chain) -> Option<BTreeSet<String>> {
    let mut text = String::new();
    files::read_into(&chain.plan_file(paths), &mut text).ok().filter(|found| *found)?;
    Some(Plan::parse(&text)?.hooks().map(|(name, _)| name.to_owned()).collect())
}

/// Returns whether this is the chain's first plan, whose hooks all count as seen.
pub fn is_first(paths: &Paths, chain: &Chain) -> bool {
    read(paths, chain).is_none() && !files::is_there(&chain.plan_file(paths))
}

/// The enabled hooks that a person has not seen in this form, which do not run, and why.
pub fn held(paths: &Paths, chain: &Chain, hooks: &[Hook]) -> BTreeMap<String, String> {
    let rule = Rule::of(paths, chain);
    let may_be = |hook: &&Hook| {
        (hook.enabled || chain.overlay.is_some()) && (hook.package.is_some() || rule.is_held(hook))
    };
    let mut hooks = hooks.iter().filter(may_be).peekable();
    if hooks.peek().is_none() {
        return BTreeMap::new();
    }
    let basis = Basis::of(paths, chain);
    let held = hooks.filter_map(|hook| {
        let mut strict = hook.clone();
        basis.keep_strict(&rule, &mut strict);
        if !strict.enabled {
            return None;
        }
        let why = match compared(&rule, hook, &basis)? {
            Ok((_, seen)) => changed(&watched(&seen, &Run::default()), chain)?,
            Err(why) => why,
        };
        Some((hook.name.clone(), why))
    });
    held.collect()
}

/// The message about a pinned file that was changed or replaced.
fn not_as_seen(pinned: &str, file: &Path, chain: &Chain) -> String {
    let (pinned, flag) = (pinned.replace("//", "/"), chain.flag());
    let here = std::path::absolute(file).unwrap_or_default();
    if here == Path::new(&pinned) {
        return format!(
            "`{pinned}` is not as you have seen it; `hookman trust{flag}` shows what changed"
        );
    }
    let here = here.display();
    format!(
        "`{here}` is not `{pinned}`, which you have seen; `cwd = \"project\"` in the hook runs that"
    )
}

/// A hook's current pin and the one seen, or why it does not run; `None` if nobody has to see it.
fn compared(rule: &Rule<'_>, hook: &Hook, basis: &Basis) -> Option<Result<(Pin, Pin), String>> {
    if let Some(why) = hook.package.as_ref().and_then(|it| it.absent.as_deref()) {
        return Some(Err(why.to_owned()));
    }
    let (is_fetched, is_held) = (store::holds(rule.paths, hook), rule.is_held(hook));
    if !is_fetched && !is_held {
        return None;
    }
    let pin = Pin::of(rule, hook);
    let seen = if is_held { basis.seen(rule, hook, &pin) } else { Ok(pin.clone()) };
    let seen = if is_fetched { fetched(rule, hook, seen) } else { seen };
    Some(seen.map(|seen| (pin, seen)))
}

/// The plan's column for each hook: empty, the pinned files with stamp and hash, or `!` and why it does not
/// run. A gate that does not run stays as strict as a person saw it.
pub fn columns(paths: &Paths, chain: &Chain, hooks: &mut [Hook]) -> Vec<String> {
    let (rule, basis) = (Rule::of(paths, chain), Basis::of(paths, chain));
    let before = read(paths, chain);
    let (mut pins, mut is_any_held) = (before.clone().unwrap_or_default(), false);
    let columns = hooks.iter_mut().map(|hook| match compared(&rule, hook, &basis) {
        None => String::new(),
        Some(Ok((pin, seen))) => {
            let is_persons = matches!(basis, Basis::Pins(_));
            if rule.is_held(hook) && (before.is_none() || pin.whole && is_persons) {
                pins.insert(hook.name.clone(), pin);
            }
            watched(&seen, &definition::run(paths, hook, &chain.manifest))
        }
        Some(Err(why)) => {
            // A fetched package is pinned as a whole, not hook by hook.
            let is_there = hook.package.as_ref().is_none_or(|it| it.absent.is_none());
            is_any_held |= is_there && rule.is_held(hook);
            basis.keep_strict(&rule, hook);
            format!("!{why}")
        }
    });
    let columns = columns.collect();
    // Without this, a held hook would count as seen next time, because it is in the plan.
    if before.map_or(is_any_held || !pins.is_empty(), |before| before != pins) {
        let text = serde_json::to_string(&pins).unwrap_or_default();
        let _ = files::replace_private(&file(paths, chain), &text);
        keep_contents(paths, pins.values());
    }
    columns
}

/// Adds the files of a fetched package's hook, or fails if it changed since.
fn fetched(rule: &Rule<'_>, hook: &Hook, seen: Result<Pin, String>) -> Result<Pin, String> {
    let root = hook.package.as_ref().map(|it| Path::new(&*it.root));
    let is_whole = root.is_some_and(|root| {
        store::is_whole(root, &root.file_name().unwrap_or_default().to_string_lossy())
    });
    if is_whole {
        return seen.map(|seen| Pin { files: rule.files(hook), ..seen });
    }
    Err(format!(
        "its files are not those that were fetched; `hookman apply{}` fetches them again",
        rule.chain.flag()
    ))
}

impl Basis {
    /// The pin that a person has seen, if the hook still has that definition.
    fn seen(&self, rule: &Rule<'_>, hook: &Hook, pin: &Pin) -> Result<Pin, String> {
        let chain = rule.chain;
        let shows = format!("`hookman trust{}` shows", chain.flag());
        match self {
            Self::First(Some(known)) if !known.contains(&hook.name) => {
                Err(format!("you have not seen it yet; {shows} it"))
            }
            Self::First(_) => Ok(pin.clone()),
            Self::Pins(pins) => match pins.get(&hook.name) {
                Some(seen) if pin.whole && seen.whole => Ok(pin.clone()),
                None => Err(format!("you have not seen it yet; {shows} it")),
                Some(seen) if seen.definition != pin.definition => Err(format!(
                    "its definition is not the one that you have seen; {shows} what changed"
                )),
                Some(seen) if rule.is_switched(hook, seen, pin) => {
                    let was = if seen.off { "off" } else { "on" };
                    Err(format!("it was {was} when you saw it; {shows} what changed"))
                }
                Some(seen) => {
                    let mut seen = seen.clone();
                    // It runs once the files that nobody has seen are gone.
                    for path in pin.files.keys() {
                        seen.files.entry(path.clone()).or_insert_with(|| ABSENT.to_owned());
                    }
                    Ok(seen)
                }
            },
            Self::Lock(lock) => {
                if rule.is_locked(hook, lock) {
                    return Ok(pin.clone());
                }
                let flag = chain.flag();
                Err(format!(
                    "it differs from `hookman.lock`; `hookman lock{flag}` updates the lock"
                ))
            }
        }
    }
}

impl Basis {
    /// Keeps a held hook as strict as a person saw it: to open a gate has to wait, too.
    fn keep_strict(&self, rule: &Rule<'_>, hook: &mut Hook) {
        let (said, is_watching, was_off) = match self {
            Self::Pins(pins) => {
                // If another package has a hook of that name too, the pin may have the name with
                // the package.
                let other = || pins.get(&hook.in_package()?).or_else(|| pins.get(short(hook)));
                let Some(seen) = pins.get(&hook.name).or_else(other) else { return };
                let said = seen.says("on_error").map(|it| it.trim_matches(['"', '\'']));
                (said.map(str::to_owned), seen.says("mode").is_some(), seen.off)
            }
            Self::Lock(lock) => {
                let Some(locked) = lock.on_error(short(hook)) else { return };
                (locked.map(str::to_owned), true, rule.is_locked(hook, lock))
            }
            Self::First(_) => return,
        };
        let was = said.as_deref().and_then(OnError::from_name).unwrap_or_default();
        hook.on_error = hook.on_error.max(was);
        if was != OnError::Open {
            if !is_watching {
                hook.manner.observe = Observe::Never;
            }
            hook.enabled |= !was_off && rule.is_off(hook);
        }
    }
}

/// Nanoseconds in which a second write can leave the same time stamp.
pub const SETTLED: i128 = 100_000_000;

/// The files of a pin, one a line: size, time, inode, hash, path, with two slashes where the session's part
/// begins. A zero stamp has each run hash the file; of a path with stars it is the directory's, and the
/// hash the names'.
fn watched(pin: &Pin, run: &Run) -> String {
    let mut text = String::new();
    let stamp = |path: &Path| {
        let now = jiff::Timestamp::now().as_nanosecond();
        let is_settled = |stamp: &Stamp| now - stamp.modified >= SETTLED;
        files::stamp(path).ok().flatten().filter(is_settled)
    };
    let triple = |it: Option<Stamp>| it.map_or((0, 0, 0), |it| (it.size, it.modified, it.inode));
    for (glob, seen) in run.globs_of(&pin.files) {
        let is_same = |_: &Stamp| seen == definition::found(&glob);
        let (size, modified, inode) = triple(glob.parent().and_then(stamp).filter(is_same));
        let (names, glob) = (definition::names(&seen), glob.display());
        let _ = writeln!(text, "{size} {modified} {inode} *{names} {glob}");
    }
    for (path, hash) in &pin.files {
        let file = Path::new(path);
        let is_same = || trees::hash_of(file).as_ref() == Some(hash);
        let (size, modified, inode) = triple(stamp(file).filter(|_| is_same()));
        let inner =
            run.files.iter().find(|it| it.path == file).and_then(|it| it.in_session.as_deref());
        let (before, slash, inner) = match inner.and_then(Path::to_str) {
            Some(inner) => (path.strip_suffix(inner).unwrap_or(path), "/", inner),
            None => (&**path, "", ""),
        };
        let _ = writeln!(text, "{size} {modified} {inode} {hash} {before}{slash}{inner}");
    }
    text
}

/// Says which file of a plan's column is another than the pinned one, from this directory.
pub fn changed(column: &str, chain: &Chain) -> Option<String> {
    column.lines().find_map(|line| {
        let mut words = line.splitn(5, ' ');
        let (size, modified, inode) = (words.next()?, words.next()?, words.next()?);
        let (hash, path) = (words.next()?, words.next()?);
        let is_as_it_was = |it: &Stamp| {
            size.parse() == Ok(it.size)
                && modified.parse() == Ok(it.modified)
                && inode.parse() == Ok(it.inode)
        };
        let is_same = |file: &Path, stamp: Option<&Stamp>| {
            stamp.map_or(hash == ABSENT, is_as_it_was)
                || match hash.strip_prefix('*') {
                    Some(names) => definition::names(&definition::found(file)) == names,
                    None => trees::hash_of(file).is_some_and(|it| it == hash),
                }
        };
        let stamp = |file: &Path| {
            let of_folder = file.parent().filter(|_| hash.starts_with('*'));
            files::stamp(of_folder.unwrap_or(file)).ok().flatten()
        };
        let inner = path.split_once("//").map(|(_, inner)| Path::new(inner));
        if let Some((inner, here)) = inner.and_then(|it| Some((it, stamp(it)?))) {
            return (!is_same(inner, Some(&here))).then(|| not_as_seen(path, inner, chain));
        }
        let file = Path::new(path);
        (!is_same(file, stamp(file).as_ref())).then(|| not_as_seen(path, file, chain))
    })
}
