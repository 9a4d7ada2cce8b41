//! The command line, as types and nothing else.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use super::log_args::Log;
pub use super::switch_args::{
    CounterDeed, Disable, Enable, FlagDeed, Length, Profile, Sessions, State, StateCommand, Which,
};

/// What the user typed.
#[derive(Debug, Parser)]
#[command(
    name = "hookman",
    version,
    about = "Installs, orders, switches and runs Claude Code hooks",
    after_help = "Examples:
  hookman install              add the starter hooks, show the change, ask, write
  hookman disable one-strike   switch a hook off for this session
  hookman doctor               check that every hook would really fire

The hooks are listed in hookman.toml beside settings.json; their order is the order they run in.",
    arg_required_else_help = true,
    disable_help_subcommand = true,
    propagate_version = true
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, one file a verb.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the manifest if there is none, add hooks to it, and register it with the client
    Install(Install),
    /// Bring settings.json in line with the manifest
    Apply(Apply),
    /// Show what apply would change in settings.json
    Diff(Diff),
    /// Exit with 1 if settings.json is not what the manifest asks for
    Verify(Verify),
    /// Take hookman out of settings.json again
    Uninstall(Uninstall),
    /// Run hooks that others installed, in their stead
    Adopt(Adopt),
    /// Give adopted hooks back to settings.json as they were
    Release(Release),
    /// List the hooks in the order they run in
    List(List),
    /// Show one hook: what it does, its options, and where each value comes from
    Show(Show),
    /// Switch hooks off, for one session or for good
    Disable(Disable),
    /// Switch hooks on again
    Enable(Enable),
    /// Show which hooks are on and off in a session, and why
    Status(Status),
    /// Switch the hooks of a profile off for one session
    Profile(Profile),
    /// List the sessions that called hookman, and what is off in each
    Sessions(Sessions),
    /// Flags, marks and counters of a session, for hooks that are shell scripts
    State(State),
    /// Show what hooks did: the last runs, and those to come
    Log(Log),
    /// Check that every hook would really fire
    Doctor(Doctor),
    /// Show what the client does with each event: matcher, answers, exit codes, time limits
    Events(Events),
    /// List the copies of settings.json from before each write
    Backups(Backups),
    /// Put a copy of settings.json back
    Restore(Restore),
    /// Run a chain: called by the client, with a payload on standard input
    Run(Run),
}

/// Which settings file and manifest a command is about.
#[derive(Clone, Debug, Args)]
pub struct Scope {
    /// The project in DIR instead of the user (default: the nearest upwards with .claude or .git)
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub project: Option<Option<PathBuf>>,
    /// What only you have in that project: hookman.local.toml and settings.local.json
    #[arg(long)]
    pub local: bool,
}

/// How a command that writes goes about it.
#[derive(Clone, Debug, Args)]
pub struct Writing {
    /// Show what would be written and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Do not wait to see whether a running session writes its old settings back
    #[arg(long)]
    pub no_wait: bool,
}

/// Which session a command is about.
#[derive(Clone, Debug, Args)]
pub struct Session {
    /// The session's id (default: the one this command runs in)
    #[arg(long, value_name = "ID", global = true)]
    pub session: Option<String>,
}

/// `hookman install`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman install                        starter manifest and registration, after a question
  hookman install --yes                  the same without the question
  hookman install one-strike             add a ready-made hook to the manifest
  hookman install --project --dry-run    what it would do to the project around this directory
  hookman install --local one-strike     in this project, for you alone")]
pub struct Install {
    /// Ready-made hooks to add to the manifest
    #[arg(value_name = "HOOK")]
    pub hooks: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub writing: Writing,
    /// The path of hookman to register (default: where this one was found)
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
}

/// `hookman events`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman events                 one line for each event
  hookman events PreToolUse      all there is to know about one
  hookman events --json          the same as data")]
