//! Can the program that will run a script read it, and does a linter warn of it?

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::calls::{Call, is_shell};
use super::command::{Around, Command};
use super::fault::{Fault, Kind, Layer, Weight};
use super::programs;
use crate::machine::child::{self, Ended, Finished, Program, Spec};
use crate::machine::environment;
use crate::machine::program::{self, Trouble};

/// The time that a program may take to read a script.
const PATIENCE: Duration = Duration::from_secs(3);

/// The number of scripts that are read.
const MOST: usize = 200;

/// Reads Python files without running them, and prints the number, the line and the fault of each.
const PYTHON: &str = "\
import ast, sys
for number, name in enumerate(sys.argv[1:]):
    try:
        ast.parse(open(name, 'rb').read(), name)
    except SyntaxError as error:
        print(number, error.lineno or 1, error.msg, sep='\\t')
    except Exception:
        pass
";

/// Codes of `ShellCheck` for what other shells than `sh` have.
const OF_OTHERS: &[&str] = &[
    "SC3001", "SC3010", "SC3011", "SC3014", "SC3015", "SC3020", "SC3024", "SC3030", "SC3054",
    "SC3057", "SC3060",
];

/// Codes for variables that nobody sets, and for exit codes that something hides.
const OF_ALL: &[&str] = &["SC2154", "SC2155", "SC2319", "SC2320"];

/// A script, and the program that will read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    file: PathBuf,
    shown: String,
    language: Language,
    program: PathBuf,
    /// True if a script that cannot be read blocks what it is asked about.
    locks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Shell,
    Python,
    Node,
    Ruby,
}

/// The script that a call runs, where there is a program to read it.
pub(super) fn script(command: &Command<'_>, call: &Call) -> Option<Script> {
    let given = programs::script(call);
    let word = given
        .or(call.program.as_ref())
        .filter(|word| given.is_some() || word.text.contains('/'))?;
    let file = programs::file(call, word).filter(|file| file.is_file())?;
    let by = match (given, program::trouble(&file)) {
        (Some(_), _) => call.program.as_ref()?.text.clone(),
        (None, None) => program::interpreter(&file)?,
        (None, Some(Trouble::NoFormat))
            if call.by_shell && file.extension().is_none_or(|it| it == "sh") =>
        {
            "/bin/sh".to_owned()
        }
        (None, Some(_)) => return None,
    };
    let name = Path::new(&by).file_name()?.to_str()?;
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    let language = match stem {
        _ if is_shell(&by) => Language::Shell,
        "python" => Language::Python,
        "node" | "nodejs" => Language::Node,
        "ruby" => Language::Ruby,
        _ => return None,
    };
    let program = on_own_path(&by)?;
    let locks = language == Language::Shell && command.blocked_by_two().is_some();
    let shown = word.shown.clone();
    program.is_file().then_some(Script { file, shown, language, program, locks })
}

/// A program that may be started to read a script: one in the directories of this process's `PATH`.
/// Another one that a script or a settings file of a clone names is not run.
fn on_own_path(name: &str) -> Option<PathBuf> {
    let path = environment::raw("PATH")?;
    let mut folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    match Path::new(name).parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => folders.any(|folder| folder == parent).then(|| PathBuf::from(name)),
        None => program::on_path(name, &std::env::join_paths(folders).ok()?),
    }
}

