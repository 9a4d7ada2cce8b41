//! What git says of a file and of a work tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whether git ignores `path` in the work tree around `folder`; `None` without git or a work tree.
pub fn ignores(folder: &Path, path: &Path) -> Option<bool> {
    answer(folder, &["check-ignore", "--quiet", "--"], path)
}

/// Whether git keeps `path` in the history of the work tree around `folder`, so that no line of a
/// `.gitignore` hides it; `None` without git or a work tree.
pub fn tracks(folder: &Path, path: &Path) -> Option<bool> {
    answer(folder, &["ls-files", "--error-unmatch", "--"], path)
}

fn answer(folder: &Path, question: &[&str], path: &Path) -> Option<bool> {
    let status = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(question)
        .arg(path)
        // Inside a hook of git these name the repository that is committed to.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    match status.code() {
        Some(0) => Some(true),
        Some(1) => Some(false),
        _ => None,
    }
}

/// The branch that is checked out in the work tree around `folder`, read from its files; `None`
/// outside of a work tree and where a commit is checked out.
pub fn branch(folder: &Path) -> Option<String> {
    let dot_git = folder.ancestors().map(|above| above.join(".git")).find(|it| it.exists())?;
    let head = fs::read_to_string(git_directory(dot_git)?.join("HEAD")).ok()?;
    head.trim_end().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// A further work tree and a submodule have a file that names the directory.
fn git_directory(dot_git: PathBuf) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = fs::read_to_string(&dot_git).ok()?;
    let named = text.trim_end().strip_prefix("gitdir: ")?;
    Some(dot_git.parent()?.join(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_read_in_work_trees_of_both_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at(".git/worktrees/other")).unwrap();
        fs::create_dir_all(at("src/deep")).unwrap();
        fs::create_dir_all(at("other")).unwrap();
        assert_eq!(branch(folder.path()), None);
        fs::write(at(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        assert_eq!(branch(&at("src/deep")).as_deref(), Some("feature/x"));
        fs::write(at("other/.git"), "gitdir: ../.git/worktrees/other\n").unwrap();
        fs::write(at(".git/worktrees/other/HEAD"), "ref: refs/heads/fix\n").unwrap();
        assert_eq!(branch(&at("other")).as_deref(), Some("fix"));
        fs::write(at(".git/HEAD"), "0123456789012345678901234567890123456789\n").unwrap();
        assert_eq!(branch(&at("src")), None);
    }
}
