//! Each system call of a write ends the process, or fails.

use std::collections::HashMap;
use std::fs;
use std::process::Output;

use super::home::{Files, Home, SETTINGS};

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

const ERRORS: &[&str] = &["ENOSPC", "EIO", "EACCES", "EROFS"];

// Looking for running clients makes a number of calls that differs from run to run.
const INSTALL: &str = "install --yes --no-wait";
const UNINSTALL: &str = "uninstall --yes --no-wait";

/// A command that writes, and the state it begins in.
struct Scene {
    home: Home,
    command: &'static str,
    begin: Files,
    old: Option<String>,
    new: Option<String>,
}

/// A system call of the write phase: the n-th of its name in the process.
struct Call {
    name: String,
    n: usize,
    line: String,
    /// Whether the settings are written by then.
    late: bool,
}

impl Scene {
    fn new(before: &[&str], command: &'static str) -> Self {
        let home = Home::new();
        for command in before {
            home.does(command);
        }
        let (begin, old) = (home.files(), home.settings());
        home.does(command);
        let new = home.settings();
        assert_ne!(old, new, "{command} writes nothing");
        Self { home, command, begin, old, new }
    }

    fn all() -> Vec<Self> {
        let install = INSTALL;
        vec![
            Self::new(&[], install),
            Self::new(&[install, UNINSTALL], "restore 1 --yes --no-wait"),
            Self::new(&[install], UNINSTALL),
        ]
    }

    fn traced(&self, options: &[&str]) -> Output {
        self.home.reset(&self.begin);
        let trace = self.home.path("trace");
        let mut command = self.home.command("strace");
        command.args(["-qq", "-y", "-o"]).arg(trace).args(options).arg("--");
        command.arg(self.home.path("bin/hookman")).args(self.command.split(' '));
        command.output().unwrap()
    }

    /// The calls from the moment the lock is taken on.
    fn calls(&self) -> Vec<Call> {
        let output = self.traced(&[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let trace = fs::read_to_string(self.home.path("trace")).unwrap();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut calls = Vec::new();
        let (mut writing, mut late) = (false, false);
        for line in trace.lines() {
            let Some((name, rest)) = line.split_once('(') else { continue };
            let n = counts.entry(name).or_default();
            *n += 1;
            writing |= rest.contains("/locks");
            if writing && name != "exit_group" {
                calls.push(Call { name: name.to_owned(), n: *n, line: line.to_owned(), late });
            }
            late |= name.starts_with("rename") && rest.contains("/settings.json\"");
        }
        assert!(calls.len() > 50, "the trace has no write phase: {trace}");
        calls
    }

    /// Nothing is lost, and if it is done `again`, the same command does its work when nothing is
    /// in its way.
    fn check(&self, what: &str, again: bool) {
        let found = self.home.settings();
        assert!(found == self.old || found == self.new, "{what}: {found:?}");
        if !again {
            return;
        }
        // A restore that was stopped left a backup of its own, and the numbers moved on.
        if self.command != INSTALL && (found == self.new || self.command.starts_with("restore")) {
            return;
        }
        self.home.does(self.command);
        assert_eq!(self.home.settings(), self.new, "{what}: the second try");
        if self.command == INSTALL {
            self.home.does(UNINSTALL);
            assert_eq!(self.home.settings().as_deref(), Some(SETTINGS), "{what}: the original");
        }
    }

    fn kill_at(&self, call: &Call, again: bool) {
        let inject = format!("inject={}:signal=KILL:when={}", call.name, call.n);
        let output = self.traced(&["-e", &inject]);
        assert!(!output.status.success(), "{}: it was not killed", call.line);
        self.check(&format!("killed at {}", call.line), again);
    }

    /// A failure is none or one that is told: exit code 2, the old file and no litter.
    fn fail_at(&self, call: &Call, error: &str, again: bool) {
        let inject = format!("inject={}:error={error}:when={}", call.name, call.n);
        let output = self.traced(&["-e", &inject]);
        let said = String::from_utf8_lossy(&output.stderr);
        let what = format!("{error} at {}: {said}", call.line);
        let litter = self.home.litter();
        // A temporary file that cannot be removed stays, and the next write sweeps it.
        assert!(litter.is_empty() || call.name.starts_with("unlink"), "{what}: {litter:?}");
        match output.status.code() {
            Some(0) => assert_eq!(self.home.settings(), self.new, "{what}"),
            Some(2) => {
                assert!(said.starts_with("error: ") && said.contains('`'), "{what}");
                assert!(call.late || self.home.settings() == self.old, "{what}: it was written");
            }
            code => panic!("{code:?} {what}"),
        }
        self.check(&what, again);
    }
}

fn is_changing(call: &Call) -> bool {
    let makes = call.name.starts_with("open") && call.line.contains("O_CREAT");
    // What goes to the terminal is no part of the write.
    let says =
        call.name == "write" && (call.line.contains("write(1<") || call.line.contains("write(2<"));
    makes || (CHANGING.contains(&&*call.name) && !says)
}

/// Whether system calls can be tampered with here; said aloud if not.
fn can_trace() -> bool {
    let home = Home::new();
    let traces = home.command("strace").args(["-o", "/dev/null", "true"]).status();
    let can = traces.is_ok_and(|status| status.success());
    if !can {
        eprintln!("SKIPPED: strace is missing or may not trace here, so no fault was injected");
    }
    can
}

#[test]
fn a_kill_at_any_step_of_an_install_leaves_the_old_file_or_the_new_one() {
    if can_trace() {
        let scene = Scene::new(&[], INSTALL);
        for (n, call) in scene.calls().iter().filter(|call| is_changing(call)).enumerate() {
            scene.kill_at(call, n % 8 == 0);
        }
    }
}

#[test]
fn a_full_disk_leaves_the_old_file_and_says_so() {
    if can_trace() {
        let scene = Scene::new(&[], INSTALL);
        for (n, call) in scene.calls().iter().filter(|call| is_changing(call)).enumerate() {
            scene.fail_at(call, "ENOSPC", n % 8 == 0);
        }
    }
}

#[test]
#[ignore = "takes minutes: every system call of every command that writes, killed"]
fn a_kill_at_any_system_call() {
    if can_trace() {
        for scene in Scene::all() {
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
        for scene in Scene::all() {
            let calls = scene.calls();
            let calls: Vec<&Call> = calls.iter().filter(|call| is_changing(call)).collect();
            for (call, error) in
                calls.iter().flat_map(|call| ERRORS.iter().map(move |it| (call, it)))
            {
                scene.fail_at(call, error, true);
            }
            eprintln!("{}: {} errors at {} steps", scene.command, ERRORS.len(), calls.len());
        }
    }
}
