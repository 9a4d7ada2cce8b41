//! What the doctor finds in broken and in clean setups.
//!
//! The files of `tests/doctor` have a case behind each line `# title`: files, each behind a line
//! `@ PATH`, with `+x` behind it for one that may be run; without a path the text is that of
//! `~/.claude/settings.json`, and a line `* EVENT(MATCHER) COMMAND` is a handler in it. `! LINE` is run
//! by a shell before, `% run` has each command run
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

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::expected;

/// What each home has to say for itself, where a case is not about it: no session ran, and most have
/// no manifest.
const QUIET: &[&str] = &["manifest-present", "fired", "client-features"];

/// Files whose cases are run with `--self-test`, and with this machine's linter.
const MEASURED: [&str; 2] = ["mistakes.txt", "everyday.txt"];

fn has_linter() -> bool {
    Path::new("/usr/bin/shellcheck").exists()
}

struct Case {
    is_measured: bool,
    /// All lines but those of findings and of the client.
    setup: Vec<String>,
    /// The checks that are silent.
    silent: Vec<String>,
    findings: Vec<String>,
    client: Vec<String>,
}

impl Case {
    fn parse(text: &str, is_measured: bool) -> Self {
        let (mut setup, mut findings, mut client) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.trim_end().lines() {
            match line.split_at_checked(2) {
                Some(("= ", rest))
                    if !is_measured || has_linter() || !rest.contains(" command-lint ") =>
                {
                    findings.push(rest.to_owned());
                }
                Some(("= ", _)) => {}
                Some(("~ ", _)) => client.push(line.to_owned()),
                _ => setup.push(line.to_owned()),
            }
        }
        let named = setup.iter().filter_map(|line| line.strip_prefix("- "));
        let silent = named.flat_map(|ids| ids.split(' ')).map(str::to_owned).collect();
        Self { is_measured, setup, silent, findings, client }
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

    /// Lays the files out in a new home.
    fn lay_out(&self) -> Home {
        let root = TempDir::with_prefix("hookman-doctor-").unwrap();
        let home = root.path().canonicalize().unwrap();
        for folder in ["project/.claude", ".claude", "bin", "state"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        fs::set_permissions(home.join("state"), fs::Permissions::from_mode(0o700)).unwrap();
        // What this machine's linter says of a case is not the same as what another's says.
        if !self.is_measured {
            fs::write(home.join("bin/shellcheck"), "#!/bin/sh\n").unwrap();
            fs::set_permissions(home.join("bin/shellcheck"), fs::Permissions::from_mode(0o755))
                .unwrap();
        }
        let mut target = home.join(".claude/settings.json");
        let mut text = String::new();
        let mut is_program = false;
        let (mut lines, mut handlers) = (Vec::new(), Map::new());
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
                Some(("* ", rest)) => add(&mut handlers, rest),
                Some(("$ " | "- " | "% ", _)) => {}
                _ => {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        write(&target, &text, is_program);
        if !handlers.is_empty() {
            let settings = json!({ "hooks": handlers }).to_string();
            write(&home.join(".claude/settings.json"), &settings, false);
        }
        let program = Path::new(env!("CARGO_BIN_EXE_hookman"));
        fs::hard_link(program, home.join("bin/hookman"))
            .or_else(|_| fs::copy(program, home.join("bin/hookman")).map(drop))
            .unwrap();
        let home = Home { _root: root, path: home };
        for line in lines {
            home.run(line);
        }
        home
    }

    /// Gives what the doctor finds in a new home.
    fn examine(&self) -> Vec<String> {
        let home = self.lay_out();
        let runs = self.is_measured || self.setup.iter().any(|line| line == "% run");
        let arguments = ["doctor", "--json", "--self-test"];
        let report = home.report(&arguments[..if runs { 3 } else { 2 }]);
        let home = home.path.as_path();
        let findings = findings(&report);
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
        findings.into_iter().filter(is_told).map(line).chain(runs).collect()
    }
}

impl Case {
    /// Does what the findings say and gives how many of them that mended.
    fn follow(&self) -> usize {
        let home = self.lay_out();
        let report = home.report(&["doctor", "--json"]);
        let mut done = 0;
        for finding in findings(&report) {
            let Some(line) = finding["command"].as_str() else { continue };
            let check = finding["check"].as_str().unwrap();
            // Other agents are not there to be told anything.
            let is_of_agent = check.starts_with("agent-") || check == "foreign-hooks";
            let is_quiet = QUIET.contains(&check);
            if is_quiet || is_of_agent || NOT_RUN.iter().any(|start| line.starts_with(start)) {
                continue;
            }
            let asks = line.contains("hookman ") && !line.contains("--yes");
            let yes = if asks { " --yes" } else { "" };
            home.run(&format!("{line}{yes}"));
            let left = home.report(&["doctor", "--json"]);
            let is_it = |other: &&Value| {
                ["check", "place", "message"].iter().all(|key| other[*key] == finding[*key])
            };
            let is_mended = !findings(&left).iter().any(is_it);
            assert!(is_mended, "{}: `{line}` leaves {}", self.setup[0], finding["message"]);
            done += 1;
        }
        done
    }
}

/// A home in which a case is laid out.
struct Home {
    _root: TempDir,
    path: PathBuf,
}

impl Home {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path.join("project"))
            .env_clear()
            .env("HOME", &self.path)
            .env("HOOKMAN_STATE_DIR", self.path.join("state"))
            .env("HOOKMAN_MANAGED_DIR", self.path.join("managed"))
            .env("PATH", format!("{}:/usr/bin:/bin", self.path.join("bin").display()))
            .stdin(Stdio::null());
        command
    }

    /// Has a shell run a line, which must succeed.
    fn run(&self, line: &str) {
        let output = self.command("/bin/sh").args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn report(&self, arguments: &[&str]) -> Value {
        let program = env!("CARGO_BIN_EXE_hookman");
        let output = self.command(program).args(arguments).output().unwrap();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    }
}

fn findings(report: &Value) -> Vec<&Value> {
    let checks = report["checks"].as_array().unwrap().iter();
    checks.flat_map(|check| check["findings"].as_array().unwrap()).collect()
}

/// Adds a group with one handler to those of an event.
fn add(handlers: &mut Map<String, Value>, row: &str) {
    let end = row.find(|it: char| !it.is_alphanumeric()).unwrap();
    let (event, rest) = row.split_at(end);
    let of_matcher = rest.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    let (matcher, command) = of_matcher.unwrap_or(("", &rest[1..]));
    let mut group = json!({"hooks": [{"type": "command", "command": command}]});
    if !matcher.is_empty() {
        group["matcher"] = matcher.into();
    }
    let groups = handlers.entry(event).or_insert_with(|| json!([]));
    groups.as_array_mut().unwrap().push(group);
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
    let (head, cases) = text.split_once("\n\n# ").unwrap();
    let cases = cases
        .split("\n\n# ")
        .map(|case| Case::parse(&format!("# {case}"), MEASURED.contains(&name)))
        .collect();
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
    let cases: Vec<Case> = ["settings.txt", "matchers.txt", "machine.txt", "written.txt"]
        .into_iter()
        .flat_map(compare)
        .collect();
    assert!(cases.len() >= 60, "there are only {} broken setups", cases.len());
    for case in &cases {
        assert!(!case.findings.is_empty(), "{}: nothing was found", case.setup[0]);
    }
}

/// The share of mistakes that may go without a word, in percent: without running anything, and with.
const SILENT: [usize; 2] = [25, 5];

#[test]
fn few_mistakes_get_no_word() {
    let cases = compare("mistakes.txt");
    let is_of_run = |finding: &String| finding.starts_with("failed run ");
    let silent = |counts: &dyn Fn(&String) -> bool| {
        cases.iter().filter(|case| !case.findings.iter().any(counts)).count()
    };
    let found = [silent(&|it| !is_of_run(it)), silent(&|_| true)];
    for (silent, allowed) in found.iter().zip(SILENT).filter(|_| has_linter()) {
        assert!(100 * silent <= allowed * cases.len(), "{found:?} of {} are silent", cases.len());
    }
}

#[test]
fn everyday_hooks_are_left_alone() {
    let cases = compare("everyday.txt");
    assert!(cases.len() >= 60, "there are only {} setups", cases.len());
    for case in &cases {
        assert!(case.findings.is_empty(), "{}: {:?}", case.setup[0], case.findings);
    }
}

/// Ways out that show something, or need a person or a client.
const NOT_RUN: [&str; 5] = ["claude ", "hookman log", "hookman edit", "hookman doctor", "cd "];

/// A case of a state directory where nobody may change anything.
const HELD: &str = "# a state directory on a file system without room";

#[test]
fn a_way_out_that_is_a_command_mends_its_fault() {
    let cases = ["machine.txt", "settings.txt", "mistakes.txt"].map(|name| read(name).1);
    let cases: Vec<Case> =
        cases.into_iter().flatten().filter(|case| case.setup[0] != HELD).collect();
    let mended = Mutex::new(0);
    thread::scope(|scope| {
        for share in 0..4 {
            let (cases, mended) = (&cases, &mended);
            scope.spawn(move || {
                for case in cases.iter().skip(share).step_by(4) {
                    *mended.lock().unwrap() += case.follow();
                }
            });
        }
    });
    assert!(mended.into_inner().unwrap() >= 20, "no way out was followed");
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
    let files = ["settings.txt", "matchers.txt", "machine.txt", "written.txt", "clean.txt"];
    let cases: Vec<Case> =
        files.into_iter().chain(MEASURED).flat_map(|name| read(name).1).collect();
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

/// The words of findings and faults are in tables, by names that the checks give.
#[test]
fn what_is_said_has_words_and_each_of_the_words_is_said() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (folder, table, saying) in [
        ("doctor", "findings.txt", ".say("),
        ("install/command_faults", "faults.txt", "Fault::known("),
    ] {
        let folder = root.join(folder);
        let rows = fs::read_to_string(folder.join(table)).unwrap();
        let rows = rows.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = rows.filter_map(|line| Some(line.split_once(" | ")?.0)).collect();
        let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.is_file() && !path.ends_with(table));
        let code: String = files.map(|path| fs::read_to_string(path).unwrap()).collect();
        for said in code.split(saying).skip(1) {
            let Some(name) = said.trim_start().strip_prefix('"') else { continue };
            let name = name.split('"').next().unwrap();
            assert!(names.contains(&name), "`{name}` has no words in {table}");
        }
        for name in names {
            // The readers of scripts print theirs.
            let is_said =
                code.contains(&format!("\"{name}\"")) || code.contains(&format!("'{name}'"));
            assert!(is_said, "nobody says `{name}` of {table}");
        }
    }
}
