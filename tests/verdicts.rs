//! What a chain answers on each event: `tests/verdicts.txt` has the outputs of its commands, one a
//! line, and the whole of what comes of them.
//!
//! ```text
//! Stop: what the row shows
//! one 0 {"decision":"block","reason":"go on"}
//! two 2 not yet
//! = 2
//! = stderr one: go on
//! ```
//!
//! After the name of a command stands its exit code, then its output: standard error where the code
//! is not 0, else standard output. `UPDATE_CASES=1` writes what came.

#![cfg(test)]

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use hookman::chain::{
    merge::{Ran, merge},
    outcome::{Exit, Heard, read},
};
use hookman::client::{event::Event, host::CLAUDE};
use hookman::manifest::OnError;

use crate::expected;

fn verdict(event: Event, commands: &[&str]) -> String {
    let ran: Vec<Ran> = commands
        .iter()
        .map(|command| {
            let mut words = command.splitn(3, ' ');
            let name = words.next().unwrap().to_owned();
            let code: i32 = words.next().unwrap().parse().unwrap();
            let text = words.next().unwrap_or_default().replace("\\n", "\n");
            let (stdout, stderr) = if code == 0 { (&*text, "") } else { ("", &*text) };
            let heard = Heard { stdout, stderr, cut: false };
            let outcome = read(event, Exit::Code(code), heard, OnError::Open).outcome;
            Ran { name, on_error: OnError::Open, outcome, exit: Some(code) }
        })
        .collect();
    let said = merge(event, &ran, &|_| None).encoded(&CLAUDE, event).said;
    let mut lines = format!("= {}\n", said.code);
    for (name, text) in [("stdout", &said.stdout), ("stderr", &said.stderr)] {
        if !text.is_empty() {
            writeln!(lines, "= {name} {}", text.replace('\n', "\\n")).unwrap();
        }
    }
    lines
}

#[test]
fn each_event_is_answered_in_the_fields_that_it_honours() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts.txt");
    let text = fs::read_to_string(&path).unwrap();
    let mut found = String::new();
    let mut events = BTreeSet::new();
    for row in text.split("\n\n") {
        let mut lines = row.lines();
        let title = lines.next().unwrap();
        let event = Event::from_name(title.split(':').next().unwrap()).expect(title);
        events.insert(event);
        let commands: Vec<&str> = lines.take_while(|line| !line.starts_with('=')).collect();
        if !found.is_empty() {
            found.push('\n');
        }
        writeln!(found, "{title}\n{}", commands.join("\n")).unwrap();
        found.push_str(&verdict(event, &commands));
    }
    let missing: Vec<&Event> = Event::ALL.iter().filter(|it| !events.contains(it)).collect();
    assert!(missing.is_empty(), "events without a row: {missing:?}");
    expected::expect("tests/verdicts.txt", &found);
}

#[test]
fn the_path_of_a_worktree_stays_the_last_line() {
    let long = format!("one 0 {}\\n/trees/one", "x".repeat(12_000));
    let said = verdict(Event::WorktreeCreate, &[&long, r#"two 0 {"systemMessage":"hello"}"#]);
    assert!(said.contains("x\\n/trees/one\n= stderr two: hello"), "{said}");
}
