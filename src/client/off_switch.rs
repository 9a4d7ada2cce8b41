//! Settings and variables that keep all hooks from running.

use serde_json::Value;

use crate::syntax::json::{Document, Position};

/// Variables with which the clients 2.1.329 and 2.1.330 run no hooks, the last in the shell alone, and the
/// others not in a project's `env`.
pub const VARIABLES: &[(&str, &str)] = &[
    ("CLAUDE_CODE_SIMPLE", "the client runs no hook"),
    (SAFE_MODE, "the client runs an administrator's hooks at most"),
    (OF_SHELL, "the client runs no hook"),
];

const SAFE_MODE: &str = "CLAUDE_CODE_SAFE_MODE";
const OF_SHELL: &str = "CLAUDE_CODE_RESTRICTED";

/// The variable with a program that the client has run each line for a shell.
pub const PREFIX: &str = "CLAUDE_CODE_SHELL_PREFIX";

#[derive(Debug)]
pub struct File<'a> {
    pub shown: String,
    pub document: Document<'a>,
    pub is_managed: bool,
    pub is_of_project: bool,
}

#[derive(Debug)]
pub struct Off {
    /// The file with line and column, or the environment.
    pub place: String,
    pub message: String,
    pub fix: String,
    /// True if commands in exec form run all the same.
    pub spares_exec_form: bool,
    /// True if an administrator's hooks run all the same.
    pub spares_managed: bool,
}

/// All that keeps hooks from running; the last of `files` counts most, the shell's `variable` least.
pub fn all(
    files: &[File<'_>],
    variable: &dyn Fn(&str) -> Option<String>,
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<Off> {
    let mut all: Vec<Off> = by_setting(files).into_iter().collect();
    for (name, effect) in VARIABLES {
        let Some(set) = set(files, variable, name).filter(|set| is_true(&set.value)) else {
            continue;
        };
        all.push(Off {
            message: format!("with `{name}={}` {effect}", set.value),
            fix: set.fix,
            place: set.place,
            spares_exec_form: false,
            spares_managed: *name == SAFE_MODE,
        });
    }
    // The client takes all up to the last ` -` for the program.
    let program = |prefix: &str| prefix[..prefix.rfind(" -").unwrap_or(prefix.len())].to_owned();
    if let Some(set) = set(files, variable, PREFIX)
        && let Some(program) = Some(program(&set.value)).filter(|it| !it.is_empty())
        && !is_there(&program)
    {
        all.push(Off {
            message: format!(
                "`{PREFIX}` names `{program}`, which is not there, so each line for a shell ends with 127"
            ),
            fix: set.fix,
            place: set.place,
            spares_exec_form: true,
            spares_managed: false,
        });
    }
    all
}

/// Of several files that have the key, the client believes the most local one.
fn by_setting(files: &[File<'_>]) -> Option<Off> {
    let of = |file: &File<'_>| match file.value("/disableAllHooks")? {
        (Value::Bool(is_off), position) => Some((is_off, file.at(position))),
        _ => None,
    };
    let mut files = files.iter().rev().filter(|file| !file.is_managed);
    let (is_off, place) = files.find_map(of)?;
    is_off.then(|| Off {
        place,
        message: "`disableAllHooks` is true, so no hook fires but those in managed settings"
            .to_owned(),
        fix: "write `\"disableAllHooks\": false` there, or delete the key".to_owned(),
        spares_exec_form: false,
        spares_managed: true,
    })
}

struct Set {
    value: String,
    place: String,
    fix: String,
}

fn set(files: &[File<'_>], variable: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<Set> {
    let counts = |file: &&File<'_>| name == PREFIX || name != OF_SHELL && !file.is_of_project;
    let in_file = files.iter().rev().filter(counts).find_map(|file| {
        let (value, position) = file.value(&format!("/env/{name}"))?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let fix = format!("delete `\"{name}\"` from `env` there");
        Some(Set { value, place: file.at(position), fix })
    });
    in_file.or_else(|| {
        let fix = format!("run `unset {name}` before the client is started");
        Some(Set { value: variable(name)?, place: "this environment".to_owned(), fix })
    })
}

impl File<'_> {
    fn value(&self, pointer: &str) -> Option<(Value, Position)> {
        let node = self.document.lookup(pointer)?;
        Some((self.document.value(node), self.document.position(node.span.start)))
    }

    fn at(&self, position: Position) -> String {
        format!("{}:{}:{}", self.shown, position.line, position.column)
    }
}

fn is_true(value: &str) -> bool {
    ["1", "true", "yes", "on"].contains(&value.trim().to_lowercase().as_str())
}
