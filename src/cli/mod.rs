//! The commands.

mod adopt;
mod adopting;
mod apply;
pub mod args;
mod backups;
mod beside;
mod binary;
mod caveats;
mod companion;
mod configured;
mod consent;
mod diff;
mod disable;
mod doctor;
mod elsewhere;
mod enable;
mod events;
mod exchange;
mod failure;
mod fence;
mod ignoring;
mod install;
mod layers;
mod list;
mod log;
mod log_args;
mod log_row;
mod moving;
mod permanent;
mod profile;
mod proposal;
mod registering;
mod release;
mod remarks;
mod restore;
mod sessions;
mod settling;
mod show;
mod state;
mod status;
mod step;
mod switch_args;
mod switching;
mod target;
mod uninstall;
mod verify;
mod which;
mod word;
mod writes;

use anyhow::Result;
use clap::Parser;

use crate::machine::paths::Paths;
use crate::machine::signals;
use crate::machine::terminal::{Terminal, harmless};
use args::{Cli, Command};
use failure::Manner;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Done, or nothing found.
    Done,
    /// Something was found: drift, or findings.
    Found,
    /// A wrong call or an error; the command line parser uses the same code.
    Error,
    /// An error of what hooks call, where the client takes 2 for a block.
    Undecided,
}

impl From<ExitStatus> for u8 {
    fn from(status: ExitStatus) -> Self {
        match status {
            ExitStatus::Done => 0,
            ExitStatus::Found => 1,
            ExitStatus::Error => 2,
            ExitStatus::Undecided => 3,
        }
    }
}

/// What every command works with.
struct World {
    paths: Paths,
    terminal: Terminal,
}

impl World {
    /// Prints a line that names calls of hookman in backquotes, as they are to be typed.
    fn hint(&self, text: impl AsRef<str>) {
        self.terminal.line(word::typed(self, text.as_ref()));
    }
}

/// Parses the command line, runs the command and gives the exit code.
pub fn main() -> u8 {
    signals::ignore_failed_writes();
    let terminal = Terminal::of_process();
    let failure = Manner {
        json: failure::asks_for_json(std::env::args_os()),
        status: failure::status(std::env::args_os()),
    };
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return failure.tell_parser(&terminal, &error),
    };
    let paths = match Paths::from_environment() {
        Ok(paths) => paths,
        Err(error) => return failure.tell(&terminal, &error.to_string()),
    };
    let world = World { paths, terminal };
    match dispatch(cli.command, &world) {
        Ok(status) => status.into(),
        Err(error) => {
            let error = word::typed(&world, &format!("{error:#}"));
            failure.tell(&world.terminal, &error)
        }
    }
}

// After another exit code than 0 the client would not show what a slash command printed.
fn shown(is_slash: bool, result: Result<ExitStatus>, world: &World) -> Result<ExitStatus> {
    match result {
        Err(error) if is_slash => {
            world.hint(harmless(&format!("error: {error:#}")));
            Ok(ExitStatus::Done)
        }
        other => other,
    }
}

fn dispatch(command: Command, world: &World) -> Result<ExitStatus> {
    match command {
        Command::Install(args) => install::install(&args, world),
        Command::Apply(args) => apply::apply(&args, world),
        Command::Diff(args) => diff::diff(&args, world),
        Command::Verify(args) => verify::verify(&args, world),
        Command::Uninstall(args) => uninstall::uninstall(&args, world),
        Command::Adopt(args) => adopt::adopt(&args, world),
        Command::Release(args) => release::release(&args, world),
        Command::Backups(args) => backups::backups(&args, world),
        Command::Restore(args) => restore::restore(&args, world),
        Command::Log(args) => log::log(&args, world),
        Command::Doctor(args) => doctor::doctor(&args, world),
        Command::Events(args) => events::events(&args, world),
        Command::List(args) => list::list(&args, world),
        Command::Show(args) => show::show(&args, world),
        Command::Disable(args) => shown(args.which.slash, disable::disable(&args, world), world),
        Command::Enable(args) => shown(args.which.slash, enable::enable(&args, world), world),
        Command::Profile(args) => profile::profile(&args, world),
        Command::Sessions(args) => sessions::sessions(&args, world),
        Command::State(args) => state::state(&args, world),
        Command::Status(args) => shown(args.slash, status::status(&args, world), world),
        Command::Run(_) => anyhow::bail!("`run` comes first: hookman run EVENT"),
    }
}
