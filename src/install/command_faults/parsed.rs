//! Can the program that will run a line or a script read it, and does a linter warn of it?

use std::path::Path;

use super::command::{Command, Line};
use super::fault::{Fault, Kind, Layer, Weight};
use super::scripts::{Language, MOST, Run, Script, by_program, run, unreadable};
use super::{linted, python};
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
    runs.extend(python::runs(&of(Language::Python).collect::<Vec<_>>()));
    let options = ["-e", NODE_READER, "--"];
    runs.extend(by_program(&of(Language::Node).collect::<Vec<_>>(), &options, read_node));
    runs.extend(linted::runs(&once, sh_is_dash));
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
