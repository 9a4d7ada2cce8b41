//! Can the shell read the line, and does a directory's name reach the program whole?

use super::command::{Around, Command, Line};
use super::fault::{Fault, Kind, Layer, Weight};
use crate::machine::program;
use crate::syntax::shell;

/// The variables that the client gives, which hold a directory.
const NAMES: &[&str] = &["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"];

pub(super) fn of(command: &Command<'_>, around: &Around) -> Vec<Fault> {
    match command.line {
        Line::Shell(line) => of_line(around, line),
        Line::Argv(words) => {
            let mut faults = of_argv(words);
            faults.extend(words.iter().find_map(|word| of_no_plugin(around, word)));
            faults
        }
    }
}

/// Returns whether a line has anything that `sh` may refuse; to ask it takes a millisecond.
fn may_be_refused(line: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    ];
    const DOUBLED: &[&str] =
        &["|&&", "||&", "|||", "|;", "&&|", "&&&", "&;", ";;", ";&", ";|", "<<"];
    let tight: String = line.split_whitespace().collect();
    let mut words = line.split(|it: char| it.is_whitespace() || it == ';');
    line.trim().contains(['(', ')', '{', '}', '`', '\n'])
        || DOUBLED.iter().any(|it| tight.contains(it))
        || tight.starts_with(['|', '&', ';'])
        || tight.ends_with(['|', '&'])
        || words.any(|word| KEYWORDS.contains(&word))
}

/// A variable that only the hooks of plugins have.
fn of_no_plugin(around: &Around, text: &str) -> Option<Fault> {
    let is_plain = text.contains("$CLAUDE_PLUGIN_ROOT") || text.contains("${CLAUDE_PLUGIN_ROOT}");
    let is_set = around.plugin.is_some() || text.contains("CLAUDE_PLUGIN_ROOT=");
    (is_plain && !is_set).then(|| {
        Fault::new(
            Kind::Missing,
            Weight::Breaks,
            "`$CLAUDE_PLUGIN_ROOT` is set for the hooks of plugins only, and this is none"
                .to_owned(),
            "write the path of the file itself",
        )
    })
}

/// That the shell cannot read a line at all.
pub(super) fn refused(command: &Command<'_>) -> Option<Fault> {
    let Line::Shell(line) = command.line else { return None };
    let is_asked = may_be_refused(line) || !shell::split(line).complete;
    let why = is_asked.then(|| program::refused_by_sh(line)).flatten()?;
    let mut fault = Fault::new(
        if command.blocked_by_two().is_some() { Kind::Lockout } else { Kind::Quoting },
        Weight::Breaks,
        format!("the shell cannot read the line: {why}"),
        "correct the line, or move it into a script and call that",
    );
    fault.layer = Layer::Parsed;
    Some(fault)
}

/// A path of Windows, whose backslashes the shell takes for quotes.
fn of_windows(written: &str) -> Option<Fault> {
    let mut letters = written.chars();
    let is_path = letters.next()?.is_ascii_alphabetic()
        && letters.as_str().starts_with(":\\")
        && !letters.as_str().starts_with(":\\\\");
    is_path.then(|| {
        Fault::new(
            Kind::Quoting,
            Weight::Breaks,
            format!("the shell takes the backslashes out of `{written}`"),
            "write `/` for each, or the path that the program has on this machine",
        )
    })
}

