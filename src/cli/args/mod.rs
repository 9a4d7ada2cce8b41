//! The command line, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::ArgValueCandidates;

use super::candidates;

pub mod doctor;
pub mod edit;
pub mod help;
pub mod log;
pub mod package;
pub mod rehearse;
pub mod switch;

pub use crate::install::target::{RegisterOptions, Scope, WriteOptions};
pub use doctor::{Doctor, OneScope};
pub use edit::{Add, Directory, Edit, Install, New, Placing, Remove, YesNo};
pub use edit::{Backups, Restore};
pub use log::{Log, Why};
pub use package::{Lock, Outdated, Package, PackageCheck, PackageCommand, Trust, Update, Vendor};
pub use switch::{
    Careful, CounterDeed, Disable, Enable, FlagDeed, Length, Profile, Sessions, State,
    StateCommand, Which,
};
pub use switch::{Tmux, TmuxCommand};

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "hookman",
    version,
    about = "Installs, orders, switches and runs Claude Code hooks",
    after_help = "Examples:
  hookman install              choose the first hooks, and add them
  hookman disable one-strike   switch a hook off for this session
  hookman doctor               check that every hook would really fire
  hookman help disable         what a command does and takes, with examples

The hooks are in hookman.toml next to settings.json, in the order they run in.",
    arg_required_else_help = true,
    propagate_version = true
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, one file a verb.
// The options of all commands together take longer to build than most commands need.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Make the manifest if there is none, add hooks to it, and register it with the client
    Install(Install),
    /// Add a hook of your own to the manifest, and register it
    Add(Add),
    /// Ask what a hook should do and when, and add it
    New(New),
    /// Open the manifest in your editor, check what you saved, show and apply it
    Edit(Edit),
    /// Take hooks out of the manifest, and out of settings.json
    Remove(Remove),
    /// Look for newer versions of packages, show them, and write them
    Update(Update),
    /// List the packages that have a newer version
    Outdated(Outdated),
    /// Copy a package next to the manifest, for machines without the network
    Vendor(Vendor),
    /// Write hookman.lock again, as after a merge
    Lock(Lock),
    /// Show new or changed hooks of others, and let them run
    Trust(Trust),
    /// Check a package that you write
    Package(Package),
    /// Bring settings.json in line with the manifest
    Apply(Apply),
    /// Show what apply would change in settings.json
    Diff(Diff),
    /// Exit with 1 if settings.json is not what the manifest asks for
    Verify(Verify),
    /// Take hookman out of settings.json again
    Uninstall(Uninstall),
    /// Have hookman run hooks that others installed
    Adopt(Adopt),
    /// Give adopted hooks back to settings.json as they were
    Release(Release),
    /// List the hooks in the order they run in
    List(List),
    /// Show one hook: what it does, its options, and where it and each value come from
    #[command(visible_alias = "which")]
    Show(Show),
    /// Switch hooks off, for one session or for good
    Disable(Disable),
    /// Switch hooks on again
    Enable(Enable),
    /// Have every guard block, in one session or in a project
    Careful(Careful),
    /// Show which hooks are on and off in a session, and why
    Status(Status),
    /// Switch the hooks of a profile off for one session
    Profile(Profile),
    /// List the sessions that called hookman, and what is off in each
    Sessions(Sessions),
    /// Flags, marks, counters and named texts of a session, for shell scripts and workflows
    State(State),
    /// Colour the panes of tmux by what the sessions in them do
    Tmux(Tmux),
    /// Show what hooks did in the last runs, and follow new ones
    Log(Log),
    /// Say why each hook of a run did or did not run, or why one never did
    Why(Why),
    /// Say what hooks would do with a call, without consequences
    Try(rehearse::Try),
    /// Run the cases of a manifest: calls, and the answers its hooks are to give
    Test(rehearse::Test),
    /// Say what the hooks would have done with the calls of past sessions
    Replay(rehearse::Replay),
    /// Count what each hook did and took
    Stats(rehearse::Stats),
    /// Print a segment for the client's status line
    Statusline(rehearse::Statusline),
    /// Check that every hook would really fire
    Doctor(Doctor),
    /// Show what the client does with each event: matcher, answers, exit codes, time limits
    Events(Events),
    /// List the copies of settings.json and hookman.toml from before each write
    Backups(Backups),
    /// Put a copy of settings.json or of hookman.toml back
    Restore(Restore),
    /// Replace this program by a newer release
    SelfUpdate(SelfUpdate),
    /// Print the JSON schema of hookman.toml, for editors
    Schema(Schema),
    /// Print the script that completes hookman's commands in a shell
    Completions(Completions),
    /// Write the manual pages into a directory
    #[command(hide = true)]
    Man(Man),
    /// Run a chain: called by the client, with a payload on standard input
    Run(Run),
}

// Which session a command is about.
#[derive(Clone, Debug, Default, Args)]
pub struct Session {
    /// The session's id (default: the one this command runs in)
    #[arg(long, value_name = "ID", global = true)]
    #[arg(add = ArgValueCandidates::new(candidates::sessions))]
    pub session: Option<String>,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = include_str!("help/events.txt"))]
