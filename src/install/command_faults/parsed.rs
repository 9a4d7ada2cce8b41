//! Can the program that will run a line or a script read it, and does a linter warn of it?

use std::path::Path;

use super::answers::{self, Written};
use super::command::{Command, Fault, Kind, Layer, Line, Weight};
use super::scripts::{Language, MOST, Run, Script, by_program, on_own_path, run, unreadable};
use crate::client::unheard::{is_answer, refuses};
use crate::client::{Event, ExitTwo, fields};
use crate::machine::child::{Ended, Finished};
use crate::machine::files;

/// The faults of lines that the shell cannot read, each with the number of its command.
pub(super) fn lines<'c>(commands: impl Iterator<Item = &'c Command<'c>>) -> Vec<(usize, Fault)> {
    // No shell refuses these, and most lines are of them alone.
    let is_plain = |it: char| it.is_alphanumeric() || " _-./:=,@%+~$\"".contains(it);
    let is_read = |line: &str| line.chars().all(is_plain) && line.matches('"').count() % 2 == 0;
    let asked = commands.enumerate().filter_map(|(at, command)| match command.line {
        Line::Shell(line) if !is_read(line) => Some((at, command, line)),
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

/// The faults of scripts, each with the number of its command; a file is read once.
pub(super) fn scripts(scripts: Vec<Script>, sh_is_dash: bool) -> Vec<(usize, Fault)> {
    let mut once: Vec<Script> = Vec::new();
    for script in scripts {
        if let Some(other) = once.iter_mut().find(|other| other.file == script.file) {
            other.events.extend(script.events);
        } else if once.len() < MOST {
            once.push(script);
        }
    }
    let of = |language| once.iter().filter(move |it| it.language == language);
    let mut runs: Vec<Run<'_>> = Vec::new();
    for script in of(Language::Shell).chain(of(Language::Ruby)) {
        runs.push(Run { words: words(script), of: vec![script], read });
    }
    runs.extend(runs_of_python(&of(Language::Python).collect::<Vec<_>>()));
    let options = ["-e", NODE_READER, "--"];
    runs.extend(by_program(&of(Language::Node).collect::<Vec<_>>(), &options, read_node));
    runs.extend(runs_of_linter(&once, sh_is_dash));
    let finished = run(runs.iter().map(|run| run.words.as_slice()));
    let mut faults = Vec::new();
    for (run, finished) in runs.iter().zip(finished) {
        if let Ok(finished @ Finished { ended: Ended::Exited(_), .. }) = finished {
            faults.extend((run.read)(&run.of, &finished));
        }
    }
    faults
}

fn read(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let is_refused = finished.ended != Ended::Exited(0);
    let script = of.iter().filter(|_| is_refused);
    script.filter_map(|it| Some((it.of, unreadable(it, &why(&stderr, it)?)))).collect()
}

/// Prints the number of a script, the kind and a text as JSON of each finding.
const NODE_READER: &str = include_str!("parsed.js");

fn read_node(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let fault = |row: &str| {
        let mut parts = row.splitn(3, '\t');
        let script = of.get(parts.next()?.parse::<usize>().ok()?)?;
        let (kind, said) = (parts.next()?, parts.next()?);
        let said: String = serde_json::from_str(said).ok()?;
        let shown = &script.shown;
        let fault = match kind {
            "syntax" => unreadable(script, &why(&said, script)?),
            "require" => Fault::new(
                Kind::Syntax,
                Weight::Breaks,
                format!("`{shown}` is an ES module, which has no `require`"),
                "write `import`, or give the file the ending `.cjs`",
            ),
            _ => Fault::new(
                Kind::Needs,
                Weight::Risks,
                format!("`{shown}` asks for the module `{said}`, which Node does not find"),
                "install the module where the script is, or have the script go without it",
            ),
        };
        Some((script.of, Fault { layer: Layer::Parsed, ..fault }))
    };
    stdout.lines().filter_map(fault).collect()
}

fn words(script: &Script) -> Vec<String> {
    let options: &[&str] = match script.language {
        Language::Shell if script.program.ends_with("zsh") => &["-f", "-n"],
        // What the script switches on itself is off while it is only read.
        Language::Shell if script.program.ends_with("bash") && has_extglob(&script.file) => {
            &["-O", "extglob", "-n"]
        }
        Language::Shell => &["-n"],
        Language::Node | Language::Python | Language::Ruby => &["-c"],
    };
    let mut words = vec![script.program.display().to_string()];
    words.extend(options.iter().map(|option| (*option).to_owned()));
    words.push(script.file.display().to_string());
    words
}

fn has_extglob(file: &Path) -> bool {
    files::read_text(file).ok().flatten().is_some_and(|text| text.contains("extglob"))
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

/// Prints the kind, the number of the script, the line and a text of each finding.
const READER: &str = include_str!("parsed.py");

pub(super) fn runs_of_python<'s>(scripts: &[&'s Script]) -> Vec<Run<'s>> {
    by_program(scripts, &["-I", "-c", READER, &fields::OF_PAYLOADS.join(",")], read_python)
}

