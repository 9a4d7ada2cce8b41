//! The arguments of `hookman log`.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use clap::Args;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap_complete::ArgValueCandidates;

use crate::cli::candidates;
use crate::state::journal;

/// The word for a run in which something failed.
pub const FAILED: &str = "failed";
/// The word for a run that took long.
pub const SLOW: &str = "slow";

fn outcomes() -> PossibleValuesParser {
    let more = [
        (FAILED, "a hook failed, in whatever way, or hookman itself met trouble"),
        (SLOW, "it took 100 ms or longer"),
    ];
    let all = journal::outcomes().chain(more);
    all.map(|(word, about)| PossibleValue::new(word).help(about)).collect::<Vec<_>>().into()
}

#[derive(Debug, Default, Args)]
#[command(after_help = include_str!("help/log.txt"))]
pub struct Log {
    /// Go on with new runs as they come
    #[arg(short, long)]
    pub follow: bool,
    /// Only sessions whose id begins so
    #[arg(long, value_name = "ID", add = ArgValueCandidates::new(candidates::sessions))]
    pub session: Option<String>,
    /// Only runs of this hook; a name, or a pattern with * and ?
    #[arg(long, value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub hook: Option<String>,
    /// Only this event
    #[arg(long, value_name = "EVENT", add = ArgValueCandidates::new(candidates::events))]
    pub event: Option<String>,
    /// Only runs that this agent called
    #[arg(long, value_name = "NAME", value_parser = super::rehearse::host)]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// Only what came out so
    #[arg(long, value_parser = outcomes())]
    pub outcome: Option<String>,
    /// Only what is not older: 90s, 10m, 2h, 1d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// The last N that fit (default: 20; all with --since or otlp-json, but
    /// for --follow)
    #[arg(short = 'n', long, value_name = "N", value_parser = number)]
    pub lines: Option<usize>,
    /// All that the journal says of each run, below its row
    #[arg(short, long, conflicts_with = "json")]
    pub verbose: bool,
    /// The journal's own lines, a JSON object each
    #[arg(long)]
    pub json: bool,
    /// The form of a run
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    pub format: LogFormat,
    /// Add directories, reasons and errors to otlp-json
    #[arg(long)]
    pub with_input: bool,
}

/// The form of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// A row
    #[default]
    Text,
    /// An OpenTelemetry log record in OTLP's JSON form, one a line
    OtlpJson,
}

#[derive(Debug, Default, Args)]
#[command(after_help = include_str!("help/why.txt"))]
pub struct Why {
    /// A run's id, a tool call's, or a hook's name (default: the last run)
    #[arg(value_name = "RUN|TOOL_USE_ID|HOOK", conflicts_with = "last")]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    #[arg(add = ArgValueCandidates::new(candidates::hooks))]
    pub run: Option<String>,
    /// The last run
    #[arg(long)]
    pub last: bool,
    /// Only runs of this hook; a name, or a pattern with * and ?
    #[arg(long, value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub hook: Option<String>,
    /// Only runs that this agent called
    #[arg(long, value_name = "NAME", value_parser = super::rehearse::host)]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// Only what came out so
    #[arg(long, value_parser = outcomes())]
    pub outcome: Option<String>,
    /// All that fit and are not older: 90s, 10m, 2h, 1d (default: the last one)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

fn number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "a number of runs is expected, such as 50")
}
