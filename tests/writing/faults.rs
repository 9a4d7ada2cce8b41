//! Each system call of a write ends the process, or fails.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, SystemTime};

use super::home::{Files, Home, SETTINGS, State, THEIRS, variable};

/// The calls that change something, without those of the rest of a program's life.
const CHANGING: &[&str] = &[
    "chmod",
    "fchmod",
    "fchmodat",
    "fchown",
    "fdatasync",
    "flock",
    "fsetxattr",
    "fsync",
    "ftruncate",
    "link",
    "linkat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "unlink",
    "unlinkat",
    "write",
];

/// The calls that need not come again in the next run, as those for memory, and the last one.
const UNSTEADY: &[&str] = &["brk", "exit_group", "mmap", "mremap", "munmap"];

const ERRORS: &[&str] = &["ENOSPC", "EIO", "EACCES", "EROFS"];

// Looking for running clients makes a number of calls that differs from run to run.
const INSTALL: &str = "install --yes --no-wait";
const UNINSTALL: &str = "uninstall --yes --no-wait";
const ADOPT: &str = "adopt --all --yes --no-wait";
const RELEASE: &str = "release --all --yes --no-wait";
const APPLY: &str = "apply --yes --no-wait";
const RESTORE: &str = "restore 1 --yes --no-wait";

/// A command that writes, and the state it begins in.
struct Scene {
    home: Home,
    command: &'static str,
    /// What has to come back in the end.
    original: State,
    begin: Files,
    old: State,
    new: State,
}

/// A system call of the write phase: the n-th of its name in the process.
struct Call {
    name: String,
    n: usize,
    line: String,
}

impl Scene {
    fn new(home: Home, before: &[&str], command: &'static str) -> Self {
        let original = home.state();
        for command in before {
            home.does(command);
        }
        let (begin, old) = (home.files(), home.state());
        home.does(command);
        let new = home.state();
        assert_ne!(old, new, "{command} writes nothing");
        Self { home, command, original, begin, old, new }
    }

    /// The commands that write one file of the user's.
    fn of_one_file() -> Vec<Self> {
        vec![
            Self::new(Home::new(), &[], INSTALL),
            Self::new(Home::new(), &[INSTALL, UNINSTALL], RESTORE),
            Self::new(Home::new(), &[INSTALL], UNINSTALL),
        ]
    }

    /// Those that move handlers between two.
    fn of_two_files() -> Vec<Self> {
        let some = "adopt theirs-two --yes --no-wait";
        vec![
            Self::new(Home::foreign(), &[], ADOPT),
            Self::new(Home::foreign(), &[INSTALL, some], ADOPT),
            Self::new(Home::foreign(), &[INSTALL, ADOPT], RELEASE),
            Self::new(Home::foreign(), &[INSTALL, ADOPT], UNINSTALL),
            Self::new(Home::foreign(), &[INSTALL, ADOPT, RESTORE], APPLY),
            Self::new(Home::project(), &[], ADOPT),
            Self::new(Home::project(), &[ADOPT], UNINSTALL),
            Self::new(Home::foreign().bare(), &[], ADOPT),
            Self::new(Home::project().bare(), &[ADOPT], RELEASE),
        ]
    }

    fn traced(&self, options: &[&str]) -> Output {
        self.home.reset(&self.begin);
        let trace = self.home.path("trace");
        let mut command = self.home.command("strace");
        command.args(["-qq", "-y", "-o"]).arg(trace).args(options).arg("--");
        command.arg(self.home.path("bin/hookman")).args(self.home.words(self.command));
        command.output().unwrap()
    }

