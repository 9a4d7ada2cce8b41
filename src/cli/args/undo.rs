//! The arguments of `hookman backups` and `hookman restore`.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use clap::Args;
use clap_complete::ArgValueCandidates;

use super::super::candidates;
use super::{Scope, WriteOptions};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman backups              of your settings.json and hookman.toml
  hookman backups -v           with the path of each copy
  hookman backups --project    of those of the project around this directory")]
pub struct Backups {
    #[command(flatten)]
    pub scope: Scope,
    /// Name the files too
    #[arg(short, long, conflicts_with = "json")]
    pub verbose: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman restore              settings.json, from the newest copy
  hookman restore 3            from the third that `hookman backups` lists
  hookman restore --manifest   hookman.toml, and settings.json in line with it
  hookman restore --host codex the file in which Codex looks for hooks

Each shows the change and asks. With --manifest the last `install`, `add`,
`edit`, `remove` or `disable --permanent` is undone in both files.")]
pub struct Restore {
    /// The copy: its number in `hookman backups`, or `latest`
    #[arg(value_name = "N", default_value = "latest")]
    pub which: String,
    /// The manifest from before a write, with what it makes of settings.json
    #[arg(long)]
    pub manifest: bool,
    /// The file of this agent: codex, copilot, qwen, gemini, droid or opencode
    #[arg(long, value_name = "NAME", conflicts_with = "manifest")]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    #[command(flatten)]
    pub options: WriteOptions,
    /// Report as JSON, with --yes or --dry-run
    #[arg(long)]
    pub json: bool,
}
