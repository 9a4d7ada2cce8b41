//! Programs that are typed relative to the current directory, as the manifest has to write them.

use std::path::{Component, Path, PathBuf};

use crate::machine::environment;

/// A program's path from the manifest's directory, if it is only there from here or a directory above.
pub(crate) fn from_manifest(word: &str, manifest: &Path) -> Option<String> {
    if !word.contains('/') || word.starts_with(['/', '~', '$', '{']) {
        return None;
    }
    let folder = manifest.parent()?;
    let here = environment::current_directory().ok()?;
    if folder.join(word).is_file() {
        return None;
    }
    let project = folder.parent()?;
    let above = here.ancestors().skip(1).take_while(|it| it.starts_with(project));
    let seen = std::iter::once(&*here).chain(above).map(|it| it.join(word));
    let file = seen.into_iter().find(|it| it.is_file())?.canonicalize().ok()?;
    let folder = folder
        .canonicalize()
        .ok()
        .or_else(|| Some(folder.parent()?.canonicalize().ok()?.join(folder.file_name()?)))?;
    let relative = match (file.strip_prefix(&folder), file.strip_prefix(folder.parent()?)) {
        (Ok(below), _) => Path::new(".").join(below),
        (_, Ok(next)) => Path::new("..").join(next),
        _ => return file.to_str().map(str::to_owned),
    };
    relative.to_str().map(str::to_owned)
}

/// A path through a manifest's directory that is yet to be made, as it is once that is there.
pub(crate) fn to_be(file: PathBuf) -> PathBuf {
    if file.exists() {
        return file;
    }
    let mut plain = PathBuf::new();
    for part in file.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    if plain.is_file() { plain } else { file }
}

/// The path to write for one that leads to nothing from a `.claude`, where the project has such a file.
pub(crate) fn advice(file: &Path) -> Option<String> {
    let mut parts = file.components();
    let mut rest: Vec<Component<'_>> = Vec::new();
    while let Some(part) = parts.next_back() {
        if part.as_os_str() == ".claude" {
            let below: PathBuf = rest.iter().rev().collect();
            let is_there = parts.as_path().join(&below).is_file();
            let below = below.display();
            return is_there.then(|| {
                format!(
                    "paths are relative to hookman.toml, and the project has `{below}`: write `../{below}`"
                )
            });
        }
        rest.push(part);
    }
    None
}
