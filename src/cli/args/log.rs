//! The arguments of `hookman log`.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::ArgValueCandidates;

use crate::cli::candidates;
use crate::state::journal::OUTCOMES;

/// The word for a run in which something failed.
pub const FAILED: &str = "failed";
/// The word for a run that took long.
pub const SLOW: &str = "slow";

fn outcomes() -> PossibleValuesParser {
    let more = [
        (FAILED, "a hook failed, in whatever way, or hookman itself met trouble"),
        (SLOW, "it took 100 ms or longer"),
    ];
    let all = OUTCOMES.iter().chain(&more);
    all.map(|(word, about)| PossibleValue::new(*word).help(*about)).collect::<Vec<_>>().into()
}

#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  hookman log                             the last 20 runs
  hookman log -f                          the same, and each new one as it comes
  hookman log --outcome deny --since 1d   what was denied since yesterday
  hookman log --hook 'notify-*' -n 5      the last 5 runs of some hooks
  hookman log --outcome failed -v         what failed, in full
  hookman log --session 77850d98 --json   one session's runs, JSON, one run a line
  hookman log -f --format otlp-json       for the file receiver of a collector

A row says when, in which session, on which event and tool, which hooks spoke,
what came of it and how long it took, and the beginning of what was odd. Hooks
that had nothing to say are counted and not named. With --verbose all errors and
warnings, the hooks that did not run and the reasons that HOOKMAN_DEBUG=1 asks
for follow below the row.")]
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
    /// Only what came out so
    #[arg(long, value_parser = outcomes())]
    pub outcome: Option<String>,
    /// Only what is not older: 90s, 10m, 2h, 1d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// The last N that fit (default: 20, and all with --since)
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

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman why                  the last run
  hookman why toolu_01AbC      the runs of one tool call, by its id
  hookman why 3f9a2c41         a run, by the id that `hookman log -v` shows
  hookman why format           the last call that a hook had a part in, or why
                               it never ran
  hookman why --outcome deny   the last denial
  hookman why --hook 'lint-*' --outcome failed --since 1d

For each hook of the chain: whether it ran, and if not, why: its matcher, its
`if` or `when`, a switch, an earlier denial; what it answered or why it said
nothing, and what decided. The call itself, and what the model was told, are
read from the client's transcript, as the journal keeps neither. What it does
not have either, the matcher of a hook that did not run, is read from the
manifest as it is now.")]
pub struct Why {
    /// A run's id, a tool call's, or a hook's name (default: the last run)
    #[arg(value_name = "RUN|TOOL_USE_ID|HOOK", conflicts_with = "last")]
    #[arg(add = ArgValueCandidates::new(candidates::hooks))]
    pub run: Option<String>,
    /// The last run
    #[arg(long)]
    pub last: bool,
    /// Only runs of this hook; a name, or a pattern with * and ?
    #[arg(long, value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub hook: Option<String>,
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
