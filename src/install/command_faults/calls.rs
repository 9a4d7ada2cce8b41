//! The programs that a command calls, with the paths that its words stand for.

use std::path::{Path, PathBuf};

use super::command::{Around, Caller, Command, Line};
use crate::syntax::shell::{self, Word};

#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The program's word, as it is known; none where it cannot be told.
    pub(super) program: Option<Known>,
    pub(super) arguments: Vec<Option<Known>>,
    /// True if it is the first of its line.
    pub(super) is_first: bool,
    /// Words that the line asks about before it uses them, or whose failure it puts up with.
    pub(super) is_tested: bool,
    pub(super) by_shell: bool,
    /// The directory from which relative words are found.
    pub(super) start: Start,
    /// The files that its output goes to, as they are known; none behind a `mkdir` of the line.
    pub(super) outputs: Vec<Known>,
}

/// The directory that relative words are found in.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The directory; none where it cannot be told.
    pub(super) directory: Option<PathBuf>,
    /// True if that is where the session happens to be.
    pub(super) is_fragile: bool,
}

/// A word whose value is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) text: String,
    /// As it was written, without quotes.
    pub(super) shown: String,
}

/// Words in front of a program that change nothing about which program it is.
const PASSING: &[&str] = &["builtin", "command", "env", "exec", "nohup", "time"];

pub(super) fn of(command: &Command<'_>, around: &Around) -> Vec<Call> {
    match command.line {
        Line::Argv(words) => of_argv(command, around, words),
        Line::Shell(line) => {
            let mut calls = Vec::new();
            of_line(command, around, &mut start(command, around), line, &mut calls);
            calls
        }
    }
}

/// Finds the directory in which a command begins, and whether that is the session's current one.
fn start(command: &Command<'_>, around: &Around) -> Start {
    let is_fragile = !matches!(command.caller, Caller::Hookman { in_project: true, .. });
    Start { directory: around.project.clone(), is_fragile }
}

fn of_argv(command: &Command<'_>, around: &Around, words: &[String]) -> Vec<Call> {
    let known = |word: &String| {
        let mut text = word.clone();
        for (name, value) in [("PROJECT_DIR", &around.project), ("PLUGIN_ROOT", &around.plugin)] {
            let Some(value) = value else { continue };
            text = text.replace(&format!("${{CLAUDE_{name}}}"), &value.display().to_string());
        }
        let is_known = !text.contains("${CLAUDE_P");
        is_known.then(|| Known { text, shown: word.clone() })
    };
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let mut calls = vec![Call {
        program: known(program).map(|word| next_to_manifest(command, word)),
        arguments: arguments.iter().map(known).collect(),
        is_first: true,
        is_tested: false,
        by_shell: false,
        start: start(command, around),
        outputs: Vec::new(),
    }];
    if let Some(line) = line_of_shell(program, arguments.iter().map(|it| Some(&**it))) {
        of_line(command, around, &mut start(command, around), line, &mut calls);
    }
    calls
}

pub(super) fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next();
    matches!(name, Some("sh" | "bash" | "dash" | "zsh" | "ksh" | "ash"))
}

/// The line that a shell is given with `-c`. A login shell may have another `PATH`.
fn line_of_shell<'w>(
    program: &str,
    mut arguments: impl Iterator<Item = Option<&'w str>>,
) -> Option<&'w str> {
    if !is_shell(program) {
        return None;
    }
    while let Some(option) = arguments.next()?.and_then(|word| word.strip_prefix('-')) {
        if option.contains(['l', 'i']) {
            return None;
        }
        if option.ends_with('c') {
            return arguments.next()?;
        }
    }
    None
}

