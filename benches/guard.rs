//! Compares a guard with labelled commands: `benches/guard FILE.tsv [HOOK [OPTIONS.json]]`, rows of `allow` or `deny`, a
//! tab and a command, in which `\\`, `\n`, `\t` and `\r` are escapes; further columns are left alone.
//!
//! Prints, for the hook as it comes, for all of its categories at `one-strike` and for `careful`, how
//! often each rule advised and denied by label, and each row on which label and guard disagree. Asking
//! counts as denying and advice does not.
//!
//! Rows of another label are judged by the hook as it comes, and printed with the verdict and its rules.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for maintainers")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use hookman::builtin::catalogue::{self, Entry};
use hookman::builtin::context::{Context, no_late_options};
use hookman::builtin::real_host::RealHost;
use hookman::client::event::Event;
use hookman::client::host::CLAUDE;
use hookman::client::payload::Payload;
use hookman::session::memory::MemoryStore;
use serde_json::{Map, Value, json};

struct Row {
    is_allowed: bool,
    command: String,
}

#[derive(Default)]
struct Count {
    advised: usize,
    denied: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(file) = arguments.next() else {
        println!("usage: benches/guard FILE.tsv [HOOK [OPTIONS.json]]");
        return;
    };
    let hook = arguments.next().unwrap_or_else(|| "destructive-guard".to_owned());
    let entry = catalogue::find(&hook).expect("the catalogue has no such hook");
    let given = arguments.next().map(|file| std::fs::read_to_string(file).unwrap());
    let given: Map<String, Value> =
        given.map_or_else(Map::new, |text| serde_json::from_str(&text).unwrap());
    let text = std::fs::read_to_string(file).unwrap();
    if !text.lines().any(|line| row(line).is_some()) {
        return print_verdicts(entry, &text, &given);
    }
    let rows: Vec<Row> = text.lines().filter_map(row).collect();
    let rules = given.get("rules").unwrap_or(&entry.options["rules"]).as_array().unwrap();
    let categories: Map<String, Value> = rules
        .iter()
        .filter_map(|rule| Some((rule.get("category")?.as_str()?.to_owned(), "one-strike".into())))
        .collect();
    let with = |key: &str, value: Value| {
        let mut options = given.clone();
        options.insert(key.to_owned(), value);
        options
    };
    report("as it comes", entry, &given, &rows);
    report("every category", entry, &with("categories", categories.into()), &rows);
    report("careful", entry, &with("careful", true.into()), &rows);
}

fn print_verdicts(entry: &Entry, text: &str, given: &Map<String, Value>) {
    let options = compiled(entry, given);
    for command in text.lines().map(|line| line.split_once('\t').map_or(line, |(_, rest)| rest)) {
        let command = unescaped(command);
        let mut took = Duration::ZERO;
        let (denied, ids) = judged(entry, &options, &command, &mut took);
        let verdict = match (denied, &ids[..]) {
            (true, _) => "deny",
            (false, []) => "-",
            (false, [id]) if id == "undecided" => "undecided",
            (false, _) => "advise",
        };
        let took = took.as_micros();
        let shown: String = command.chars().take(200).collect();
        println!("{verdict}\t{}\t{took}\t{shown:?}", ids.join(","));
    }
}

fn compiled(entry: &Entry, overrides: &Map<String, Value>) -> String {
    let written = entry.resolve(overrides).unwrap();
    serde_json::to_string(&*entry.compile(&written).unwrap()).unwrap()
}

fn row(line: &str) -> Option<Row> {
    let mut columns = line.split('\t');
    let is_allowed = match columns.next()? {
        "allow" => true,
        "deny" => false,
        _ => return None,
    };
    Some(Row { is_allowed, command: unescaped(columns.next()?) })
}

fn unescaped(text: &str) -> String {
    let mut unescaped = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let next = if letter == '\\' { letters.next() } else { None };
        match next {
            None => unescaped.push(letter),
            Some('n') => unescaped.push('\n'),
            Some('t') => unescaped.push('\t'),
            Some('r') => unescaped.push('\r'),
            Some('\\') => unescaped.push('\\'),
            Some(other) => unescaped.extend(['\\', other]),
        }
    }
    unescaped
}

fn report(title: &str, entry: &Entry, overrides: &Map<String, Value>, rows: &[Row]) {
    let options = compiled(entry, overrides);
    let mut rules: BTreeMap<String, [Count; 2]> = BTreeMap::new();
    let mut labels = [[0_usize; 2]; 2];
    let mut disagreements = Vec::new();
    let mut took = Duration::ZERO;
    for row in rows {
        let (denied, ids) = judged(entry, &options, &row.command, &mut took);
        let label = usize::from(row.is_allowed);
        labels[label][usize::from(denied)] += 1;
        for id in &ids {
            let count = &mut rules.entry(id.clone()).or_default()[label];
            *if denied { &mut count.denied } else { &mut count.advised } += 1;
        }
        if denied == row.is_allowed {
            let label = if row.is_allowed { "allow" } else { "deny" };
            disagreements.push(format!("{label}\t{:?}\t{}", row.command, ids.join(",")));
        }
    }
    let each = took / u32::try_from(rows.len().max(1)).unwrap();
    println!("== {} {title}: {} commands, {each:?} each", entry.name, rows.len());
    println!("deny:  {} denied, {} let through", labels[0][1], labels[0][0]);
    println!("allow: {} denied, {} let through", labels[1][1], labels[1][0]);
    println!("\n{:<24} deny: advised denied   allow: advised denied", "rule");
    for (id, [deny, allow]) in &rules {
        println!(
            "{id:<24} {:>13} {:>6} {:>16} {:>6}",
            deny.advised, deny.denied, allow.advised, allow.denied
        );
    }
    println!("\nlabel and guard disagree on {}:", disagreements.len());
    println!("{}\n", disagreements.join("\n"));
}

/// Tells whether a command is denied, and the rules that say something about it; adds the time of the guard
/// alone to `took`.
fn judged(entry: &Entry, options: &str, command: &str, took: &mut Duration) -> (bool, Vec<String>) {
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}}).to_string();
    let context = Context {
        name: entry.name,
        fence: None,
        event: Event::PreToolUse,
        payload: &Payload::parse(&payload).unwrap(),
        caller: &CLAUDE,
        text: &payload,
        options,
        late: &no_late_options,
        watches: false,
        store: &MemoryStore::default(),
        host: &RealHost::new(Path::new(""), Duration::ZERO),
    };
    let start = Instant::now();
    let answer = entry.kind.answer(&context);
    *took += start.elapsed();
    // What cannot be decided is left to `on_error`, which lets it through by default.
    let Ok(answer) = answer else { return (false, vec!["undecided".to_owned()]) };
    let said = answer.reason.iter().chain(&answer.context).cloned().collect::<String>();
    let ids = said.split("(rule ").skip(1).filter_map(|rest| rest.split(')').next());
    (answer.decision.is_some(), ids.map(str::to_owned).collect())
}
