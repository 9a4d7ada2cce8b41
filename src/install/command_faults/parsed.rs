//! Can the program that will run a line or a script read it, and does a linter warn of it?

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::calls::{Call, is_shell};
use super::command::{Command, Line};
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

/// Codes for what never does what it is for: conditions and patterns that are always or never met,
/// values that are lost in a subshell, functions that come later, and codes that are none.
const OF_MISTAKES: &[&str] = &[
    "SC1017", "SC2031", "SC2049", "SC2050", "SC2055", "SC2071", "SC2076", "SC2078", "SC2081",
    "SC2157", "SC2160", "SC2161", "SC2170", "SC2193", "SC2195", "SC2218", "SC2242", "SC2252",
];

/// Codes for variables that nobody sets, and for exit codes that something hides.
const OF_ALL: &[&str] = &["SC2154", "SC2155", "SC2319", "SC2320"];

/// The faults of lines that the shell cannot read, each with the number of its command.
pub(super) fn lines<'c>(commands: impl Iterator<Item = &'c Command<'c>>) -> Vec<(usize, Fault)> {
    let is_plain = |it: char| it.is_alphanumeric() || " _-./:=,@%+~".contains(it);
    let asked = commands.enumerate().filter_map(|(at, command)| match command.line {
        Line::Shell(line) if !line.chars().all(is_plain) => Some((at, command, line)),
        _ => None,
    });
    let asked: Vec<(usize, &Command<'_>, &str)> = asked.collect();
    let mut once: Vec<&str> = asked.iter().map(|(.., line)| *line).collect();
    once.sort_unstable();
    once.dedup();
    once.truncate(MOST);
    let words: Vec<[String; 4]> =
        once.iter().map(|line| ["/bin/sh", "-n", "-c", *line].map(str::to_owned)).collect();
    let finished = run(words.iter().map(<[String; 4]>::as_slice));
    let why = |line: &str| {
        let finished = finished.get(once.binary_search(&line).ok()?)?.as_ref().ok()?;
        if !matches!(finished.ended, Ended::Exited(code) if code != 0) {
            return None;
        }
        let said = String::from_utf8_lossy(&finished.stderr).into_owned();
        let said = said.lines().find(|line| line.contains("rror")).unwrap_or_default();
        Some(said.rsplit_once("rror: ").map_or(said, |(_, words)| words).to_owned())
    };
    let fault = |(at, command, line): (usize, &Command<'_>, &str)| {
        let locks = command.blocked_by_two().is_some();
        let mut fault = Fault::new(
            if locks { Kind::Lockout } else { Kind::Quoting },
            Weight::Breaks,
            format!("the shell cannot read the line: {}", why(line)?),
            "correct the line, or move it into a script and call that",
        );
        fault.layer = Layer::Parsed;
        Some((at, fault))
    };
    asked.into_iter().filter_map(fault).collect()
}

