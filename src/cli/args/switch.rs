//! The command line of switches, sessions and their state, as types and nothing else.
// A doc comment of arguments would take the place of the help text, which the command's variant has.

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCandidates;

use super::Session;
use crate::cli::candidates;
use crate::session::request::Term;

// What is switched, and where.
#[derive(Debug, Args)]
pub struct Which {
    /// Hooks, parts of their names, or patterns such as `notify-*`; without any, they are listed
    #[arg(value_name = "HOOK", add = ArgValueCandidates::new(candidates::hooks))]
    pub hooks: Vec<String>,
    /// All hooks that are configured here
    #[arg(long)]
    pub all: bool,
    /// Only for subagents of this type, such as Explore
    #[arg(long, value_name = "TYPE", conflicts_with = "permanent")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub session: Session,
    /// In every session, for a time: those that run, and those that start while it holds
    #[arg(long, conflicts_with_all = ["session", "permanent", "slash"])]
    pub everywhere: bool,
    /// For good and in every session: in the manifest
    #[arg(long, conflicts_with = "session")]
    pub permanent: bool,
    /// With --permanent: in the project's manifest, for everyone who works on it
    #[arg(long, requires = "permanent")]
    pub project: bool,
    /// With --permanent: in the project around this directory alone, of your own hooks
    #[arg(long, requires = "permanent", conflicts_with = "project")]
    pub here: bool,
    /// With --permanent: show what would be written and write nothing
    #[arg(long, requires = "permanent")]
    pub dry_run: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Called by the slash command: what to do next is said in its words, and the exit code is 0
    #[arg(long, hide = true)]
    pub slash: bool,
}

// How long a switch holds.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct Length {
    /// For a time: 90s, 30m, 2h, 1d
    #[arg(long = "for", value_name = "TIME")]
    pub period: Option<String>,
    /// Until a time of day, or a time such as 2026-01-31T18:00:00Z
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// For the turn that is being worked on, or else the next
    #[arg(long)]
    pub turn: bool,
}

impl Length {
    /// As it is asked for.
    pub fn as_term(&self) -> Term {
        match (&self.period, &self.until, self.turn) {
            (Some(period), ..) => Term::For(period.clone()),
            (_, Some(until), _) => Term::Until(until.clone()),
            (.., true) => Term::Turn,
            _ => Term::Session,
        }
    }
}

