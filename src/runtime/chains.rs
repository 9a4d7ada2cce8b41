//! The chains on this machine: where their manifests are, and their compiled plans.

use std::path::{Path, PathBuf};

use super::{build, catalogue::Catalogue};
use crate::chain::plan::{self, Header, Source};
use crate::machine::files::{self, Stamp};
use crate::machine::foreign;
use crate::machine::paths::Paths;
use crate::manifest::{self, Manifest, OnError, Position, Problem, Problems};

/// A manifest with its overlay, one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// `user` or `project`, for journals and reports.
    pub scope: &'static str,
    /// The manifest.
    pub manifest: PathBuf,
    /// The overlay that is not in git, for projects.
    pub overlay: Option<PathBuf>,
}

impl Chain {
    /// The user's chain.
    pub fn of_user(paths: &Paths) -> Self {
        Self { scope: "user", manifest: paths.user_manifest(), overlay: None }
    }

    /// The chain of the project in `directory`.
    pub fn of_project(directory: &Path) -> Self {
        // Its plan names files by whole paths, which must hold in every directory.
        let whole = std::path::absolute(directory);
        let folder = whole.as_deref().unwrap_or(directory).join(".claude");
        Self {
            scope: "project",
            manifest: folder.join("hookman.toml"),
            overlay: Some(folder.join("hookman.local.toml")),
        }
    }

    /// The chain of the manifests that stand beside a settings file.
    pub fn beside(settings: &Path, scope: &'static str) -> Self {
        Self {
            scope,
            manifest: settings.with_file_name("hookman.toml"),
            overlay: Some(settings.with_file_name("hookman.local.toml")),
        }
    }

    /// The directory of the project whose chain it is.
    pub fn project(&self) -> Option<&Path> {
        self.overlay.as_ref().and_then(|overlay| overlay.parent()?.parent())
    }

    /// The manifest and, where there can be one, its overlay.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [Some(self.manifest.as_path()), self.overlay.as_deref()].into_iter().flatten()
    }

    fn plan_file(&self, paths: &Paths) -> PathBuf {
        paths.beside("plans", &self.manifest)
    }
}

/// What there is to run.
#[derive(Debug)]
pub enum Loaded {
    /// A plan that fits its manifests.
    Plan(String),
    /// A plan that was made anew because the cached one was damaged.
    Mended(String),
    /// The last plan that could be made, and what is wrong with the manifests since.
    LastGood(String, String),
    /// No manifest.
    Absent,
    /// Manifests that cannot be read and no earlier plan.
    Broken {
        /// What is wrong.
        problems: String,
        /// The strictest that they seem to say of failures.
        on_error: OnError,
    },
}

/// The plan of a chain: the cached one where it still fits, else made anew on the spot.
pub fn load(paths: &Paths, chain: &Chain) -> Loaded {
    let mut cached = String::new();
    let known = files::read_into(&chain.plan_file(paths), &mut cached);
    let good = match &known {
        Ok(true) => Header::parse(&cached),
        _ => None,
    };
    if good.as_ref().is_some_and(|header| fits(header, chain)) {
        return Loaded::Plan(cached);
    }
    let was_good = good.is_some();
    match compile(paths, chain) {
        Ok(Some(plan)) if was_good || matches!(known, Ok(false)) => Loaded::Plan(plan),
        Ok(Some(plan)) => Loaded::Mended(plan),
        Ok(None) => Loaded::Absent,
        Err(problems) if was_good => Loaded::LastGood(cached, problems.to_string()),
        Err(problems) => {
            Loaded::Broken { problems: problems.to_string(), on_error: strictest(paths, chain) }
        }
    }
}

fn fits(header: &Header<'_>, chain: &Chain) -> bool {
    let mut files = chain.files();
    header.build == build()
        && header.sources.iter().all(|source| {
            files.next().is_some_and(|path| {
                path.to_str() == Some(&*source.path) && is_as_it_was(path, source)
            })
        })
        && files.next().is_none()
}

