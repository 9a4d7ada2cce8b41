//! `hookman log -f` prints each run as it comes, whatever becomes of the journal's file meanwhile.

#![cfg(test)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// A bound for a hang, not a measurement.
const PATIENCE: Duration = Duration::from_secs(60);

fn hookman(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookman"));
    command
        .args(args)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("HOOKMAN_STATE_DIR", home.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// A run before a call of `tool`, which the journal has when this returns.
fn run(home: &Path, tool: &str) {
    let mut run = hookman(home, &["run", "PreToolUse"]).spawn().unwrap();
    let payload = format!(
        r#"{{"session_id":"one","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{}}}}"#
    );
    run.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    assert!(run.wait().unwrap().success());
}

/// A process that is not left behind by a test that fails.
struct Follower(Child);

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.0.kill());
    }
}

/// Starts a follower; the rows that it prints come out of the other end.
fn follow(home: &Path) -> (Follower, Receiver<String>) {
    let mut follower = hookman(home, &["log", "-f", "--json"]).spawn().unwrap();
    let stdout = BufReader::new(follower.stdout.take().unwrap());
    let (sender, rows) = mpsc::channel();
    thread::spawn(move || {
        for row in stdout.lines().map_while(Result::ok) {
            let row: Value = serde_json::from_str(&row).unwrap();
            if sender.send(row["subject"].as_str().unwrap().to_owned()).is_err() {
                break;
            }
        }
    });
    (Follower(follower), rows)
}

#[test]
fn each_run_is_printed_once_also_when_the_journal_is_put_aside_or_cut() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    let journal = home.join("state/journal.jsonl");
    let next = |rows: &Receiver<String>| rows.recv_timeout(PATIENCE).unwrap();
    run(home, "before");
    let (mut follower, rows) = follow(home);
    assert_eq!(next(&rows), "before");

    run(home, "first");
    assert_eq!(next(&rows), "first");
    run(home, "second");
    assert_eq!(next(&rows), "second");

    fs::rename(&journal, home.join("state/journal-20260101T000000.000Z.jsonl")).unwrap();
    run(home, "after-rotation");
    assert_eq!(next(&rows), "after-rotation");
    run(home, "long-enough-to-be-seen-as-cut");
    assert_eq!(next(&rows), "long-enough-to-be-seen-as-cut");

    fs::write(&journal, "").unwrap();
    run(home, "after-cut");
    assert_eq!(next(&rows), "after-cut");

    // A caller may have SIGINT ignored, which the follower would inherit.
    kill_process(Pid::from_child(&follower.0), Signal::TERM).unwrap();
    assert_eq!(follower.0.wait().unwrap().signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(rows.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_follower_whose_reader_is_gone_ends_at_the_next_row() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    run(home, "before");
    let mut follower = hookman(home, &["log", "-f", "--json"]).spawn().unwrap();
    let mut stdout = BufReader::new(follower.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    run(home, "after");
    assert_eq!(follower.wait().unwrap().code(), Some(0));
}
