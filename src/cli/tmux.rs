//! `hookman tmux`: panes that show by their colour what the session in them is at.
//!
//! Nothing here selects a pane, so that it cannot call itself and needs no guard against that.

use anyhow::{Context as _, Result, bail};

use super::args::{Tmux, TmuxCommand};
use super::exit::ExitStatus;
use crate::builtin::notify::most_urgent;
use crate::machine::terminal::tmux as ask;
use crate::machine::{World, environment};

/// The background of a pane that is not looked at, by its state.
const COLOURS: &[(&str, &str)] = &[
    ("error", "#3d2020"),
    ("unchecked", "#081a10"),
    ("working", "#080c10"),
    ("checked", "#0a1005"),
];
/// That of a pane without a state.
const OTHER: &str = "#0a0a0a";
const FOCUSED: &str = "#000000";

pub(super) fn tmux(args: &Tmux, world: &World) -> Result<ExitStatus> {
    match args.command {
        TmuxCommand::Lines => world.terminal.line(lines(&args.option)),
        TmuxCommand::Focus => focus(&args.option)?,
    }
    Ok(ExitStatus::Done)
}

/// The lines that call `hookman tmux focus` where another pane comes to be looked at.
pub(super) fn lines(option: &str) -> String {
    let call = match option {
        "@claude" => "hookman tmux focus".to_owned(),
        option => format!("hookman tmux focus --option {option}"),
    };
    let events = ["after-select-pane", "after-select-window", "client-session-changed"];
    let line = |event| format!("set-hook -ga {event} 'run-shell -b \"{call}\"'");
    events.map(line).join("\n")
}

fn focus(option: &str) -> Result<()> {
    if environment::text("TMUX").is_none() {
        bail!("this is not in tmux; `hookman tmux lines` prints what tmux.conf needs for it");
    }
    let state = format!("#{{{option}}}");
    let asked =
        format!("#{{@suppress_focus_hook}}\t#{{pane_id}}\t#{{@last_focused_pane}}\t{state}");
    let told = ask(&["display-message", "-p", &asked]).context("failed to start `tmux`")?;
    let told = told.context("tmux does not say which pane is looked at")?;
    let mut fields = told.split('\t');
    let mut field = || fields.next().unwrap_or_default();
    let (suppressed, pane, last, now) = (field(), field(), field(), field());
    if suppressed == "1" || pane.is_empty() {
        return Ok(());
    }
    let (window, urgent) = (format!("{option}_window"), most_urgent(option));
    let left;
    let focused = format!("bg={FOCUSED}");
    let mut words = vec!["set-option", "-g", "@last_focused_pane", pane];
    if now == "unchecked" {
        words.extend([";", "set-option", "-p", "-t", pane, option, "checked"]);
        words.extend([";", "set-option", "-w", "-F", "-t", pane, &window, &urgent]);
    }
    words.extend([";", "set-option", "-p", "-t", pane, "window-style", &focused]);
    // The pane that was left may be gone.
    if last != pane
        && !last.is_empty()
        && let Some(state) = ask(&["display-message", "-p", "-t", last, &state])?
    {
        let known = COLOURS.iter().find(|(name, _)| *name == state);
        left = format!("bg={}", known.map_or(OTHER, |(_, colour)| colour));
        words.extend([";", "set-option", "-p", "-t", last, "window-style", &left]);
    }
    ask(&words)?.context("tmux refused the panes' new colours")?;
    Ok(())
}