fn is_as_it_was(path: &Path, source: &Source<'_>) -> bool {
    match source.stamp {
        Some(_) => files::stamp(path).is_ok_and(|stamp| stamp.map(triple) == source.stamp),
        // A link into nowhere is not nothing.
        None => !files::stands(path),
    }
}

fn triple(stamp: Stamp) -> (u64, i64, u64) {
    (stamp.size, i64::try_from(stamp.modified).unwrap_or(i64::MAX), stamp.inode)
}

/// Reads a chain's manifests; `None` where there are none.
///
/// # Errors
///
/// Everything that is wrong with them.
pub fn read(paths: &Paths, chain: &Chain) -> Result<Option<Manifest>, Problems> {
    let mut texts = Vec::new();
    for path in chain.files() {
        let file = paths.shown(path);
        let text = files::read_text(path).map_err(|error| unreadable(&file, &error.source))?;
        texts.push(text.map(|text| (file, text)));
    }
    if texts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let mut sources =
        texts.iter().map(|text| text.as_ref().map(|(file, text)| manifest::Source { file, text }));
    let (base, overlay) = (sources.next().flatten(), sources.next().flatten());
    let manifest = manifest::read(base, overlay, &Catalogue)?;
    if chain.overlay.is_some() { manifest.of_project().map(Some) } else { Ok(Some(manifest)) }
}

fn unreadable(file: &str, error: &std::io::Error) -> Problems {
    let origin =
        manifest::Origin { file: file.to_owned(), position: Position { line: 1, column: 1 } };
    Problems(vec![Problem { origin, message: format!("it cannot be read: {error}") }])
}

/// Reads a chain's manifests and leaves their plan in the state directory; `None` where there are
/// no manifests.
///
/// # Errors
///
/// Everything that is wrong with the manifests; the earlier plan stays then. A plan that cannot be
/// saved is no error: it is a cache.
pub fn compile(paths: &Paths, chain: &Chain) -> Result<Option<String>, Problems> {
    let sources: Vec<Source<'_>> = chain.files().map(source).collect();
    let Some(manifest) = read(paths, chain)? else { return Ok(None) };
    let plan = plan::render(&build(), &sources, &manifest.hooks).map_err(|error| {
        unreadable(&paths.shown(&chain.manifest), &std::io::Error::other(error))
    })?;
    let _ = files::replace_private(&chain.plan_file(paths), &plan);
    Ok(Some(plan))
}

// A file that was written a moment ago may be written again within one tick of the file system's
// clock and look the same, so its stamp is spoiled and the next run looks again.
fn source(path: &Path) -> Source<'_> {
    const SETTLED: i128 = 100_000_000;
    let now = jiff::Timestamp::now().as_nanosecond();
    let stamp = files::stamp(path).ok().flatten().map(|stamp| {
        let (size, modified, inode) = triple(stamp);
        (size, modified, if now - stamp.modified < SETTLED { 0 } else { inode })
    });
    Source { path: path.to_string_lossy(), stamp }
}

/// The strictest that a chain's manifests and its plan seem to say of failures, where they cannot be
/// read as what they are. The launcher, which has no parser either, looks for the
/// words behind the key.
pub(super) fn strictest(paths: &Paths, chain: &Chain) -> OnError {
    // What is there and cannot be looked at may well declare a gate.
    let of_manifest = |path: &Path| match foreign::read(path) {
        Ok(None) if files::is_dangling(path) => Some(OnError::Closed),
        Ok(bytes) => bytes.map(|bytes| manifest::guess::on_error(&bytes)),
        Err(_) => Some(OnError::Closed),
    };
    // Of a plan without a manifest nothing runs.
    let manifests: Vec<OnError> = chain.files().filter_map(of_manifest).collect();
    let Some(strictest) = manifests.into_iter().max() else { return OnError::Open };
    let plan = foreign::read(&chain.plan_file(paths)).ok().flatten().unwrap_or_default();
    strictest.max(plan::strictest(&String::from_utf8_lossy(&plan)))
}
