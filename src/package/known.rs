//! The packages of one manifest as they are on this machine.

use std::path::{Path, PathBuf};

use super::form;
use super::lock::{Lock, Locked, next_to};
use super::{plugin, store};
use crate::machine::files;
use crate::machine::paths::Paths;
use crate::manifest::package::{NotHere, PLUGIN, Package, PackageText, Provenance};

/// The packages that the lock of a chain's manifests names, where they were fetched.
#[derive(Clone, Debug)]
pub struct Known {
    paths: Paths,
    folder: PathBuf,
    lock: Result<Lock, String>,
    /// True if a person may not have seen it yet, so that it must be shown.
    is_shown: bool,
}

impl Known {
    /// The packages of a manifest and of its overlay, by the locks next to them.
    pub fn of<'p>(paths: &Paths, manifests: impl Iterator<Item = &'p Path>) -> Self {
        let mut folder = PathBuf::new();
        let mut lock = Ok(Lock::default());
        for manifest in manifests {
            manifest.parent().unwrap_or(Path::new("")).clone_into(&mut folder);
            let read = read(manifest);
            lock = lock.and_then(|lock: Lock| read.map(|more| lock.with(&more)));
        }
        Self { paths: paths.clone(), folder, lock, is_shown: false }
    }

    #[must_use]
    pub fn with(self, lock: &Lock) -> Self {
        if *lock == Lock::default() {
            return self;
        }
        Self { lock: Ok(self.lock.unwrap_or_default().with(lock)), is_shown: true, ..self }
    }

    pub fn nothing() -> Self {
        let paths = Paths { home: None, config: PathBuf::new(), state: PathBuf::new() };
        Self { paths, folder: PathBuf::new(), lock: Ok(Lock::default()), is_shown: false }
    }

    pub fn lock(&self) -> Result<&Lock, NotHere> {
        self.lock.as_ref().map_err(|why| NotHere::Lock(why.clone()))
    }

    pub fn place(&self, package: &Package) -> Result<PathBuf, NotHere> {
        let name = || package.name.clone();
        let lock = self.lock()?;
        let locked = lock.of(package).ok_or_else(|| match lock.with_name(&package.name) {
            Some(other) => NotHere::LockedOther(package.version(), other.version()),
            None => NotHere::Unlocked(name()),
        })?;
        match &package.from {
            Provenance::Path(path) => {
                let place = at(&self.paths, &self.folder, path, &package.folder);
                let place = if self.is_shown { planned(&self.paths, place, locked) } else { place };
                let missing = || NotHere::NoDirectory(name(), self.paths.shown(&place));
                if place.is_dir() { Ok(place) } else { Err(missing()) }
            }
            Provenance::Git(_) => {
                let place = store::place(&self.paths, &locked.tree);
                if !place.is_dir() {
                    return Err(NotHere::Unfetched(name()));
                }
                let is_seen = self.is_shown || store::is_trusted(&self.paths, &locked.tree);
                if is_seen { Ok(place) } else { Err(NotHere::Unseen(name())) }
            }
        }
    }

    /// The directory in which a package keeps its data: of a plugin that the client has, the client's.
    fn data(&self, package: &Package) -> PathBuf {
        let plugin = match &package.from {
            Provenance::Git(url) => url.strip_prefix(PLUGIN),
            Provenance::Path(_) => None,
        };
        plugin.map_or_else(
            || store::data(&self.paths, &package.name),
            |plugin| plugin::data(&self.paths, plugin),
        )
    }

    pub fn text(&self, package: &Package) -> Result<PackageText, NotHere> {
        let place = self.place(package)?;
        let found = form::read(&place)
            .map_err(|why| NotHere::Unreadable(package.name.clone(), why.to_string()))?;
        let shown = |file: &str| format!("{}/{file}", package.version());
        Ok(PackageText {
            file: shown(&found.file),
            text: found.text,
            entries: found.entries.iter().map(|(file, text)| (shown(file), text.clone())).collect(),
            data: self.data(package).to_string_lossy().into_owned(),
            root: place.to_string_lossy().into_owned(),
            foreign: found.foreign,
        })
    }
}

pub fn read(manifest: &Path) -> Result<Lock, String> {
    match files::read_text(&next_to(manifest)) {
        Ok(None) => Ok(Lock::default()),
        Ok(Some(text)) => Lock::parse(&text).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

/// The directory of a package that is no repository.
pub fn at(paths: &Paths, folder: &Path, path: &str, inner: &str) -> PathBuf {
    let whole = match (path.strip_prefix("~/"), path.strip_prefix("../"), &paths.home) {
        (Some(rest), _, Some(home)) => home.join(rest),
        // A project's `.claude` may be still to be made.
        (_, Some(rest), _) if !files::is_link(folder) => {
            folder.parent().unwrap_or(folder).join(rest)
        }
        _ => folder.join(path),
    };
    if inner.is_empty() { whole } else { whole.join(inner) }
}

/// A directory of a package; where it is still to be made, the one that is kept with the same files.
pub fn planned(paths: &Paths, place: PathBuf, locked: &Locked) -> PathBuf {
    let kept = store::place(paths, &locked.tree);
    if !place.exists() && kept.is_dir() { kept } else { place }
}
