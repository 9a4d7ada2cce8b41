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
