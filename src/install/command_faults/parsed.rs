//! Can the program that will run a line or a script read it, and does a linter warn of it?

use std::sync::LazyLock;

use serde::Deserialize;

use super::answers::{self, Written};
use super::command::{Fault, Layer, Weight, blocks};
use super::scripts::{Language, MOST, Run, Script, by_program, on_own_path, unreadable};
use crate::client::unheard::{is_answer, refuses};
use crate::client::{Event, fields};
use crate::machine::asking::Asking;
use crate::machine::child::{Ended, Finished};
use crate::machine::files;

/// The faults of scripts, each with the number of its command; a file is read once.
pub(super) fn scripts(
    scripts: Vec<Script>,
    sh_is_dash: bool,
    asking: &Asking,
) -> Vec<(usize, Fault)> {
    let mut once: Vec<Script> = Vec::new();
    for script in scripts {
        if let Some(other) = once.iter_mut().find(|other| other.file == script.file) {
            other.events.extend(script.events);
            other.matchers.extend(script.matchers);
        } else if once.len() < MOST {
            once.push(script);
        }
    }
    let of = |language| once.iter().filter(move |it| it.language == language);
    // What takes long starts first.
    let mut runs = runs_of_linter(&once, sh_is_dash);
    let node = ["--experimental-vm-modules", "--no-warnings", "-e", NODE_READER, "--"];
    runs.extend(by_program(&of(Language::Node).collect::<Vec<_>>(), &node, read_rows));
    let python = ["-I", "-S", "-c", PYTHON_READER];
    runs.extend(by_program(&of(Language::Python).collect::<Vec<_>>(), &python, read_rows));
    for script in of(Language::Shell).chain(of(Language::Ruby)).chain(of(Language::Jq)) {
        runs.push(Run { words: words(script), of: vec![script], read });
    }
    let finished = asking.run(runs.iter().map(|run| run.words.as_slice()));
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
    // A filter of jq runs on nothing, and may fail on that.
    let is_refused = |it: &&&Script| match it.language {
        Language::Jq => finished.ended == Ended::Exited(3),
        _ => finished.ended != Ended::Exited(0),
    };
    let script = of.iter().filter(is_refused);
    script.filter_map(|it| Some((it.of, unreadable(it, &why(&stderr, it)?)?))).collect()
}

fn is_field(events: &[Event], key: &str) -> bool {
    const OF_ALL: [&str; 2] = ["hookEventName", "additionalContext"];
    let has = |event: &Event| event.facts().specific.contains(&key);
    events.is_empty() || OF_ALL.contains(&key) || events.iter().any(has)
}

/// The field of a call that a script reads and that no call of its events has. The text has those that have
/// to be there, those that are read alone, and all, each with its line behind an `@`.
fn absent_field<'t>(script: &Script, text: &'t str) -> Option<&'t str> {
    let [needed, asked, all] = *text.split(';').collect::<Vec<_>>() else { return None };
    let name = |it: &'t str| it.split('@').next().unwrap_or_default();
    let has = |field: &str| all.split(',').any(|it| name(it) == field);
    let events = if has("hook_event_name") { &[] } else { &*script.events };
    let lacks = |it: &&'t str| !it.is_empty() && !fields::is_of(events, name(it));
    let is_other = |it: &&'t str| fields::meant(events, name(it)).is_some_and(|it| !has(&it));
    let list = |part: &'t str| part.split(',').filter(lacks);
    let is_none = list(all).count() == all.split(',').count();
    let mut found = list(needed).chain(list(asked).filter(is_other));
    found.next().or_else(|| list(all).next().filter(|_| is_none))
}

/// Returns whether no tool that a script is asked about has one of these fields of an input.
fn is_foreign(script: &Script, fields: &str) -> bool {
    let has = |matcher: &Option<String>, field| fields::may_have(matcher.as_deref(), field);
    let lacks = |field| script.matchers.iter().all(|it| has(it, field) == Some(false));
    fields.split(", ").all(lacks)
}

fn words(script: &Script) -> Vec<String> {
    let options: &[&str] = match script.language {
        Language::Shell if script.program.ends_with("zsh") => &["-f", "-n"],
        // What a script switches on itself is off while it is only read.
        Language::Shell if script.program.ends_with("bash") => &["-O", "extglob", "-n"],
        // A filter is compiled and run on nothing; before it, `-c` asks for short output.
        Language::Shell | Language::Jq => &["-n"],
        Language::Node | Language::Python | Language::Ruby => &["-c"],
    };
    let mut words = vec![script.program.display().to_string()];
    words.extend(options.iter().map(|option| (*option).to_owned()));
    match script.line() {
        Some(line) => words.extend(["-c", line].map(str::to_owned)),
        None => words.push(script.file.display().to_string()),
    }
    words
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
    let line = line.trim_start_matches(&format!("{}: ", script.program.display()));
    // The line of a filter of jq is that of its own text.
    let line = line.split(" at <top-level>").next().unwrap_or_default();
    match number.filter(|number| !line.contains(number.as_str())) {
        Some(number) => Some(format!("line {number}: {line}")),
        None => Some(line.to_owned()),
    }
}

/// Readers that print the kind, the number of the script, the line and a text of each finding.
const PYTHON_READER: &str = include_str!("parsed.py");
const NODE_READER: &str = include_str!("parsed.js");

