//! The outcome of a step.

use super::failing;
use crate::client::noise::{self, EmbeddedAnswer};
use crate::client::output::{self, Output, Said};
use crate::client::unheard::misplaced;
use crate::client::{Answer, Block, Decision, Event, PlainText};
use crate::manifest::OnError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// Its time was up, after so many milliseconds.
    TimedOut(u64),
    /// It did not: it said that it goes on alone.
    GoesOn,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// It took longer than so many milliseconds.
    #[error("took longer than {}", length(*.0))]
    TimedOut(u64),
    #[error("was killed by signal {0}")]
    Signal(i32),
    /// The code is neither 0 nor 2, and the text is what it last said.
    #[error("exited with {0}{colon}{1}", colon = if .1.is_empty() { "" } else { ": " })]
    Code(i32, String),
    #[error("gave no usable answer: {0}")]
    Output(String),
    #[error("could not decide: {0}")]
    Builtin(String),
    /// It is not as a person has seen it.
    #[error("does not run: {0}")]
    Held(String),
}

fn length(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}

impl Failure {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotStarted(_) => "not-started",
            Self::TimedOut(_) => "timed-out",
            Self::Signal(_) => "signal",
            Self::Code(..) => "exit-code",
            Self::Output(_) => "output",
            Self::Builtin(_) => "builtin",
            Self::Held(_) => "held",
        }
    }
}

/// The answer of a hook, or the reason for none.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An answer, and the exact words where a command gave it.
    Answer(Answer, Option<Said>),
    Failure(Failure),
}

#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    pub stdout: &'a str,
    pub stderr: &'a str,
    /// True if standard output had more than this.
    pub cut: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub outcome: Outcome,
    /// A remark on something odd that was still understood.
    pub warning: Option<String>,
}

impl From<Outcome> for Read {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, warning: None }
    }
}

/// Reads what a command did the way the client would, by its hooks reference, "Exit code output" and "JSON
/// output". Two things differ: from a hook that must not fail open, what looks like an answer and is not
/// heeded is none; and an answer among other text is read as far as it holds back or tells something.
pub fn read(event: Event, exit: Exit, heard: Heard<'_>, on_error: OnError) -> Read {
    let is_gate = on_error != OnError::Open;
    let mut read = answer(event, exit, heard, on_error);
    let Outcome::Answer(answer, _) = &read.outcome else { return read };
    if answer.decision == Some(Decision::Deny) {
        return read;
    }
    if is_gate && heard.cut {
        return Outcome::Failure(Failure::Output(TOO_LONG.to_owned())).into();
    }
    let Some(why) = (!decides(event, answer)).then(|| misplaced(event, heard.stdout)).flatten()
    else {
        return read;
    };
    if is_gate {
        return Outcome::Failure(Failure::Output(why)).into();
    }
    read.warning.get_or_insert(why);
    read
}

const TOO_LONG: &str = "its output was too long and was cut";

/// Returns whether an answer decides something, be it only that the client stops.
fn decides(event: Event, answer: &Answer) -> bool {
    answer.decision.is_some() || holds_back(event, answer)
}

fn holds_back(event: Event, answer: &Answer) -> bool {
    answer.decision == Some(Decision::Deny)
        || answer.stop && event.facts().top.contains(&"continue")
}

/// Returns whether an answer holds something back, be it only until the user was asked.
fn restrains(event: Event, answer: &Answer) -> bool {
    answer.decision.is_some_and(|it| it != Decision::Allow) || holds_back(event, answer)
}

fn answer(event: Event, exit: Exit, heard: Heard<'_>, on_error: OnError) -> Read {
    let Heard { stdout, stderr, .. } = heard;
    let is_gate = on_error != OnError::Open;
    let failed = |failure| Outcome::Failure(failure).into();
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => {
            let held = restraint(event, stdout, &output::read(event, stdout), is_gate);
            return held.unwrap_or_else(|| failed(Failure::Signal(signal)));
        }
        Exit::TimedOut(ms) => return failed(Failure::TimedOut(ms)),
        Exit::GoesOn => return goes_on(on_error),
    };
    match (code, output::read(event, stdout)) {
        (2, output) => blocked(event, output, stderr).into(),
        (0, _) if output::goes_on_alone(stdout.as_bytes()) => goes_on(on_error),
        (0, Output::Answer(answer))
            if is_gate && !restrains(event, &answer) && output::asks_to_go_on(stdout) =>
        {
            goes_on(on_error)
        }
        (0, Output::Answer(answer)) => as_said(answer, stdout),
        (0, Output::Empty) => Outcome::Answer(Answer::default(), None).into(),
        (0, output @ (Output::Text | Output::Malformed(_))) => among_noise(event, stdout, on_error)
            .unwrap_or_else(|| match output {
                Output::Malformed(why) => failed(Failure::Output(why.to_string())),
                _ => plain(event, heard, on_error),
            }),
        (code, output) => {
            restraint(event, stdout, &output, is_gate).unwrap_or_else(|| match output {
                // A hook that failed is not believed where it lets through, and a gate in nothing else.
                Output::Answer(answer) if answer.decision.is_none() && !is_gate => {
                    as_said(answer, stdout)
                }
                Output::Malformed(why) => failed(Failure::Output(why.to_string())),
                _ => failed(of_code(code, stderr)),
            })
        }
    }
}

