//! The command line of what edits a manifest, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};

use super::RegisterOptions;
use crate::cli::candidates;
use crate::client::event::Event;
use crate::manifest::{OnError, milliseconds};

#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  hookman install                        asks which recipes, at the first time
  hookman install --yes                  the starter hook, without a question
  hookman install one-strike             add a ready-made hook to the manifest
  hookman install destructive-guard --set levels.rm=block \\
    --set levels.git-push-force=block    and set some of its options
  hookman install --project --dry-run    what it would do to this project
  hookman install --local one-strike     in this project, for you alone
  hookman install --recipe long-session  hooks that belong together
  hookman install --project-tools yes    let hooks run this project's own programs
  hookman install --guard-mod            keep other mods from your gates
  hookman install --statusline           hooks and the last denial in your status line
  hookman install --host codex           have Codex call the hooks, too
  hookman install --host all --project   every agent on this machine, in this project
  hookman install gh:team/hooks@v1.4     the hooks of a package, as in v1.4
  hookman install git:https://example.org/hooks.git//bash no-secrets
  hookman install --locked --project     fetch what hookman.lock names, as in CI")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
pub struct Install {
    /// Ready-made hooks to add to the manifest, or a package and the hooks wanted of it
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
    /// Have the desktop show the notices of the hooks that are added, too
    #[arg(long)]
    pub desktop: bool,
    /// Add a mod that keeps other mods from a gate's events, and seat it first
    #[arg(long, conflicts_with_all = ["project", "local", "managed"])]
    pub guard_mod: bool,
    /// Add hookman's segment to your status line, behind what is there
    #[arg(long, conflicts_with_all = ["project", "local", "managed"])]
    pub statusline: bool,
    /// Have this agent call the hooks too: claude, codex, copilot, qwen, gemini, droid or opencode, or all that are here
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
    /// Set an option of a ready-made hook, or a key of your own one; give it again for a further one
    #[arg(long, value_name = "KEY=VALUE", add = ArgValueCompleter::new(candidates::settings))]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman add format --event PostToolUse --matcher 'Edit|Write' \\
    --path '**/*.py' -- ruff format {file}
  hookman add say --event Stop --command 'cat > ~/last-turn.json'
  hookman add tests --event Stop --cwd project --project -- make test

The hook gets the client's JSON on standard input, and in its arguments the file
of the call in the place of `{file}`; exit code 2 blocks, with standard error as
the reason. It is written at the end of the manifest, or where --before or --after
says, and is in force at once. `hookman install NAME` adds a ready-made hook, and
`hookman new` asks for all of this.")]
pub struct Add {
    /// The name of the new hook: 1 to 64 letters, digits, `-`, `_`, `.` or `:`
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
    /// The meaning of a failure of the hook (default: what the manifest says for all)
    #[arg(long, value_enum)]
    pub on_error: Option<Failing>,
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

/// The meaning of a failure of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Failing {
    /// Nothing is decided
    Open,
    /// The user is asked
    Ask,
    /// It blocks
    Closed,
}

impl From<Failing> for OnError {
    fn from(failing: Failing) -> Self {
        match failing {
            Failing::Open => Self::Open,
            Failing::Ask => Self::Ask,
            Failing::Closed => Self::Closed,
        }
    }
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
#[command(after_help = "Examples:
  hookman remove format              take it out of your manifest
  hookman remove format --project    out of that of the project around you

Comments in the manifest stay. `hookman disable NAME` only switches a hook off,
and `hookman release NAME` gives an adopted one back to settings.json.")]
pub struct Remove {
    /// The hooks, by their whole names
    #[arg(value_name = "HOOK", required = true, add = ArgValueCandidates::new(candidates::hooks))]
    pub names: Vec<String>,
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman edit              your manifest
  hookman edit --project    that of the project around this directory
  VISUAL='code --wait' hookman edit

A copy is opened in $VISUAL, else $EDITOR, else vi. What you save is checked:
where something is wrong you are told the line and asked whether to go back.
Then the change is shown, and written with what it makes of settings.json.")]
pub struct Edit {
    #[command(flatten)]
    pub options: RegisterOptions,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman new              asks what it should do and when, and shows the change
  hookman new --project    for the project around this directory
  hookman new --package hooks/team   a package of hooks to share, in that directory")]
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
