//! Whether the program of a new hook is there.

use std::path::Path;

use crate::machine::program::{self, Trouble};
use crate::machine::{environment, files};
use crate::manifest::Action;
use crate::syntax::shell;

/// Words that a shell knows itself, so that no program of their names has to be there.
const OF_THE_SHELL: &[&str] = &[
    "!", ".", ":", "[", "[[", "alias", "break", "case", "cd", "command", "continue", "do", "done",
    "echo", "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fi", "for",
    "function", "hash", "if", "in", "local", "printf", "pwd", "read", "readonly", "return",
    "select", "set", "shift", "source", "test", "then", "time", "times", "trap", "true", "type",
    "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "{", "}",
];

/// What keeps the program of a hook from being run, and what to do, as far as can be seen from a
/// directory; of a line for the shell each program that is named by a plain word is looked for.
pub(crate) fn missing(action: &Action, directory: &Path) -> Option<String> {
    match action {
        Action::Argv(words) => trouble(words.first()?, directory, false),
        Action::Command(line) => {
            let commands = shell::split(line).commands;
            let names = commands.iter().filter_map(|command| command.words.first());
            names
                .map(|word| &*word.text)
                .filter(|name| !OF_THE_SHELL.contains(name))
                .find_map(|name| trouble(name, directory, true))
        }
        _ => None,
    }
}

fn trouble(name: &str, directory: &Path, in_shell: bool) -> Option<String> {
    // What is only known when the hook runs cannot be looked for now.
    if name.is_empty() || name.contains(['$', '`', '*', '(', '=']) {
        return None;
    }
    let home = environment::text("HOME").unwrap_or_default();
    if !name.contains('/') {
        let path = environment::raw("PATH").unwrap_or_default();
        if program::on_path(name, &path).is_some() {
            return None;
        }
        return Some(match program::usual_place(name, Path::new(&home)) {
            Some(place) => format!(
                "`{name}` is in {0} and not on the PATH; `path = [\"{0}\"]` in the hook lets it be found",
                place.display()
            ),
            None => {
                format!("there is no program `{name}` on the PATH; install it, or the hook fails")
            }
        });
    }
    let file = match name.strip_prefix("~/") {
        Some(rest) if in_shell => Path::new(&home).join(rest),
        Some(rest) => {
            return Some(format!("only a shell replaces `~`; write `{home}/{rest}` instead"));
        }
        None => directory.join(name),
    };
    Some(match program::trouble(&file)? {
        Trouble::Absent => format!("there is no file `{name}`"),
        Trouble::Directory => format!("`{name}` is a directory"),
        Trouble::NotExecutable => format!("`{name}` cannot be run; `chmod +x` makes it a program"),
        Trouble::Crlf(_) => format!("the lines of `{name}` end in CRLF; save it with LF line ends"),
        Trouble::NoInterpreter(interpreter) => {
            format!("`{name}` names `{interpreter}` in its first line, which is not there")
        }
        Trouble::NoFormat if in_shell && files::is_readable(&file) => return None,
        Trouble::NoFormat => format!(
            "`{name}` is neither a program nor a script that names its interpreter, as in `#!/bin/sh`"
        ),
    })
}
