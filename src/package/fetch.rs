//! Getting a package: which commit its revision is, and the files of it.

use std::path::Path;

use super::known;
use super::lock::Locked;
use super::{plugin, store};
use crate::machine::paths::Paths;
use crate::machine::repository::{self, Fetched, Reference, Trouble, references};
use crate::machine::trees::{self, BadTree, Tree};
use crate::manifest::package::{PLUGIN, Package, Provenance};
use crate::syntax::suggestion::{did_you_mean, nearest};

#[derive(Debug, thiserror::Error)]
pub enum NotFetched {
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// It has no such revision, and perhaps one like it.
    #[error("it has neither a tag nor a branch `{0}`, and a commit has 40 digits{1}")]
    NoRevision(String, String),
    #[error("it has neither a version tag nor a branch")]
    NoneThere,
    #[error("the client has not installed it here; run `claude plugin install {0}`")]
    NoPlugin(String),
    #[error(
        "the client has another version of the plugin than `hookman.lock` names; `hookman update` shows \
         what is different"
    )]
    OtherPlugin,
    #[error("the files of its commit {0} are not those that `hookman.lock` names")]
    Other(String),
    #[error(
        "its repository no longer has the commit {0}, which `hookman.lock` names; `hookman update` looks \
         for another one, and shows what is different"
    )]
    Gone(String),
    #[error(transparent)]
    Unkept(#[from] crate::machine::Error),
}

impl From<BadTree> for NotFetched {
    fn from(bad: BadTree) -> Self {
        Self::Trouble(bad.into())
    }
}

pub struct Got {
    /// Its entry in a lock, without the lines of its hooks.
    pub locked: Locked,
    /// The commits since the one that the caller named; `None` if that is not an ancestor.
    pub log: Option<Vec<String>>,
}

/// The revision that is meant where none is named: the newest version tag, else the main branch.
pub fn newest(url: &str, asks: bool) -> Result<String, NotFetched> {
    let (found, head) = references(url, asks)?;
    let tags = found.iter().filter_map(|it| it.name.strip_prefix("refs/tags/"));
    let newest = tags.filter_map(|tag| Some((version(tag)?, tag))).max();
    newest.map(|(_, tag)| tag.to_owned()).or(head).ok_or(NotFetched::NoneThere)
}

/// The numbers of a tag that is a version, such as `v1.4.0`.
pub fn version(tag: &str) -> Option<Vec<u64>> {
    let numbers = tag.strip_prefix('v').unwrap_or(tag);
    let numbers: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}

/// Gets a package by its revision, or by the commit that is `locked`; with `since`, what came after that
/// commit. `folder` is the directory of the manifest.
pub fn get(
    paths: &Paths,
    folder: &Path,
    package: &Package,
    locked: Option<&Locked>,
    since: Option<&str>,
    asks: bool,
) -> Result<Got, NotFetched> {
    let mut entry = Locked::named(package);
    let url = match &package.from {
        Provenance::Path(path) => {
            let place = known::at(paths, folder, path, &package.folder);
            entry.tree = trees::digest(&trees::read(&place)?);
            return Ok(Got { locked: entry, log: Some(Vec::new()) });
        }
        Provenance::Git(url) => url,
    };
    if let Some(name) = url.strip_prefix(PLUGIN) {
        let tree = plugged(paths, folder, name)?;
        entry.tree = trees::digest(&tree);
        if locked.is_some_and(|locked| locked.tree != entry.tree) {
            return Err(NotFetched::OtherPlugin);
        }
        store::keep(paths, &tree)?;
        return Ok(Got { locked: entry, log: Some(Vec::new()) });
    }
    if !repository::is_address(url) {
        return Err(Trouble::Git("take this address", url.clone()).into());
    }
    entry.commit = match locked {
        Some(locked) => locked.commit.clone(),
        None => commit(url, &entry.rev, asks)?,
    };
    let fetched = Fetched::of(&store::folder(paths), (url, &entry.commit), since.is_some(), asks)?;
    let tree = fetched.tree(&package.folder).map_err(|trouble| match trouble {
        Trouble::Git("list the files", _) if locked.is_some() => {
            NotFetched::Gone(entry.commit.clone())
        }
        trouble => trouble.into(),
    })?;
    if locked.is_some_and(|locked| locked.tree != trees::digest(&tree)) {
        return Err(NotFetched::Other(entry.commit));
    }
    entry.tree = store::keep(paths, &tree)?;
    let log = match since {
        Some(since) => fetched.log(since),
        None => Some(Vec::new()),
    };
    Ok(Got { locked: entry, log })
}

/// The files of a plugin that the client installed; `folder` is the directory of the manifest.
pub fn plugged(paths: &Paths, folder: &Path, name: &str) -> Result<Tree, NotFetched> {
    let all = plugin::installed(paths);
    let root = all.get(name).and_then(|all| plugin::root(all, Some(folder)));
    Ok(trees::read(&root.ok_or_else(|| NotFetched::NoPlugin(name.to_owned()))?)?)
}

pub fn commit(url: &str, rev: &str, asks: bool) -> Result<String, NotFetched> {
    let is_commit = matches!(rev.len(), 40 | 64) && rev.bytes().all(|it| it.is_ascii_hexdigit());
    if is_commit {
        return Ok(rev.to_owned());
    }
    let (found, _) = references(url, asks)?;
    let names = [format!("refs/tags/{rev}"), format!("refs/heads/{rev}")];
    let known = names.iter().find_map(|name| found.iter().find(|it| it.name == *name));
    let short = |it: &Reference| -> Option<String> {
        let name =
            it.name.strip_prefix("refs/tags/").or_else(|| it.name.strip_prefix("refs/heads/"))?;
        Some(name.to_owned())
    };
    known.map(|it| it.commit.clone()).ok_or_else(|| {
        let all: Vec<String> = found.iter().filter_map(short).collect();
        let hint =
            nearest(rev, all.iter().map(String::as_str)).map(did_you_mean).unwrap_or_default();
        NotFetched::NoRevision(rev.to_owned(), hint)
    })
}