fn read_python(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let mut faults: Vec<(usize, Fault)> = Vec::new();
    for (number, script) in of.iter().enumerate() {
        let rows = stdout.lines().filter_map(|row| {
            let mut parts = row.splitn(4, '\t');
            let (kind, of) = (parts.next()?, parts.next()?);
            let is_it = of.parse() == Ok(number);
            is_it.then_some((kind, parts.next()?, parts.next()?))
        });
        let rows: Vec<(&str, &str, &str)> = rows.collect();
        let answer = |(kind, _, text): &(&str, &str, &str)| {
            let text = (*text).to_owned();
            kind.starts_with("answer")
                .then(|| Written { text, is_on_error: *kind == "answer-on-error" })
        };
        let answers: Vec<Written> = rows.iter().filter_map(answer).collect();
        let found = rows.iter().filter_map(|row| python_fault(script, row));
        let found = found.chain(answers::fault(&script.events, "", &answers));
        faults.extend(found.map(|fault| (script.of, Fault { layer: Layer::Parsed, ..fault })));
    }
    faults
}

fn python_fault(script: &Script, (kind, line, text): &(&str, &str, &str)) -> Option<Fault> {
    let shown = &script.shown;
    let blocks = |event: &Event| {
        matches!(event.facts().exit_two, ExitTwo::BlocksForModel | ExitTwo::BlocksForUser)
    };
    Some(match *kind {
        "syntax" => unreadable(script, &format!("line {line}: {text}")),
        "exit" if refuses(text) && script.events.iter().any(blocks) => Fault::new(
            Kind::Answer,
            Weight::Risks,
            format!("line {line} of `{shown}` says no with exit code 1, which blocks nothing"),
            "print the text on standard error and end with 2: `sys.exit(2)`",
        ),
        "swallowed" if script.events.iter().any(blocks) => Fault::new(
            Kind::Answer,
            Weight::Risks,
            format!(
                "line {line} of `{shown}` catches the `SystemExit` that ends with 2, which blocks"
            ),
            "write `except Exception:`",
        ),
        "uncalled" => Fault::new(
            Kind::Input,
            Weight::Risks,
            format!("line {line} of `{shown}` defines `{text}`, and nothing calls it"),
            format!("write `{text}()` at the end"),
        ),
        "field" => Fault::new(
            Kind::Input,
            Weight::Risks,
            format!("line {line} of `{shown}` reads `{text}`, which no call has"),
            "look at a payload: `hookman try --sample EVENT` prints one",
        ),
        "dict" if is_answer(text) => Fault::new(
            Kind::Answer,
            Weight::Risks,
            format!("line {line} of `{shown}` prints a `dict`, which is no JSON"),
            "write `print(json.dumps(…))`",
        ),
        "module" if !script.brings_modules => Fault::new(
            Kind::Needs,
            Weight::Risks,
            format!("line {line} of `{shown}` imports `{text}`, which its Python does not have"),
            "install the module for that Python, or have the hook run by one that has it",
        ),
        "itself" => Fault::new(
            Kind::Syntax,
            Weight::Risks,
            format!("`{shown}` imports `{text}`, and has that name itself"),
            "give the script another name",
        ),
        "unbound" => Fault::new(
            Kind::Syntax,
            Weight::Risks,
            format!("line {line} of `{shown}` uses `{text}` without importing it"),
            format!("write `import {text}`"),
        ),
        "program" => Fault::new(
            Kind::Needs,
            Weight::Risks,
            format!("line {line} of `{shown}` calls `{text}`, which is not on the PATH"),
            format!("install `{text}`, or have the script go without it"),
        ),
        _ => return None,
    })
}

