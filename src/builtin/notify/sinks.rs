//! The ways in which a notice reaches a person.

use std::ffi::OsStr;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::builtin::host::Program;
use crate::builtin::{Context, Period};

/// A sequence that makes a terminal notify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Terminal {
    /// The one that the terminal is known to obey, by its environment; the bell where none is.
    Auto,
    /// A notification of iTerm2, `WezTerm`, Ghostty or Windows Terminal.
    Osc9,
    /// A notification of kitty.
    Osc99,
    /// A notification of rxvt, foot or Ghostty.
    Osc777,
    /// The bell.
    Bell,
    /// The title of the window.
    Title,
}

/// Builds the terminal's sequences; the client takes OSC 0, 1, 2, 9, 99, 777 and the bell (2.1.141 and
/// later).
pub(super) fn sequences(
    context: &Context<'_>,
    terminals: &[Terminal],
    notice: &Notice,
) -> Option<String> {
    // A semicolon ends a field.
    let (title, message) = (notice.title.replace(';', ","), &notice.message);
    let of = |terminal: &Terminal| match resolved(context, *terminal) {
        Terminal::Osc9 => format!("\u{1b}]9;{message}\u{7}"),
        Terminal::Osc99 => format!("\u{1b}]99;;{message}\u{1b}\\"),
        Terminal::Osc777 => format!("\u{1b}]777;notify;{title};{message}\u{7}"),
        Terminal::Title => format!("\u{1b}]2;{message}\u{7}"),
        Terminal::Bell | Terminal::Auto => "\u{7}".to_owned(),
    };
    let sequences: String = terminals.iter().map(of).collect();
    (!sequences.is_empty()).then_some(sequences)
}

fn resolved(context: &Context<'_>, terminal: Terminal) -> Terminal {
    if terminal != Terminal::Auto {
        return terminal;
    }
    let variable = |name: &str| context.host.variable(name).unwrap_or_default();
    let (term, program) = (variable("TERM"), variable("TERM_PROGRAM"));
    // tmux keeps what it does not know to itself.
    if !variable("TMUX").is_empty() {
        Terminal::Bell
    } else if !variable("KITTY_WINDOW_ID").is_empty() || term == "xterm-kitty" {
        Terminal::Osc99
    } else if matches!(&*program, "iTerm.app" | "WezTerm" | "ghostty")
        || !variable("WT_SESSION").is_empty()
    {
        Terminal::Osc9
    } else if term.starts_with("rxvt") || term.starts_with("foot") {
        Terminal::Osc777
    } else {
        Terminal::Bell
    }
}

pub const DESKTOP_PROGRAM: &str =
    if cfg!(target_os = "macos") { "osascript" } else { "notify-send" };

/// Has the desktop show a notice; gives whether its program could be started.
pub(super) fn desktop(context: &Context<'_>, notice: &Notice, limit: Period) -> bool {
    let Notice { title, message, .. } = notice;
    let escaped: String;
    let words: &[&str] = if cfg!(target_os = "macos") {
        &[
            DESKTOP_PROGRAM,
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
            title,
            message,
        ]
    } else {
        // The body is markup there, the title is not.
        escaped = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        &[DESKTOP_PROGRAM, "--app-name=Claude Code", "--", title, &escaped]
    };
    start(context, words, &[], limit)
}

/// Starts the user's own program.
pub(super) fn command(context: &Context<'_>, argv: &[String], notice: &Notice, limit: Period) {
    let payload = context.payload;
    let variables = [
        ("HOOKMAN_MESSAGE", OsStr::new(&notice.message)),
        ("HOOKMAN_TITLE", OsStr::new(&notice.title)),
        ("HOOKMAN_STATE", OsStr::new(notice.state.name())),
        ("HOOKMAN_EVENT", OsStr::new(context.event.name())),
        ("HOOKMAN_SESSION", OsStr::new(&*payload.session_id)),
        ("HOOKMAN_CWD", OsStr::new(&*payload.cwd)),
    ];
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    let _ = start(context, &words, &variables, limit);
}

/// Builds the format by which tmux finds the most urgent state, in this option, of a window's panes.
pub fn most_urgent(option: &str) -> String {
    // `unchecked` has `checked` in it, so each state is looked for with a blank in front.
    State::RANKS.iter().rev().fold(String::new(), |rest, state| {
        let name = state.name();
        format!("#{{?#{{m:* {name}*,#{{P: #{{{option}}}}}}},{name},{rest}}}")
    })
}

/// Gives the pane its state, and its window the most urgent one of its panes.
pub(super) fn tmux(context: &Context<'_>, option: &str, state: State, limit: Period) {
    let (Some(_), Some(pane)) = (context.host.variable("TMUX"), context.host.variable("TMUX_PANE"))
    else {
        return;
    };
    let window = format!("{option}_window");
    let most_urgent = most_urgent(option);
    let words = [
        "tmux",
        "set-option",
        "-p",
        "-t",
        &pane,
        option,
        state.name(),
        ";",
        "set-option",
        "-w",
        "-F",
        "-t",
        &pane,
        &window,
        &most_urgent,
    ];
    let _ = start(context, &words, &[], limit);
}

fn start(
    context: &Context<'_>,
    words: &[&str],
    variables: &[(&str, &OsStr)],
    limit: Period,
) -> bool {
    if words.is_empty() {
        return true;
    }
    let argv: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let cwd = Path::new(&*context.payload.cwd);
    let directory = Some(cwd).filter(|_| context.host.look(cwd).is_some_and(|it| it.is_directory));
    let program = Program { argv: &argv, directory, variables, stdin: b"" };
    // A notice that cannot be given is no failure of what it is about.
    context.host.start(program, limit.duration()).is_ok()
}

/// The state of a session, the least urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::builtin) enum State {
    /// Leave the state as it was.
    Keep,
    /// Nothing is left to do.
    Done,
    /// It waited for you, and you have looked.
    Checked,
    /// It works.
    Working,
    /// It waits for you.
    Unchecked,
    /// It failed.
    Error,
}

impl State {
    /// Those that a pane may have, the most urgent first.
    pub(super) const RANKS: [Self; 5] =
        [Self::Error, Self::Unchecked, Self::Working, Self::Checked, Self::Done];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Done => "done",
            Self::Checked => "checked",
            Self::Working => "working",
            Self::Unchecked => "unchecked",
            Self::Error => "error",
        }
    }
}

pub(super) struct Notice {
    pub(super) message: String,
    pub(super) title: String,
    pub(super) state: State,
}