/// Runs programs that read something side by side, with no files of the user's.
fn run<'w>(programs: impl Iterator<Item = &'w [String]>) -> Vec<std::io::Result<Finished>> {
    let nothing = OsStr::new("");
    let variables = [
        ("LC_ALL", OsStr::new("C")),
        ("BASH_ENV", nothing),
        ("ENV", nothing),
        ("NODE_OPTIONS", nothing),
    ];
    let spec = |words| Spec { variables: &variables, ..Spec::new(Program::Argv(words), PATIENCE) };
    child::run(&programs.map(spec).collect::<Vec<Spec<'_>>>(), None)
}

/// A script, and the program that will read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// The number of the command that runs it.
    of: usize,
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

/// The script that a call of a command runs, where there is a program to read it.
pub(super) fn script(of: usize, command: &Command<'_>, call: &Call) -> Option<Script> {
    let (word, file) = programs::run_file(call).filter(|(_, file)| file.is_file())?;
    let given = programs::script(call).map(|_| call.program.as_ref());
    let by = match (given, program::trouble(&file)) {
        (Some(program), _) => match program?.text.as_str() {
            "." | "source" => "/bin/sh".to_owned(),
            "uv" => "python3".to_owned(),
            name => name.to_owned(),
        },
        (None, None) => program::interpreter(&file)?,
        (None, Some(Trouble::NoFormat)) if call.by_shell => "/bin/sh".to_owned(),
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
    program.is_file().then_some(Script { of, file, shown, language, program, locks })
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

/// The faults of scripts, each with the number of its command; a file is read once.
pub(super) fn scripts(scripts: &[Script], sh_is_dash: bool) -> Vec<(usize, Fault)> {
    let mut once: Vec<&Script> = Vec::new();
    for script in scripts {
        if !once.iter().any(|other| other.file == script.file) && once.len() < MOST {
            once.push(script);
        }
    }
    let mut runs: Vec<Run<'_>> = Vec::new();
    for script in &once {
        if script.language != Language::Python {
            runs.push(Run { words: words(script), of: vec![script] });
            continue;
        }
        let program = script.program.display().to_string();
        let file = script.file.display().to_string();
        let of_same = |run: &&mut Run<'_>| run.words[0] == program && run.words.len() > 5;
        if let Some(run) = runs.iter_mut().find(of_same) {
            run.words.push(file);
            run.of.push(script);
        } else {
            let words = [&program, "-I", "-S", "-c", PYTHON, &file].map(str::to_owned);
            runs.push(Run { words: words.to_vec(), of: vec![script] });
        }
    }
    runs.extend(lint(&once));
    let finished = run(runs.iter().map(|run| run.words.as_slice()));
    let ended = runs.iter().zip(finished).filter_map(|(run, it)| Some((run, it.ok()?)));
    ended.flat_map(|(run, finished)| run.faults(&finished, sh_is_dash)).collect()
}

/// A program that reads scripts.
struct Run<'s> {
    words: Vec<String>,
    of: Vec<&'s Script>,
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
fn lint<'s>(scripts: &[&'s Script]) -> Option<Run<'s>> {
    let is_read =
        |script: &&&Script| script.language == Language::Shell && !script.program.ends_with("zsh");
    let of: Vec<&Script> = scripts.iter().filter(is_read).copied().collect();
    let program = on_own_path("shellcheck").filter(|_| !of.is_empty())?;
    let codes = [OF_OTHERS, OF_MISTAKES, OF_ALL].concat().join(",");
    let mut words = vec![program.display().to_string()];
    words.extend(["--norc", "-f", "gcc", "-i", &codes, "--"].map(str::to_owned));
    words.extend(of.iter().map(|script| script.file.display().to_string()));
    Some(Run { words, of })
}

impl Run<'_> {
    fn faults(&self, finished: &Finished, sh_is_dash: bool) -> Vec<(usize, Fault)> {
        let Ended::Exited(code) = finished.ended else { return Vec::new() };
        let stdout = String::from_utf8_lossy(&finished.stdout);
        if self.words.iter().any(|word| word == "gcc") {
            let linted = |script: &&Script| Some((script.of, linted(script, &stdout, sh_is_dash)?));
            return self.of.iter().filter_map(linted).collect();
        }
        if self.words.iter().any(|word| word == PYTHON) {
            let fault = |line: &str| {
                let mut parts = line.splitn(3, '\t');
                let script = self.of.get(parts.next()?.parse::<usize>().ok()?)?;
                let (line, why) = (parts.next()?, parts.next()?);
                Some((script.of, unreadable(script, &format!("line {line}: {why}"))))
            };
            return stdout.lines().filter_map(fault).collect();
        }
        let Some(script) = self.of.first().filter(|_| code != 0) else { return Vec::new() };
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let fault = |why: String| (script.of, unreadable(script, &why));
        why(&stderr, script).map(fault).into_iter().collect()
    }
}

/// The worst that `ShellCheck` says of a script, and how much more of it there is.
fn linted(script: &Script, stdout: &str, sh_is_dash: bool) -> Option<Fault> {
    let start = format!("{}:", script.file.display());
    let weight = |code: &str| match code {
        _ if OF_MISTAKES.contains(&code) => Weight::Risks,
        _ if OF_OTHERS.contains(&code) && sh_is_dash => Weight::Risks,
        _ => Weight::Hints,
    };
    let rows = stdout.lines().filter_map(|row| {
        let (text, code) = row.strip_prefix(&start)?.strip_suffix(']')?.rsplit_once(" [")?;
        Some((weight(code), code, text))
    });
    let rows: Vec<(Weight, &str, &str)> = rows.collect();
    let worst = rows.iter().map(|(weight, ..)| *weight).max()?;
    let (weight, code, text) = rows.iter().find(|(weight, ..)| *weight == worst)?;
    let mut parts = text.splitn(4, ':');
    let line = parts.next().unwrap_or_default();
    let says = parts.nth(2).unwrap_or_default().trim().trim_end_matches('.');
    let more = match rows.len() {
        1 => String::new(),
        several => format!(", and {} more of its kind", several - 1),
    };
    let mut fault = Fault::new(
        Kind::Lint,
        *weight,
        format!("line {line} of `{}`: {says} ({code}{more})", script.shown),
        format!("see <https://www.shellcheck.net/wiki/{code}>"),
    );
    fault.layer = Layer::Linted;
    Some(fault)
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
