//! The kind `notify`: tells what a session is at, by terminal, desktop, tmux or a program, without waiting.

mod sinks;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{self, Kind};
use super::silence::Silence;
use super::template::{fill, one_line, problem};
use super::values::TimeSpan;
use super::{Can, Context, Failure, OptionProblem, Period};
use crate::client::Answer;
use sinks::{Notice, State, Terminal};

pub use sinks::{DESKTOP_PROGRAM, most_urgent};

pub(super) static KIND: Kind =
    Kind::of::<Options>("notify", &[Can::Remember, Can::StartProcesses], run);

/// The text under which a session's state is kept; all hooks of the kind share it.
const STATE: &str = "notify.state";
const BEGAN: &str = "notify.began";
/// The time that it is remembered that the user was told of a desktop that shows nothing.
const SAID: Duration = Duration::from_secs(24 * 60 * 60);
/// A notice has at most so many characters.
const LONGEST: usize = 240;

/// A notice, and the ways to give it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// The state of the session from now on.
    state: State,
    /// The message; an empty one says nothing and only sets the state. Fields: `{message}` (the client's
    /// words, or the model's last), `{project}`, `{event}`, `{state}`, `{error}`.
    message: String,
    /// The heading, with the same fields.
    title: String,
    /// The way that the terminal shows it. The client does so in an interactive session only.
    terminal: Vec<Terminal>,
    /// True if the desktop shows it, by `notify-send` or on macOS by `osascript`.
    desktop: bool,
    /// The option of the tmux pane that has the state, such as `@claude`; the window's option of the
    /// same name with `_window` has the most urgent one of its panes. Empty leaves tmux alone.
    tmux_option: String,
    /// A program of your own and its arguments, never through a shell. It has `HOOKMAN_MESSAGE`,
    /// `HOOKMAN_TITLE`, `HOOKMAN_STATE`, `HOOKMAN_EVENT`, `HOOKMAN_SESSION` and `HOOKMAN_CWD` in its environment.
    command: Vec<String>,
    /// After this time a program that still runs is ended.
    time_limit: Period,
    /// The same notice is given again only after this time.
    repeat_after: Period,
    /// Nothing is said where the session has worked for less than this since the last prompt; needs
    /// `notify-working`, which notes when that was.
    after: Period,
    /// Times of day at which nothing is said, such as `22:00-07:00`; the state is set all the same.
    quiet_hours: Vec<TimeSpan>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            state: State::Keep,
            message: String::new(),
            title: "Claude Code: {project}".to_owned(),
            terminal: vec![Terminal::Auto],
            desktop: false,
            tmux_option: String::new(),
            command: Vec::new(),
            time_limit: Period::seconds(10),
            repeat_after: Period::seconds(5),
            after: Period::seconds(0),
            quiet_hours: Vec::new(),
        }
    }
}

impl kind::Options for Options {
    fn check(&self) -> Result<(), OptionProblem> {
        for (key, text) in [("message", &self.message), ("title", &self.title)] {
            if let Some(problem) = problem(text) {
                return Err(OptionProblem::at(&[key], problem));
            }
        }
        let name = self.tmux_option.strip_prefix('@').unwrap_or_default();
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !self.tmux_option.is_empty() && (name.is_empty() || !name.bytes().all(fits)) {
            let message = "expected a name such as `@claude`, of letters, digits, `-` and `_`";
            return Err(OptionProblem::at(&["tmux_option"], message));
        }
        Ok(())
    }
}

