//! Is something set that keeps hooks from running as a whole?

use std::path::Path;

use serde_json::Value;

use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::machine::{environment, files, program};
use crate::settings::Handler;

/// Variables with which the client runs no hooks, and what it says of each.
///
/// Source: the client 2.1.330. The last is heeded in the shell alone.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    ("CLAUDE_CODE_SIMPLE", "the client runs no hook"),
    ("CLAUDE_CODE_SAFE_MODE", "the client runs an administrator's hooks at most"),
    (OF_SHELL, "the client runs no hook"),
];

const OF_SHELL: &str = "CLAUDE_CODE_RESTRICTED";

/// The variable with a program that the client has run each line for a shell.
const PREFIX: &str = "CLAUDE_CODE_SHELL_PREFIX";

/// Something that keeps hooks from running.
pub(super) struct Off {
    place: String,
    message: String,
    fix: String,
    /// True if commands in exec form run all the same.
    spares_exec_form: bool,
}

impl Off {
    /// Returns whether it keeps a handler from running.
    pub(super) fn hits(&self, handler: &Handler) -> bool {
        let is_line =
            handler.text("type") == Some("command") && handler.value.get("args").is_none();
        !self.spares_exec_form || is_line
    }

    /// Returns whether the client itself shows that it does.
    pub(super) fn is_shown(&self) -> bool {
        !self.spares_exec_form
    }

    pub(super) fn reason(&self) -> String {
        format!("{} ({})", self.message, self.place)
    }
}

pub(super) fn check(facts: &Facts, findings: &mut Findings) {
    for Off { place, message, fix, .. } in all(facts) {
        findings.add(Level::Error, place, message, fix);
    }
}

/// All that keeps hooks from running.
pub(super) fn all(facts: &Facts) -> Vec<Off> {
    let mut all: Vec<Off> = by_setting(facts).into_iter().collect();
    for (name, effect) in VARIABLES {
        let Some(set) = of(facts, name, *name != OF_SHELL).filter(|set| is_true(&set.value)) else {
            continue;
        };
        all.push(Off {
            message: format!("with `{name}={}` {effect}", set.value),
            fix: set.fix(name),
            place: set.place,
            spares_exec_form: false,
        });
    }
    if let Some(set) = of(facts, PREFIX, true)
        && let Some(program) = missing(&set.value, facts)
    {
        all.push(Off {
            message: format!(
                "`{PREFIX}` names `{program}`, which is not there, so each line for a shell ends with 127"
            ),
            fix: set.fix(PREFIX),
            place: set.place,
            spares_exec_form: true,
        });
    }
    all
}

/// Of several files that have the key, the client believes the most local one.
fn by_setting(facts: &Facts) -> Option<Off> {
    let of = |file: &super::settings_file::SettingsFile| match file.value("/disableAllHooks")? {
        (Value::Bool(is_off), place) => Some((is_off, place)),
        _ => None,
    };
    let (is_off, place) = facts.writable_files().into_iter().rev().find_map(of)?;
    is_off.then(|| Off {
        place,
        message: "`disableAllHooks` is true, so no hook fires, from whichever file".to_owned(),
        fix: "write `\"disableAllHooks\": false` there, or delete the key".to_owned(),
        spares_exec_form: false,
    })
}

/// A variable with its value and place.
struct Set {
    value: String,
    place: String,
    is_of_shell: bool,
}

impl Set {
    fn fix(&self, name: &str) -> String {
        if self.is_of_shell {
            format!("run `unset {name}` before the client is started")
        } else {
            format!("delete `\"{name}\"` from `env` there")
        }
    }
}

/// A variable as the client sees it: an administrator's `env` counts most, the shell least.
fn of(facts: &Facts, name: &str, in_settings: bool) -> Option<Set> {
    let mut files: Vec<_> = facts.writable_files();
    files.extend(&facts.managed);
    let in_file = files.into_iter().rev().filter(|_| in_settings).find_map(|file| {
        let (value, place) = file.value(&format!("/env/{name}"))?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some(Set { value, place, is_of_shell: false })
    });
    in_file.or_else(|| {
        let place = "this environment".to_owned();
        Some(Set { value: environment::text(name)?, place, is_of_shell: true })
    })
}

/// Returns whether the client takes the value of a variable for a yes.
fn is_true(value: &str) -> bool {
    ["1", "true", "yes", "on"].contains(&value.trim().to_lowercase().as_str())
}

/// The program of a prefix, where there is none of that name. The client takes all up to the last
/// ` -` for it.
fn missing<'p>(prefix: &'p str, facts: &Facts) -> Option<&'p str> {
    let program = &prefix[..prefix.rfind(" -").unwrap_or(prefix.len())];
    let is_there = if program.contains('/') {
        files::is_executable(Path::new(program))
    } else {
        program::on_path(program, &facts.path()).is_some()
    };
    (!program.is_empty() && !is_there).then_some(program)
}
