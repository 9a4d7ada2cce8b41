//! The report of a command that failed: in words on standard error, or as an object on standard output
//! to a caller that asked for JSON; and the exit code.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::{Value, json};

use super::args;
use super::exit::ExitStatus;
use crate::machine::{Terminal, environment};
use crate::syntax::suggestion::{did_you_mean, meant};

/// Returns whether a command line asks for JSON, also one that cannot be understood.
pub(super) fn asks_for_json(words: &[OsString]) -> bool {
    let words = words.split(|word| word == "--").next().unwrap_or_default();
    let is_format = |word: &OsStr| word == "json" || word == "json-patch";
    let is_flag = |word: &OsString| {
        let format = word.to_str().and_then(|word| word.strip_prefix("--format="));
        word == "--json" || format.is_some_and(|format| is_format(OsStr::new(format)))
    };
    words.iter().any(is_flag)
        || words.windows(2).any(|pair| pair[0] == "--format" && is_format(&pair[1]))
}

/// The exit code of a command line that fails; the client takes 2 of `hookman state` in a hook for a block.
pub(super) fn status(words: &[OsString]) -> ExitStatus {
    if words.get(1).is_some_and(|verb| verb == "state") {
        ExitStatus::Undecided
    } else {
        ExitStatus::Error
    }
}

/// Adds to a report for programs what went wrong and the exit code.
pub(super) fn add(report: &mut Value, error: &str) {
    report["error"] = json!(error);
    report["exit_code"] = json!(ExitStatus::Error as u8);
}

#[derive(Clone, Copy)]
pub(super) struct Manner {
    pub json: bool,
    pub status: ExitStatus,
}

impl Manner {
    pub(super) fn tell(self, terminal: &Terminal, error: &str) -> u8 {
        if self.json {
            let mut report = json!({});
            add(&mut report, error);
            report["exit_code"] = json!(self.status as u8);
            terminal.line(report.to_string());
        } else {
            terminal.warn(format!("error: {error}"));
        }
        self.status as u8
    }

    /// Says what the command line parser found, help and version among it, and gives the exit code.
    pub(super) fn tell_parser(self, terminal: &Terminal, error: &clap::Error) -> u8 {
        if !error.use_stderr() {
            error.exit();
        }
        let text = misspelled(error).unwrap_or_else(|| {
            let text = error.render().to_string();
            // Nobody means an option's name as a value.
            let is_tip = |part: &&str| part.trim_start().starts_with("tip: to pass '--");
            let parts: Vec<&str> = text.split("\n\n").filter(|part| !is_tip(part)).collect();
            let text = parts.join("\n\n");
            if is_bare_program(error) { text + "\n" + WHERE_PROGRAMS_GO } else { text }
        });
        if self.json {
            return self.tell(terminal, text.trim_start_matches("error: ").trim_end());
        }
        terminal.warn(text.trim_end());
        self.status as u8
    }
}

/// The hint for `hookman add` with a program as an argument of its own.
const WHERE_PROGRAMS_GO: &str =
    "The program comes after `--`, or a line for the shell after --command.";

fn is_bare_program(error: &clap::Error) -> bool {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else {
        return false;
    };
    let is_add = environment::arguments().get(1).is_some_and(|first| first == "add");
    is_add && error.kind() == ErrorKind::UnknownArgument && !typed.starts_with('-')
}

const OTHER_NAMES: &[(&str, &str)] = &[
    ("check", "doctor"),
    ("info", "show"),
    ("init", "install"),
    ("rm", "remove"),
    ("search", "list --available"),
    ("upgrade", "self-update"),
    ("version", "--version"),
];

fn misspelled(error: &clap::Error) -> Option<String> {
    let ContextValue::String(typed) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let command = args::help::command();
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    let names: Vec<&str> = shown.map(clap::Command::get_name).chain(["help"]).collect();
    // A command of a command has names of its own, and the parser knows them.
    let is_top = error.kind() == ErrorKind::InvalidSubcommand
        && environment::arguments()
            .get(1)
            .is_some_and(|first| first == typed.as_str() || first == "help");
    let other = OTHER_NAMES.iter().find(|(other, _)| other == typed);
    let hint = other.map(|(_, name)| did_you_mean(name)).or_else(|| meant(typed, &names));
    let hint = hint.unwrap_or_default();
    is_top.then(|| {
        format!("error: there is no command `{typed}`{hint}\n\n`hookman help` lists the commands")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_by_words_before_the_hooks() {
        for (line, asks) in [
            ("status --json", true),
            ("status", false),
            ("disable --slash -- --json", false),
            ("diff --format json", true),
            ("diff --format=json-patch", true),
            ("diff --format unified", false),
            ("install json", false),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(asks_for_json(&words), asks, "{line}");
        }
    }
}
