//! The command line of what edits a manifest, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};

use super::{RegisterOptions, Scope, WriteOptions};
use crate::cli::candidates;
use crate::client::Event;
use crate::manifest::{OnError, milliseconds};

#[derive(Clone, Debug, Default, Args)]
#[command(after_help = include_str!("help/install.txt"))]
pub struct Install {
    /// Ready-made hooks to add to the manifest, or a package and some of its hooks
    #[arg(value_name = "HOOK", add = ArgValueCandidates::new(candidates::ready_made))]
    pub hooks: Vec<String>,
    /// Add the hooks of a recipe, with its comments: careful, long-session, quiet-laptop or team
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(candidates::recipes))]
    pub recipe: Vec<String>,
    /// Let hooks run this project's own programs, such as its formatter and its tests
    #[arg(long, value_name = "ANSWER")]
    pub project_tools: Option<YesNo>,
    #[command(flatten)]
    pub placing: Placing,
    /// Show the notices of the added hooks on the desktop, too
    #[arg(long)]
    pub desktop: bool,
    /// Add a mod that keeps other mods away from a gate's events, and put it first
    #[arg(long, conflicts_with_all = ["project", "local", "managed"])]
    pub guard_mod: bool,
    /// Add hookman's segment to the end of your status line
    #[arg(long, conflicts_with_all = ["project", "local", "managed"])]
    pub statusline: bool,
    /// Register the hooks in this agent too: claude, codex, copilot, qwen, gemini, droid or opencode, or all on this machine
    #[arg(long, value_name = "NAME", conflicts_with_all = ["local", "managed"])]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Vec<String>,
    /// Fetch exactly what hookman.lock names, and change no lock
    #[arg(long)]
    pub locked: bool,
    #[command(flatten)]
    pub options: RegisterOptions,
    /// Report as JSON, with --yes or --dry-run
    #[arg(long)]
    pub json: bool,
}

/// An answer on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

// Where a new hook comes, and what is set in it.
#[derive(Clone, Debug, Default, Args)]
pub struct Placing {
    /// Put it before this hook of the manifest (default: at the end)
    #[arg(long, value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub before: Option<String>,
    /// Put it after this hook of the manifest
    #[arg(long, value_name = "HOOK", conflicts_with = "before")]
    #[arg(add = ArgValueCandidates::new(candidates::hooks))]
    pub after: Option<String>,
    /// Set an option or a key of a ready-made hook, such as `on_error`, or a key of your own one; may be
    /// given several times
    #[arg(long, value_name = "KEY=VALUE", add = ArgValueCompleter::new(candidates::settings))]
    pub set: Vec<String>,
}

#[derive(Debug, Default, Args)]
#[command(after_help = include_str!("help/add.txt"))]
pub struct Add {
    /// The name of the new hook: 1 to 64 letters, digits, `-`, `_`, `.` or `:`; or the path of what
    /// it runs, whose name it gets
    pub name: String,
    /// When it runs; give it again for a further event
    #[arg(short, long = "event", value_name = "EVENT", required = true, value_parser = Event::meant)]
    #[arg(value_delimiter = ',', add = ArgValueCandidates::new(candidates::events))]
    pub events: Vec<Event>,
    /// The tools or subjects that it runs for, as a matcher such as 'Edit|Write' (default: all)
    #[arg(short, long)]
    pub matcher: Option<String>,
    /// Only calls that this permission rule covers, such as 'Edit(*.py)'
    #[arg(long = "if", value_name = "RULE")]
    pub condition: Option<String>,
    /// Only for files that this glob hits, such as '**/.env*'; give it again for a further one
    #[arg(long = "path", value_name = "GLOB")]
    pub paths: Vec<String>,
    /// The seconds that it may take (default: what the manifest says for all)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<u64>,
    /// The effect of a failure of the hook (default: what the manifest says for all)
    #[arg(long, value_enum)]
    pub on_error: Option<OnError>,
    /// The directory it runs in
    #[arg(long, value_enum)]
    pub cwd: Option<Directory>,
    /// The client does not wait for it
    #[arg(long = "async")]
    pub background: bool,
    /// A line for the shell, instead of a program and its arguments
    #[arg(short, long, value_name = "LINE", conflicts_with = "words")]
    pub command: Option<String>,
    /// A program and its arguments, which no shell reads; `{file}` is the file of the call
    #[arg(last = true, value_name = "PROGRAM")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub placing: Placing,
    #[command(flatten)]
    pub options: RegisterOptions,
}

/// The directory that a hook runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Directory {
    /// The directory of the session
    Session,
    /// The top of the project
    Project,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/remove.txt"))]
pub struct Remove {
    /// The hooks, by their whole names
    #[arg(value_name = "HOOK", required = true, add = ArgValueCandidates::new(candidates::hooks))]
    pub names: Vec<String>,
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/edit.txt"))]
pub struct Edit {
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/new.txt"))]
pub struct New {
    /// Make a package of hooks to share, with a hook, a case and a line for CI
    #[arg(long, value_name = "DIR", conflicts_with_all = ["project", "local", "managed"])]
    pub package: Option<PathBuf>,
    #[command(flatten)]
    pub options: RegisterOptions,
}

/// Seconds as milliseconds.
fn seconds(typed: &str) -> anyhow::Result<u64> {
    let limit = typed.parse().ok().and_then(milliseconds);
    limit.context("it takes seconds from 0.001 to 600")
}

// A doc comment of arguments would take the place of the help text, which the command's variant has.

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/backups.txt"))]
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
#[command(after_help = include_str!("help/restore.txt"))]
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
