//! The arguments of the commands that rehearse hooks, or count what they did.
// A doc comment of arguments would take the place of the help text, which the command's variant has.
#![allow(clippy::doc_markdown, reason = "a doc comment is a help text here")]

use std::path::PathBuf;

use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::cli::candidates;
use crate::client::host::HOSTS;

pub(super) fn host(name: &str) -> Result<String, String> {
    let mut names = HOSTS.iter().map(|host| host.name);
    if names.clone().any(|it| it == name) {
        return Ok(name.to_owned());
    }
    let last = names.next_back().unwrap_or_default();
    Err(format!("hookman knows {} and {last}", names.collect::<Vec<_>>().join(", ")))
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/try.txt"))]
pub struct Try {
    /// A shell line
    #[arg(value_name = "LINE", conflicts_with_all = ["tool", "prompt", "payload", "sample"])]
    pub line: Option<String>,
    /// Another tool than Bash
    #[arg(long, value_name = "TOOL", conflicts_with_all = ["prompt", "payload", "sample"])]
    pub tool: Option<String>,
    /// The file of the tool
    #[arg(long, value_name = "FILE", requires = "tool")]
    pub file: Option<String>,
    /// The whole input of the tool, as JSON
    #[arg(long, value_name = "JSON", requires = "tool", conflicts_with = "file")]
    pub input: Option<String>,
    /// A prompt
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["payload", "sample"])]
    pub prompt: Option<String>,
    /// The event (default: PreToolUse, and what the payload names)
    #[arg(long, value_name = "EVENT", add = ArgValueCandidates::new(candidates::events))]
    pub event: Option<String>,
    /// A payload from a file; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "sample")]
    pub payload: Option<PathBuf>,
    /// Print a payload of this event to start from
    #[arg(long, value_name = "EVENT", add = ArgValueCandidates::new(candidates::events))]
    pub sample: Option<String>,
    /// With the switches and the memory of this session
    #[arg(long, value_name = "ID", add = ArgValueCandidates::new(candidates::sessions))]
    pub session: Option<String>,
    /// As if this agent called, and not Claude Code
    #[arg(long, value_name = "HOST", value_parser = host)]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// Run commands and programs too
    #[arg(long)]
    pub run_commands: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/test.txt"))]
pub struct Test {
    /// Files of cases, or packages (default: hookman.test.toml next to each manifest)
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write a first set of cases from what the hooks answer today
    #[arg(long, conflicts_with_all = ["files", "junit"])]
    pub init: bool,
    /// For the project's manifest (with --init)
    #[arg(long, requires = "init")]
    pub project: bool,
    /// As if this agent called, and not Claude Code
    #[arg(long, value_name = "HOST", value_parser = host, conflicts_with = "init")]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// Run commands and programs too
    #[arg(long)]
    pub run_commands: bool,
    /// Write a report for CI as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum StatsFormat {
    /// A table
    #[default]
    Text,
    /// JSON
    Json,
    /// OpenMetrics, for a collector that reads files
    Openmetrics,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/stats.txt"))]
pub struct Stats {
    /// Only what is not older: 90s, 10m, 2h, 1d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Count calls by hand too
    #[arg(long)]
    pub by_hand: bool,
    /// The form of the report
    #[arg(long, value_enum, default_value_t)]
    pub format: StatsFormat,
    /// Write a page to look at in a browser
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/statusline.txt"))]
pub struct Statusline {
    /// The command that was the status line before
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/replay.txt"))]
pub struct Replay {
    /// Only calls that are not older: 90s, 10m, 2h, 30d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only calls of sessions in this directory, and below it
    #[arg(long, value_name = "DIRECTORY")]
    pub project: Option<PathBuf>,
    /// Only what this hook would stop or advise on
    #[arg(long, value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub hook: Option<String>,
    /// Another manifest in the place of yours
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Compare with this manifest
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// As if this agent called, and not Claude Code
    #[arg(long, value_name = "HOST", value_parser = host)]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}