/// The words of the program that another one runs, such as `xargs`; none where that cannot be told.
fn passed_on<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    // Which letters take the next word, and how many words are in front of the program.
    const ROWS: &[(&str, &str, usize)] = &[
        ("xargs", "adEILnPs", 0),
        ("timeout", "ks", 1),
        ("nice", "n", 0),
        ("stdbuf", "ioe", 0),
        ("setsid", "", 0),
        ("flock", "wE", 1),
    ];
    let Some((program, mut rest)) = words.split_first() else { return &[] };
    let row = ROWS.iter().find(|(name, ..)| *name == program.text);
    let Some((_, with_value, before)) = row else { return &[] };
    while let Some((option, more)) = rest.split_first() {
        let Some(letters) = option.text.strip_prefix('-') else { break };
        let takes_next = match letters.find(|letter| with_value.contains(letter)) {
            _ if letters.starts_with('-') => {
                let alone = ["-null", "-no-run-if-empty", "-verbose", "-foreground"];
                if !letters.contains('=') && !alone.contains(&letters) {
                    return &[];
                }
                false
            }
            at => at.is_some_and(|at| at + 1 == letters.len()),
        };
        rest = more.get(usize::from(takes_next)..).unwrap_or_default();
    }
    rest.get(*before..).unwrap_or_default()
}

/// hookman looks for a relative program next to the manifest.
fn next_to_manifest(command: &Command<'_>, word: Known) -> Known {
    let Caller::Hookman { manifest: Some(manifest), .. } = &command.caller else { return word };
    if !word.text.contains('/') || word.text.starts_with(['/', '~', '$']) {
        return word;
    }
    let path = manifest.join(word.text.strip_prefix("./").unwrap_or(&word.text));
    Known { text: path.display().to_string(), ..word }
}

fn of_line(
    command: &Command<'_>,
    around: &Around,
    start: &mut Start,
    line: &str,
    calls: &mut Vec<Call>,
) {
    let split = shell::split(line);
    let mut tested: Vec<String> = Vec::new();
    let mut is_made = false;
    // What comes behind such an end is meant for a call that fails.
    let is_borne = ["|| true", "|| :", "|| exit 0", "||true", "||:"];
    // A line that blocks is a gate, and does not hold where what it asks is not there.
    let is_gate = line.contains("exit 2");
    let is_borne = !is_gate && is_borne.iter().any(|end| line.contains(end));
    tested.extend(defined(line));
    for one in &split.commands {
        let has_other = !is_gate && has_other(line, &one.source);
        let mut words = behind_passing(&one.words);
        let Some((program, arguments)) = words.split_first() else { continue };
        if asks(program, arguments) {
            tested.extend(arguments.iter().map(|word| word.text.to_string()));
            continue;
        }
        if program.text == "cd" {
            let to = arguments.first().and_then(|word| known(word, around));
            let to = to.map(|to| PathBuf::from(to.text));
            start.is_fragile &= !to.as_ref().is_some_and(|to| to.is_absolute());
            start.directory = to.and_then(|to| Some(start.directory.as_ref()?.join(to)));
            continue;
        }
        is_made |= program.text == "mkdir";
        let to_files = one.redirections.iter().filter(|it| it.operator.starts_with('>'));
        let outputs = to_files.filter(|_| !is_made).filter_map(|it| known(&it.target, around));
        let mut outputs: Vec<Known> = outputs.collect();
        while let Some((program, arguments)) = words.split_first() {
            let is_named = |word: &Word<'_>| tested.iter().any(|it| names(it, &word.text));
            let is_first = calls.is_empty();
            let mut named = known(program, around);
            if is_first {
                named = named.map(|word| next_to_manifest(command, word));
            }
            calls.push(Call {
                program: named,
                arguments: arguments.iter().map(|word| known(word, around)).collect(),
                is_first,
                is_tested: is_borne || has_other || words.iter().any(is_named),
                by_shell: true,
                start: start.clone(),
                outputs: std::mem::take(&mut outputs),
            });
            let plain = arguments.iter().map(|word| (!word.expanded).then_some(&*word.text));
            if let Some(line) = line_of_shell(&program.text, plain).filter(|_| !is_borne) {
                of_line(command, around, &mut start.clone(), line, calls);
            }
            words = behind_passing(passed_on(words));
        }
    }
}

/// The words of a command from its program on, behind those that change nothing about which it is.
fn behind_passing<'w, 'a>(mut words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    while let Some((first, rest)) = words.split_first() {
        let is_variable = |word: &Word<'_>| !word.quoted && word.text.contains('=');
        if rest.is_empty() || !(PASSING.contains(&&*first.text) || is_variable(first)) {
            break;
        }
        // `command -v` asks for a program and does not call it.
        if rest[0].text.starts_with('-') {
            break;
        }
        words = rest;
    }
    words
}

