//! The packages that were fetched, by their content.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::machine::files;
use crate::machine::paths::Paths;
use crate::machine::trees::{self, Tree};

/// The time that a package stays that no lock names.
const UNNAMED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The directory of all.
pub(super) fn folder(paths: &Paths) -> PathBuf {
    paths.state.join("packages")
}

/// The directory of a package with this content, which is there once it was fetched.
pub fn place(paths: &Paths, tree: &str) -> PathBuf {
    folder(paths).join(tree)
}

/// The directory for what a package itself writes, which stays when it is updated.
pub fn data(paths: &Paths, package: &str) -> PathBuf {
    paths.state.join("package-data").join(package)
}

/// Notes that a person has seen a package with this content, and wants it to run.
pub fn trust(paths: &Paths, tree: &str) -> crate::machine::Result<()> {
    files::replace_private(&trusted(paths, tree), "")
}

/// Returns whether a person has seen a package with this content.
pub fn is_trusted(paths: &Paths, tree: &str) -> bool {
    files::is_there(&trusted(paths, tree))
}

fn trusted(paths: &Paths, tree: &str) -> PathBuf {
    paths.state.join("trusted").join(tree)
}

/// Keeps a package; gives the name of its content.
pub fn keep(paths: &Paths, tree: &Tree) -> crate::machine::Result<String> {
    let name = trees::digest(tree);
    trees::keep(&folder(paths), &name, tree)?;
    Ok(name)
}

/// Notes that these packages are named, and removes those that nobody named for long; best effort.
pub fn sweep(paths: &Paths, named: &[&str]) {
    for tree in named {
        trees::touch(&place(paths, tree));
    }
    trees::sweep(&folder(paths), UNNAMED, &|name| named.contains(&name));
}

/// Returns whether the files of a package are still those that were fetched.
pub fn is_whole(place: &Path, tree: &str) -> bool {
    trees::read(place).is_ok_and(|found| trees::digest(&found) == tree)
}
