//! The command line, case by case: each file in `tests/cli` is a transcript of a shell in a new
//! home, with this hookman installed in it and the project as its directory.
//!
//! ```text
//! What the case shows, as prose.
//!
//! $ cat > note <<'END'
//! > lines of a command beyond its first
//! > END
//! $ hookman no-such-verb
//! what it prints, standard output and standard error as they came
//! [exit 2]
//! ```
//!
//! The commands of a case are one shell's, so `cd` and `export` last. Beside hookman the shell has
//! `call`, which prints a payload, `edit`, which changes a file, and `settle`, which makes manifests old. What differs from run to run is named: `[HOME]`, `[TIME]`,
//! `[HASH]`, `[N]`.
//!
//! `UPDATE_CASES=1` writes what came instead of comparing; read the difference before keeping it.
//! `CASE=words` runs only the cases whose names hold the words.

#![cfg(test)]

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use regress::Regex;
use tempfile::TempDir;

use crate::expected;

/// Stands around exit codes in the shell's output, where no command writes it.
const MARK: char = '\u{1e}';

/// What differs from run to run, and its name.
const NAMES: &[(&str, &str)] = &[
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)?|\d{8}T\d{6}\.\d{3}Z", "[TIME]"),
    (r"\b[0-9a-f]{16}\b", "[HASH]"),
    (r"\bthis is \d+\.\d+\.\d+\b", "this is [VERSION]"),
    (r" +\d+ bytes", " [N] bytes"),
    (r" +\d+\.\d ms\b", " [N] ms"),
    (r"\bfor \d+ us\b", "for [N] us"),
    (r"\b\d{2,} checks: ", "[N] checks: "),
    (r"\brun [0-9a-f]{8}\b", "run [ID]"),
    (r#""us":\d+"#, r#""us":[N]"#),
];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli"))
}

#[expect(clippy::disallowed_methods, reason = "the switches are the test's own")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// A transcript without its outputs.
struct Case<'a> {
    prose: &'a str,
    commands: Vec<String>,
}

impl<'a> Case<'a> {
    fn parse(text: &'a str) -> Self {
        let start = if text.starts_with("$ ") { 0 } else { text.find("\n$ ").unwrap() + 1 };
        let (prose, steps) = text.split_at(start);
        let mut commands: Vec<String> = Vec::new();
        let mut open = false;
        for line in steps.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push(command.to_owned());
                open = true;
            } else if let (true, Some(more)) = (open, line.strip_prefix('>')) {
                let command = commands.last_mut().unwrap();
                command.push('\n');
                command.push_str(more.strip_prefix(' ').unwrap_or(more));
            } else {
                open = false;
            }
        }
        Self { prose, commands }
    }

    /// The lines for a shell: each command, then its exit code between marks.
    fn script(&self) -> String {
        let mut script = "exec 2>&1\n".to_owned();
        for command in &self.commands {
            let quoted = command.replace('\'', r"'\''");
            writeln!(script, "eval '{quoted}\n'\nprintf '\\036%d\\036' \"$?\"").unwrap();
        }
        script
    }

    /// The transcript with the outputs that came.
    fn transcript(&self, output: &str) -> String {
        let mut parts = output.split(MARK);
        let mut text = self.prose.to_owned();
        for (index, command) in self.commands.iter().enumerate() {
            let output = parts.next().unwrap_or_default().trim_end_matches('\n');
            let code = parts.next().unwrap_or("the shell has ended");
            let mut lines = command.lines();
            writeln!(text, "$ {}", lines.next().unwrap_or_default()).unwrap();
            for line in lines {
                writeln!(text, "{}", format!("> {line}").trim_end()).unwrap();
            }
            assert!(!output.starts_with("$ ") && !output.contains("\n$ "), "{output}");
            if !output.is_empty() {
                writeln!(text, "{output}").unwrap();
            }
            if code != "0" {
                writeln!(text, "[exit {code}]").unwrap();
            }
            let said = !output.is_empty() || code != "0";
            if said && index + 1 < self.commands.len() {
                text.push('\n');
            }
        }
        text
    }
}

/// The folder of all homes, and the program that each gets a link to.
struct Lodge {
    root: TempDir,
    program: PathBuf,
}

impl Lodge {
    fn new() -> Self {
        let root = TempDir::with_prefix("hookman-cli-").unwrap();
        let built = Path::new(env!("CARGO_BIN_EXE_hookman"));
        let program = root.path().join("hookman");
        // A hard link and not a symlink, so that the path hookman finds for itself is the home's.
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        Self { root, program }
    }

    /// Runs a case in a home of its own and gives the transcript that came.
    fn run(&self, name: &str, text: &str) -> String {
        let case = Case::parse(text);
        let root = self.root.path().canonicalize().unwrap().join(name);
        let home = root.join("home");
        let programs = home.join(".local/bin");
        for folder in [&programs, &home.join("project"), &root.join("tmp")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::hard_link(&self.program, programs.join("hookman")).unwrap();
        for helper in ["call", "edit", "settle"] {
            let program = programs.join(helper);
            fs::copy(folder().join(helper), &program).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        // What this machine's linter says of a case is not the same as what another's says.
        fs::write(programs.join("shellcheck"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(programs.join("shellcheck"), fs::Permissions::from_mode(0o755))
            .unwrap();
        // The shell in the background loses its parent, so that a client this test may run under is
        // not above the shell, as it is not above one in another terminal.
        let output = Command::new("/bin/sh")
            .args(["-c", "/bin/sh -c \"$0\" &"])
            .arg(case.script())
            .current_dir(home.join("project"))
            .env_clear()
            .env("HOME", &home)
            .env("HOOKMAN_STATE_DIR", home.join(".local/state/hookman"))
            .env("HOOKMAN_MANAGED_DIR", home.join("managed"))
            .env("LANG", "C.UTF-8")
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display()))
            .env("TMPDIR", root.join("tmp"))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&output.stdout);
        let mut output = output.replace(home.to_str().unwrap(), "[HOME]");
        for (pattern, name) in NAMES {
            output = Regex::new(pattern).unwrap().replace_all(&output, name);
        }
        case.transcript(&output)
    }
}

fn failure(path: &Path, lodge: &Lodge) -> Option<String> {
    let expected = fs::read_to_string(path).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy();
    let found = lodge.run(&name, &expected);
    expected::difference(path, Some(&found))
}

#[test]
fn cases() {
    let mut paths =
        expected::entries("tests/cli", |path| path.extension().is_some_and(|it| it == "txt"));
    assert!(paths.len() >= 15, "only {} cases were found", paths.len());
    if let Some(words) = variable("CASE") {
        paths.retain(|path| path.to_string_lossy().contains(&*words.to_string_lossy()));
    }
    let lodge = Lodge::new();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(2, usize::from) * 2;
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let failed = failure(path, &lodge);
                    failures.lock().unwrap().extend(failed);
                }
            });
        }
    });
    expected::none(failures.into_inner().unwrap());
}