/// Codes of `ShellCheck` for what other shells than `sh` have.
const OF_OTHERS: &[&str] = &[
    "SC3001", "SC3005", "SC3006", "SC3010", "SC3011", "SC3014", "SC3015", "SC3018", "SC3020",
    "SC3024", "SC3030", "SC3039", "SC3040", "SC3044", "SC3046", "SC3047", "SC3050", "SC3053",
    "SC3054", "SC3057", "SC3059", "SC3060",
];

/// Codes for what never does what it is for: conditions and patterns that are always or never met,
/// values that are lost in a subshell, functions that come later, blanks that are missing or too many,
/// and exit codes that are none.
const OF_MISTAKES: &[&str] = &[
    "SC1017", "SC1020", "SC1035", "SC1039", "SC1044", "SC1066", "SC1068", "SC1069", "SC2031",
    "SC2049", "SC2050", "SC2055", "SC2071", "SC2076", "SC2078", "SC2081", "SC2157", "SC2160",
    "SC2161", "SC2170", "SC2193", "SC2195", "SC2218", "SC2242", "SC2252", "SC2283",
];

/// Codes for variables that nobody sets, and for exit codes that something hides.
const OF_ALL: &[&str] = &["SC2153", "SC2154", "SC2155", "SC2319", "SC2320"];

/// The runs of `ShellCheck`, where it is installed: one for what `sh` runs, whatever its first line
/// says, and one for the rest.
pub(super) fn runs_of_linter<'s>(scripts: &'s [Script], sh_is_dash: bool) -> Vec<Run<'s>> {
    let is_read = |it: &&Script| it.language == Language::Shell && !it.program.ends_with("zsh");
    let is_of_sh = |it: &&Script| it.program.ends_with("sh") || it.program.ends_with("dash");
    let (of_sh, others): (Vec<&Script>, Vec<&Script>) =
        scripts.iter().filter(is_read).partition(is_of_sh);
    let Some(program) = on_own_path("shellcheck") else { return Vec::new() };
    let others_codes = if sh_is_dash { OF_OTHERS } else { &[] };
    let codes = [others_codes, OF_MISTAKES, OF_ALL].concat().join(",");
    let run = |(of, shell): (Vec<&'s Script>, &[&str])| {
        let mut words = vec![program.display().to_string()];
        words.extend(["--norc", "-f", "gcc", "-i", &codes].map(str::to_owned));
        words.extend(shell.iter().map(|word| (*word).to_owned()));
        words.push("--".to_owned());
        words.extend(of.iter().map(|script| script.file.display().to_string()));
        Run { words, of, read: read_lint }
    };
    // Each core takes a half of what is mostly all.
    let (half, other_half) = others.split_at(others.len() / 2);
    let groups =
        [(of_sh, ["-s", "sh"].as_slice()), (half.to_vec(), &[]), (other_half.to_vec(), &[])];
    groups.into_iter().filter(|(of, _)| !of.is_empty()).map(run).collect()
}

fn read_lint(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    of.iter().filter_map(|script| Some((script.of, linted(script, &stdout)?))).collect()
}

/// The worst that `ShellCheck` says of a script, and how much more of it there is.
fn linted(script: &Script, stdout: &str) -> Option<Fault> {
    let start = format!("{}:", script.file.display());
    let rows = stdout.lines().filter_map(|row| {
        let (text, code) = row.strip_prefix(&start)?.strip_suffix(']')?.rsplit_once(" [")?;
        let weight = if OF_ALL.contains(&code) { Weight::Hints } else { Weight::Risks };
        Some((weight, code, text))
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
