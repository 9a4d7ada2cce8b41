//! Packages: whatever is killed or comes at once, the manifest, the lock, the store and the settings fit.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::home::Home;
use super::kills::{Spread, rounds};

/// Writes a package with two versions into a repository, and makes it that of the home.
const REPOSITORY: &str = r#"
export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x
mkdir -p team && cd team && git init -q -b main
printf '#!/bin/sh\nexit 0\n' > a.sh && chmod +x a.sh
printf '[package]\n[[hook]]\nname = "p"\nevent = "PreToolUse"\nargv = ["./a.sh"]\n' > hookman.toml
git add -A && git commit -qm one && git tag v1.0.0
echo '# more' >> a.sh && printf '[[hook]]\nname = "q"\nevent = "SessionEnd"\nargv = ["./a.sh"]\n' >> hookman.toml
git commit -qam two && git tag v1.1.0
"#;

/// The files that have to fit each other.
const FILES: [&str; 4] = [
    ".claude/hookman.toml",
    ".claude/hookman.lock",
    ".claude/settings.json",
    ".claude/hookman-packages/team/a.sh",
];

type Texts = [Option<String>; 4];

fn with_package() -> Home {
    let home = Home::new();
    shell(&home, REPOSITORY);
    home.does("install --yes");
    home
}

fn shell(home: &Home, line: &str) {
    assert!(home.command("sh").args(["-c", line]).status().unwrap().success(), "{line}");
}

fn texts(home: &Home) -> Texts {
    FILES.map(|file| fs::read_to_string(home.path(file)).ok())
}

/// Puts the home aside under a name, or back; what is stored is read-only.
fn keep(home: &Home, name: &str) {
    shell(home, &format!("mkdir -p kept/{name} && cp -a .claude state kept/{name}"));
}

fn restore(home: &Home, name: &str) {
    shell(
        home,
        &format!("chmod -R u+w .claude state && rm -rf .claude state && cp -a kept/{name}/. ."),
    );
}

fn commands(home: &Home) -> [String; 3] {
    let url = format!("git:file://{}", home.path("team").display());
    [
        format!("install {url}@v1.0.0 --yes"),
        "update team --yes".to_owned(),
        "vendor team --yes".to_owned(),
    ]
}

#[test]
fn packages_are_whole_after_kills_at_random_times() {
    let home = with_package();
    let mut scenes = Vec::new();
    for (index, command) in commands(&home).into_iter().enumerate() {
        let name = index.to_string();
        keep(&home, &name);
        let (old, start) = (texts(&home), Instant::now());
        home.does(&command);
        scenes.push((command, name, old, texts(&home), start.elapsed()));
    }
    // Each takes git several times, so they are fewer than of commands without packages.
    let rounds = rounds().div_ceil(5);
    let (mut spread, mut killed) = (Spread::default(), 0);
    for (round, (command, name, old, new, whole)) in (0..rounds).zip(scenes.iter().cycle()) {
        restore(&home, name);
        let mut child = home
            .command(home.path("bin/hookman").to_str().unwrap())
            .args(command.split(' '))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        spread.wait(*whole);
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let found = texts(&home);
        let what = format!("round {round}, {command}: {found:#?}");
        for at in [0, 2, 3] {
            assert!(found[at] == old[at] || found[at] == new[at], "{} in {what}", FILES[at]);
        }
        home.does("list");
        home.does(command);
        assert_eq!(texts(&home), *new, "{what}");
        home.does("verify");
    }
    eprintln!("{killed} of {rounds} killed");
}

/// A branch keeps its name in the manifest, so only the lock says that something is to be done.
#[test]
fn an_update_of_a_branch_that_was_killed_at_a_step_is_done_by_the_next() {
    let home = with_package();
    let at = |rev: &str| shell(&home, &format!("git -C team reset -q --hard {rev}"));
    at("v1.0.0");
    home.does(&format!("install git:file://{}@main --yes", home.path("team").display()));
    at("v1.1.0");
    keep(&home, "old");
    let is_whole = |it: &fs::DirEntry| !it.file_name().to_string_lossy().starts_with('.');
    let seen = || fs::read_dir(home.path("state/trusted")).unwrap().flatten().filter(is_whole);
    let is_seen = || seen().count() > 1;
    let [_, lock, settings, _] = texts(&home);
    let is_locked = || fs::read_to_string(home.path(FILES[1])).ok() != lock;
    let is_set = || fs::read_to_string(home.path(FILES[2])).ok() != settings;
    let steps: [&dyn Fn() -> bool; 3] = [&is_locked, &is_seen, &is_set];
    for is_there in steps {
        restore(&home, "old");
        let mut command = home.command(home.path("bin/hookman").to_str().unwrap());
        let command = command.args(["update", "team", "--yes"]).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        while !is_there() && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        home.does("update team --yes");
        home.does("verify");
        home.does("trust --list");
    }
}

#[test]
fn of_twenty_commands_on_packages_at_once_all_files_fit() {
    let home = with_package();
    let [install, update, vendor] = commands(&home);
    let run = |lines: &[&String]| {
        let start = |line: &&String| {
            let program = home.path("bin/hookman");
            let mut command: Command = home.command(Path::new(&program).to_str().unwrap());
            command
                .args(line.split(' '))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let children: Vec<_> = lines.iter().map(start).collect();
        let end = |child: std::process::Child| {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            // One that comes later has nothing to do, or finds that another one was there first.
            assert!(matches!(output.status.code(), Some(0 | 2)), "{said}");
            output.status.success()
        };
        children.into_iter().map(end).filter(|it| *it).count()
    };
    assert!(run(&[&install; 20]) >= 1);
    home.does("verify");
    let manifest = fs::read_to_string(home.path(FILES[0])).unwrap();
    assert_eq!(manifest.matches("[[package]]").count(), 1, "{manifest}");
    let mut both = vec![&update; 10];
    both.extend([&vendor; 10]);
    assert!(run(&both) >= 1);
    home.does("apply --yes");
    home.does("verify");
    home.does("list");
    home.does("remove team --yes");
    assert!(!home.path(FILES[1]).exists());
}