fn read_rows(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let mut faults: Vec<(usize, Fault)> = Vec::new();
    for (number, script) in of.iter().enumerate() {
        let (mut found, mut answers): (Vec<Fault>, Vec<Written>) = (Vec::new(), Vec::new());
        for row in stdout.lines() {
            let [kind, of, line, text] = *row.splitn(4, '\t').collect::<Vec<_>>() else { continue };
            if of.parse() != Ok(number) {
                continue;
            }
            let text = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
            if kind.starts_with("answer") {
                answers.push(Written { text, is_on_error: kind == "answer-on-error" });
            } else {
                found.extend(row_fault(kind, script, line, &text));
            }
        }
        found.extend(answers::fault(&script.events, "", &answers));
        faults
            .extend(found.into_iter().map(|it| (script.of, Fault { layer: Layer::Parsed, ..it })));
    }
    faults
}

/// Codes of `ShellCheck` that count, in the form of `parsed.toml`.
#[derive(Default, Deserialize)]
struct Table {
    /// Codes for what other shells than `sh` have.
    others: Vec<String>,
    /// Codes for lines that never have their intended effect.
    mistakes: Vec<String>,
    /// Codes for variables that nobody sets, and for exit codes that something hides.
    all: Vec<String>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("parsed.toml")).unwrap_or_default());

fn row_fault(kind: &str, script: &Script, line: &str, text: &str) -> Option<Fault> {
    let can_block = || script.events.iter().any(|event| blocks(*event));
    let counts = match kind {
        "syntax" if script.language == Language::Node => {
            return unreadable(script, &why(text, script)?);
        }
        "syntax" => return unreadable(script, &format!("line {line}: {text}")),
        "exit" => refuses(text) && can_block(),
        "swallowed" => can_block(),
        "dict" => is_answer(text),
        "module" => !script.brings_modules,
        "key" => !is_field(&script.events, text),
        "input" => is_foreign(script, text),
        "field" => {
            let (field, line) = absent_field(script, text)?.split_once('@')?;
            return Fault::known(kind, &[&field, &line, &script.shown]);
        }
        _ => true,
    };
    counts.then(|| Fault::known(kind, &[&text, &line, &script.shown]))?
}

/// The runs of `ShellCheck` over the files of scripts, where it is installed: one for what `sh` runs,
/// whatever its first line says, and two for the rest.
pub(super) fn runs_of_linter(scripts: &[Script], sh_is_dash: bool) -> Vec<Run<'_>> {
    let is_read = |it: &&Script| {
        it.line().is_none() && it.language == Language::Shell && !it.program.ends_with("zsh")
    };
    let is_of_sh = |it: &&Script| it.program.ends_with("sh") || it.program.ends_with("dash");
    let (of_sh, others): (Vec<&Script>, Vec<&Script>) =
        scripts.iter().filter(is_read).partition(is_of_sh);
    let Some(program) = on_own_path("shellcheck") else { return Vec::new() };
    let of_others: &[String] = if sh_is_dash { &TABLE.others } else { &[] };
    let codes = [of_others, &TABLE.mistakes, &TABLE.all].concat().join(",");
    let run = |(of, shell): (Vec<_>, &[&str])| {
        let mut words = vec![program.display().to_string()];
        words.extend(["--norc", "-f", "gcc", "-i", &codes].map(str::to_owned));
        words.extend(shell.iter().map(|word| (*word).to_owned()));
        words.push("--".to_owned());
        words.extend(of.iter().map(|script: &&Script| script.file.display().to_string()));
        Run { words, of, read: read_lint }
    };
    // Each core takes a half of what is mostly all.
    let (half, other_half) = others.split_at(others.len() / 2);
    let groups =
        [(of_sh, ["-s", "dash"].as_slice()), (half.to_vec(), &[]), (other_half.to_vec(), &[])];
    groups.into_iter().filter(|(of, _)| !of.is_empty()).map(run).collect()
}

fn read_lint(of: &[&Script], finished: &Finished) -> Vec<(usize, Fault)> {
    let stdout = String::from_utf8_lossy(&finished.stdout);
    of.iter().filter_map(|script| Some((script.of, linted(script, &stdout)?))).collect()
}

/// The worst that `ShellCheck` says of a script, and how much more of it there is.
fn linted(script: &Script, stdout: &str) -> Option<Fault> {
    let start = format!("{}:", script.file.display());
    // A variable that nobody sets is a mistake where nothing is read that could.
    let sets_more = || {
        let text = files::read_text(&script.file).ok().flatten().unwrap_or_default();
        ["eval", "source ", "\n. ", " . ", "declare", "mapfile", "printf -v"]
            .iter()
            .any(|it| text.contains(it))
    };
    let rows = stdout.lines().filter_map(|row| {
        let (text, code) = row.strip_prefix(&start)?.strip_suffix(']')?.rsplit_once(" [")?;
        let is_hint = TABLE.all.iter().any(|it| it == code);
        let weight = match code {
            "SC2154" if sets_more() => return None,
            "SC2154" => Weight::Risks,
            _ if is_hint => Weight::Hints,
            _ => Weight::Risks,
        };
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
    let fault = Fault::known("lint", &[&line, &script.shown, &says, code, &more])?;
    Some(Fault { weight: *weight, layer: Layer::Linted, ..fault })
}
