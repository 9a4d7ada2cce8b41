//! The answers of git about a file and a work tree.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{files, foreign};

/// The options of git for a configuration of others: no watcher, hook, transport or bare repository.
pub const SAFE: [&str; 9] = [
    "git",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "protocol.allow=never",
];

/// The number of bytes that a file of git's that names a branch or a directory may have.
const LONGEST: u64 = 64 * 1024;

/// Returns whether git ignores `path` in the work tree around `folder`; `None` without git or a work tree.
pub fn ignores(folder: &Path, path: &Path) -> Option<bool> {
    answer(folder, &["check-ignore", "--quiet", "--"], path)
}

/// Returns whether git tracks `path` around `folder`, so that no `.gitignore` hides it; `None` without git.
pub fn tracks(folder: &Path, path: &Path) -> Option<bool> {
    answer(folder, &["ls-files", "--error-unmatch", "--"], path)
}

/// The files in `folder` that git neither keeps nor would add, relative to it; none without git or a work tree.
pub fn ignored(folder: &Path) -> Vec<String> {
    let mut question = command(folder);
    question.args(["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", "."]);
    let listed = question.output().map(|it| it.stdout).unwrap_or_default();
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

fn answer(folder: &Path, question: &[&str], path: &Path) -> Option<bool> {
    let status = command(folder).args(question).arg(path).stdout(Stdio::null()).status().ok()?;
    match status.code() {
        Some(0) => Some(true),
        Some(1) => Some(false),
        _ => None,
    }
}

fn command(folder: &Path) -> Command {
    let mut git = Command::new(SAFE[0]);
    git.args(&SAFE[1..]).arg("-C").arg(folder).stdin(Stdio::null()).stderr(Stdio::null());
    // Inside a hook of git these name the repository that is committed to.
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    git
}

/// The branch that is checked out around `folder`, as the file `HEAD` has it; `None` where there is none.
/// Fails where something that git did not put there is in the way, or that file does not tell.
pub fn branch(folder: &Path) -> io::Result<Option<String>> {
    for above in folder.ancestors() {
        let Some(directory) = git_directory(above)? else { continue };
        let head = directory.join("HEAD");
        // Git has names in its tables then, and the file is there for programs that look for it.
        if files::is_link(&head) || directory.join("reftable").exists() {
            return Err(io::Error::other("HEAD is a symlink, or the branch is in git's tables"));
        }
        // As git, which takes a directory without a HEAD for no repository and goes up.
        let Some(text) = foreign::read_at_most(&head, LONGEST)? else { continue };
        let text = text.trim_end();
        let is_commit = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match text.strip_prefix("ref:").map(str::trim_start).filter(|name| is_name(name)) {
            Some(name) => Ok(name.strip_prefix("refs/heads/").map(str::to_owned)),
            None if is_commit => Ok(None),
            None => Err(io::Error::other("it names neither a branch nor a commit")),
        };
    }
    Ok(None)
}

/// Returns whether git could call something so; in a repository with tables HEAD says `refs/heads/.invalid`.
fn is_name(name: &str) -> bool {
    name.strip_prefix("refs/")
        .is_some_and(|name| name.split('/').all(|part| !part.is_empty() && !part.starts_with('.')))
}

/// Finds git's directory for a work tree, which a further work tree or a submodule has a file for.
fn git_directory(folder: &Path) -> io::Result<Option<PathBuf>> {
    let dot_git = folder.join(".git");
    if dot_git.is_dir() {
        return Ok(Some(dot_git));
    }
    let Some(text) = foreign::read_at_most(&dot_git, LONGEST)? else { return Ok(None) };
    let named = text.trim_end().strip_prefix("gitdir: ").map(|named| folder.join(named));
    let named = named.filter(|directory| directory.join("HEAD").symlink_metadata().is_ok());
    named.map(Some).ok_or_else(|| io::Error::other("`.git` names no repository"))
}

#[cfg(test)]
mod tests;
