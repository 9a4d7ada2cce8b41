//! The arguments of `hookman log`.

use clap::{Args, ValueEnum};

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Came {
    /// Something was denied or blocked
    Deny,
    /// The user was asked
    Ask,
    /// Something was allowed without a question
    Allow,
    /// The call was left to whoever runs the client
    Defer,
    /// A hook failed, or hookman itself met trouble
    Failed,
    /// It took 100 ms or longer
    Slow,
    /// A hook was switched off
    Off,
    /// No hook said anything
    Silent,
}

/// `hookman log`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman log                             the last 20 runs
  hookman log -f                          the same, and each new one as it comes
  hookman log --outcome deny --since 1d   what was denied since yesterday
  hookman log --hook 'notify-*' -n 5      the last 5 runs of some hooks
  hookman log --session 77850d98 --json   one session's runs, a JSON object a line

A row says when, in which session, on which event and tool, which hooks spoke, what came of it and
how long it took. Hooks that had nothing to say are counted and not named.")]
pub struct Log {
    /// Go on with new runs as they come
    #[arg(short, long)]
    pub follow: bool,
    /// Only sessions whose id begins so
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only runs of this hook; a name, or a pattern with * and ?
    #[arg(long, value_name = "HOOK")]
    pub hook: Option<String>,
    /// Only this event
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
    /// Only what came out so
    #[arg(long, value_enum)]
    pub outcome: Option<Came>,
    /// Only what is not older: 90s, 10m, 2h, 1d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// The last N that fit (default: 20, and all with --since)
    #[arg(short = 'n', long, value_name = "N")]
    pub lines: Option<usize>,
    /// The journal's own lines, a JSON object each
    #[arg(long)]
    pub json: bool,
}
