//! Other programs that call hooks, by what they were recorded to send.
//!
//! `tests/hosts/PROGRAM.txt` has a payload a line, behind the name of its event; `decoded.txt` has what
//! hookman reads in each, `encoded.txt` each kind of answer as each program obeys it.
//! `UPDATE_CASES=1` writes these two; read the difference before keeping it.

#![cfg(test)]

use std::{fmt::Write as _, fs, os::unix::fs::symlink, process::Command};

use hookman::client::{
    answer::{Answer, Decision},
    event::Event,
    host::{Decoded, HOSTS, Host},
    payload::Payload,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::expected;

const PROGRAMS: &[&str] = &["codex", "copilot", "copilot-own", "qwen", "gemini", "droid"];

#[test]
fn each_recorded_payload_is_read_in_the_words_of_hookman() {
    let mut made = String::new();
    for program in PROGRAMS {
        let file = format!("{}/tests/hosts/{program}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(file).unwrap();
        for line in text.lines() {
            let (name, text) = line.split_once(' ').unwrap();
            let payload = Payload::parse(text).unwrap();
            let host = Host::of(&payload);
            let told = program.trim_end_matches("-own");
            let host_named = Host::named(told, !payload.own_session.is_empty());
            // The entry names the event in hookman's words.
            let event = host_named.event(name.split('.').next().unwrap()).or_else(|| own(name));
            let told_by = if host.name == host_named.name { "" } else { ", known by --host only" };
            writeln!(made, "{program} {name}{told_by}").unwrap();
            match host_named.decoded(&payload, text, event) {
                Decoded::Same => writeln!(made, "  as it is").unwrap(),
                Decoded::Nothing(why) => writeln!(made, "  not heard: {why}").unwrap(),
                Decoded::Call(text) => writeln!(made, "  {}", shown(&text)).unwrap(),
                Decoded::Patch(texts) => {
                    for text in texts {
                        writeln!(made, "  {}", shown(&text)).unwrap();
                    }
                }
            }
        }
    }
    expected::expect("tests/hosts/decoded.txt", &made);
}

/// The event of a recorded payload of a program, in hookman's words.
pub(crate) fn event(host: &str, name: &str) -> Option<Event> {
    Host::named(host, false).event(name.split('.').next()?).or_else(|| own(name))
}

/// The event of a name of Copilot's own, which its entries give in hookman's words.
fn own(name: &str) -> Option<Event> {
    Some(match name.split('.').next()? {
        "permissionRequest" => Event::PermissionRequest,
        "postToolUse" => Event::PostToolUse,
        "preToolUse" => Event::PreToolUse,
        "sessionEnd" => Event::SessionEnd,
        "sessionStart" => Event::SessionStart,
        "userPromptSubmitted" => Event::UserPromptSubmit,
        "agentStop" => Event::Stop,
        _ => return None,
    })
}

/// What hooks are selected and asked by.
fn shown(text: &str) -> String {
    let payload = Payload::parse(text).unwrap();
    let event = Event::from_name(&payload.hook_event_name);
    let mut shown = format!("{} {}", payload.hook_event_name, payload.session_id);
    if let Some(subject) = event.and_then(|event| payload.subject(event)) {
        write!(shown, " {subject}").unwrap();
    }
    if let Some(input) = payload.tool_input {
        let input: Value = serde_json::from_str(input.get()).unwrap();
        write!(shown, " {input}").unwrap();
    }
    for (name, text) in [
        ("mode", &payload.permission_mode),
        ("prompt", &payload.prompt),
        ("said", &payload.last_assistant_message),
    ] {
        if !text.is_empty() {
            write!(shown, " {name}={text}").unwrap();
        }
    }
    shown
}

#[test]
fn each_answer_is_written_as_a_program_obeys_it() {
    let ask = || Answer::ask("to everyone?");
    let with = |mut answer: Answer, key: &str, value: Value| {
        answer.specific.insert(key.to_owned(), value);
        answer
    };
    let input = || json!({"file_path": "/a", "content": "b"});
    let loud = Answer {
        suppress_output: true,
        stop: true,
        system_message: Some("hi".to_owned()),
        terminal_sequence: Some("\u{7}".to_owned()),
        ..Answer::deny("no")
    };
    let stop = Answer { stop: true, stop_reason: Some("enough".to_owned()), ..Answer::default() };
    let allow = Answer { decision: Some(Decision::Allow), ..Answer::default() };
    let rows = [
        ("nothing", Event::PreToolUse, Answer::default()),
        ("deny", Event::PreToolUse, Answer::deny("no")),
        ("deny, with a command", Event::PreToolUse, Answer::deny("by typing `/hook:disable a`")),
        ("deny without a reason", Event::PreToolUse, Answer::deny(" ")),
        ("deny, suppressOutput, continue: false", Event::PreToolUse, loud.clone()),
        ("continue: false", Event::PreToolUse, stop.clone()),
        ("ask", Event::PreToolUse, ask()),
        ("ask without a reason", Event::PreToolUse, Answer::ask(" ")),
        ("allow", Event::PreToolUse, allow.clone()),
        ("defer", Event::PreToolUse, Answer { decision: Some(Decision::Defer), ..ask() }),
        ("rewrite", Event::PreToolUse, with(Answer::default(), "updatedInput", input())),
        ("ask and rewrite", Event::PreToolUse, with(ask(), "updatedInput", input())),
        ("advice", Event::PreToolUse, Answer::context("mind this")),
        ("deny", Event::PermissionRequest, Answer::deny("no")),
        ("allow", Event::PermissionRequest, allow),
        ("ask", Event::PermissionRequest, ask()),
        ("deny", Event::PostToolUse, Answer::deny("no")),
        ("advice", Event::PostToolUse, Answer::context("mind this")),
        ("continue: false", Event::PostToolUse, stop.clone()),
        ("deny", Event::UserPromptSubmit, Answer::deny("no")),
        ("advice", Event::UserPromptSubmit, Answer::context("mind this")),
        ("continue: false", Event::UserPromptSubmit, stop.clone()),
        ("advice", Event::SessionStart, Answer::context("mind this")),
        ("deny", Event::Stop, Answer::deny("not yet")),
        ("advice", Event::Stop, Answer::context("mind this")),
        ("continue: false", Event::Stop, stop),
        ("all", Event::SessionEnd, loud.clone()),
        ("deny", Event::PreCompact, Answer::deny("not yet")),
        ("all", Event::PreCompact, loud),
    ];
    let mut made = String::new();
    for (what, event, answer) in &rows {
        writeln!(made, "{event}: {what}").unwrap();
        let own = Host::named("copilot", true);
        for host in HOSTS.iter().copied().filter(|host| !host.is_claude()).chain([own]) {
            let name = if std::ptr::eq(host, own) { "copilot, own words" } else { host.name };
            let encoded = host.encode(*event, answer);
            let said = encoded.said;
            let code = if said.code == 0 { String::new() } else { format!(" [{}]", said.code) };
            let words = format!("{}{}{code}", said.stdout, said.stderr.trim_end());
            let left_out = encoded.left_out.join(", ");
            let left_out =
                if left_out.is_empty() { left_out } else { format!("  (left out: {left_out})") };
            writeln!(made, "{}", format!("  {name:<19}{words}{left_out}").trim_end()).unwrap();
        }
    }
    expected::expect("tests/hosts/encoded.txt", &made);
}

/// Runs the plugin in Node, where there is one.
#[test]
fn the_plugin_of_opencode_hands_its_calls_to_the_chain() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("no Node here, so the plugin was not run");
        return;
    }
    let home = TempDir::new().unwrap();
    let bin = home.path().join("bin");
    let config = home.path().join(".claude");
    let project = home.path().join("project");
    for folder in [&bin, &config, &project] {
        fs::create_dir(folder).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_hookman"), bin.join("hookman")).unwrap();
    let manifest = r#"
hosts = ["opencode"]

[[hook]]
builtin = "one-strike"

[[hook]]
builtin = "protect"

[[hook]]
name    = "quiet"
event   = "PreToolUse"
matcher = "Bash"
argv    = ["sh", "-c", """grep -q '"true"' && printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"false"}}}'; exit 0"""]

[[hook]]
name    = "advises"
event   = "PostToolUse"
matcher = "Edit"
command = "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"additionalContext\":\"run the tests\"}}'"
"#;
    fs::write(config.join("hookman.toml"), manifest).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let path =
            format!("{}:{}", bin.display(), hookman::machine::environment::text("PATH").unwrap());
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&project).env_clear();
        let output = command.env("HOME", home.path()).env("PATH", path).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        text(output.stdout) + &text(output.stderr)
    };
    run(bin.join("hookman").to_str().unwrap(), &["apply", "--yes"]);
    let plugin = home.path().join(".config/opencode/plugins/hookman.js");
    // Node takes a file of this name for a module without a package.json.
    let module = home.path().join("hookman.mjs");
    fs::copy(plugin, &module).unwrap();
    let driver = format!("{}/tests/hosts/opencode.mjs", env!("CARGO_MANIFEST_DIR"));
    let told = run("node", &[&driver, module.to_str().unwrap()]);
    fs::remove_file(bin.join("hookman")).unwrap();
    let missing = run("node", &[&driver, module.to_str().unwrap()]);
    let held = missing.matches(" is held: ").count();
    assert_eq!(held, told.matches(" is held: ").count() + told.matches(" goes on").count());
    let told = told.replace(home.path().to_str().unwrap(), "[HOME]");
    expected::expect("tests/hosts/opencode.txt", &told);
}
