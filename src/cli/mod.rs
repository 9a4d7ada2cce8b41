//! The commands.

mod add;
mod adopt;
mod adopt_by_hand;
mod adopt_plugins;
mod apply;
pub mod args;
mod backups;
mod candidates;
mod careful;
mod completions;
mod diff;
mod disable;
mod doctor;
mod edit;
mod enable;
pub mod events;
mod everywhere;
mod exit;
mod failure;
mod install;
mod list;
mod lock;
mod log;
mod log_row;
mod man;
mod new;
mod outdated;
mod package;
mod packaging;
mod permanent;
mod profile;
mod registering;
mod release;
mod remove;
mod replay;
mod restore;
mod schema;
mod self_update;
mod sessions;
mod show;
mod silence;
mod since;
mod state;
mod stats;
mod status;
mod statusline;
mod switch;
mod switching;
mod test;
mod tmux;
mod trust;
mod r#try;
mod trying;
mod uninstall;
mod update;
mod vendor;
mod verify;
mod which;
mod why;
mod word;
mod written;

use std::ffi::OsString;

use anyhow::Result;
use clap::FromArgMatches;

use crate::machine::{Paths, Terminal, World, environment, harmless, signals};
use args::{Cli, Command};
use failure::Manner;
use word::hint;

pub use exit::ExitStatus;

/// Parses the command line, runs the command and gives the exit code.
pub fn main() -> u8 {
    signals::ignore_failed_writes();
    let arguments = environment::arguments();
    if let Some(status) = completions::answer(arguments) {
        return status as u8;
    }
    let terminal = Terminal::of_process();
    let failure =
        Manner { json: failure::asks_for_json(arguments), status: failure::status(arguments) };
    let first = arguments.get(1).map(OsString::as_os_str);
    let matches = args::help::for_call(first).try_get_matches_from(arguments);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return failure.tell_parser(&terminal, &error),
    };
    let paths = match Paths::from_environment() {
        Ok(paths) => paths,
        Err(error) => return failure.tell(&terminal, &error.to_string()),
    };
    let world = World { paths, terminal };
    match dispatch(cli.command, &world) {
        Ok(status) => match world.terminal.finish() {
            Ok(()) => status as u8,
            Err(error) => {
                let error = format!("failed to write standard output: {error}");
                failure.tell(&world.terminal, &error)
            }
        },
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
            hint(world, harmless(&format!("error: {error:#}")));
            Ok(ExitStatus::Done)
        }
        other => other,
    }
}

fn dispatch(command: Command, world: &World) -> Result<ExitStatus> {
    match command {
        Command::Install(args) => install::install(&args, world),
        Command::Add(args) => add::add(&args, world),
        Command::New(args) => new::new(&args, world),
        Command::Edit(args) => edit::edit(&args, world),
        Command::Remove(args) => remove::remove(&args, world),
        Command::Update(args) => update::update(&args, world),
        Command::Outdated(args) => outdated::outdated(&args, world),
        Command::Vendor(args) => vendor::vendor(&args, world),
        Command::Lock(args) => lock::lock(&args, world),
        Command::Package(args) => package::package(&args, world),
        Command::Trust(args) => trust::trust(&args, world),
        Command::Apply(args) => apply::apply(&args, world),
        Command::Diff(args) => diff::diff(&args, world),
        Command::Verify(args) => verify::verify(&args, world),
        Command::Uninstall(args) => uninstall::uninstall(&args, world),
        Command::Adopt(args) => adopt::adopt(&args, world),
        Command::Release(args) => release::release(&args, world),
        Command::Backups(args) => backups::backups(&args, world),
        Command::Restore(args) => restore::restore(&args, world),
        Command::Log(args) => log::log(&args, world),
        Command::Why(args) => why::why(&args, world),
        Command::Try(args) => r#try::r#try(&args, world),
        Command::Test(args) => test::test(&args, world),
        Command::Replay(args) => replay::replay(&args, world),
        Command::Stats(args) => stats::stats(&args, world),
        Command::Statusline(args) => statusline::statusline(&args, world),
        Command::Doctor(args) => doctor::doctor(&args, world),
        Command::Events(args) => events::events(&args, world),
        Command::List(args) => list::list(&args, world),
        Command::Show(args) => show::show(&args, world),
        Command::Disable(args) => shown(args.which.slash, disable::disable(&args, world), world),
        Command::Enable(args) => shown(args.which.slash, enable::enable(&args, world), world),
        Command::Careful(args) => shown(args.slash, careful::careful(&args, world), world),
        Command::Profile(args) => profile::profile(&args, world),
        Command::Sessions(args) => sessions::sessions(&args, world),
        Command::State(args) => state::state(&args, world),
        Command::Tmux(args) => tmux::tmux(&args, world),
        Command::Status(args) => shown(args.slash, status::status(&args, world), world),
        Command::SelfUpdate(args) => self_update::self_update(&args, world),
        Command::Schema(args) => schema::schema(&args, world),
        Command::Completions(args) => completions::completions(&args, world),
        Command::Man(args) => man::man(&args, world),
        Command::Run(_) => anyhow::bail!("`run` comes first: hookman run EVENT"),
    }
}