    /// The calls from the moment the lock is taken on.
    fn calls(&self) -> Vec<Call> {
        let output = self.traced(&[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let trace = fs::read_to_string(self.home.path("trace")).unwrap();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut calls = Vec::new();
        let mut writing = false;
        for line in trace.lines() {
            let Some((name, rest)) = line.split_once('(') else { continue };
            let n = counts.entry(name).or_default();
            *n += 1;
            writing |= rest.contains("/locks");
            if writing && !UNSTEADY.contains(&name) {
                calls.push(Call { name: name.to_owned(), n: *n, line: line.to_owned() });
            }
        }
        assert!(calls.len() > 50, "the trace has no write phase: {trace}");
        calls
    }

    /// Nothing is lost or half a file, and if the `rest` is looked at, the same command does its
    /// work when nothing is in its way, and whatever comes next everything is given back, once.
    fn check(&self, what: &str, rest: bool) {
        let State { settings, manifest } = self.home.state();
        let (old, new) = (&self.old, &self.new);
        assert!(settings == old.settings || settings == new.settings, "{what}: {settings:?}");
        assert!(manifest == old.manifest || manifest == new.manifest, "{what}: {manifest:?}");
        let all = format!("{settings:?} {manifest:?}");
        let is_there =
            |theirs: &&str| all.contains(theirs) || !format!("{old:?}").contains(*theirs);
        assert!(THEIRS.iter().all(is_there), "{what}: one is lost: {all}");
        // A restore that was stopped left a backup of its own, so the numbers moved on; and what it
        // brings back was taken out for good.
        if !rest || self.command == RESTORE {
            return;
        }
        let found = self.home.files();
        let again = [self.command; 2];
        let ends: [(&[&str], &State); 4] = [
            (&again, new),
            (&[UNINSTALL], &self.original),
            (&[RELEASE, UNINSTALL], &self.original),
            (&[APPLY, UNINSTALL], &self.original),
        ];
        let is_bare = self.home.state().manifest.is_none();
        // Without a manifest there is nothing to apply.
        for (commands, expected) in ends.into_iter().filter(|(it, _)| !is_bare || it[0] != APPLY) {
            self.home.reset(&found);
            for command in commands {
                self.home.does(command);
            }
            assert_eq!(&self.home.state(), expected, "{what}: after {commands:?}");
        }
    }

    fn kill_at(&self, call: &Call, rest: bool) {
        let inject = format!("inject={}:signal=KILL:when={}", call.name, call.n);
        let output = self.traced(&["-e", &inject]);
        assert!(!output.status.success(), "{}: it was not killed", call.line);
        self.check(&format!("killed at {}", call.line), rest);
    }

    /// A failure is none or one that is told: exit code 2, the old files and no litter.
    fn fail_at(&self, call: &Call, error: &str, rest: bool) {
        let inject = format!("inject={}:error={error}:when={}", call.name, call.n);
        let output = self.traced(&["-e", &inject]);
        let said = String::from_utf8_lossy(&output.stderr);
        let what = format!("{error} at {}: {said}", call.line);
        let litter = self.home.litter();
        // A temporary file that cannot be removed stays, and the next write sweeps it.
        assert!(litter.is_empty() || call.name.starts_with("unlink"), "{what}: {litter:?}");
        match output.status.code() {
            Some(0) => assert_eq!(self.home.state(), self.new, "{what}"),
            Some(2) => {
                assert!(said.lines().any(|line| line.starts_with("error: ")), "{what}");
                let empty = self.home.empty_folders();
                assert!(empty.is_empty(), "{what}: {empty:?}");
                assert_eq!(&self.home.state(), &self.old, "{what}: it was written");
            }
            code => panic!("{code:?} {what}"),
        }
        self.check(&what, rest);
    }

    fn changing(&self) -> Vec<Call> {
        self.calls().into_iter().filter(is_changing).collect()
    }
}

fn is_changing(call: &Call) -> bool {
    let makes = call.name.starts_with("open") && call.line.contains("O_CREAT");
    // What goes to the terminal is no part of the write.
    let says =
        call.name == "write" && (call.line.contains("write(1<") || call.line.contains("write(2<"));
    makes || (CHANGING.contains(&&*call.name) && !says)
}

/// Whether system calls can be tampered with here; said aloud if not, and an error in CI, where
/// they have to be.
fn can_trace() -> bool {
    let home = Home::new();
    let traces = home.command("strace").args(["-o", "/dev/null", "true"]).status();
    let can = traces.is_ok_and(|status| status.success());
    assert!(can || variable("CI").is_none(), "strace is missing or may not trace here");
    if !can {
        eprintln!("SKIPPED: strace is missing or may not trace here, so no fault was injected");
    }
    can
}

#[test]
fn a_kill_at_any_step_of_an_install_leaves_the_old_file_or_the_new_one() {
    if can_trace() {
        let scene = Scene::new(Home::new(), &[], INSTALL);
        for (n, call) in scene.changing().iter().enumerate() {
            scene.kill_at(call, n % 8 == 0);
        }
    }
}

#[test]
fn a_text_of_the_last_moment_outlives_a_kill_after_the_exchange() {
    if !can_trace() {
        return;
    }
    let scene = Scene::new(Home::new(), &[], INSTALL);
    let calls = scene.calls();
    let is_exchange =
        |call: &Call| call.line.contains("RENAME_EXCHANGE") && call.line.contains("settings.json");
    let exchange = calls.iter().position(is_exchange).unwrap();
    for theirs in [None, Some("{\"theirs\": 1}")] {
        scene.kill_at(&calls[exchange + 1], false);
        let [left] = scene.home.litter().try_into().unwrap();
        assert_eq!(fs::read_to_string(&left).unwrap(), SETTINGS);
        // What stood there in the moment of the exchange is what has the temporary name now.
        if let Some(theirs) = theirs {
            fs::write(&left, theirs).unwrap();
        }
        let file = fs::File::options().write(true).open(&left).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        let output = scene.home.hookman("uninstall --yes");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(scene.home.state(), scene.original, "{said}");
        assert_eq!(scene.home.litter(), [""; 0].map(PathBuf::from));
        let files = scene.home.files();
        let kept = files.iter().find(|(path, _)| path.to_string_lossy().contains(".newer-"));
        assert_eq!(kept.map(|(_, text)| text.as_str()), theirs, "{said}");
        let name = kept.map(|(path, _)| path.file_name().unwrap().to_string_lossy());
        assert!(name.is_none_or(|name| said.contains(&*name)), "{said}");
    }
}

#[test]
fn a_full_disk_leaves_the_old_file_and_says_so() {
    if can_trace() {
        let scene = Scene::new(Home::new(), &[], INSTALL);
        for (n, call) in scene.changing().iter().enumerate() {
            scene.fail_at(call, "ENOSPC", n % 8 == 0);
        }
    }
}

#[test]
fn a_kill_between_two_files_is_made_good_by_the_next_command() {
    if can_trace() {
        for scene in Scene::of_two_files() {
            // What tells one point from the next is which files have their new names.
            let is_step = |call: &&Call| call.name.starts_with("rename") || call.name == "unlink";
            for call in scene.changing().iter().filter(is_step) {
                scene.kill_at(call, true);
            }
        }
    }
}

#[test]
fn a_full_disk_between_two_files_leaves_both_as_they_were() {
    if can_trace() {
        for scene in Scene::of_two_files() {
            for (n, call) in scene.changing().iter().enumerate() {
                scene.fail_at(call, "ENOSPC", n % 8 == 0);
            }
        }
    }
}

#[test]
#[ignore = "takes minutes: every system call of every command that writes, killed"]
fn a_kill_at_any_system_call() {
    if can_trace() {
        for scene in Scene::of_one_file().iter().chain(&Scene::of_two_files()) {
            let calls = scene.calls();
            for call in &calls {
                scene.kill_at(call, true);
            }
            eprintln!("{}: killed at {} system calls", scene.command, calls.len());
        }
    }
}

#[test]
#[ignore = "takes minutes: every step of every command that writes, with four errors"]
fn an_error_at_any_step() {
    if can_trace() {
        for scene in Scene::of_one_file().iter().chain(&Scene::of_two_files()) {
            let calls = scene.changing();
            for (call, error) in
                calls.iter().flat_map(|call| ERRORS.iter().map(move |it| (call, it)))
            {
                scene.fail_at(call, error, true);
            }
            eprintln!("{}: {} errors at {} steps", scene.command, ERRORS.len(), calls.len());
        }
    }
}
