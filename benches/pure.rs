//! What the parts without input and output cost. `cargo bench` runs them.

#![allow(clippy::unwrap_used, reason = "a benchmark of something that failed is none")]

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use divan::{Bencher, black_box};
use hookman::builtin::catalogue;
use hookman::builtin::context::{Context, no_late_options};
use hookman::builtin::real_host::RealHost;
use hookman::chain::entries::Entries;
use hookman::chain::plan::{Plan, render};
use hookman::client::event::Event;
use hookman::client::host::CLAUDE;
use hookman::client::matcher;
use hookman::client::matcher::Target;
use hookman::client::payload::Payload;
use hookman::manifest::{self, Source};
use hookman::session::memory::MemoryStore;
use hookman::settings::wanted::{Caller, Demand, wanted};
use hookman::settings::{Record, plan};
use hookman::state::catalogue::Catalogue;
use hookman::syntax::shell;

const PAYLOAD: &str = include_str!("payload.json");

fn main() {
    divan::main();
}

fn manifest_text(hooks: usize) -> String {
    (0..hooks).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "[[hook]]\nname = \"hook-{number}\"\ncommand = \"true\"\nevent = \"PreToolUse\"\nmatcher = \"Edit|Write\"\n\n"
        );
        text
    })
}

/// A settings file of about so many bytes that is full of somebody else's hooks.
fn settings_text(bytes: usize) -> String {
    let mut groups = String::new();
    let mut number = 0;
    while groups.len() < bytes {
        let _ = write!(
            groups,
            "      {{\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {{ \"type\": \"command\", \"command\": \"/opt/hooks/check-{number}.sh\" }}\n        ]\n      }},\n"
        );
        number += 1;
    }
    let groups = groups.trim_end().trim_end_matches(',');
    format!("{{\n  \"hooks\": {{\n    \"PostToolUse\": [\n{groups}\n    ]\n  }}\n}}\n")
}

#[divan::bench]
fn payload(bencher: Bencher<'_, '_>) {
    bencher.bench(|| Payload::parse(black_box(PAYLOAD)));
}

#[divan::bench(args = ["Bash|PowerShell", "mcp__.*"])]
fn matchers(bencher: Bencher<'_, '_>, text: &str) {
    bencher.bench(|| matcher::matches(Some(text), Event::PreToolUse, black_box(Some("Read"))));
}

#[divan::bench(args = [1, 10, 100])]
fn steps_of_a_plan_that_do_not_match(bencher: Bencher<'_, '_>, hooks: usize) {
    let text = manifest_text(hooks);
    let manifest = manifest::read(
        Some(Source { file: "m", text: &text }),
        None,
        &Catalogue { known: hookman::package::known::Known::nothing(), is_whole: true },
    )
    .unwrap();
    let plan =
        render("build", &[], (&manifest.hooks, &[]), &Entries::default(), &|_, _| false).unwrap();
    bencher.bench(|| {
        let plan = Plan::parse(black_box(&plan)).unwrap();
        let target = Target::new(Event::PreToolUse, Some("Bash"));
        plan.steps(Event::PreToolUse, None, false, &target).count()
    });
}

#[divan::bench(args = [1, 10, 100])]
fn manifest(bencher: Bencher<'_, '_>, hooks: usize) {
    let text = manifest_text(hooks);
    bencher.bench(|| {
        manifest::read(
            Some(Source { file: "m", text: black_box(&text) }),
            None,
            &Catalogue { known: hookman::package::known::Known::nothing(), is_whole: true },
        )
    });
}

#[divan::bench]
fn shell_line(bencher: Bencher<'_, '_>) {
    let line = "cd src && git commit -m \"rm -rf is only text\" || (echo no; exit 1) | tee log";
    bencher.bench(|| shell::split(black_box(line)).commands.len());
}

/// The hooks that a Bash call reaches, each with a call that it looks at and lets through.
const OF_BASH: &[&str] = &[
    "destructive-guard",
    "directive-gate",
    "graph-easy-mark",
    "heartbeat",
    "idle-gate",
    "one-strike",
    "overflow",
    "protect",
    "session-gate",
    "skill-scope",
    "work-item-gate",
];

fn built_in(bencher: Bencher<'_, '_>, name: &str, command: &str) {
    let entry = catalogue::find(name).unwrap();
    let written = entry.resolve(&serde_json::Map::new()).unwrap();
    let options = entry.compile(&written).unwrap();
    let options = serde_json::to_string(&*options).unwrap();
    let input = serde_json::json!({"command": command});
    let payload = serde_json::json!({
        "session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": input,
    });
    let text = payload.to_string();
    let payload = Payload::parse(&text).unwrap();
    let event = [Event::PreToolUse, Event::PostToolUse]
        .into_iter()
        .find(|event| entry.events.contains(event))
        .unwrap();
    let host = RealHost::new(Path::new("/"), Duration::from_secs(10));
    bencher.with_inputs(MemoryStore::default).bench_refs(|store| {
        entry
            .kind
            .answer(&Context {
                fence: None,
                name: entry.name,
                event,
                payload: black_box(&payload),
                caller: &CLAUDE,
                text: &text,
                options: black_box(&options),
                late: &no_late_options,
                watches: false,
                store,
                host: &host,
            })
            .unwrap()
    });
}

/// A line that calls none of the programs that guards are about.
#[divan::bench(args = OF_BASH)]
fn built_in_on_a_test_run(bencher: Bencher<'_, '_>, name: &str) {
    built_in(bencher, name, "cd crates/core && cargo test --quiet 2>&1 | tail -n 20");
}

/// A line whose programs guards have rules for.
#[divan::bench(args = OF_BASH)]
fn built_in_on_a_commit(bencher: Bencher<'_, '_>, name: &str) {
    built_in(
        bencher,
        name,
        "git checkout -q main && git rm --cached a.txt; git commit -m 'rm -rf'",
    );
}

#[divan::bench(args = [5_000, 1_048_576])]
fn settings_plan_bytes(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = settings_text(bytes);
    let demand = Demand {
        event: Event::PreToolUse,
        matcher: Some("Bash"),
        timeout_ms: 10_000,
        parallel: false,
        own: None,
    };
    let entries = wanted(&[demand], &Caller::Binary("/opt/bin/hookman".to_owned()));
    bencher.bench(|| plan(Some(black_box(&text)), &entries, &Record::default()).unwrap());
}
