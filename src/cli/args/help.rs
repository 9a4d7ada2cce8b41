//! The help of all commands together: in groups, by what they are for.

use std::ffi::OsStr;
use std::fmt::Write;

use clap::{Command, CommandFactory};

use super::Cli;
use crate::machine::terminal;

/// The groups, and the commands of each in the order in which they are listed; a command that is in none
/// is listed with the last.
const GROUPS: &[(&str, &[&str])] = &[
    ("Set up", &["install", "new", "add", "edit", "remove", "apply", "diff", "adopt", "release"]),
    ("Packages", &["update", "outdated", "vendor", "lock", "trust", "package"]),
    ("Switch", &["disable", "enable", "profile", "careful"]),
    ("Look", &["list", "show", "status", "sessions", "log", "why", "stats", "doctor", "events"]),
    ("Try", &["try", "test", "replay"]),
    ("Undo", &["backups", "restore", "uninstall"]),
    ("For scripts and the client", &[]),
];

/// The greatest width of the help.
const WIDTH: usize = 80;

/// The command line.
pub fn command() -> Command {
    // Without a width clap takes 100 columns.
    Cli::command().term_width(WIDTH)
}

/// The command line for a call with this first word. The help of all commands, which takes long to make,
/// is only in it where that word is no command.
pub fn for_call(first: Option<&OsStr>) -> Command {
    let command = command();
    if first.is_some_and(|it| command.get_subcommands().any(|known| known.get_name() == it)) {
        return command;
    }
    let groups = groups(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

fn groups(command: &Command) -> String {
    let shown: Vec<&Command> = command.get_subcommands().filter(|it| !it.is_hide_set()).collect();
    let width = shown.iter().map(|it| it.get_name().len()).max().unwrap_or_default();
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let mut text = String::new();
    for (title, names) in GROUPS {
        let named = names.iter().filter_map(|name| shown.iter().find(|it| it.get_name() == *name));
        let rest = shown.iter().filter(|it| names.is_empty() && !is_grouped(it.get_name()));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{title}:");
        for found in named.chain(rest) {
            let about = found.get_about().map(ToString::to_string).unwrap_or_default();
            let start = format!("  {:width$}  ", found.get_name());
            let _ = writeln!(text, "{}", terminal::row(&start, &about, width + 4));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_listed_once() {
        let text = groups(&Cli::command());
        let mut commands = Cli::command();
        commands.build();
        let commands = commands.get_subcommands().filter(|it| it.get_name() != "help");
        for command in commands.filter(|it| !it.is_hide_set()) {
            let name = command.get_name();
            let rows = text.lines().filter(|line| line.split_whitespace().next() == Some(name));
            let is_row = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
            assert_eq!(rows.filter(is_row).count(), 1, "{name}\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }

    /// Lists the faults in the help of a command and of those below it.
    fn mistakes(command: &Command, call: &str) -> Vec<String> {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let mut mistakes = Vec::new();
        if !after.contains(&format!("\n  {call}")) {
            mistakes.push(format!("`{call} --help` has no example"));
        }
        let help = command.clone().term_width(WIDTH).render_long_help().to_string();
        let wide = help.lines().filter(|line| line.chars().count() > WIDTH);
        mistakes.extend(wide.map(|line| format!("`{call} --help` has a wide line: {line}")));
        for below in command.get_subcommands().filter(|it| it.get_name() != "help") {
            mistakes.extend(self::mistakes(below, &format!("{call} {}", below.get_name())));
        }
        mistakes
    }

    #[test]
    fn every_help_has_an_example_and_fits() {
        let mut command = Cli::command();
        command.build();
        let found = mistakes(&command, "hookman");
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
