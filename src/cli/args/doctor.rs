//! The arguments of `hookman doctor`.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use std::path::PathBuf;

use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::cli::candidates;
use crate::syntax::named::named;

named! {
/// One of the settings files that the client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OneScope {
    /// ~/.claude/settings.json
    User = "user",
    /// .claude/settings.json of the project
    Project = "project",
    /// .claude/settings.local.json of the project
    Local = "local",
    /// The administrator's, for every user
    Managed = "managed",
}
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/doctor.txt"))]
pub struct Doctor {
    /// The checks to run, or families of them (default: all)
    #[arg(value_name = "CHECK", add = ArgValueCandidates::new(candidates::checks))]
    pub checks: Vec<String>,
    /// Look at one settings file and its manifest only
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub scope: Option<OneScope>,
    /// List the checks: what each holds, and what a user would notice where it does not hold
    #[arg(long, conflicts_with_all = ["scope", "verbose"])]
    pub list: bool,
    /// Ask the installed client itself, offline and with harmless copies, which handlers it runs
    #[arg(long, conflicts_with = "list")]
    pub ask_client: bool,
    /// Run each command of your hooks once with a made-up call, and call each registered hookman
    #[arg(long, conflicts_with = "list")]
    pub self_test: bool,
    /// Put right what hookman can: show each change, ask, back up and write as install does
    #[arg(long, conflicts_with_all = ["list", "json"])]
    pub fix: bool,
    /// With --fix: show what would be written and write nothing
    #[arg(long, requires = "fix")]
    pub dry_run: bool,
    /// With --fix: write without asking
    #[arg(short, long, requires = "fix")]
    pub yes: bool,
    /// The client to ask (default: the one that PATH leads to)
    #[arg(long, value_name = "PATH", requires = "ask_client")]
    pub client: Option<PathBuf>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Name the checks that found nothing too
    #[arg(short, long)]
    pub verbose: bool,
}
