//! Files that hold what is expected: compared with what comes, or written with `UPDATE_CASES=1`.

#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use similar::TextDiff;

/// True if what comes is to be written as what is expected.
#[expect(clippy::disallowed_methods, reason = "the switch is the test's own")]
pub(crate) fn updates() -> bool {
    std::env::var_os("UPDATE_CASES").is_some()
}

/// The difference of a file to what came, as a unified diff under the file's name. None where there is
/// none, or where the file is written instead. Without a text, there is to be no file.
pub(crate) fn difference(path: &Path, came: Option<&str>) -> Option<String> {
    let found = path.exists().then(|| fs::read_to_string(path).unwrap());
    if found.as_deref() == came {
        return None;
    }
    if updates() {
        match came {
            Some(came) => fs::write(path, came).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
        return None;
    }
    let diff = TextDiff::from_lines(found.as_deref().unwrap_or_default(), came.unwrap_or_default());
    Some(diff.unified_diff().header(&path.display().to_string(), "what came").to_string())
}

/// Asserts that a file of the repository, by its path in it, holds what came.
pub(crate) fn expect(path: &str, came: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if let Some(difference) = difference(&path, Some(came)) {
        panic!("UPDATE_CASES=1 writes what came\n{difference}");
    }
}

/// Asserts that none of these differences was found.
pub(crate) fn none(mut differences: Vec<String>) {
    differences.sort();
    assert!(differences.is_empty(), "UPDATE_CASES=1 writes what came\n{}", differences.join("\n"));
}

/// The files and folders in a folder of the repository for which `is_wanted` holds, in order.
pub(crate) fn entries(folder: &str, is_wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| is_wanted(path));
    paths.sort();
    paths
}