/// Sets the session's state and tells what is to be told; never decides or fails.
fn run(context: &Context<'_>) -> Result<Answer, Failure> {
    let options: Options = context.options()?;
    let notice = notice(context, &options);
    let worked = note_state(context, options.state);
    if options.state != State::Keep && !options.tmux_option.is_empty() {
        sinks::tmux(context, &options.tmux_option, options.state, options.time_limit);
    }
    if notice.message.is_empty() {
        return Ok(Silence::NoMessage.answer());
    }
    if let Some(why) = kept_back(context, &options, &notice, worked) {
        return Ok(why.answer());
    }
    let is_shown = !options.desktop || sinks::desktop(context, &notice, options.time_limit);
    sinks::command(context, &options.command, &notice, options.time_limit);
    let sequence = sinks::sequences(context, &options.terminal, &notice);
    let rings = |it: &String| context.caller.is_claude() || context.host.ring(it).is_ok();
    let terminal_sequence = sequence.clone().filter(rings);
    let is_lost = sequence.is_some() && terminal_sequence.is_none();
    let is_news = |flag: &str| context.store.raise(&context.key(flag), SAID).unwrap_or(false);
    let system_message = if !is_shown && is_news("no desktop") {
        Some(format!(
            "`{DESKTOP_PROGRAM}` cannot be started, so the desktop does not show the notice"
        ))
    } else if is_lost && !options.desktop && options.command.is_empty() && is_news("no terminal") {
        Some(format!(
            "a hook of {} has no terminal to ring; `desktop = true` has the desktop show the notice",
            context.caller.name
        ))
    } else {
        None
    };
    let quiet = is_lost.then(|| Silence::NoTerminal.word());
    Ok(Answer { quiet, system_message, terminal_sequence, ..Answer::default() })
}

fn notice(context: &Context<'_>, options: &Options) -> Notice {
    let payload = context.payload;
    let state = options.state;
    let mut field = |name: &str| {
        let value = match name {
            "message" => {
                let all = [&payload.message, &payload.last_assistant_message, &payload.prompt];
                // Copilot does not give the model's last words.
                let other = || (!context.caller.is_claude()).then(|| state.name().to_owned());
                all.iter().find(|text| !text.is_empty()).map(ToString::to_string).or_else(other)
            }
            "project" => {
                let project = context.host.variable("CLAUDE_PROJECT_DIR");
                let path = project.unwrap_or_else(|| payload.cwd.to_string());
                path.rsplit('/').next().map(str::to_owned)
            }
            "event" => Some(context.event.name().to_owned()),
            "state" => Some(state.name().to_owned()),
            "error" => Some(payload.error.to_string()),
            _ => None,
        };
        Some(value.unwrap_or_default()).filter(|value| !value.is_empty())
    };
    let mut filled = |text: &str| one_line(&fill(text, &mut field).unwrap_or_default(), LONGEST);
    let (message, title) = (filled(&options.message), filled(&options.title));
    Notice { message, title, state }
}

/// Notes what the session is at, and gives the seconds that it has worked; best effort.
fn note_state(context: &Context<'_>, state: State) -> Option<i64> {
    let (store, now) = (context.store, context.host.now());
    if state != State::Keep {
        let _ = store.change(STATE, &mut |_| Some(state.name().to_owned()));
    }
    if state == State::Working {
        let _ = store.change(BEGAN, &mut |_| Some(now.to_string()));
    }
    let began: i64 = store.text(BEGAN).ok()??.parse().ok()?;
    Some(now - began)
}

/// Explains why a notice is not given now.
fn kept_back(
    context: &Context<'_>,
    options: &Options,
    notice: &Notice,
    worked: Option<i64>,
) -> Option<Silence> {
    let is_short = |worked: i64| worked.unsigned_abs() < options.after.as_seconds();
    if worked.is_some_and(is_short) {
        return Some(Silence::Short);
    }
    if !options.quiet_hours.is_empty() {
        let now = context.host.local_time("%H:%M");
        if options.quiet_hours.iter().any(|span| span.contains(&now)) {
            return Some(Silence::QuietHours);
        }
    }
    let said = context.key(&format!("said {}", notice.message));
    let is_news = options.repeat_after.is_zero()
        || context.store.raise(&said, options.repeat_after.duration()).unwrap_or(true);
    (!is_news).then_some(Silence::Repeated)
}