fn as_said(answer: Answer, stdout: &str) -> Read {
    let said = Said { stdout: stdout.to_owned(), stderr: String::new(), code: 0 };
    Outcome::Answer(answer, Some(said)).into()
}

/// Finds the block that a hook had announced before it failed. Source: clients 2.1.329 and 2.1.197, for
/// which JSON alone decides with a code other than 2, and a hook that a signal ended has exited with 1;
/// `tests/client/cases/endings.toml` shows it.
fn restraint(event: Event, stdout: &str, output: &Output, is_gate: bool) -> Option<Read> {
    match output {
        Output::Answer(answer) => restrains(event, answer).then(|| as_said(answer.clone(), stdout)),
        // What the client would take for text may only be what a hook repeats.
        Output::Text | Output::Malformed(_) if is_gate => noise::among(event, stdout, true)
            .filter(|found| restrains(event, &found.answer))
            .map(with_noise),
        _ => None,
    }
}

fn of_code(code: i32, stderr: &str) -> Failure {
    match code {
        126 => Failure::NotStarted(last_words(stderr, "it is not executable (exit code 126)")),
        127 => Failure::NotStarted(last_words(stderr, "it was not found (exit code 127)")),
        code => Failure::Code(code, last_words(stderr, "")),
    }
}

fn goes_on(on_error: OnError) -> Read {
    if on_error != OnError::Open {
        let why = "it went on in the background (`async`), where it can decide nothing";
        return Outcome::Failure(Failure::Output(why.to_owned())).into();
    }
    let warning = Some("it goes on in the background".to_owned());
    Read { outcome: Outcome::Answer(Answer::default(), None), warning }
}

fn among_noise(event: Event, stdout: &str, on_error: OnError) -> Option<Read> {
    let is_gate = on_error != OnError::Open;
    let mut found = noise::among(event, stdout, is_gate)?;
    let misplaced = found.misplaced.take().filter(|_| !decides(event, &found.answer));
    let unread = found.unread.take().filter(|_| !holds_back(event, &found.answer));
    if let Some(why) = misplaced.or(unread).filter(|_| is_gate) {
        return Some(Outcome::Failure(Failure::Output(why)).into());
    }
    Some(with_noise(found))
}

fn with_noise(found: EmbeddedAnswer) -> Read {
    let EmbeddedAnswer { answer, noise, doubted, .. } = found;
    let bytes = if noise == 1 { "byte" } else { "bytes" };
    let mut warning = format!("{noise} {bytes} of other text came with its answer");
    if doubted {
        warning.push_str(", so its `allow` or rewrite is ignored");
    }
    Read { outcome: Outcome::Answer(answer, None), warning: Some(warning) }
}

fn plain(event: Event, heard: Heard<'_>, on_error: OnError) -> Read {
    let text = output::trimmed(heard.stdout);
    let is_gate = on_error != OnError::Open;
    let why = match (text.starts_with('{'), heard.cut) {
        (false, false) if is_gate && noise::names_answer(event, text) => {
            "its output names a field of an answer, but no answer can be read from it"
        }
        (true, true) => TOO_LONG,
        (true, false) if is_gate => "its JSON is incomplete",
        _ => "",
    };
    if !why.is_empty() {
        return Outcome::Failure(Failure::Output(why.to_owned())).into();
    }
    if event.facts().plain_text == PlainText::Ignored {
        return Outcome::Answer(Answer::default(), None).into();
    }
    let mut read = as_said(Answer::context(text), heard.stdout);
    let held = noise::among(event, heard.stdout, true);
    if held.is_some_and(|found| restrains(event, &found.answer)) {
        let warning = "its block is mixed with other text, so the client takes it for text";
        read.warning = Some(warning.to_owned());
    }
    read
}

// The block is written again as JSON: passed on as exit code 2, the client would show hookman's own
// command line in front of the reason, and not the hook's name.
fn blocked(event: Event, output: Output, stderr: &str) -> Outcome {
    if matches!(event.facts().block, Block::Never | Block::Request) {
        return Outcome::Failure(Failure::Code(2, last_words(stderr, "")));
    }
    let answer = match output {
        // The rest of the JSON is heeded with the code (seen on 2.1.329), but where it is a form.
        Output::Answer(answer) if event.facts().block != Block::Action => answer,
        _ => Answer::default(),
    };
    let in_json = answer.reason.filter(|_| answer.decision == Some(Decision::Deny));
    let reason = in_json.unwrap_or_else(|| stderr.trim().to_owned());
    let reason = if reason.is_empty() {
        "blocked this and gave no reason (exit code 2, nothing on standard error)"
    } else {
        &reason
    };
    let Answer { decision, reason, .. } = Answer::deny(reason);
    Outcome::Answer(Answer { decision, reason, ..answer }, None)
}

fn last_words(stderr: &str, otherwise: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(otherwise);
    let mut words: String = line.chars().take(200).collect();
    if words.len() < line.len() {
        words.push('…');
    }
    words
}

pub fn consequence(event: Event, failure: &Failure, on_error: OnError) -> Answer {
    let is_late = matches!(failure, Failure::TimedOut(_));
    let on_error = match on_error {
        OnError::Open if is_late && event.facts().late_blocks => OnError::Closed,
        on_error => on_error,
    };
    failing::answer(event, on_error, failure.to_string())
}

#[cfg(test)]
mod tests;
