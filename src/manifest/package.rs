//! Packages: hooks that come from a repository.

use std::sync::Arc;

pub const ALL: &str = "*";

pub const PLUGIN: &str = "plugin:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// A repository, by a URL that git understands, or an installed plugin.
    Git(String),
    /// A directory; one that is not absolute is relative to the manifest's.
    Path(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    pub from: Provenance,
    /// The directory in it that is the package; empty for its root.
    pub folder: String,
    /// A tag, a branch or a commit, of a repository.
    pub rev: Option<String>,
    /// The hooks that are wanted; those that the package names without it.
    pub hooks: Option<Vec<String>>,
    pub line: usize,
}

/// The manifest of a package as text, however the package itself writes its hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageText {
    pub file: String,
    pub text: String,
    /// Its catalogue entries: the file as messages name it, and its text.
    pub entries: Vec<(String, String)>,
    /// The directory that its programs are relative to.
    pub root: String,
    /// The directory in which they may write.
    pub data: String,
    /// True if its commands were written for the client itself.
    pub foreign: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    pub package: String,
    /// The tag, branch or commit that the manifest names; empty for a directory.
    pub rev: String,
    pub name: String,
    /// The directory that its programs are relative to.
    pub root: Arc<str>,
    /// The directory in which they may write.
    pub data: Arc<str>,
    /// True if its command was written for the client itself.
    pub foreign: bool,
    /// The reason why the hook is not on this machine, and cannot run.
    pub absent: Option<Arc<str>>,
}

impl Package {
    /// Its name with its revision, such as `team@v1.4.0`.
    pub fn version(&self) -> String {
        version(&self.name, self.rev.as_deref().unwrap_or_default())
    }
}

impl Membership {
    pub fn version(&self) -> String {
        version(&self.package, &self.rev)
    }
}

pub(crate) fn version(name: &str, rev: &str) -> String {
    if rev.is_empty() { name.to_owned() } else { format!("{name}@{rev}") }
}

const APPLY: &str = "`hookman apply` (with --project for a project)";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotHere {
    #[error("`hookman.lock` cannot be read: {0}")]
    Lock(String),
    #[error("the package `{0}` is not locked; {APPLY} shows it, and locks it")]
    Unlocked(String),
    /// The lock has another revision, which comes second.
    #[error(
        "the manifest names `{0}`, and `hookman.lock` has `{1}`; {APPLY} shows it, and locks it"
    )]
    LockedOther(String, String),
    #[error("the package `{0}` is not on this machine; {APPLY} fetches it")]
    Unfetched(String),
    #[error(
        "the package `{0}` is another one than you have seen; type `hookman trust` (with --project for a \
         project) to look at it"
    )]
    Unseen(String),
    #[error("the package `{0}` is not there: `{1}` is no directory")]
    NoDirectory(String, String),
    #[error("the package `{0}` gives no hooks: {1}")]
    Unreadable(String, String),
}

impl NotHere {
    /// Returns whether the lock says what the package is, though it is not here.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Unfetched(_) | Self::Unseen(_) | Self::NoDirectory(..))
    }
}
