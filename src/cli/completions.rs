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
use crate::machine::environment;
use crate::machine::world::World;

/// The variable in which the script names its shell when it asks for completions.
const VARIABLE: &str = "HOOKMAN_COMPLETE";
const SHELLS: Shells<'static> = Shells(&[&Bash, &Fish, &Zsh]);

/// The beginning of the call for offers in bash's script.
const CALL: &str = "    COMPREPLY=(";

/// Bash takes the sign in `--event=Sto` for a word of its own, and replaces what comes after it.
const NO_SIGNS: &str = r#"    local before=() word
    for word in "${words[@]:0:COMP_CWORD}"; do
        if [[ $word == "=" ]]; then
            _CLAP_COMPLETE_INDEX=$((_CLAP_COMPLETE_INDEX - 1))
        else
            before+=("$word")
        fi
    done
    words=("${before[@]}" "${words[@]:COMP_CWORD}")
"#;

pub(super) fn completions(args: &Completions, world: &World) -> Result<ExitStatus> {
    let shell: &dyn EnvCompleter = match args.shell {
        Shell::Bash => &Bash,
        Shell::Fish => &Fish,
        Shell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "hookman", "hookman", "hookman", &mut script)?;
    let script = String::from_utf8(script).context("the script is not UTF-8")?;
    let is_bash = matches!(args.shell, Shell::Bash);
    let script =
        if is_bash { script.replacen(CALL, &format!("{NO_SIGNS}{CALL}"), 1) } else { script };
    world.terminal.print(&script);
    Ok(ExitStatus::Done)
}

/// Answers a shell that asks what may come next on its command line.
///
/// Gives the exit code, or `None` where no shell asks.
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