/// The faults of scripts, each with the number of its script; a file is read once.
pub(super) fn examine(scripts: &[&Script], around: &Around) -> Vec<(usize, Fault)> {
    let mut once: Vec<(usize, &Script)> = Vec::new();
    for (at, script) in scripts.iter().enumerate() {
        if !once.iter().any(|(_, other)| other.file == script.file) && once.len() < MOST {
            once.push((at, script));
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for (at, script) in &once {
        if script.language != Language::Python {
            runs.push(Run { words: words(script), of: vec![*at] });
            continue;
        }
        let program = script.program.display().to_string();
        let file = script.file.display().to_string();
        let of_same = |run: &&mut Run| run.words[0] == program && run.words.len() > 5;
        if let Some(run) = runs.iter_mut().find(of_same) {
            run.words.push(file);
            run.of.push(*at);
        } else {
            let words = [&program, "-I", "-S", "-c", PYTHON, &file].map(str::to_owned);
            runs.push(Run { words: words.to_vec(), of: vec![*at] });
        }
    }
    runs.extend(lint(&once));
    let nothing = OsStr::new("");
    let variables = [
        ("LC_ALL", OsStr::new("C")),
        ("BASH_ENV", nothing),
        ("ENV", nothing),
        ("NODE_OPTIONS", nothing),
    ];
    let spec = |run| {
        let Run { words, .. }: &Run = run;
        Spec { variables: &variables, ..Spec::new(Program::Argv(words), PATIENCE) }
    };
    let specs: Vec<Spec<'_>> = runs.iter().map(spec).collect();
    let finished = child::run(&specs, None);
    let mut faults = Vec::new();
    for (run, finished) in runs.iter().zip(finished) {
        let Ok(finished) = finished else { continue };
        faults.extend(run.faults(scripts, &finished, around));
    }
    faults.sort_by_key(|(at, _)| *at);
    faults
}

struct Run {
    words: Vec<String>,
    of: Vec<usize>,
}

fn words(script: &Script) -> Vec<String> {
    let options: &[&str] = match script.language {
        Language::Shell if script.program.ends_with("zsh") => &["-f", "-n"],
        Language::Shell => &["-n"],
        Language::Node => &["--check"],
        Language::Python | Language::Ruby => &["-c"],
    };
    let mut words = vec![script.program.display().to_string()];
    words.extend(options.iter().map(|option| (*option).to_owned()));
    words.push(script.file.display().to_string());
    words
}

/// `ShellCheck`, where it is installed and there is something to read for it.
fn lint(scripts: &[(usize, &Script)]) -> Option<Run> {
    let mut of: Vec<usize> = Vec::new();
    let mut files = Vec::new();
    for (at, script) in scripts {
        if script.language == Language::Shell && !script.program.ends_with("zsh") {
            of.push(*at);
            files.push(script.file.display().to_string());
        }
    }
    let program = on_own_path("shellcheck").filter(|_| !of.is_empty())?;
    let codes = [OF_OTHERS, OF_ALL].concat().join(",");
    let mut words = vec![program.display().to_string()];
    words.extend(["--norc", "-f", "gcc", "-i", &codes, "--"].map(str::to_owned));
    words.extend(files);
    Some(Run { words, of })
}

impl Run {
    fn faults(
        &self,
        scripts: &[&Script],
        finished: &Finished,
        around: &Around,
    ) -> Vec<(usize, Fault)> {
        let Ended::Exited(code) = finished.ended else { return Vec::new() };
        let stdout = String::from_utf8_lossy(&finished.stdout);
        if self.words.iter().any(|word| word == "gcc") {
            return self.linted(scripts, &stdout, around);
        }
        if self.words.iter().any(|word| word == PYTHON) {
            let fault = |line: &str| {
                let mut parts = line.splitn(3, '\t');
                let at = *self.of.get(parts.next()?.parse::<usize>().ok()?)?;
                let (line, why) = (parts.next()?, parts.next()?);
                Some((at, unreadable(scripts[at], &format!("line {line}: {why}"))))
            };
            return stdout.lines().filter_map(fault).collect();
        }
        let Some(at) = self.of.first().copied().filter(|_| code != 0) else { return Vec::new() };
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let Some(why) = why(&stderr, scripts[at]) else { return Vec::new() };
        vec![(at, unreadable(scripts[at], &why))]
    }

    /// The worst of each script, and how many there are.
    fn linted(&self, scripts: &[&Script], stdout: &str, around: &Around) -> Vec<(usize, Fault)> {
        let mut faults = Vec::new();
        for at in &self.of {
            let script = scripts[*at];
            let start = format!("{}:", script.file.display());
            let mut rows: Vec<(bool, &str, &str)> = stdout
                .lines()
                .filter_map(|row| {
                    let (text, code) =
                        row.strip_prefix(&start)?.strip_suffix(']')?.rsplit_once(" [")?;
                    Some((!OF_OTHERS.contains(&code), code, text))
                })
                .collect();
            rows.sort_by_key(|(is_lesser, ..)| *is_lesser);
            let Some((is_lesser, code, text)) = rows.first() else { continue };
            let mut parts = text.splitn(4, ':');
            let line = parts.next().unwrap_or_default();
            let says = parts.nth(2).unwrap_or_default().trim();
            let more = match rows.len() {
                1 => String::new(),
                several => format!(", and {} more of its kind", several - 1),
            };
            let is_risk = !is_lesser && around.sh_is_dash;
            let mut fault = Fault::new(
                Kind::Lint,
                if is_risk { Weight::Risks } else { Weight::Hints },
                format!(
                    "line {line} of `{}`: {} ({code}{more})",
                    script.shown,
                    says.trim_end_matches('.')
                ),
                format!("see <https://www.shellcheck.net/wiki/{code}>"),
            );
            fault.layer = Layer::Linted;
            faults.push((*at, fault));
        }
        faults
    }
}

/// The words of an interpreter about a script, without the name of the file.
fn why(stderr: &str, script: &Script) -> Option<String> {
    let file = script.file.display().to_string();
    let is_it = |line: &&str| line.contains("rror") || line.contains("unexpected");
    let line = stderr.lines().map(str::trim).find(is_it)?;
    let number = stderr.lines().find_map(|line| {
        let rest = line.split_once(&file)?.1.strip_prefix(':')?;
        let number: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
        (!number.is_empty()).then_some(number)
    });
    let line = line.rsplit_once(&format!("{file}: ")).map_or(line, |(_, rest)| rest);
    match number.filter(|number| !line.contains(number.as_str())) {
        Some(number) => Some(format!("line {number}: {line}")),
        None => Some(line.to_owned()),
    }
}

fn unreadable(script: &Script, why: &str) -> Fault {
    let program = script.program.file_name().unwrap_or_default().to_string_lossy();
    let mut fault = Fault::new(
        Kind::Syntax,
        Weight::Breaks,
        format!("`{program}` cannot read `{}`: {why}", script.shown),
        "correct the script",
    );
    if script.locks {
        fault.notice = Some("the shell ends with 2, so each call is blocked");
    }
    fault.layer = Layer::Parsed;
    fault
}