pub struct Events {
    /// The event; case makes no difference
    #[arg(value_name = "EVENT", add = ArgValueCandidates::new(candidates::events))]
    pub event: Option<String>,
    /// The events of this agent: codex, copilot, qwen, gemini, droid or opencode
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/apply.txt"))]
pub struct Apply {
    #[command(flatten)]
    pub options: RegisterOptions,
    /// Report as JSON, with --yes or --dry-run
    #[arg(long)]
    pub json: bool,
}

/// The form in which a change is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A unified diff
    #[default]
    Unified,
    /// An RFC 6902 patch
    JsonPatch,
    /// The plan as JSON
    Json,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/diff.txt"))]
pub struct Diff {
    #[command(flatten)]
    pub scope: Scope,
    /// The form in which it is shown
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Exit with 1 if there is a change
    #[arg(long)]
    pub exit_code: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/verify.txt"))]
pub struct Verify {
    #[command(flatten)]
    pub scope: Scope,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/uninstall.txt"))]
pub struct Uninstall {
    /// Take out the guard mod alone
    #[arg(long, conflicts_with_all = ["project", "local", "managed"])]
    pub guard_mod: bool,
    /// Take hookman's segment out of the status line alone
    #[arg(long, conflicts_with_all = ["guard_mod", "project", "local", "managed"])]
    pub statusline: bool,
    /// Only this agent: claude, codex, copilot, qwen, gemini, droid or opencode, or all
    #[arg(long, value_name = "NAME")]
    #[arg(conflicts_with_all = ["guard_mod", "statusline", "local", "managed"])]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Vec<String>,
    #[command(flatten)]
    pub options: WriteOptions,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/adopt.txt"))]
pub struct Adopt {
    /// The hooks to adopt, by the names that the list shows
    #[arg(value_name = "NAME", conflicts_with = "all")]
    pub names: Vec<String>,
    /// Adopt all that hookman can run
    #[arg(long)]
    pub all: bool,
    /// Take hooks of the client's plugins, as packages
    #[arg(long)]
    pub plugins: bool,
    /// Take hooks from the files of this agent: claude, codex, copilot, qwen, gemini or droid, or of all that are here
    #[arg(long, value_name = "NAME", conflicts_with_all = ["plugins", "local", "managed"])]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    #[command(flatten)]
    pub options: RegisterOptions,
    /// List as JSON, and change nothing
    #[arg(long, conflicts_with_all = ["names", "all", "yes"])]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/release.txt"))]
pub struct Release {
    /// The hooks to give back
    #[arg(value_name = "NAME", conflicts_with = "all")]
    #[arg(add = ArgValueCandidates::new(candidates::hooks))]
    pub names: Vec<String>,
    /// Give all adopted hooks back
    #[arg(long)]
    pub all: bool,
    /// Forget hooks that are in neither file, instead of putting them back into the settings
    #[arg(long)]
    pub forget: bool,
    #[command(flatten)]
    pub options: WriteOptions,
    /// List as JSON, and change nothing
    #[arg(long, conflicts_with_all = ["names", "all", "yes"])]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/list.txt"))]
pub struct List {
    /// Only those with this word in their name, description or events
    #[arg(value_name = "WORD", conflicts_with = "recipes")]
    pub word: Option<String>,
    /// Show where each value comes from
    #[arg(short = 'v', long)]
    pub resolved: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// List the ready-made hooks that could be installed
    #[arg(long)]
    pub available: bool,
    /// List the recipes that could be installed
    #[arg(long, conflicts_with = "available")]
    pub recipes: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/show.txt"))]
pub struct Show {
    /// The hook, or part of its name
    #[arg(value_name = "HOOK", add = ArgValueCandidates::new(candidates::all_hooks))]
    pub hook: String,
    /// List the rules of a guard, or those with this word
    #[arg(long, value_name = "WORD", num_args = 0..=1, default_missing_value = "")]
    pub rules: Option<String>,
    /// Explain the keys of tables in its options, too
    #[arg(long)]
    pub all: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/status.txt"))]
pub struct Status {
    /// Hooks, parts of their names, or patterns; all hooks without one
    #[arg(value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub hooks: Vec<String>,
    /// Name the files that hold the switches too
    #[arg(short, long, conflicts_with = "json")]
    pub verbose: bool,
    #[command(flatten)]
    pub session: Session,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Called by the slash command: the exit code is 0
    #[arg(long, hide = true)]
    pub slash: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/run.txt"))]
pub struct Run {
    /// The event
    #[arg(value_name = "EVENT", add = ArgValueCandidates::new(candidates::events))]
    pub event: Option<String>,
    /// The project whose chain is asked
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The directory of the administrator whose chain is asked
    #[arg(long, value_name = "DIR")]
    pub managed: Option<PathBuf>,
    /// The one hook to ask, which has an entry of its own in settings.json
    #[arg(long, value_name = "NAME")]
    pub hook: Option<String>,
    /// The program that calls: claude, codex, copilot, vscode or another; told from the payload without it
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
}

#[derive(Debug, Args)]
#[command(disable_version_flag = true)]
#[command(after_help = include_str!("help/self-update.txt"))]
pub struct SelfUpdate {
    /// Only say whether there is a newer release
    #[arg(long)]
    pub check: bool,
    /// This version, such as 0.1.0, instead of the newest
    #[arg(long, value_name = "V")]
    pub version: Option<String>,
    /// Check the release, say what would be replaced, and replace nothing
    #[arg(long, conflicts_with = "check")]
    pub dry_run: bool,
    /// With --check: report as JSON
    #[arg(long, requires = "check")]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/schema.txt"))]
pub struct Schema {}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/completions.txt"))]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// A shell that can complete hookman's commands.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/man.txt"))]
pub struct Man {
    /// The directory, such as ~/.local/share/man/man1; it is made if it is missing
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
