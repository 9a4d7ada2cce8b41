//! The packages that were fetched, by their content.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lock::Locked;
use crate::machine::paths::Paths;
use crate::machine::trees::{self, Tree};
use crate::machine::{files, folders};
use crate::manifest::Hook;

/// The time that a package stays that no lock names.
const UNNAMED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

pub const COPIES: &str = "hookman-packages";

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
pub fn trust(paths: &Paths, locked: &Locked) -> crate::machine::Result<()> {
    let Locked { git, folder, commit, name, .. } = locked;
    let text = format!("{git}\n{folder}\n{commit}\n{name}\n");
    files::replace_private(&trusted(paths, &locked.tree), &text)
}

/// Notes that it is not to run any more.
pub fn distrust(paths: &Paths, tree: &str) -> crate::machine::Result<()> {
    files::remove(&trusted(paths, tree))
}

/// The last other content of this package that a person saw, from the same address or else by name.
pub fn seen_before(paths: &Paths, locked: &Locked) -> Option<Locked> {
    let seen = folders::entries(&paths.state.join("trusted")).unwrap_or_default();
    let seen = seen.into_iter().filter_map(|file| {
        let text = files::read_text(&file).ok()??;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let [git, folder, commit, name @ ..] = &lines[..] else { return None };
        let tree = file.file_name()?.to_str()?.to_owned();
        let is_from_there = (git, folder) == (&locked.git, &locked.folder);
        let is_it = is_from_there || name.first() == Some(&locked.name);
        let when = files::stamp(&file).ok()??.modified;
        let [git, folder, commit] = [git, folder, commit].map(Clone::clone);
        let was = Locked { tree, git, folder, commit, rev: String::new(), ..locked.clone() };
        (is_it && was.tree != locked.tree).then_some(((is_from_there, when), was))
    });
    seen.max_by_key(|(order, _)| *order).map(|(_, locked)| locked)
}

pub fn holds(paths: &Paths, hook: &Hook) -> bool {
    hook.package.as_ref().is_some_and(|it| Path::new(&*it.root).starts_with(folder(paths)))
}

pub fn is_seen(paths: &Paths, hook: &Hook) -> bool {
    let root = hook.package.as_ref().map(|it| Path::new(&*it.root));
    root.and_then(Path::file_name).is_some_and(|tree| is_trusted(paths, &tree.to_string_lossy()))
}

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

/// Removes what killed processes left of packages, here and among the copies next to a manifest; best effort.
pub fn sweep_left(paths: &Paths, manifest: &Path) {
    trees::sweep_left(&folder(paths));
    trees::sweep_left(&manifest.with_file_name(COPIES));
}

pub fn is_kept(paths: &Paths, tree: &str) -> bool {
    is_whole(&place(paths, tree), tree)
}

/// Returns whether the files of a package are still those that were fetched.
pub fn is_whole(place: &Path, tree: &str) -> bool {
    trees::read(place).is_ok_and(|found| trees::digest(&found) == tree)
}
