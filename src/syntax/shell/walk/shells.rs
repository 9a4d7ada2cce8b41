//! The ways to give a script to a shell.

use super::super::Word;
use super::super::from_powershell;
use super::super::programs::is_powershell;
use super::names::value_of;
use super::variables::Value;

#[derive(Default)]
pub(super) struct Script {
    /// The script's text, or the process substitution that it is read from.
    pub(super) text: Option<String>,
    pub(super) file: String,
    /// The value of `$0`, where the words say it.
    pub(super) name: Option<Value>,
    /// The values of `$1` and the following.
    pub(super) positional: Vec<Value>,
    /// True if the script is what the standard input holds.
    pub(super) reads_input: bool,
    /// True if the script is decoded before it is run.
    pub(super) is_decoded: bool,
}

pub(super) fn script(program: &str, arguments: &[Word<'_>]) -> Script {
    if is_powershell(program) {
        powershell(arguments)
    } else if program.eq_ignore_ascii_case("cmd") {
        windows(arguments)
    } else {
        posix(arguments)
    }
}

pub(super) fn sourced(arguments: &[Word<'_>]) -> Script {
    let operands = match arguments.first() {
        Some(first) if first.text == "--" => &arguments[1..],
        _ => arguments,
    };
    operands.split_first().map_or_else(Script::default, |(file, rest)| from_file(file, rest))
}

fn from_file(file: &Word<'_>, rest: &[Word<'_>]) -> Script {
    let text = &*file.text;
    let reads_input = matches!(text, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
    let file = text.to_owned();
    let text = text.starts_with("<(").then(|| file.clone());
    Script { text, file, positional: values(rest), reads_input, ..Script::default() }
}

fn values(words: &[Word<'_>]) -> Vec<Value> {
    words.iter().map(value_of).collect()
}

fn texts(words: &[Word<'_>]) -> Vec<String> {
    words.iter().map(|word| word.text.clone().into_owned()).collect()
}

fn posix(arguments: &[Word<'_>]) -> Script {
    let (mut commanded, mut input, mut checks_only) = (false, false, false);
    let mut words = arguments;
    while let Some((word, rest)) = words.split_first() {
        let text = &*word.text;
        if !text.starts_with(['-', '+']) || text.len() == 1 {
            break;
        }
        words = rest;
        if text == "--" {
            break;
        }
        if text.starts_with("--") {
            if matches!(text, "--rcfile" | "--init-file") {
                words = words.get(1..).unwrap_or_default();
            }
            continue;
        }
        let sets = text.starts_with('-');
        commanded |= sets && text.contains('c');
        input |= sets && text.contains('s');
        if text.contains('n') {
            checks_only = sets;
        }
        if text.ends_with(['o', 'O']) {
            let name = words.first().map(|word| &*word.text);
            if name == Some("noexec") {
                checks_only = sets;
            }
            words = words.get(1..).unwrap_or_default();
        }
    }
    if checks_only {
        return Script::default();
    }
    match words.split_first() {
        Some((text, rest)) if commanded => Script {
            text: Some(text.text.clone().into_owned()),
            name: rest.first().map(value_of),
            positional: values(rest.get(1..).unwrap_or_default()),
            ..Script::default()
        },
        _ if commanded => Script::default(),
        _ if input => Script { positional: values(words), reads_input: true, ..Script::default() },
        Some((file, rest)) => from_file(file, rest),
        None => Script { reads_input: true, ..Script::default() },
    }
}

/// The command of a line for `crontab`, after `@daily` or the five fields of its time; empty where
/// the line has none.
pub(super) fn scheduled(line: &str) -> &str {
    let is_field =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"*,-/".contains(&byte));
    let mut rest = line.trim_start();
    let fields = if rest.starts_with('@') { 1 } else { 5 };
    for _ in 0..fields {
        match rest.split_once([' ', '\t']) {
            Some((field, after)) if fields == 1 || is_field(field) => rest = after.trim_start(),
            _ => return "",
        }
    }
    rest
}

/// Parameters may be cut short and come in any case; some take a value.
fn powershell(arguments: &[Word<'_>]) -> Script {
    let is = |text: &str, name: &str, least: usize| {
        text.len() >= least
            && name.get(..text.len()).is_some_and(|it| it.eq_ignore_ascii_case(text))
    };
    let mut words = arguments;
    while let Some((word, rest)) = words.split_first() {
        let Some(name) = word.text.strip_prefix(['-', '/']) else {
            return of_powershell(words);
        };
        words = rest;
        if is(name, "command", 1) {
            if words.first().is_some_and(|word| word.text == "-") {
                break;
            }
            return of_powershell(words);
        }
        if is(name, "encodedcommand", 1) || name.eq_ignore_ascii_case("ec") {
            return Script { is_decoded: true, ..Script::default() };
        }
        if is(name, "file", 1) {
            return words.split_first().map_or_else(Script::default, |it| from_file(it.0, it.1));
        }
        let takes_value = is(name, "windowstyle", 1)
            || ["executionpolicy", "version", "inputformat"].iter().any(|it| is(name, it, 2));
        if takes_value || is(name, "outputformat", 1) {
            words = words.get(1..).unwrap_or_default();
        }
    }
    Script { reads_input: true, ..Script::default() }
}

fn of_powershell(words: &[Word<'_>]) -> Script {
    let text = texts(words).join(" ");
    Script { text: Some(from_powershell(&text).into_owned()), ..Script::default() }
}

fn windows(arguments: &[Word<'_>]) -> Script {
    let runs = |word: &Word<'_>| {
        let start = word.text.get(..2).unwrap_or_default();
        start.eq_ignore_ascii_case("/c") || start.eq_ignore_ascii_case("/k")
    };
    let text = arguments.iter().position(runs).map(|at| {
        let mut words = texts(&arguments[at..]);
        words[0].drain(..2);
        words.join(" ")
    });
    Script { text, ..Script::default() }
}
