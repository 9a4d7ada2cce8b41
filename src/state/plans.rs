//! The plans of chains that are gone.

use std::path::{Path, PathBuf};

use crate::chain::plan::Header;
use crate::machine::paths::Paths;
use crate::machine::{files, folders};

/// Removes the plans whose manifest's directory is gone, as that of a project that was deleted. One
/// that is not connected now gets its plan again. Best effort.
pub fn prune(paths: &Paths) {
    for file in folders::entries(&paths.state.join("plans")).unwrap_or_default() {
        let mut text = String::new();
        if !files::read_into(&file, &mut text).is_ok_and(|found| found) {
            continue;
        }
        let manifest =
            Header::parse(&text).and_then(|header| Some(header.sources.first()?.path.clone()));
        let folder = manifest.as_deref().and_then(|path| Path::new(path).parent());
        if folder.is_some_and(|folder| !files::is_there(folder)) {
            let _ = files::remove(&file);
        }
    }
}

/// The manifests of all chains on this machine that have a plan.
pub fn manifests(paths: &Paths) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in folders::entries(&paths.state.join("plans")).unwrap_or_default() {
        let mut text = String::new();
        let is_there = files::read_into(&file, &mut text).is_ok_and(|found| found);
        let header = Header::parse(&text).filter(|_| is_there);
        found.extend(
            header.into_iter().flat_map(|it| it.sources).map(|it| PathBuf::from(&*it.path)),
        );
    }
    found
}
