//! The ways to give a script to a shell.

use super::super::Word;
use super::names::value_of;
use super::variables::Value;

#[derive(Default)]
pub(super) struct Script {
    /// The script's text, or the process substitution that it is read from.
    pub(super) text: Option<String>,
    pub(super) file: String,
    /// The values of `$1` and the following.
    pub(super) positional: Vec<Value>,
    /// True if the script is what the standard input holds.
    pub(super) reads_input: bool,
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
    Script { text, file, positional: values(rest), reads_input }
}

fn values(words: &[Word<'_>]) -> Vec<Value> {
    words.iter().map(value_of).collect()
}

/// The script that the arguments of a shell name.
pub(super) fn script(arguments: &[Word<'_>]) -> Script {
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
            positional: values(rest.get(1..).unwrap_or_default()),
            ..Script::default()
        },
        _ if commanded => Script::default(),
        _ if input => Script { positional: values(words), reads_input: true, ..Script::default() },
        Some((file, rest)) => from_file(file, rest),
        None => Script { reads_input: true, ..Script::default() },
    }
}

/// The text behind `-Command` of PowerShell, or behind `/c` of `cmd`.
pub(super) fn of_windows(arguments: &[Word<'_>]) -> Script {
    let is_one = |word: &Word<'_>, names: &[&str]| {
        names.iter().any(|name| word.text.eq_ignore_ascii_case(name))
    };
    let starts = |word: &Word<'_>| is_one(word, &["-c", "-command", "/c", "/k"]);
    let text = arguments.iter().position(starts).map(|at| {
        let texts = arguments[at + 1..].iter().map(|word| &*word.text);
        texts.collect::<Vec<&str>>().join(" ")
    });
    let reads_input = text.is_none() && arguments.iter().all(|word| word.text == "-");
    Script { text, reads_input, ..Script::default() }
}

/// Returns whether PowerShell is given a script that nobody can read.
pub(super) fn is_encoded(arguments: &[Word<'_>]) -> bool {
    let names = ["-e", "-ec", "-enc", "-encodedcommand"];
    arguments.iter().any(|word| names.iter().any(|name| word.text.eq_ignore_ascii_case(name)))
}