fn of_line(around: &Around, line: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let split = shell::split(line);
    if split.has_condition && around.sh_is_dash {
        faults.push(Fault::new(
            Kind::Quoting,
            Weight::Breaks,
            "`[[` is no command of `sh`, which runs the line and is dash here".to_owned(),
            "write `[ … ]`, or move the line into a script that begins with `#!/bin/bash`",
        ));
    }
    faults.extend(of_no_plugin(around, line));
    let words = split.commands.iter().filter(|one| one.each.is_none()).flat_map(|one| &one.words);
    for word in words {
        faults.extend(of_windows(&word.written));
        for (name, manner) in
            NAMES.iter().filter_map(|name| Some((name, bare(&word.written, name)?)))
        {
            let value = match *name {
                "CLAUDE_PROJECT_DIR" => &around.project,
                _ => &around.plugin,
            };
            let has_blank = value.as_ref().is_some_and(|it| it.display().to_string().contains(' '));
            if *name == "CLAUDE_PLUGIN_ROOT" && around.plugin.is_none() {
                continue;
            }
            // Of plugins few are installed where there are blanks, and many say it so.
            if manner == Manner::Unquoted && *name == "CLAUDE_PLUGIN_ROOT" && !has_blank {
                continue;
            }
            faults.push(match manner {
                Manner::Unquoted => Fault::new(
                    Kind::Quoting,
                    if has_blank { Weight::Breaks } else { Weight::Risks },
                    format!(
                        "`${name}` is not quoted, so a directory with a blank in its name falls apart"
                    ),
                    format!("write `\"${name}\"`, in settings.json as `\\\"${name}\\\"`"),
                ),
                Manner::Literal => Fault::new(
                    Kind::Quoting,
                    Weight::Breaks,
                    format!("single quotes keep the shell from replacing `${name}`"),
                    format!("write `\"${name}\"`, in settings.json as `\\\"${name}\\\"`"),
                ),
            });
        }
    }
    faults
}

fn of_argv(words: &[String]) -> Vec<Fault> {
    let bare = |word: &&String| NAMES.iter().any(|name| word.contains(&format!("${name}")));
    let tilde = |word: &&String| word.starts_with("~/");
    let mut faults = Vec::new();
    if let Some(word) = words.iter().find(bare) {
        faults.push(Fault::new(
            Kind::Quoting,
            Weight::Breaks,
            format!("`{word}`: no shell reads this, and only the form `${{NAME}}` is replaced"),
            "write the variable with braces",
        ));
    }
    if let Some(word) = words.iter().take(1).find(tilde) {
        faults.push(Fault::new(
            Kind::Quoting,
            Weight::Breaks,
            format!("`{word}`: only a shell replaces `~`"),
            "give the whole path",
        ));
    }
    faults
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Unquoted,
    Literal,
}

/// Finds a variable in a word outside of double quotes.
fn bare(written: &str, name: &str) -> Option<Manner> {
    let mut quote = None;
    let mut chars = written.char_indices();
    while let Some((at, letter)) = chars.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                chars.next();
            }
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            ('$', None | Some('\'')) => {
                let rest = written[at + 1..].trim_start_matches('{');
                // A script in quotes, as that of `bash -c`, is another shell's to read.
                let is_script = || written.contains([' ', ';', '\n']);
                if rest.starts_with(name) && quote.is_none() {
                    return Some(Manner::Unquoted);
                }
                if rest.starts_with(name) && !is_script() {
                    return Some(Manner::Literal);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_bracket_is_for_bash() {
        let lines =
            ["[[ a == b ]] && exit 2", "if [[ -f x ]]; then :; fi", "bash -c '[[ a ]]'", "[ a ]"];
        let found = |line: &&str| {
            let command = Command {
                line: Line::Shell(line),
                caller: super::super::command::Caller::Client,
                events: Vec::new(),
                is_closed: false,
                is_open: true,
                is_async: false,
            };
            let around = Around { sh_is_dash: true, ..Around::default() };
            of(&command, &around).len()
        };
        assert_eq!(lines.iter().map(found).collect::<Vec<_>>(), [1, 1, 0, 0]);
    }

    #[test]
    fn a_variable_is_safe_in_double_quotes_only() {
        let rows = [
            ("\"$CLAUDE_PROJECT_DIR\"/x", None),
            ("\"${CLAUDE_PROJECT_DIR}/a b\"", None),
            ("$CLAUDE_PROJECT_DIR/x", Some(Manner::Unquoted)),
            ("a\"b\"${CLAUDE_PROJECT_DIR}", Some(Manner::Unquoted)),
            ("'$CLAUDE_PROJECT_DIR/x'", Some(Manner::Literal)),
            ("'cd $CLAUDE_PROJECT_DIR; ls'", None),
            ("\\$CLAUDE_PROJECT_DIR", None),
            ("$HOME/x", None),
        ];
        for (written, expected) in rows {
            assert_eq!(bare(written, "CLAUDE_PROJECT_DIR"), expected, "{written}");
        }
    }
}
