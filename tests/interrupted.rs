//! A client that gives up on hookman ends the commands that hookman runs, too.

#![cfg(test)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const MANIFEST: &str = r#"
[[hook]]
name     = "slow"
event    = "PreToolUse"
command  = "trap 'echo told >> told; exit 0' TERM; exec 9> held; echo ready >&9; sleep 300 & wait"
on_error = "closed"

[[hook]]
name    = "next"
event   = "PreToolUse"
always  = true
command = "echo ran >> told"
"#;

const PAYLOAD: &str = r#"{"session_id":"one","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

#[test]
fn a_run_that_is_ended_ends_its_commands_and_starts_no_more() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let home = TempDir::new().unwrap();
        let home = home.path();
        fs::create_dir(home.join(".claude")).unwrap();
        fs::write(home.join(".claude/hookman.toml"), MANIFEST).unwrap();
        let held = home.join("held");
        assert!(Command::new("mkfifo").arg(&held).status().unwrap().success());
        let mut run = Command::new(env!("CARGO_BIN_EXE_hookman"))
            .args(["run", "PreToolUse"])
            .current_dir(home)
            .env_clear()
            .envs([("PATH", "/usr/bin:/bin")])
            .env("HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        run.stdin.take().unwrap().write_all(PAYLOAD.as_bytes()).unwrap();
        let mut held = BufReader::new(File::open(held).unwrap());
        let mut ready = String::new();
        held.read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");

        kill_process(Pid::from_child(&run), signal).unwrap();

        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let number = signal.as_raw();
        assert!(said.contains(r#""permissionDecision":"deny""#), "{said}");
        let killed = format!("the hook itself failed (it was killed by signal {number})");
        assert!(said.contains(&killed), "{said}");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(fs::read_to_string(home.join("told")).unwrap(), "told\n");
        // This ends only when the last process that holds it is gone.
        assert_eq!(held.read_to_string(&mut ready).unwrap(), 0);
    }
}

/// An abort would let the call through, however little memory the client's limits leave.
#[test]
fn a_run_without_memory_holds_a_closed_gate() {
    let home = TempDir::new().unwrap();
    let home = home.path();
    fs::create_dir(home.join(".claude")).unwrap();
    let manifest = "[[hook]]\nbuiltin = \"destructive-guard\"\non_error = \"closed\"\n";
    fs::write(home.join(".claude/hookman.toml"), manifest).unwrap();
    let payload = PAYLOAD.replace("ls", &"echo $x; ".repeat(200_000));
    let mut held = 0;
    // A build for tests needs some 64 MiB to start.
    for mebibytes in (40..120).step_by(2) {
        let script = format!("ulimit -v {}; exec \"$0\" run PreToolUse", mebibytes * 1024);
        let mut run = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_hookman")])
            .current_dir(home)
            .env_clear()
            .env("HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = run.stdin.take().unwrap().write_all(payload.as_bytes());
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let problem = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        let is_answer = code == Some(2) && problem.contains("no memory")
            || said.contains(r#""permissionDecision":"deny""#);
        // The loader fails in its own way where it cannot start a program.
        let is_started = held > 0 || code == Some(0) || problem.contains("allocation");
        assert!(is_answer || !is_started, "{mebibytes} MiB: {code:?} {said} {problem}");
        held += usize::from(is_answer);
    }
    assert!(held > 10, "{held}");
}
