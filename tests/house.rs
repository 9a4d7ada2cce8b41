//! The rule of the house: which room may know which, and what stays out of the pure ones.
//!
//! The rooms are explained in `src/lib.rs`; the table here is that explanation as data. Files are
//! read as text, so a rule holds for every platform and feature, compiled or not.

#![cfg(test)]

mod circles;
mod source;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::CommandFactory;
use hookman::cli::args::Cli;
use source::{Named, Source};

/// A room of the house.
struct Room {
    name: &'static str,
    /// The rooms it may name, besides itself.
    knows: &'static [&'static str],
    /// Whether it does no input or output, outside its tests.
    pure: bool,
}

const ROOMS: &[Room] = &[
    Room { name: "syntax", knows: &[], pure: true },
    Room { name: "machine", knows: &[], pure: false },
    Room { name: "client", knows: &["syntax"], pure: true },
    Room { name: "manifest", knows: &["client", "syntax"], pure: true },
    Room { name: "settings", knows: &["client", "syntax"], pure: true },
    Room { name: "adoption", knows: &["client", "manifest", "settings", "syntax"], pure: true },
    Room { name: "session", knows: &["client", "syntax"], pure: true },
    Room { name: "chain", knows: &["client", "manifest", "syntax"], pure: true },
    Room { name: "builtin", knows: &["client", "machine", "session", "syntax"], pure: false },
    Room {
        name: "package",
        knows: &["adoption", "client", "machine", "manifest", "syntax"],
        pure: false,
    },
    Room {
        name: "state",
        knows: &[
            "adoption", "builtin", "chain", "client", "machine", "manifest", "package", "session",
            "settings", "syntax",
        ],
        pure: false,
    },
    Room {
        name: "runtime",
        knows: &["builtin", "chain", "client", "machine", "manifest", "session", "state", "syntax"],
        pure: false,
    },
    Room {
        name: "install",
        knows: &[
            "adoption", "builtin", "chain", "client", "machine", "manifest", "package", "runtime",
            "session", "settings", "state", "syntax",
        ],
        pure: false,
    },
    Room {
        name: "rehearsal",
        knows: &[
            "builtin", "chain", "client", "machine", "manifest", "runtime", "session", "state",
            "syntax",
        ],
        pure: false,
    },
    Room {
        name: "doctor",
        knows: &[
            "adoption",
            "builtin",
            "chain",
            "client",
            "install",
            "machine",
            "manifest",
            "package",
            "rehearsal",
            "runtime",
            "session",
            "settings",
            "state",
            "syntax",
        ],
        pure: false,
    },
    Room {
        name: "cli",
        knows: &[
            "adoption",
            "builtin",
            "chain",
            "client",
            "doctor",
            "install",
            "machine",
            "manifest",
            "package",
            "rehearsal",
            "runtime",
            "session",
            "settings",
            "state",
            "syntax",
        ],
        pure: false,
    },
    // Not a room but the door: it chooses between two rooms and knows no other.
    Room { name: "main", knows: &["cli", "machine", "runtime"], pure: false },
];

/// What a pure room may not name; a path is forbidden with everything below it.
const IMPURE: &[&str] = &[
    "dialoguer",
    "directories",
    "jiff::Timestamp::now",
    "rustix",
    "std::env",
    "std::fs",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "tempfile",
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
];

/// What a pure room may name of `std::io`: the types in which others report their errors.
const PURE_IO: &[&str] = &["Error", "ErrorKind", "Result", "self"];

const PRINTING: &[&str] = &["eprint", "eprintln", "print", "println"];

/// The most lines a file may have before its tests.
const LINES: usize = 500;

/// A file under `src/`.
struct File {
    /// Its path from `src/`, with slashes.
    path: String,
    /// Its code.
    source: Source,
}

impl File {
    fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// How many `super` lead from the file's own module to the root of the crate.
    fn depth(&self) -> usize {
        let path = self.path.strip_suffix("/mod.rs").unwrap_or(&self.path);
        path.split('/').count()
    }

    fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
    }

    fn is_in_tests(&self, line: usize) -> bool {
        self.is_test() || self.source.tests.is_some_and(|tests| line >= tests)
    }

    fn breach(&self, line: usize, rule: &str) -> String {
        format!("src/{}:{line}: {rule}", self.path)
    }
}

fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = Source::of(&fs::read_to_string(&path).unwrap());
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(File { path, source });
            }
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

fn hold(breaches: &[String]) {
    assert!(breaches.is_empty(), "the rule of the house is broken:\n{}", breaches.join("\n"));
}

/// The room that a path leads to, if it leads out of the file's module through the crate's root.
fn destination<'a>(file: &File, path: &'a [String]) -> Option<&'a str> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    let next = match path.first()?.as_str() {
        "crate" | "hookman" => path.get(1)?,
        "super" if ups >= file.depth() => path.get(ups)?,
        _ => return None,
    };
    ROOMS.iter().any(|room| room.name == next).then_some(next)
}

