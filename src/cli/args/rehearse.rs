//! The arguments of `hookman try` and `hookman test`.
// A doc comment of arguments would take the place of the help text, which the command's variant has.
#![allow(missing_docs, reason = "a doc comment is a help text here")]

use std::path::PathBuf;

use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::cli::candidates;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman try 'rm -rf src'                     a shell line, as the model would run it
  hookman try --tool Write --file src/x.py     a call of another tool
  hookman try --prompt 'fix the tests'         a prompt of yours
  hookman try --sample Stop > stop.json        a payload to start from
  hookman try --event Stop --payload stop.json what came of it, or of a recorded one
  hookman try 'git push' --session 77850d98    with that session's switches and strikes

Nothing is kept: no journal line, no strike, no switch, no notice. Hooks that are
commands, or start programs, are named and not run; --run-commands runs them.
Exit codes: 0 it would go on, 1 it would be denied or asked about, 2 could not try.")]
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
    /// Run commands and programs too
    #[arg(long)]
    pub run_commands: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman test --init             write a first set of cases next to your manifest
  hookman test                    run the cases of your manifest and of this project's
  hookman test team.test.toml     run the cases of a file, against the manifest next to it
  hookman test --junit out.xml    the same for a CI that reads JUnit

A case is a call and the answer that the manifest next to the file is to give:

  [[case]]
  name     = \"rm of sources is denied, also the second time\"
  before   = [{ command = \"rm -rf src\" }]
  command  = \"rm -rf src\"
  decision = \"deny\"

Each case has state and a folder of its own. Exit codes: 0 all pass, 1 some do not,
2 could not test.")]
pub struct Test {
    /// Files of cases (default: hookman.test.toml next to each manifest)
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write a first set of cases from what the hooks answer today
    #[arg(long, conflicts_with_all = ["files", "junit", "run_commands"])]
    pub init: bool,
    /// For the project's manifest (with --init)
    #[arg(long, requires = "init")]
    pub project: bool,
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
