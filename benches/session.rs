//! Times sessions of the real client with and without hooks; `benches/session` runs it.

#![allow(clippy::print_stdout, reason = "the table is what a benchmark is for")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use sandbox::Sandbox;
use serde_json::json;
use session::Session;

#[path = "../tests/client/api.rs"]
#[allow(dead_code, reason = "the tests ask more of it")]
mod api;
#[path = "../tests/real/folders.rs"]
#[allow(dead_code, reason = "the tests ask more of it")]
mod folders;
#[path = "../tests/client/sandbox.rs"]
#[allow(dead_code, reason = "the tests ask more of it")]
mod sandbox;
#[path = "../tests/client/script.rs"]
mod script;
#[path = "../tests/client/session.rs"]
#[allow(dead_code, reason = "the tests ask more of it")]
mod session;

const CALLS: usize = 30;
const HOOKS: usize = 10;

/// How much longer a session with hookman may take than one without hooks.
const LIMIT: f64 = 1.03;
/// From which time on a model counts as a real one; those of today take longer.
const REAL: Duration = Duration::from_secs(1);

const SCRIPT: &str = r#"#!/bin/bash
payload=$(cat)
tool=$(jq -r '.tool_name' <<<"$payload")
command=$(jq -r '.tool_input.command // empty' <<<"$payload")
[ "$tool" = Bash ] || exit 0
case $command in
    *"rm -rf"*) echo "no" >&2; exit 2 ;;
esac
exit 0
"#;

/// What is registered in a session.
#[derive(Clone, Copy)]
enum Kind {
    Nothing,
    /// What any one hook costs at least: the client's own work, and a process that does nothing.
    Least,
    Hookman,
    Scripts,
}

const KINDS: [(Kind, &str); 4] = [
    (Kind::Nothing, "no hooks"),
    (Kind::Least, "one static C program that reads its input"),
    (Kind::Hookman, "hookman, 10 built-in hooks"),
    (Kind::Scripts, "10 bash-and-jq hooks"),
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    // `cargo bench` and `cargo test --benches` run this as one of several, and bare.
    let Some(hookman) = arguments.next() else { return Ok(()) };
    let least = arguments.next().context("LEAST")?;
    let rounds = arguments.next().context("ROUNDS")?.parse().context("ROUNDS")?;
    let pause = arguments.next().context("MILLISECONDS")?.parse().context("MILLISECONDS")?;
    let pause = Duration::from_millis(pause);
    let mut times: [Vec<Duration>; KINDS.len()] = Default::default();
    for round in 0..=rounds {
        // Each kind comes first in turn, so that none always finds the machine warm.
        for step in 0..KINDS.len() {
            let at = (round + step) % KINDS.len();
            let (kind, name) = KINDS[at];
            let time = time(kind, Path::new(&hookman), &least, pause).context(name)?;
            // The first round warms the caches.
            if round > 0 {
                times[at].push(time);
            }
        }
    }
    println!("{CALLS} tool calls, a model that answers after {pause:?}, {rounds} rounds");
    println!("median\tmin\tmax");
    let nothing = median(&mut times[0]);
    let mut too_long = None;
    for ((kind, name), times) in KINDS.iter().zip(&mut times) {
        let median = median(times);
        let ratio = median.as_secs_f64() / nothing.as_secs_f64();
        let (min, max) = (times[0].as_secs_f64(), times[times.len() - 1].as_secs_f64());
        let median = median.as_secs_f64();
        println!("{median:.3} s\t{min:.3} s\t{max:.3} s\t{ratio:.3}\t{name}");
        if matches!(kind, Kind::Hookman) && pause >= REAL && ratio > LIMIT {
            too_long = Some(ratio);
        }
    }
    if let Some(ratio) = too_long {
        bail!("a session with hookman takes {ratio:.3} of one without hooks, more than {LIMIT}");
    }
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How long a session takes from the start of the client to its end.
fn time(kind: Kind, hookman: &Path, least: &str, pause: Duration) -> Result<Duration> {
    let sandbox = Sandbox::new(hookman, &BTreeMap::new())?;
    sandbox.write("project/notes.txt", "one line\n")?;
    match kind {
        Kind::Nothing => {}
        Kind::Least => sandbox.write("home/.claude/settings.json", &settings(least, 1))?,
        Kind::Hookman => {
            sandbox.write("home/.claude/hookman.toml", &manifest())?;
            let applied = sandbox.run("hookman apply --yes")?;
            ensure!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
        }
        Kind::Scripts => {
            sandbox.write("home/guard", SCRIPT)?;
            sandbox.write(
                "home/.claude/settings.json",
                &settings(&sandbox.fill("@HOME@/guard"), HOOKS),
            )?;
        }
    }
    let mut session = Session::new()?;
    session.api.pause(pause);
    session.api.queue(script::parse(&turns(&sandbox))?);
    let args = ["--allowedTools", "Bash", "Read"].map(str::to_owned);
    let start = Instant::now();
    session.say("go on", &args, &sandbox)?;
    let events = session.hear()?;
    session.end()?;
    let time = start.elapsed();
    let problems = session.api.problems();
    ensure!(problems.is_empty(), "{problems:?}");
    let ran = |event: &str| {
        let is_start =
            |it: &&serde_json::Value| it["subtype"] == "hook_started" && it["hook_event"] == event;
        events.iter().filter(is_start).count()
    };
    let expected = CALLS
        * match kind {
            Kind::Nothing => 0,
            Kind::Least | Kind::Hookman => 1,
            Kind::Scripts => HOOKS,
        };
    let ran = (ran("PreToolUse"), ran("PostToolUse"));
    ensure!(ran == (expected, expected), "{ran:?} hooks ran instead of {expected} on each event");
    Ok(time)
}

/// The tool calls, one a turn, by turns of two kinds.
fn turns(sandbox: &Sandbox) -> String {
    let mut turns = String::new();
    for call in 0..CALLS {
        let (tool, input) = if call % 2 == 0 {
            ("Bash", json!({ "command": format!("echo {call}") }))
        } else {
            ("Read", json!({ "file_path": sandbox.fill("@PROJECT@/notes.txt") }))
        };
        let _ = write!(turns, "call {tool} {input}\n\n");
    }
    turns + "done"
}

fn manifest() -> String {
    (0..HOOKS).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "[[hook]]\nname = \"guard-{number}\"\nbuiltin = \"one-strike\"\nmatcher = \"*\"\n\
             event = [\"PreToolUse\", \"PostToolUse\"]\n\n"
        );
        text
    })
}

fn settings(program: &str, count: usize) -> String {
    // The client runs commands that are alike once, so each has an argument of its own.
    let handlers: Vec<_> = (0..count)
        .map(
            |number| json!({ "type": "command", "command": program, "args": [number.to_string()] }),
        )
        .collect();
    let groups = json!([{ "matcher": "*", "hooks": handlers }]);
    json!({ "hooks": { "PreToolUse": groups, "PostToolUse": groups } }).to_string()
}