/// The functions and aliases that a line defines.
fn defined(line: &str) -> impl Iterator<Item = String> + '_ {
    let is_name = |it: &&str| {
        let is_of_name = |it: char| it.is_alphanumeric() || "_-.:".contains(it);
        !it.is_empty() && it.chars().all(is_of_name)
    };
    let last = |text: &'_ str| {
        text.trim_end().rsplit([' ', ';', '\n', '\t', '{', '&']).next().map(str::to_owned)
    };
    let before = line.match_indices("()").filter_map(move |(at, _)| last(&line[..at]));
    let behind = ["function ", "alias "].into_iter().flat_map(move |word| {
        line.match_indices(word).filter_map(move |(at, _)| {
            line[at + word.len()..].split([' ', '=', '{', '(', '\n']).next().map(str::to_owned)
        })
    });
    before.chain(behind).filter(move |name| is_name(&name.as_str()))
}

/// Returns whether a line says what is to be done where one of its commands fails.
fn has_other(line: &str, command: &str) -> bool {
    let behind = line.find(command).map(|at| &line[at + command.len()..]).unwrap_or_default();
    let ends = ["||", "&&", ";", "\n", "|"];
    let next = ends.iter().filter_map(|end| Some((behind.find(end)?, *end)));
    // At the same place the longer sign counts, which comes first.
    next.min_by_key(|(at, _)| *at).is_some_and(|(_, end)| end == "||")
}

fn names(tested: &str, word: &str) -> bool {
    tested == word || Path::new(word).file_name().is_some_and(|name| name == tested)
}

/// Returns whether a command only asks whether something is there.
fn asks(program: &Word<'_>, arguments: &[Word<'_>]) -> bool {
    match &*program.text {
        "[" | "[[" | "test" | "which" | "type" | "hash" => true,
        "command" => arguments.first().is_some_and(|it| matches!(&*it.text, "-v" | "-V")),
        _ => false,
    }
}

/// A word of a shell line with what the shell would put in its place, where that is known.
fn known(word: &Word<'_>, around: &Around) -> Option<Known> {
    let shown = word.text.to_string();
    let mut text = shown.clone();
    let is_tilde = text == "~" || text.starts_with("~/");
    if is_tilde && !word.quoted {
        text = format!("{}{}", around.home.as_ref()?.display(), &text[1..]);
    }
    // The session's current directory is where a relative word begins.
    for here in ["$PWD/", "${PWD}/", "$(pwd)/"] {
        if let Some(rest) = text.strip_prefix(here).filter(|_| word.expanded) {
            text = format!("./{rest}");
        }
    }
    if word.expanded {
        for (name, value) in [
            ("CLAUDE_PROJECT_DIR", &around.project),
            ("CLAUDE_PLUGIN_ROOT", &around.plugin),
            ("HOME", &around.home),
        ] {
            text = replaced(&text, name, value.as_deref());
        }
        if text.contains(['$', '`', '*', '?', '[', '{']) {
            return None;
        }
    }
    Some(Known { text, shown })
}

fn replaced(text: &str, name: &str, value: Option<&Path>) -> String {
    let Some(value) = value.map(|value| value.display().to_string()) else {
        return text.to_owned();
    };
    let mut text = text.replace(&format!("${{{name}}}"), &value);
    // A default is for where there is none.
    for mark in [":-", "-"] {
        while let Some((at, length)) = text.find(&format!("${{{name}{mark}")).and_then(|at| {
            let inside = &text[at..];
            (!inside[2..inside.find('}')?].contains('$')).then_some((at, inside.find('}')?))
        }) {
            text.replace_range(at..=at + length, &value);
        }
    }
    let bare = format!("${name}");
    let mut from = 0;
    while let Some(at) = text[from..].find(&bare).map(|at| at + from) {
        let end = at + bare.len();
        let goes_on = text[end..].starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
        if goes_on {
            from = end;
        } else {
            text.replace_range(at..end, &value);
            from = at + value.len();
        }
    }
    text
}
