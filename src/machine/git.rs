//! What git says of a file and of a work tree.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::foreign;

/// How many bytes a file of git's that names a branch or a directory may have.
const LONGEST: u64 = 64 * 1024;

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
///
/// # Errors
///
/// When something stands in the way that git could not have put there, so that the branch cannot
/// be told.
pub fn branch(folder: &Path) -> io::Result<Option<String>> {
    for above in folder.ancestors() {
        let Some(directory) = git_directory(above)? else { continue };
        // As git, which takes a directory without a HEAD for no repository and goes up.
        let Some(head) = foreign::read_at_most(&directory.join("HEAD"), LONGEST)? else { continue };
        let head = head.trim_end();
        let is_commit = !head.is_empty() && head.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match head.strip_prefix("ref:") {
            Some(name) => Ok(name.trim_start().strip_prefix("refs/heads/").map(str::to_owned)),
            None if is_commit => Ok(None),
            None => Err(io::Error::other("HEAD names neither a branch nor a commit")),
        };
    }
    Ok(None)
}

/// What git keeps of the work tree whose root is `folder`. A further work tree and a submodule have
/// a file that names the directory.
fn git_directory(folder: &Path) -> io::Result<Option<PathBuf>> {
    let dot_git = folder.join(".git");
    if dot_git.is_dir() {
        return Ok(Some(dot_git));
    }
    let Some(text) = foreign::read_at_most(&dot_git, LONGEST)? else { return Ok(None) };
    let named = text.trim_end().strip_prefix("gitdir: ").map(|named| folder.join(named));
    let named = named.filter(|directory| directory.is_dir());
    named.map(Some).ok_or_else(|| io::Error::other("`.git` names no directory"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_branch_is_read_in_work_trees_of_both_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at(".git/worktrees/other")).unwrap();
        fs::create_dir_all(at("src/deep")).unwrap();
        fs::create_dir_all(at("other")).unwrap();
        assert_eq!(branch(folder.path()).unwrap(), None);
        fs::write(at(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        assert_eq!(branch(&at("src/deep")).unwrap().as_deref(), Some("feature/x"));
        fs::write(at("other/.git"), "gitdir: ../.git/worktrees/other\n").unwrap();
        fs::write(at(".git/worktrees/other/HEAD"), "ref: refs/heads/fix\n").unwrap();
        assert_eq!(branch(&at("other")).unwrap().as_deref(), Some("fix"));
        fs::write(at(".git/HEAD"), "0123456789012345678901234567890123456789\n").unwrap();
        assert_eq!(branch(&at("src")).unwrap(), None);
    }

    #[test]
    fn what_is_no_repository_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at(".git")).unwrap();
        fs::write(at(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::create_dir_all(at("vendor/x/.git")).unwrap();
        assert_eq!(branch(&at("vendor/x")).unwrap().as_deref(), Some("main"));
    }

    #[test]
    fn what_is_odd_is_neither_waited_for_nor_taken_for_an_answer() {
        type Make = fn(&Path);
        let pipe = |path: &Path| {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        };
        let rows: [(&str, Make); 9] = [
            (".git/HEAD", pipe),
            (".git/HEAD", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
            (".git/HEAD", |path| std::os::unix::fs::symlink("HEAD", path).unwrap()),
            (".git/HEAD", |path| fs::create_dir(path).unwrap()),
            (".git/HEAD", |path| fs::write(path, "").unwrap()),
            (".git/HEAD", |path| fs::write(path, "ref: x\n".repeat(100_000)).unwrap()),
            (".git", pipe),
            (".git", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
            (".git", |path| fs::write(path, "gitdir: nowhere\n").unwrap()),
        ];
        for (number, (name, make)) in rows.into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(&path);
            assert!(branch(folder.path()).is_err(), "row {number}, {name}");
        }
    }
}
