//! The arguments of `hookman tmux`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookman tmux lines >> ~/.tmux.conf   then: tmux source-file ~/.tmux.conf
  hookman tmux focus                   what these lines call when a pane is selected

The hooks notify-* set the state of a pane where they have `tmux_option = \"@claude\"`.")]
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
  hookman tmux focus --option @agent    where the state is in another option of the pane")]
    Focus,
    /// Print the lines for tmux.conf
    #[command(after_help = "Examples:
  hookman tmux lines >> ~/.tmux.conf    then: tmux source-file ~/.tmux.conf")]
    Lines,
}
