//! What a step came to.

use std::fmt;

use crate::client::answer::{Answer, Decision};
use crate::client::event::{Block, Event, PlainText};
use crate::client::output::{self, Output, Said};
use crate::manifest::OnError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Its time was up, after so many milliseconds.
    TimedOut(u64),
}

/// Why a hook came to no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It could not be started.
    NotStarted(String),
    /// It took longer than so many milliseconds.
    TimedOut(u64),
    /// A signal ended it.
    Signal(i32),
    /// It exited with a code that is neither 0 nor 2, and this is what it last said.
    Code(i32, String),
    /// Its output is no answer.
    Output(String),
    /// A built-in hook could not decide.
    Builtin(String),
}

impl Failure {
    /// One word for journals.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotStarted(_) => "not-started",
            Self::TimedOut(_) => "timed-out",
            Self::Signal(_) => "signal",
            Self::Code(..) => "exit-code",
            Self::Output(_) => "output",
            Self::Builtin(_) => "builtin",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(formatter, "could not be started: {why}"),
            Self::TimedOut(ms) if ms % 1000 == 0 => {
                write!(formatter, "took longer than {} s", ms / 1000)
            }
            Self::TimedOut(ms) => write!(formatter, "took longer than {ms} ms"),
            Self::Signal(signal) => write!(formatter, "was ended by signal {signal}"),
            Self::Code(code, said) if said.is_empty() => write!(formatter, "exited with {code}"),
            Self::Code(code, said) => write!(formatter, "exited with {code}: {said}"),
            Self::Output(why) => write!(formatter, "answered nonsense: {why}"),
            Self::Builtin(why) => write!(formatter, "could not decide: {why}"),
        }
    }
}

/// What a hook answered, or why it did not.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An answer, and the exact words where a command gave it.
    Answer(Answer, Option<Said>),
    /// No answer.
    Failure(Failure),
}

/// The two outputs of a command.
#[derive(Clone, Copy, Debug)]
pub struct Heard<'a> {
    /// Standard output.
    pub stdout: &'a str,
    /// Standard error.
    pub stderr: &'a str,
}

/// Reads what a command did the way the client would.
///
/// Source: the client's hooks reference, "Exit code output" and "JSON output".
///
/// What begins like JSON and is none is plain text to the client. From a hook that must not fail
/// open it is an answer that was cut short.
pub fn read(event: Event, exit: Exit, heard: Heard<'_>, on_error: OnError) -> Outcome {
    let Heard { stdout, stderr } = heard;
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => return Outcome::Failure(Failure::Signal(signal)),
        Exit::TimedOut(ms) => return Outcome::Failure(Failure::TimedOut(ms)),
    };
    let said = || Said { stdout: stdout.to_owned(), stderr: String::new(), code: 0 };
    match (code, output::read(event, stdout)) {
        (2, output) => blocked(event, output, stderr),
        (_, Output::Answer(answer)) => Outcome::Answer(answer, Some(said())),
        (_, Output::Malformed(why)) => Outcome::Failure(Failure::Output(why)),
        (0, Output::Empty) => Outcome::Answer(Answer::default(), None),
        (0, Output::Text) if on_error != OnError::Open && stdout.trim().starts_with('{') => {
            Outcome::Failure(Failure::Output("its JSON is not whole".to_owned()))
        }
        (0, Output::Text) => match event.facts().plain_text {
            PlainText::Ignored => Outcome::Answer(Answer::default(), None),
            _ => Outcome::Answer(Answer::context(stdout.trim()), Some(said())),
        },
        (126, _) => Outcome::Failure(Failure::NotStarted(last_words(stderr, "it may not be run"))),
        (127, _) => Outcome::Failure(Failure::NotStarted(last_words(stderr, "it was not found"))),
        (code, _) => Outcome::Failure(Failure::Code(code, last_words(stderr, ""))),
    }
}

// The block is written anew as JSON: passed on as exit code 2, the client would show hookman's own
// command line in front of the reason, and not the hook's name.
fn blocked(event: Event, output: Output, stderr: &str) -> Outcome {
    if matches!(event.facts().block, Block::Never | Block::Request) {
        return Outcome::Failure(Failure::Code(2, last_words(stderr, "")));
    }
    let in_json = match output {
        Output::Answer(answer) if answer.decision == Some(Decision::Deny) => answer.reason,
        _ => None,
    };
    let reason = in_json.unwrap_or_else(|| stderr.trim().to_owned());
    let reason = if reason.is_empty() { "exited with 2 and gave no reason" } else { &reason };
    Outcome::Answer(Answer::deny(reason), None)
}

fn last_words(stderr: &str, otherwise: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(otherwise);
    let mut words: String = line.chars().take(200).collect();
    if words.len() < line.len() {
        words.push('…');
    }
    words
}

/// What a failure means for the chain.
pub fn consequence(event: Event, failure: &Failure, on_error: OnError) -> Answer {
    let message = failure.to_string();
    match (on_error, event.facts().block) {
        (OnError::Open, _) | (_, Block::Never) => {
            Answer { system_message: Some(message), ..Answer::default() }
        }
        (OnError::Ask, Block::Permission) => Answer::ask(message),
        // Only permissions can be asked for; a hook that must not be ignored blocks elsewhere.
        (OnError::Ask | OnError::Closed, _) => Answer::deny(message),
    }
}
