//! Rehearsals say what the client's calls would get, and leave no trace.

#![cfg(test)]

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    os::unix::fs::MetadataExt,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::selection::table::{Chooser, Row, rows};

/// A folder with a home that has a manifest, and a project.
struct Home(TempDir);

impl Home {
    fn new(manifest: &str) -> Self {
        let home = TempDir::new().unwrap();
        fs::create_dir_all(home.path().join("home/.claude")).unwrap();
        fs::create_dir(home.path().join("project")).unwrap();
        fs::write(home.path().join("home/.claude/hookman.toml"), manifest).unwrap();
        Self(home)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn hookman(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hookman"))
            .args(arguments)
            .current_dir(self.path("project"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("CLAUDE_PROJECT_DIR", self.path("project"))
            .env("CLAUDECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads nothing may be gone before all of it is written.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    }

    fn tried(&self, payload: &str) -> Value {
        let output = self.hookman(&["try", "--payload", "-", "--json"], payload);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{payload}\n{}", String::from_utf8_lossy(&output.stderr)))
    }

    /// The bytes and the times of everything in it.
    fn tree(&self) -> BTreeMap<PathBuf, (Vec<u8>, i64, i64)> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.0.path().to_owned()];
        while let Some(path) = left.pop() {
            let facts = fs::symlink_metadata(&path).unwrap();
            if facts.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let bytes = if facts.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            found.insert(path, (bytes, facts.mtime(), facts.mtime_nsec()));
        }
        found
    }
}

const GUARDS: &str = r#"
[[hook]]
builtin = "one-strike"

[[hook]]
builtin = "protect"

[[hook]]
name = "no-todo"
builtin = "rules"
[hook.options]
rules = [{ id = "note", when = { tools = ["Bash(git commit *)"] }, message = "name the ticket", level = "advise" }]
"#;

/// Payloads of one session: lines of the guard's table, so that strikes are used up on the way, then
/// files and prompts.
fn payloads(home: &Home) -> Vec<String> {
    let lines = include_str!("guard/commands.tsv").lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| line.split_once('\t')).map(|(_, line)| line);
    let lines = lines.filter(|line| !line.contains('\\')).step_by(4).take(150).collect::<Vec<_>>();
    let project = home.path("project");
    let payload = |event: &str, more: Value| {
        let mut payload = json!({
            "session_id": "one", "transcript_path": "", "cwd": project, "permission_mode": "default",
            "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload.to_string()
    };
    let tool = |tool: &str, input: Value| {
        payload("PreToolUse", json!({ "tool_name": tool, "tool_input": input, "tool_use_id": "t" }))
    };
    let mut made: Vec<String> =
        lines.iter().map(|line| tool("Bash", json!({ "command": line }))).collect();
    for number in 0..20 {
        made.push(tool("Bash", json!({ "command": format!("git commit -m {number}") })));
        let file = ["src/x.rs", ".env", "id_rsa", "Cargo.lock"][number % 4];
        let file = project.join(format!("{number}")).join(file);
        made.push(tool("Write", json!({ "file_path": file, "content": "x" })));
        made.push(payload("UserPromptSubmit", json!({ "prompt": format!("do {number}") })));
    }
    made
}

#[test]
fn what_is_tried_is_what_a_call_gets_byte_for_byte() {
    let home = Home::new(GUARDS);
    let payloads = payloads(&home);
    assert!(payloads.len() >= 200, "{}", payloads.len());
    let mut denied = 0;
    for payload in &payloads {
        let event = serde_json::from_str::<Value>(payload).unwrap();
        let tried = home.tried(payload);
        let run = home.hookman(&["run", event["hook_event_name"].as_str().unwrap()], payload);
        let said = String::from_utf8(run.stdout).unwrap();
        assert_eq!(tried["verdict"]["stdout"], said, "{payload}");
        assert_eq!(tried["verdict"]["exit"], run.status.code().unwrap(), "{payload}");
        denied += usize::from(tried["verdict"]["decision"] == "deny");
    }
    assert!((20..payloads.len() - 40).contains(&denied), "{denied} denied");
}

#[test]
fn payloads_of_other_agents_are_tried_as_they_are_run() {
    let home = Home::new(
        r#"
[[hook]]
name = "no-tools"
builtin = "rules"
[hook.options]
rules = [{ id = "all", when = { tools = ["Bash", "Edit", "Write"] }, message = "not here", level = "block" }]
"#,
    );
    for program in ["codex", "copilot", "copilot-own", "qwen", "gemini", "droid"] {
        let host = program.trim_end_matches("-own");
        let file = format!("{}/tests/hosts/{program}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(file).unwrap();
        let mut denied = 0;
        for line in text.lines() {
            let (name, payload) = line.split_once(' ').unwrap();
            let Some(event) = crate::hosts::event(host, name) else { continue };
            let (event, more) = (event.name(), ["--payload", "-", "--json"]);
            let tried = home.hookman(
                &[&["try", "--event", event, "--host", host][..], &more].concat(),
                payload,
            );
            let tried: Value = serde_json::from_slice(&tried.stdout)
                .unwrap_or_else(|_| panic!("{line}: {}", String::from_utf8_lossy(&tried.stderr)));
            let run = home.hookman(&["run", event, "--host", host], payload);
            assert_eq!(tried["verdict"]["stdout"], *String::from_utf8_lossy(&run.stdout), "{line}");
            assert_eq!(tried["verdict"]["exit"], run.status.code().unwrap(), "{line}");
            denied += usize::from(tried["verdict"]["decision"] == "deny");
        }
        assert!(denied > 0, "{program}: no call was denied");
    }
}

#[test]
fn what_is_replayed_is_what_each_call_got() {
    let home = Home::new(GUARDS);
    let mut lines = Vec::new();
    let mut got = BTreeMap::new();
    for (number, payload) in payloads(&home).into_iter().enumerate() {
        let mut payload: Value = serde_json::from_str(&payload).unwrap();
        let event = payload["hook_event_name"].as_str().unwrap().to_owned();
        let id = format!("toolu_{number}");
        payload["tool_use_id"] = id.clone().into();
        let run = home.hookman(&["run", &event], &payload.to_string());
        let said: Value = serde_json::from_slice(&run.stdout).unwrap_or_default();
        let said = &said["hookSpecificOutput"];
        let decision = said["permissionDecision"]
            .as_str()
            .or_else(|| said["additionalContext"].as_str().map(|_| "advise"));
        let (kind, content) = if event == "PreToolUse" {
            got.insert(id.clone(), decision.unwrap_or("none").to_owned());
            let (name, input) = (&payload["tool_name"], &payload["tool_input"]);
            ("assistant", json!([{ "type": "tool_use", "id": id, "name": name, "input": input }]))
        } else {
            assert_eq!(decision, None, "{payload}");
            ("user", payload["prompt"].clone())
        };
        lines.push(
            json!({
                "type": kind, "sessionId": "one", "cwd": home.path("project"),
                "timestamp": format!("2026-01-01T00:{:02}:{:02}Z", number / 60, number % 60),
                "message": { "content": content },
            })
            .to_string(),
        );
    }
    assert!(got.len() >= 180, "{}", got.len());
    fs::create_dir_all(home.path("home/.claude/projects/p")).unwrap();
    fs::write(home.path("home/.claude/projects/p/one.jsonl"), lines.join("\n")).unwrap();
    let replayed = home.hookman(&["replay", "--json"], "");
    let replayed: Value = serde_json::from_slice(&replayed.stdout).unwrap();
    assert_eq!(replayed["calls"], got.len());
    let mut found: BTreeMap<String, String> =
        got.keys().map(|id| (id.clone(), "none".to_owned())).collect();
    for verdict in replayed["verdicts"].as_array().unwrap() {
        let word = |key: &str| verdict[key].as_str().unwrap().to_owned();
        assert!(!word("hook").is_empty() && !word("reason").is_empty(), "{verdict}");
        found.insert(word("tool_use_id"), word("decision"));
    }
    assert_eq!(found, got);
    let denied = got.values().filter(|word| *word == "deny").count();
    assert!((20..got.len() - 40).contains(&denied), "{denied} denied");
}

#[test]
fn a_handler_of_others_fires_where_the_client_calls_it() {
    let home = Home::new("");
    let fill = |text: &str| {
        let project = home.path("project");
        text.replace("@PROJECT@", project.to_str().unwrap())
            .replace("@HOME@", home.path("home").to_str().unwrap())
    };
    let mut calls: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows() {
        let input: Value = serde_json::from_str(&fill(&row.call.input.to_string())).unwrap();
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "one", "cwd": home.path("project"),
            "tool_name": row.call.tool, "tool_input": input,
        });
        calls.entry(payload.to_string()).or_default().push(row);
    }
    let mut wrong = Vec::new();
    for (payload, rows) in &calls {
        let group = |row: &Row| {
            let mut handler = json!({ "type": "command", "command": format!("row-{}", row.line) });
            let matcher = match &row.chooser {
                Chooser::Matcher(text) => text,
                Chooser::If(text) => {
                    handler["if"] = fill(text).into();
                    ""
                }
            };
            json!({ "matcher": matcher, "hooks": [handler] })
        };
        let groups: Vec<Value> = rows.iter().map(group).collect();
        let settings = json!({ "hooks": { "PreToolUse": groups } });
        fs::write(home.path("home/.claude/settings.json"), settings.to_string()).unwrap();
        let tried = home.tried(payload);
        let others = tried["others"].as_array().unwrap();
        for row in rows {
            let runs = format!("row-{}", row.line);
            let fires = others.iter().find(|it| it["runs"] == *runs).map(|it| it["fires"] == true);
            if fires != Some(row.runs[0] != row.differs) {
                wrong.push(format!("line {}: {:?}: {fires:?}: {payload}", row.line, row.chooser));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_rehearsal_leaves_no_trace() {
    let home = Home::new(GUARDS);
    let payloads = payloads(&home);
    for payload in payloads.iter().step_by(40) {
        home.hookman(&["run"], payload);
    }
    let line = json!({
        "type": "assistant", "sessionId": "one", "cwd": home.path("project"),
        "timestamp": "2026-01-01T00:00:00Z",
        "message": { "content": [
            { "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "rm -rf src" } }
        ] },
    });
    fs::create_dir_all(home.path("home/.claude/projects/p")).unwrap();
    fs::write(home.path("home/.claude/projects/p/one.jsonl"), line.to_string()).unwrap();
    assert!(home.hookman(&["test", "--init"], "").status.success());
    let before = home.tree();
    for arguments in [
        &["try", "rm -rf src", "--session", "one"][..],
        &["try", "rm -rf src", "--run-commands"],
        &["try", "--tool", "Write", "--file", ".env"],
        &["try", "--prompt", "/hook:disable protect"],
        &["try", "--event", "Stop"],
        &["try", "--sample", "Stop"],
        &["try", "rm -rf src", "--host", "gemini"],
        &["test"],
        &["replay"],
        &["replay", "--host", "codex"],
        &["test", "--host", "qwen"],
        &["replay", "--against", "../home/.claude/hookman.toml"],
        &["stats", "--by-hand"],
        &["statusline"],
        &["log", "--format", "otlp-json"],
    ] {
        let output = home.hookman(arguments, r#"{"session_id": "one"}"#);
        assert!(output.status.code() < Some(2), "{arguments:?}: {output:?}");
        assert!(!output.stdout.is_empty(), "{arguments:?}: {output:?}");
        let after = home.tree();
        let changed: Vec<_> = after
            .keys()
            .chain(before.keys())
            .filter(|it| after.get(*it) != before.get(*it))
            .collect();
        assert!(changed.is_empty(), "{arguments:?} left a trace: {changed:?}");
    }
}