pub struct Events {
    /// The event; case makes no difference
    #[arg(value_name = "EVENT")]
    pub event: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `hookman apply`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman apply              after an edit of hookman.toml: show the change, ask, write
  hookman apply --yes        the same without the question
  hookman apply --project    for the project around this directory")]
pub struct Apply {
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub writing: Writing,
    /// The path of hookman to register (default: where this one was found)
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
}

/// How a change is shown.
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

/// `hookman diff`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman diff                        the change as a unified diff
  hookman diff --format json-patch    the change as an RFC 6902 patch
  hookman diff --exit-code            exit with 1 if there is a change, as `git diff` does

Exit codes: 0 shown, 1 with --exit-code if there is a change, 2 could not look.")]
pub struct Diff {
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    /// How to show it
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Exit with 1 if there is a change
    #[arg(long)]
    pub exit_code: bool,
}

/// `hookman verify`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman verify              for you, in any directory
  hookman verify --project    for a project, as in its CI

Exit codes: 0 in line with the manifest, 1 drifted, 2 could not look.")]
pub struct Verify {
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `hookman uninstall`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman uninstall --dry-run    show what would be removed
  hookman uninstall              the same, then ask and remove it
  hookman uninstall --project    from the project around this directory

The manifest stays: it is yours. Delete hookman.toml to forget the hooks.")]
pub struct Uninstall {
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub writing: Writing,
}

/// `hookman adopt`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman adopt                list the hooks of others, and choose on a terminal
  hookman adopt guard          adopt one, after showing both changes
  hookman adopt --all --yes    adopt all that hookman can run, without a question

An adopted hook keeps its matcher, time limit, environment and place; `hookman release` gives it back.")]
pub struct Adopt {
    /// The hooks to adopt, by the names that the list shows
    #[arg(value_name = "NAME", conflicts_with = "all")]
    pub names: Vec<String>,
    /// Adopt all that hookman can run
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub writing: Writing,
    /// List as JSON, and change nothing
    #[arg(long, conflicts_with_all = ["names", "all", "yes"])]
    pub json: bool,
    /// The path of hookman to register (default: where this one was found)
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
}

/// `hookman release`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman release guard        give one hook back, after showing both changes
  hookman release --all        give all adopted hooks back
  hookman release --forget x   forget one that is in neither file and not wanted back")]
pub struct Release {
    /// The hooks to give back
    #[arg(value_name = "NAME", conflicts_with = "all")]
    pub names: Vec<String>,
    /// Give all adopted hooks back
    #[arg(long)]
    pub all: bool,
    /// Forget hooks that stand in neither file, instead of putting them back into the settings
    #[arg(long)]
    pub forget: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub writing: Writing,
    /// List as JSON, and change nothing
    #[arg(long, conflicts_with_all = ["names", "all", "yes"])]
    pub json: bool,
}

/// `hookman list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman list                the hooks that are configured here
  hookman list --resolved     with the file and line of every value
  hookman list --available    the ready-made hooks that `hookman install` can add")]
pub struct List {
    /// Show where each value comes from
    #[arg(long)]
    pub resolved: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// List the ready-made hooks that could be installed
    #[arg(long)]
    pub available: bool,
}

/// `hookman show`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman show one-strike     a hook of a manifest, or a ready-made one
  hookman show one --json     part of a name will do")]
pub struct Show {
    /// The hook, or part of its name
    #[arg(value_name = "HOOK")]
    pub hook: String,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `hookman status`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman status                 of the session this runs in
  hookman status --session ID    of another session")]
pub struct Status {
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub session: Session,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Called by the slash command: the exit code is 0
    #[arg(long, hide = true)]
    pub slash: bool,
}

/// `hookman doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman doctor              for you and for the project around this directory
  hookman doctor --verbose    with the checks that found nothing

Exit codes: 0 nothing found, 1 found something, 2 could not look.")]
pub struct Doctor {
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Name the checks that found nothing too
    #[arg(short, long)]
    pub verbose: bool,
}

/// `hookman backups`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman backups              of your settings.json, newest first
  hookman backups --project    of the settings.json of the project around this directory")]
pub struct Backups {
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// `hookman restore`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman restore              the newest copy, after showing the change
  hookman restore 3            the third of those that `hookman backups` lists")]
pub struct Restore {
    /// Which copy: its number in `hookman backups`, or `latest`
    #[arg(value_name = "N", default_value = "latest")]
    pub which: String,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub scope: Scope,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub writing: Writing,
}

/// `hookman run`, listed for the help; the real one is read before this parser is built.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman run PreToolUse < payload.json    what the client would be answered")]
pub struct Run {
    /// The event
    #[arg(value_name = "EVENT")]
    pub event: Option<String>,
    /// The project whose chain is asked
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The one hook to ask, which has an entry of its own in settings.json
    #[arg(long, value_name = "NAME")]
    pub hook: Option<String>,
}
