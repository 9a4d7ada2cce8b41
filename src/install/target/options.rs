//! The options of a command that writes: its place, and its manner.

// A doc comment of arguments would take the place of the help text, which the command's variant has.

use std::path::PathBuf;

use clap::Args;

// Which settings file and manifest a command is about.
#[derive(Clone, Debug, Default, Args)]
pub struct Scope {
    /// The project in DIR instead of the user (default: the nearest upwards with .claude or .git)
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    pub project: Option<Option<PathBuf>>,
    /// Yours in that project alone: hookman.local.toml and settings.local.json
    #[arg(long)]
    pub local: bool,
    /// The administrator's, for every user of this machine; only root can write it
    #[arg(long, conflicts_with_all = ["project", "local"])]
    pub managed: bool,
}

// How a command that writes goes about it.
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

// What a command that writes is told.
#[derive(Clone, Debug, Args)]
pub struct WriteOptions {
    #[command(flatten)]
    pub scope: Scope,
    #[command(flatten)]
    pub writing: Writing,
}

// What a command that registers hooks with the client is told.
#[derive(Clone, Debug, Args)]
pub struct RegisterOptions {
    #[command(flatten)]
    pub scope: Scope,
    #[command(flatten)]
    pub writing: Writing,
    /// The path of hookman to register (default: where this one was found); one that begins with
    /// '$HOME/' fits every machine that shares the settings
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
}
