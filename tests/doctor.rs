//! What the doctor finds in broken and in clean setups.
//!
//! The files of `tests/doctor` have a case behind each line `# title`: files, each behind a line
//! `@ PATH`, with `+x` behind it for one that may be run; without a path the text is that of
//! `~/.claude/settings.json`. `! LINE` is run by a shell before, `% run` has each command run
//! (`--self-test`), of which `= failed run PLACE EVENT` is told, `$ TOOL` names the call that the
//! client is asked about, `= level check place` is a finding and `~` what the client does (see
//! `tests/client/doctor.rs`). `- check …` names checks that have something to look at and are silent;
//! each check has a case for which it finds something, and one in which it is named so. In the files
//! `<mark>` is a command that is there, and `<also>` another one, which the client runs at the start
//! of a session.
//!
//! `UPDATE_CASES=1` writes the findings that came; read the difference before keeping it.

#![cfg(test)]

use std::{
    fmt::Write as _,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::expected;

/// What each home has to say for itself, where a case is not about it: no session ran, and most have
/// no manifest.
const QUIET: &[&str] = &["manifest-present", "fired", "client-features", "client-session"];

struct Case {
    /// All lines but those of findings and of the client.
    setup: Vec<String>,
    /// The checks that are silent.
    silent: Vec<String>,
    findings: Vec<String>,
    client: Vec<String>,
}

impl Case {
    fn parse(text: &str) -> Self {
        let (mut setup, mut findings, mut client) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.trim_end().lines() {
            match line.split_at_checked(2) {
                Some(("= ", rest)) => findings.push(rest.to_owned()),
                Some(("~ ", _)) => client.push(line.to_owned()),
                _ => setup.push(line.to_owned()),
            }
        }
        let named = setup.iter().filter_map(|line| line.strip_prefix("- "));
        let silent = named.flat_map(|ids| ids.split(' ')).map(str::to_owned).collect();
        Self { setup, silent, findings, client }
    }

    /// Whether a check finds something.
    fn finds(&self, check: &str) -> bool {
        self.findings.iter().any(|finding| finding.split(' ').nth(1) == Some(check))
    }

    /// Whether a case is about a check.
    fn is_about(&self, check: &str) -> bool {
        self.finds(check) || self.silent.iter().any(|it| it == check)
    }

    fn text(&self, findings: &[String]) -> String {
        let mut text = self.setup.join("\n") + "\n";
        for finding in findings {
            let _ = writeln!(text, "= {finding}");
        }
        for line in &self.client {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Lays the files out in a new home and gives what the doctor finds there.
    fn examine(&self) -> Vec<String> {
        let root = TempDir::with_prefix("hookman-doctor-").unwrap();
        let home = root.path().canonicalize().unwrap();
        for folder in ["project/.claude", ".claude", "bin", "state"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::set_permissions(home.join("state"), fs::Permissions::from_mode(0o700)).unwrap();
        // What this machine's linter says of a case is not the same as what another's says.
        fs::write(home.join("bin/shellcheck"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(home.join("bin/shellcheck"), fs::Permissions::from_mode(0o755))
            .unwrap();
        let mut target = home.join(".claude/settings.json");
        let mut text = String::new();
        let mut is_program = false;
        let mut lines = Vec::new();
        let write = |target: &Path, text: &str, is_program: bool| {
            if text.is_empty() {
                return;
            }
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, filled(text, &home)).unwrap();
            if is_program {
                fs::set_permissions(target, fs::Permissions::from_mode(0o755)).unwrap();
            }
        };
        for line in self.setup.iter().skip(1) {
            match line.split_at_checked(2) {
                Some(("@ ", rest)) => {
                    write(&target, &text, is_program);
                    text.clear();
                    let (path, mode) = rest.split_once(" +x").unwrap_or((rest, "no"));
                    is_program = mode.is_empty();
                    target = home.join(path.trim_start_matches("~/"));
                }
                Some(("! ", rest)) => lines.push(rest),
                Some(("$ " | "- " | "% ", _)) => {}
                _ => {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        write(&target, &text, is_program);
        let command = |program: &Path| {
            let mut command = Command::new(program);
            command
                .current_dir(home.join("project"))
                .env_clear()
                .env("HOME", &home)
                .env("HOOKMAN_STATE_DIR", home.join("state"))
                .env("HOOKMAN_MANAGED_DIR", home.join("managed"))
                .env("PATH", format!("{}:/usr/bin:/bin", home.join("bin").display()))
                .stdin(Stdio::null());
            command
        };
        let program = Path::new(env!("CARGO_BIN_EXE_hookman"));
        fs::hard_link(program, home.join("bin/hookman"))
            .or_else(|_| fs::copy(program, home.join("bin/hookman")).map(drop))
            .unwrap();
        for line in lines {
            let output = command(Path::new("/bin/sh")).args(["-c", line]).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let runs = self.setup.iter().any(|line| line == "% run");
        let arguments = ["doctor", "--json", "--self-test"];
        let arguments = &arguments[..if runs { 3 } else { 2 }];
        let output = command(program).args(arguments).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let findings = report["checks"].as_array().unwrap().iter();
        let findings = findings.flat_map(|check| check["findings"].as_array().unwrap());
        let line = |finding: &Value| {
            let text = |key: &str| finding[key].as_str().unwrap();
            let place = text("place").replace(home.to_str().unwrap(), "~");
            format!("{} {} {place}", text("level"), text("check"))
        };
        let is_told = |finding: &&Value| {
            let check = finding["check"].as_str().unwrap();
            !QUIET.contains(&check) || self.is_about(check)
        };
        let failed = |run: &&Value| !run["problem"].is_null();
        let runs = report["commands"].as_array().into_iter().flatten().filter(failed).map(|run| {
            let text = |key: &str| run[key].as_str().unwrap();
            let place = text("place").replace(home.to_str().unwrap(), "~");
            format!("failed {} {place} {}", text("rests_on"), text("event"))
        });
        findings.filter(is_told).map(line).chain(runs).collect()
    }
}

fn filled(text: &str, home: &Path) -> String {
    text.replace("<mark>", "true")
        .replace("<also>", "true")
        .replace("<home>", home.to_str().unwrap())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doctor")
}

/// The cases of a file, with what is before the first.
fn read(name: &str) -> (String, Vec<Case>) {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    let (head, cases) = text.split_once("\n# ").unwrap();
    let cases = cases.split("\n# ").map(|case| Case::parse(&format!("# {case}"))).collect();
    (head.trim_end().to_owned() + "\n", cases)
}

fn compare(name: &str) -> Vec<Case> {
    let (head, cases) = read(name);
    let found: Mutex<Vec<(usize, Vec<String>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for share in 0..4 {
            let (cases, found) = (&cases, &found);
            scope.spawn(move || {
                for (index, case) in cases.iter().enumerate().filter(|(at, _)| at % 4 == share) {
                    let findings = case.examine();
                    found.lock().unwrap().push((index, findings));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    let texts = cases.iter().zip(&found).map(|(case, (_, findings))| case.text(findings));
    let came = head + "\n" + &texts.collect::<Vec<_>>().join("\n");
    expected::none(expected::difference(&folder().join(name), Some(&came)).into_iter().collect());
    read(name).1
}

#[test]
fn broken_setups_are_found() {
    let cases: Vec<Case> =
        ["settings.txt", "matchers.txt", "machine.txt"].into_iter().flat_map(compare).collect();
    assert!(cases.len() >= 60, "there are only {} broken setups", cases.len());
    for case in &cases {
        assert!(!case.findings.is_empty(), "{}: nothing was found", case.setup[0]);
    }
}

#[test]
fn each_check_has_a_case_that_it_finds_and_one_where_it_is_silent() {
    let output = Command::new(env!("CARGO_BIN_EXE_hookman"))
        .env_clear()
        .env("HOME", "/")
        .args(["doctor", "--list", "--json"])
        .output()
        .unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = list["checks"].as_array().unwrap().iter();
    let checks: Vec<&str> = checks.map(|check| check["check"].as_str().unwrap()).collect();
    let files = ["settings.txt", "matchers.txt", "machine.txt", "clean.txt"];
    let cases: Vec<Case> = files.into_iter().flat_map(|name| read(name).1).collect();
    for case in &cases {
        for check in &case.silent {
            assert!(checks.contains(&check.as_str()), "{}: no check {check}", case.setup[0]);
            assert!(!case.finds(check), "{}: {check} is not silent", case.setup[0]);
        }
    }
    let is_silent = |case: &Case, check: &str| case.silent.iter().any(|it| it == check);
    let without = |is_it: &dyn Fn(&Case, &str) -> bool| -> Vec<&str> {
        let lacks = |check: &&str| !cases.iter().any(|case| is_it(case, check));
        checks.iter().copied().filter(lacks).collect()
    };
    let none: Vec<&str> = Vec::new();
    assert_eq!(without(&Case::finds), none, "no case finds these");
    assert_eq!(without(&is_silent), none, "no case shows these silent");
}

#[test]
fn clean_setups_are_left_alone() {
    let cases = compare("clean.txt");
    assert!(cases.len() >= 25, "there are only {} clean setups", cases.len());
    for case in &cases {
        assert!(case.findings.is_empty(), "{}: {:?}", case.setup[0], case.findings);
    }
}
