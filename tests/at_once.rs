//! Two hundred switch commands and two hundred runs on one session: no switch is lost, and no run
//! reads half a file.

#![cfg(test)]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

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

#[test]
fn switches_and_runs_at_once_lose_nothing() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let manifest: String = (0..CALLS)
        .map(|n| {
            format!("[[hook]]\nname = \"hook-{n:03}\"\nevent = \"Stop\"\ncommand = \"true\"\n")
        })
        .chain(["[[hook]]\nbuiltin = \"one-strike\"\n".to_owned()])
        .collect();
    fs::create_dir(home.join(".claude")).unwrap();
    fs::write(home.join(".claude/hookman.toml"), manifest).unwrap();
    let payload = r#"{"session_id":"one","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= 2 * CALLS {
                        return;
                    }
                    let output = if n.is_multiple_of(2) {
                        let hook = format!("hook-{:03}", n / 2);
                        hookman(home, &["disable", &hook, "--session", "one"], "")
                    } else {
                        hookman(home, &["run", "PreToolUse"], payload)
                    };
                    assert!(output.status.success(), "{output:?}");
                }
            });
        }
    });
    let status = hookman(home, &["status", "--session", "one", "--json"], "").stdout;
    let status: Value = serde_json::from_slice(&status).unwrap();
    let hooks = status["hooks"].as_array().unwrap();
    let off = hooks.iter().filter(|hook| hook["decided_by"] == "session").count();
    assert_eq!(off, CALLS);
    let journal = fs::read_to_string(home.join(".local/state/hookman/journal.jsonl")).unwrap();
    let runs: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(runs.len(), CALLS);
    let noted: Vec<&Value> = runs.iter().filter(|run| run.get("notes").is_some()).collect();
    assert!(noted.is_empty(), "{noted:?}");
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
