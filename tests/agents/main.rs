//! Other agents as the oracle: what hookman claims to hold in them is shown by the real programs, which
//! talk to a scripted model on the loopback interface.
//!
//! `cases.toml` has the cases, which all agents share:
//!
//! ```toml
//! [[case]]
//! name = "a denial holds, and is told to the model"
//! steps = [
//!   { run = "hookman install --yes --host @HOST@ one-strike" },
//!   { prompt = "clean up", script = '''
//! call Bash {"command":"rm -rf build"}
//!
//! done
//! ''' },
//! ]
//! ```
//!
//! A step is a shell line, or a prompt with what the model answers: a paragraph is a turn, a line
//! `call Tool {…}` a call, in hookman's words, which the harness puts into the agent's. `held` is a
//! result by which the model was told of a denial, `ran` any other one, `told` a sentence
//! that begins with `Mind:` and reached the model. `expect` is what happens in every agent,
//! `on.NAME` what happens in one instead, and `but.NAME` says in words what is different there.
//!
//! `UPDATE_CASES=1` writes what happened as what is expected where there is nothing yet, and else as
//! what is expected `on` the agent. `CASE=words` runs only the cases whose names hold the words, `RAW=1`
//! shows what the agent said. A whole run of a book writes its column of `results.toml`, from which
//! `docs/hosts.md` is made.

mod agent;
mod api;
mod case;
#[path = "../real/folders.rs"]
mod folders;
mod sandbox;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use agent::Agent;
use anyhow::{Context, Result};
use case::{Case, Cases};
use similar::TextDiff;

macro_rules! books {
    ($($name:ident)*) => {
        $(
            #[test]
            #[ignore = "needs the agent: tests/agents/install"]
            fn $name() {
                let failures = check(stringify!($name)).unwrap();
                assert!(failures.is_empty(), "{failures}");
            }
        )*
    };
}

books! { codex copilot qwen gemini }

/// How many cases of a book may need a second run.
const MOST_UNSTEADY: usize = 1;

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(name)
}

/// A variable of the test run itself.
#[expect(clippy::disallowed_methods, reason = "it steers the test run and not the product")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn difference(case: &Case, agent: &'static Agent) -> Option<String> {
    match case.outcome(agent) {
        Ok(outcome) => {
            let expected = case.expected(agent);
            let diff = TextDiff::from_lines(expected, &outcome);
            (outcome != expected).then(|| diff.unified_diff().context_radius(1000).to_string())
        }
        Err(error) => Some(format!("{error:#}")),
    }
}

/// Runs the cases in an agent and tells in which something else happened.
fn check(name: &str) -> Result<String> {
    let agent = Agent::named(name)?;
    agent.installed()?;
    let source = fs::read_to_string(file("cases.toml")).context("failed to read the cases")?;
    let cases: Cases = toml::from_str(&source).context("failed to parse the cases")?;
    let wanted = variable("CASE").unwrap_or_default();
    let chosen: Vec<(usize, &Case)> =
        cases.case.iter().enumerate().filter(|(_, case)| case.name.contains(&wanted)).collect();
    if variable("UPDATE_CASES").is_some() {
        for (index, case) in chosen {
            let outcome = case.outcome(agent)?;
            if outcome != case.expected(agent) {
                update(index, agent, &outcome)?;
            }
        }
        return Ok(String::new());
    }
    let (mut failures, mut unsteady) = (String::new(), 0);
    let mut results = BTreeMap::new();
    for ((_, case), mut found) in chosen.iter().zip(side_by_side(&chosen, agent)) {
        let shown = found.as_ref().map(|found| format!("\n{name}: {}\n{found}", case.name));
        // A loaded machine can change what one run shows. A second such case is a failure.
        if let Some(shown) = &shown
            && unsteady < MOST_UNSTEADY
        {
            unsteady += 1;
            found = difference(case, agent);
            if found.is_none() {
                // `eprintln` would be captured, and nobody would see it.
                writeln!(io::stderr(), "{shown}\nThe second run gave what is expected.")?;
            }
        }
        let usual = if case.on.contains_key(name) { "otherwise" } else { "yes" };
        let holds = case.but.get(name).map_or(usual, String::as_str);
        results.insert(case.name.clone(), if found.is_none() { holds } else { "no" }.to_owned());
        if found.is_some() {
            failures.extend(shown);
        }
    }
    if wanted.is_empty() {
        keep(agent, results)?;
    }
    Ok(failures)
}

/// Runs cases, as many at a time as the machine has processors.
fn side_by_side(cases: &[(usize, &Case)], agent: &'static Agent) -> Vec<Option<String>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; cases.len()]);
    let one = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, case)) = cases.get(at) else { return };
            let difference = difference(case, agent);
            if let Ok(mut found) = found.lock() {
                found[at] = difference;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(one);
        }
    });
    found.into_inner().unwrap_or_default()
}

/// Held by a book that writes a file of all.
static WRITING: Mutex<()> = Mutex::new(());

/// Writes the results of a whole book.
fn keep(agent: &Agent, mut results: BTreeMap<String, String>) -> Result<()> {
    let _alone = WRITING.lock();
    let path = file("results.toml");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut all: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(&text)?;
    results.insert("version".to_owned(), agent.version().to_owned());
    all.insert(agent.name.clone(), results);
    let mut written = "# Written by a whole run of the books.\n".to_owned();
    for (agent, results) in all {
        writeln!(written, "\n[{agent}]")?;
        for (case, result) in results {
            writeln!(written, "\"{case}\" = \"{result}\"")?;
        }
    }
    if written == text { Ok(()) } else { fs::write(&path, written).context("failed to write") }
}

/// Writes what happened as what is expected.
fn update(index: usize, agent: &Agent, outcome: &str) -> Result<()> {
    let _alone = WRITING.lock();
    let path = file("cases.toml");
    let source = fs::read_to_string(&path)?;
    let mut parts: Vec<String> = source.split("[[case]]\n").map(str::to_owned).collect();
    let part = parts.get_mut(index + 1).context("no such case")?;
    let has_any = part.contains("\nexpect = '''");
    let key = if has_any { format!("on.{}", agent.name) } else { "expect".to_owned() };
    let head = format!("\n{key} = '''\n");
    let text = format!("{head}{outcome}'''\n");
    if let Some(start) = part.find(&head) {
        let body = start + head.len();
        let end = body + part[body..].find("'''\n").context("no end")? + 4;
        part.replace_range(start..end, &text);
    } else {
        *part = format!("{}{text}\n", part.trim_end());
    }
    fs::write(&path, parts.join("[[case]]\n")).context("failed to write the cases")
}