#[test]
fn rooms_know_only_whom_they_may() {
    let mut breaches = Vec::new();
    for file in files().iter().filter(|file| file.path != "lib.rs") {
        let Some(room) = ROOMS.iter().find(|room| room.name == file.room()) else {
            breaches.push(file.breach(1, "it stands in no room of the table in tests/house.rs"));
            continue;
        };
        for Named { line, path, .. } in &file.source.paths {
            let Some(other) = destination(file, path) else { continue };
            if other != room.name && !room.knows.contains(&other) {
                let whom = match room.knows {
                    [] => "nobody".to_owned(),
                    knows => knows.join(", "),
                };
                let rule =
                    format!("`{}` may know {whom}, not `{other}` ({})", room.name, path.join("::"));
                breaches.push(file.breach(*line, &rule));
            }
        }
    }
    hold(&breaches);
}

#[test]
fn no_files_of_a_room_form_a_circle() {
    let files = files();
    let breaches: Vec<String> =
        circles::of(&files).iter().map(|circle| circles::told(circle)).collect();
    hold(&breaches);
}

#[test]
fn the_library_has_the_rooms_of_the_table() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let mut declared: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    declared.sort_unstable();
    let mut expected: Vec<&str> =
        ROOMS.iter().map(|room| room.name).filter(|name| *name != "main").collect();
    expected.sort_unstable();
    assert_eq!(declared, expected);
    for room in expected {
        assert!(text.contains(&format!("//! | [`{room}`] |")), "src/lib.rs explains no `{room}`");
    }
}

#[test]
fn pure_rooms_do_no_input_or_output() {
    let pure = |file: &&File| ROOMS.iter().any(|room| room.pure && room.name == file.room());
    let mut breaches = Vec::new();
    for file in files().iter().filter(pure) {
        for Named { line, path, .. } in &file.source.paths {
            let whole = path.join("::");
            let below = |forbidden: &&&str| {
                whole
                    .strip_prefix(**forbidden)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            let io = path.strip_prefix(&["std".to_owned()]).unwrap_or(path);
            let impure_io = io.first().is_some_and(|first| first == "io")
                && io.get(1).is_some_and(|name| !PURE_IO.contains(&name.as_str()));
            if !file.is_in_tests(*line) && (impure_io || IMPURE.iter().any(|it| below(&it))) {
                let rule = format!("`{}` does no input or output, so no `{whole}`", file.room());
                breaches.push(file.breach(*line, &rule));
            }
        }
    }
    hold(&breaches);
}

#[test]
fn only_the_machine_touches_files() {
    const FILES: &[&str] = &["std::fs", "std::os::unix::fs", "fs"];
    let mut breaches = Vec::new();
    for file in files().iter().filter(|file| file.room() != "machine") {
        for Named { line, path, .. } in &file.source.paths {
            let whole = path.join("::");
            let is_below = |start: &&str| {
                whole.strip_prefix(*start).is_some_and(|it| it.is_empty() || it.starts_with("::"))
            };
            if FILES.iter().any(is_below) && !file.is_in_tests(*line) {
                let rule = format!("only `machine` touches files, so no `{whole}`");
                breaches.push(file.breach(*line, &rule));
            }
        }
    }
    hold(&breaches);
}

#[test]
fn only_the_machine_prints() {
    let mut breaches = Vec::new();
    for file in files().iter().filter(|file| file.room() != "machine") {
        for (line, name) in &file.source.macros {
            if PRINTING.contains(&name.as_str()) && !file.is_in_tests(*line) {
                let rule = format!("only `machine` prints, so no `{name}!`");
                breaches.push(file.breach(*line, &rule));
            }
        }
    }
    hold(&breaches);
}

#[test]
fn every_verb_has_a_file_of_its_name() {
    let files = files();
    let mut breaches = Vec::new();
    // The client calls `run` through a door of its own, before the command line is parsed.
    for verb in Cli::command().get_subcommands().map(clap::Command::get_name) {
        let name = verb.replace('-', "_");
        let paths = [format!("cli/{name}.rs"), format!("cli/{name}/mod.rs")];
        if verb != "run" && !files.iter().any(|file| paths.contains(&file.path)) {
            breaches.push(format!("src/{}: missing, and `{verb}` is a command", paths[0]));
        }
    }
    hold(&breaches);
}

#[test]
fn files_are_short_before_their_tests() {
    let mut breaches = Vec::new();
    for file in files().iter().filter(|file| !file.is_test()) {
        let lines = file.source.tests.map_or(file.source.lines, |tests| tests - 1);
        if lines > LINES {
            breaches
                .push(file.breach(LINES + 1, &format!("{lines} lines, split it before {LINES}")));
        }
    }
    hold(&breaches);
}
