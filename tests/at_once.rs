//! Two hundred switch commands and two hundred runs on one session: no switch is lost, and no run
//! reads half a file.

#![cfg(test)]

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
};

use hookman::machine::lock::Lock;
use serde_json::Value;
use tempfile::TempDir;

const CALLS: usize = 200;

fn hookman(home: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookman"))
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// A call that goes on by itself, and says what it has to say into `said`.
fn begin(home: &Path, arguments: &[&str], stdin: Stdio, said: &File) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hookman"))
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(said.try_clone().unwrap())
        .spawn()
        .unwrap()
}

#[test]
fn switches_and_runs_at_once_lose_nothing() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let name = |n: usize| format!("hook-{n:03}");
    let hook =
        |n| format!("[[hook]]\nname = \"{}\"\nevent = \"Stop\"\ncommand = \"true\"\n", name(n));
    let gate = "[[hook]]\nname = \"gate\"\nevent = \"PreToolUse\"\ncommand = \"exit 2\"\n";
    let manifest: String = (0..CALLS).map(hook).chain([gate.to_owned()]).collect();
    fs::create_dir(home.join(".claude")).unwrap();
    fs::write(home.join(".claude/hookman.toml"), manifest).unwrap();
    // Every other hook is off before, and so is a gate that a run without its switches meets.
    let odd: Vec<String> = (1..CALLS).step_by(2).map(name).chain(["gate".to_owned()]).collect();
    let odd: Vec<&str> = odd.iter().map(String::as_str).collect();
    let first = hookman(home, &[&["disable", "--session", "one"], &odd[..]].concat(), "");
    // The session is not known yet, and the hooks are not registered, which is told with exit code 1.
    assert_eq!(first.status.code(), Some(1), "{first:?}");

    let state = home.join(".local/state/hookman");
    let payload = r#"{"session_id":"one","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let said = home.join("said");
    let file = File::create(&said).unwrap();
    let lock = Lock::take(&state.join("sessions/one/switches.lock")).unwrap();
    let switch = |n: usize| {
        let verb = if n.is_multiple_of(2) { "disable" } else { "enable" };
        begin(home, &[verb, &name(n), "--session", "one"], Stdio::null(), &file)
    };
    let mut switches: Vec<Child> = (0..CALLS).map(switch).collect();
    let run = |_| begin(home, &["run", "PreToolUse"], Stdio::piped(), &file);
    let mut runs: Vec<Child> = (0..CALLS).map(run).collect();
    let mut all = switches.iter_mut().chain(&mut runs);
    assert!(all.all(|call| call.try_wait().unwrap().is_none()), "not all are under way at once");
    // The switches wait for the lock, and the runs for what they are to look at.
    drop(lock);
    for run in &mut runs {
        run.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    }
    for call in switches.iter_mut().chain(&mut runs) {
        let code = call.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 1)), "{}", fs::read_to_string(&said).unwrap());
    }

    let status = hookman(home, &["status", "--session", "one", "--json"], "").stdout;
    let status: Value = serde_json::from_slice(&status).unwrap();
    let hooks = status["hooks"].as_array().unwrap();
    let off = hooks.iter().filter(|hook| hook["decided_by"] == "session");
    let off: Vec<&str> = off.filter_map(|hook| hook["hook"].as_str()).collect();
    let even: Vec<String> = (0..CALLS).step_by(2).map(name).chain(["gate".to_owned()]).collect();
    assert_eq!(off, even);
    let journal = fs::read_to_string(state.join("journal.jsonl")).unwrap();
    let runs: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(runs.len(), CALLS);
    let odd: Vec<&Value> = runs.iter().filter(|run| is_odd(run)).collect();
    assert!(odd.is_empty(), "{odd:?}");
}

/// Whether a run tells of trouble, or met the gate.
fn is_odd(run: &Value) -> bool {
    run.get("notes").is_some() || run["steps"][0]["outcome"] != "off"
}

#[test]
fn no_line_of_the_journal_is_torn_with_64_runs_at_once() {
    const RUNS: usize = 64;
    let home = TempDir::new().unwrap();
    let home = home.path();
    // A long reason makes lines that no single block of a file holds.
    let reason = "x".repeat(180);
    let hook = |n: usize| {
        format!("[[hook]]\nname = \"hook-{n}\"\nevent = \"Stop\"\nargv = [\"/{reason}\"]\n")
    };
    let hooks: Vec<String> = (0..64).map(hook).collect();
    fs::create_dir(home.join(".claude")).unwrap();
    fs::write(home.join(".claude/hookman.toml"), hooks.concat()).unwrap();
    let payload = r#"{"session_id":"one","hook_event_name":"Stop"}"#;
    thread::scope(|scope| {
        for _ in 0..RUNS {
            scope.spawn(|| assert!(hookman(home, &["run", "Stop"], payload).status.success()));
        }
    });
    let journal = fs::read_to_string(home.join(".local/state/hookman/journal.jsonl")).unwrap();
    let steps = |line: &str| serde_json::from_str::<Value>(line).unwrap()["steps"].clone();
    let lines: Vec<Value> = journal.lines().map(steps).collect();
    assert_eq!(lines.len(), RUNS);
    assert!(journal.len() > RUNS * 8192, "{}", journal.len());
    assert!(lines.iter().all(|steps| steps.as_array().is_some_and(|steps| steps.len() == 64)));
}
