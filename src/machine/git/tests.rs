use std::fs;
use std::os::unix::fs::symlink;

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
    let rows: [(&str, Make); 13] = [
        (".git/HEAD", pipe),
        (".git/HEAD", |path| symlink("/dev/zero", path).unwrap()),
        (".git/HEAD", |path| symlink("HEAD", path).unwrap()),
        (".git/HEAD", |path| fs::create_dir(path).unwrap()),
        (".git/HEAD", |path| fs::write(path, "").unwrap()),
        (".git/HEAD", |path| fs::write(path, "ref: x\n".repeat(100_000)).unwrap()),
        (".git/HEAD", |path| symlink("refs/heads/main", path).unwrap()),
        (".git/HEAD", |path| symlink("refs/heads/../heads/main", path).unwrap()),
        (".git/HEAD", |path| fs::write(path, "ref: refs/../HEAD").unwrap()),
        (".git", pipe),
        (".git", |path| fs::write(path, "gitdir: .").unwrap()),
        (".git", |path| symlink("/dev/zero", path).unwrap()),
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

#[test]
fn the_branch_is_the_one_that_git_names() {
    const NEW: &str = "git init -qb main . && git commit -qm one --allow-empty";
    // Each in a repository of its own, whose directory is asked for at the end.
    let rows = [
        ("git switch -qc feature/x", "."),
        ("git switch -q --orphan unborn", "."),
        ("git checkout -q --detach", "."),
        ("git pack-refs --all && mkdir -p .git/refs/heads/main", "."),
        ("git worktree add -q -b side tree", "tree"),
        ("git worktree add -q --detach tree", "tree"),
        (
            "git init -qb inner lib && git -C lib commit -qm one --allow-empty &&
             git -c protocol.file.allow=always submodule --quiet add ./lib sub",
            "sub",
        ),
        ("git init -q --separate-git-dir=kept -b apart other", "other"),
    ];
    for (commands, place) in rows {
        let folder = tempfile::tempdir().unwrap();
        let sh = |line: &str| {
            let output = Command::new("sh")
                .args(["-c", line])
                .current_dir(&folder)
                .env_clear()
                .env("PATH", "/usr/bin:/bin")
                .env("HOME", folder.path())
                .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "n")))
                .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "e")))
                .output()
                .unwrap();
            assert!(output.status.success(), "{line}: {output:?}");
            String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
        };
        sh(&format!("{NEW} && {commands}"));
        let named = sh(&format!("git -C {place} branch --show-current"));
        let named = Some(named).filter(|name| !name.is_empty());
        assert_eq!(branch(&folder.path().join(place)).unwrap(), named, "{commands}");
    }
}

#[test]
fn a_branch_in_tables_cannot_be_told() {
    let rows = ["refs/heads/.invalid", "refs/heads/main"];
    for (name, tables) in rows.iter().flat_map(|name| [(name, true), (name, false)]) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join(".git/HEAD"), format!("ref: {name}\n")).unwrap();
        if tables {
            fs::create_dir(folder.path().join(".git/reftable")).unwrap();
        }
        let is_told = *name == "refs/heads/main" && !tables;
        assert_eq!(branch(folder.path()).is_ok(), is_told, "{name} {tables}");
    }
}