#[derive(Debug, Args)]
#[command(mut_arg("permanent", |it| it.conflicts_with("Length")))]
#[command(after_help = include_str!("help/disable.txt"))]
pub struct Disable {
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    pub term: Length,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/enable.txt"))]
pub struct Enable {
    #[command(flatten)]
    pub which: Which,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/careful.txt"))]
pub struct Careful {
    /// Switch it on or off, or say whether it is on, which is the default
    #[arg(value_name = "on|off|status", add = ArgValueCandidates::new(candidates::careful))]
    pub wish: Option<String>,
    /// With on: for a time such as 90s, 30m, 2h, 1d
    #[arg(long = "for", value_name = "TIME", conflicts_with = "project")]
    pub period: Option<String>,
    /// For the project around this directory, in all of its sessions
    #[arg(long)]
    pub project: bool,
    #[command(flatten)]
    pub session: Session,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
    /// Called by the slash command: the exit code is 0
    #[arg(long, hide = true)]
    pub slash: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/profile.txt"))]
pub struct Profile {
    /// The profile; without one, they are listed
    #[arg(value_name = "PROFILE", add = ArgValueCandidates::new(candidates::profiles))]
    pub name: Option<String>,
    /// Switch on again what the profile, or any, switched off
    #[arg(long, conflicts_with = "Length")]
    pub off: bool,
    #[command(flatten)]
    pub term: Length,
    #[command(flatten)]
    pub session: Session,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/sessions.txt"))]
pub struct Sessions {
    /// Only those that are running
    #[arg(long, conflicts_with = "prune")]
    pub live: bool,
    /// Only those of this agent
    #[arg(long, value_name = "NAME", value_parser = super::rehearse::host, conflicts_with = "prune")]
    #[arg(add = ArgValueCandidates::new(candidates::hosts))]
    pub host: Option<String>,
    /// No more than so many, running ones first, then those seen last
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "prune")]
    pub limit: Option<usize>,
    /// Remove the state of sessions that were not used for long (`keep_days` in the manifest, else 30
    /// days) and are not running
    #[arg(long)]
    pub prune: bool,
    /// With --prune: not used for this long, such as 12h or 7d
    #[arg(long, value_name = "TIME", requires = "prune")]
    pub older_than: Option<String>,
    /// With --prune: only say how many
    #[arg(long, requires = "prune")]
    pub dry_run: bool,
    /// Report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/state.txt"))]
pub struct State {
    /// The question.
    #[command(subcommand)]
    pub command: StateCommand,
    #[command(flatten)]
    pub session: Session,
}

// What a session keeps.
#[derive(Debug, Subcommand)]
pub enum StateCommand {
    /// A flag that falls by itself
    #[command(after_help = "Examples:
  hookman state flag set asked --ttl 30m    exit code 0 for the first to raise it
  hookman state flag take asked             exit code 0 if it was up")]
    Flag {
        /// The action
        #[arg(value_name = "ACTION")]
        deed: FlagDeed,
        /// Its name
        name: String,
        /// With set: how long it stays up
        #[arg(long, value_name = "TIME", default_value = "1d")]
        ttl: String,
    },
    /// Once a turn: exit code 0 for the first call since the user's prompt, 1 after that
    #[command(after_help = "Examples:
  hookman state mark nagged --prompt \"$(jq -r .prompt_id)\" && echo 'once a turn'")]
    Mark {
        /// Its name
        name: String,
        /// The turn: `prompt_id` of the hook's input. Without it, as before client 2.1.196, a turn is
        /// a quarter of an hour from the first call
        #[arg(long, value_name = "ID", default_value = "")]
        prompt: String,
    },
    /// A counter
    #[command(after_help = "Examples:
  hookman state counter incr edits    prints the new value")]
    Counter {
        /// The action
        #[arg(value_name = "ACTION")]
        deed: CounterDeed,
        /// Its name
        name: String,
    },
    /// Show the session's named texts, such as lifecycle and phase, as gates read them
    #[command(after_help = "Examples:
  hookman state show          all of them
  hookman state show phase    the text of one")]
    Show {
        /// One of them alone: its text, and exit code 1 where there is none
        name: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Set a named text, also in the state file of a workflow that a gate reads
    #[command(after_help = "Examples:
  hookman state set phase review")]
    Set {
        /// Its name: letters, digits, `-` and `_`
        name: String,
        /// The text; several words are joined with blanks
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Take named texts away
    #[command(after_help = "Examples:
  hookman state clear phase")]
    Clear {
        /// The names, also in the state file of a workflow that a gate reads; without one all of the session's
        /// own texts
        names: Vec<String>,
    },
}

/// A change of a flag.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FlagDeed {
    /// Raise it
    Set,
    /// Take it down
    Take,
    /// Look at it
    Test,
}

/// A change of a counter.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CounterDeed {
    /// Add one
    Incr,
    /// Take one away
    Decr,
    /// Look at it
    Get,
    /// Back to 0
    Reset,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/tmux.txt"))]
pub struct Tmux {
    /// The question.
    #[command(subcommand)]
    pub command: TmuxCommand,
    /// The pane's option that has the state, as in `tmux_option` of the notify hooks
    #[arg(long, value_name = "NAME", global = true, default_value = "@claude")]
    pub option: String,
}

// What tmux is to be told.
#[derive(Debug, Subcommand)]
pub enum TmuxCommand {
    /// Colour the pane that was left by its state, and note that this one was looked at
    #[command(after_help = "Examples:
  hookman tmux focus                    what the lines in tmux.conf call
  hookman tmux focus --option @agent    with the state in another option of a pane")]
    Focus,
    /// Print the lines for tmux.conf
    #[command(after_help = "Examples:
  hookman tmux lines >> ~/.tmux.conf    then: tmux source-file ~/.tmux.conf")]
    Lines,
}
