//! `hookman completions`: the script that makes a shell complete hookman's commands, and the
//! answers to what the script asks.

use std::ffi::OsString;
use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::CompleteEnv;
use clap_complete::env::{Bash, EnvCompleter, Fish, Shells, Zsh};

use super::args::{Cli, Completions, Shell};
use super::exit::ExitStatus;
use crate::machine::{World, environment};

/// The variable in which the script names its shell when it asks for completions.
const VARIABLE: &str = "HOOKMAN_COMPLETE";
const SHELLS: Shells<'static> = Shells(&[&Bash, &Fish, &Zsh]);

/// Texts that are put in front of places of bash's script.
const BASH: &[(&str, &str)] = &[
    // Bash takes the sign in `--event=Sto` and `rm=block` for a word of its own, and replaces what
    // comes after it.
    ("    COMPREPLY=(", include_str!("../../templates/completions.bash")),
    ("}\nif [[", "    COMPREPLY=(\"${COMPREPLY[@]#\"$prefix\"}\")\n"),
];
/// The same for zsh: a value is still to be typed after the sign, without a blank.
const ZSH: &[(&str, &str)] = &[(
    "        [[ -n $other ]] &&",
    r"        local -a keys=(${(M)other:#*=(|:*)})
        other=(${other:#*=(|:*)})
        [[ -n $keys ]] && _describe -V 'values' keys -S ''
",
)];

pub(super) fn completions(args: &Completions, world: &World) -> Result<ExitStatus> {
    let shell: &dyn EnvCompleter = match args.shell {
        Shell::Bash => &Bash,
        Shell::Fish => &Fish,
        Shell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "hookman", "hookman", "hookman", &mut script)?;
    let script = String::from_utf8(script).context("the script is not UTF-8")?;
    let additions = match args.shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => &[],
    };
    let script = additions
        .iter()
        .fold(script, |script, (at, text)| script.replacen(at, &format!("{text}{at}"), 1));
    world.terminal.print(&script);
    Ok(ExitStatus::Done)
}

/// Answers a shell that asks for completions with an exit code; `None` where none asks.
pub(super) fn answer(arguments: &[OsString]) -> Option<ExitStatus> {
    environment::raw(VARIABLE)?;
    let directory = environment::current_directory().ok();
    let asked = CompleteEnv::with_factory(Cli::command)
        .var(VARIABLE)
        .shells(SHELLS)
        .try_complete(arguments.iter().cloned(), directory.as_deref());
    match asked {
        // Nobody else does it: the entry point is C's.
        Ok(true) if io::stdout().flush().is_ok() => Some(ExitStatus::Done),
        Ok(true) | Err(_) => Some(ExitStatus::Error),
        Ok(false) => None,
    }
}
