//! The real client as the oracle: what hookman claims about firing, blocking and switching is
//! shown by the client itself, which talks to a scripted model on the loopback interface.
//!
//! A case is a row of a file in `cases/`:
//!
//! ```toml
//! [[case]]
//! name = "a deny is the tool's error"
//! files."home/.claude/settings.json" = '''{ "hooks": … }'''
//! steps = [
//!   { run = "hookman install --yes one-strike" },
//!   { prompt = "clean up", script = '''
//! call Bash {"command":"rm -rf build"}
//!
//! done
//! ''' },
//! ]
//! ```
//!
//! `files` go into the sandbox, those that start with `#!` as programs; with one in `etc/`, that is the
//! `/etc` of every command, in a mount namespace. A step is a shell line, a prompt, prompts to
//! several sessions `at_once`, the `await` of a turn that a session begins by itself, or the `end`
//! of a session. The script is what the model answers: a paragraph is a turn, a line
//! `call Tool {…}` a tool call, a line `used N` the tokens that the API counts, a line `fail N` a
//! refusal. A session is a process
//! that stays from prompt to prompt, in the `folder` that its first prompt names; one that was ended is resumed. `@HOME@`, `@PROJECT@`,
//! `@STATE@`, `@TMP@` and `@SESSION1@` stand for the real thing in what goes in and what comes out,
//! so does `@CLIENT@` for the client's program,
//! and so does `@API@` for the address of the main session's server. What a hook posts to its
//! `/hook/…` stands behind the answer; `/hook/deny` denies.
//!
//! A case is left out for a client whose version it names as `not_on`.
//!
//! A book that `needs` a program is skipped with a word where the program is missing, but for CI.
//!
//! `UPDATE_CASES=1` writes what happened into the file as what is expected, and for a client of
//! another version (`HOOKMAN_CLIENT_VERSION`) as what is expected `on` that. `CASE=words` runs only
//! the cases whose names hold the words, `HOOKMAN_CLIENT_CASES=few` the first of each book and those
//! in which other hooks run on that version, `most` all of the books and a quarter of the tables of
//! what the client does by itself.

mod api;
mod case;
mod doctor;
#[path = "../real/folders.rs"]
mod folders;
mod keys;
mod outcome;
mod sandbox;
mod script;
mod selection;
mod session;
mod table;
mod update;

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use anyhow::{Context, Result};
use case::{Book, Case};
use hookman::builtin::catalogue;
use session::{DEFAULT_VERSION, Extent, extent, variable, version};
use similar::TextDiff;

/// Makes one test of each book, and one that finds books without a test.
macro_rules! books {
    ($($name:ident)*) => {
        const BOOKS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            #[ignore = "needs the client: tests/client/install"]
            fn $name() {
                let failures = check(stringify!($name)).unwrap();
                assert!(failures.is_empty(), "{failures}");
            }
        )*
    };
}

books! {
    adopt
    answers
    asking
    blocking
    builtins
    chain
    endings
    environment
    events
    firing
    gates
    install
    leaving
    managed
    needs
    packages
    passing
    recipes
    replay
    scheduled
    scopes
    sessions
    settings
    slash_commands
    stops
    switches
    terminal
    typed
    verdicts
    watching
}

#[test]
fn every_book_has_a_test() {
    let mut names: Vec<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, BOOKS);
}

#[test]
fn every_ready_made_hook_is_in_a_case() {
    let books: String = BOOKS
        .iter()
        .map(|name| fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap())
        .collect();
    let installs: Vec<&str> =
        books.lines().filter(|line| line.contains("hookman install")).collect();
    let is_shown = |name: &str| {
        let is_installed = |line: &&str| line.split([' ', '"']).any(|word| word == name);
        books.contains(&format!("builtin = \"{name}\"")) || installs.iter().any(is_installed)
    };
    let unseen: Vec<_> = catalogue::names().iter().filter(|name| !is_shown(name)).collect();
    assert!(unseen.is_empty(), "no case shows {unseen:?}");
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/cases"))
}

/// Whether a program of the machine's is there.
fn is_installed(program: &str) -> bool {
    ["/usr/bin", "/usr/local/bin", "/bin"].iter().any(|bin| Path::new(bin).join(program).is_file())
}

/// How many cases of a book may need a second run.
const MOST_UNSTEADY: usize = 1;

/// What a case gives besides what is expected; `None` where they are the same.
fn difference(case: &Case, book: &Book, version: &str) -> Option<String> {
    match case.outcome(&book.files) {
        Ok(outcome) => {
            let expected = case.expected(version);
            let diff = TextDiff::from_lines(expected, &outcome);
            (outcome != expected).then(|| diff.unified_diff().context_radius(1000).to_string())
        }
        Err(error) => Some(format!("{error:#}")),
    }
}

/// Runs the cases of a book and tells in which the client did something else.
fn check(name: &str) -> Result<String> {
    let path = folder().join(format!("{name}.toml"));
    let source = fs::read_to_string(&path).with_context(|| format!("failed to read `{name}`"))?;
    let book: Book =
        toml::from_str(&source).with_context(|| format!("failed to parse `{name}`"))?;
    let version = version();
    if !book.needs.is_empty() && !is_installed(&book.needs) && variable("CI").is_none() {
        writeln!(io::stderr(), "SKIPPED: {} is not installed", book.needs)?;
        return Ok(String::new());
    }
    let wanted = variable("CASE").unwrap_or_default();
    let update = variable("UPDATE_CASES").is_some();
    let mut updated = source.clone();
    let mut failures = String::new();
    let mut unsteady = 0;
    for (index, case) in book.case.iter().enumerate() {
        let is_chosen = extent() != Extent::Few || case.is_among_few(index, &version);
        if !case.name.contains(&wanted) || !case.is_for(&version) || !is_chosen {
            continue;
        }
        if update {
            let outcome = case.outcome(&book.files)?;
            if outcome != *case.expected(&version) {
                let other = (version != DEFAULT_VERSION).then_some(version.as_str());
                updated = update::replace(&updated, index, other, &outcome)?;
            }
            continue;
        }
        let Some(found) = difference(case, &book, &version) else { continue };
        let failure = format!("\n{name}: {} ({version})\n{found}", case.name);
        // The client writes its transcript and starts its hooks when it gets to it, so a loaded
        // machine can change what one run shows. A second such case in a book is a failure.
        if unsteady < MOST_UNSTEADY && difference(case, &book, &version).is_none() {
            unsteady += 1;
            // `eprintln` would be captured, and nobody would see it.
            writeln!(io::stderr(), "{failure}\nThe second run gave what is expected.")?;
        } else {
            failures.push_str(&failure);
        }
    }
    if updated != source {
        fs::write(&path, updated).with_context(|| format!("failed to write `{name}`"))?;
    }
    Ok(failures)
}
