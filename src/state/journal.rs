//! One line per run: what was asked, what each step came to, what was answered.

pub use super::journal_files::{WOULD, did, outcomes};
pub use super::journal_step::StepEntry;

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Chain;
use super::journal_files::{self, would};
use crate::chain::merge::Ran;
use crate::chain::plan::Run;
use crate::chain::{Outcome, Step, failing};
use crate::client::host::Host;
use crate::client::{Answer, Decision, Event, Payload, Subject};
use crate::machine::paths::path_hash;
use crate::machine::{Paths, clients, clock, environment, files};
use crate::session::SessionId;
use crate::syntax::lent::Lent;

/// The client's variable for the directory where the session started, which its Bash tool has not.
pub const PROJECT: &str = "CLAUDE_PROJECT_DIR";

const REASON: usize = 200;

/// The reason why no hook was asked where a switch was typed.
pub const TYPED: &str = "hookman itself answered what was typed";

/// The beginnings of the notes that say why no hook was asked.
pub const UNASKED: [&str; 3] =
    ["no payload: ", "no hook was asked: ", "the manifest was not read: "];

/// A line of the journal; it holds no tool input.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry<'a> {
    pub time: String,
    /// `user` or `project`.
    pub scope: Cow<'a, str>,
    /// The program that called, where that was not the client.
    #[serde(borrow, skip_serializing_if = "str::is_empty")]
    pub host: Cow<'a, str>,
    #[serde(borrow)]
    pub session: Cow<'a, str>,
    pub event: Cow<'a, str>,
    /// The tool, or what else the event's matchers are tested against.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub subject: Cow<'a, str>,
    #[serde(borrow)]
    pub cwd: Cow<'a, str>,
    /// The directory the session was started in, whose project's hooks it has, where the client says.
    #[serde(borrow, skip_serializing_if = "str::is_empty")]
    pub project: Cow<'a, str>,
    #[serde(borrow)]
    pub transcript: Cow<'a, str>,
    /// The prompt that was worked on, where the client says.
    #[serde(borrow, skip_serializing_if = "str::is_empty")]
    pub prompt: Cow<'a, str>,
    #[serde(borrow, skip_serializing_if = "str::is_empty")]
    pub call: Cow<'a, str>,
    /// The client's process, or 0.
    pub client: u32,
    /// True if a person or a program noted as an agent called it, as far as that can be told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
    #[serde(borrow, skip_serializing_if = "str::is_empty")]
    pub only: Cow<'a, str>,
    pub steps: Vec<StepEntry>,
    /// The hooks that had nothing to do with the call, or came behind its denial.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<Passed>,
    /// The decision, or `answered` where hookman itself answered a typed request.
    pub verdict: Cow<'a, str>,
    pub exit: u8,
    pub us: u64,
    /// The switch that kept all hooks from running.
    #[serde(borrow, skip_serializing_if = "str::is_empty")]
    pub off: Cow<'a, str>,
    /// The reason why each hook did or did not run, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The reason why no hook was asked, but for [`Entry::off`]; for [`Entry::reasons`].
    #[serde(skip)]
    pub unasked: String,
    /// True if it is never written, so that its reasons may have something of the call.
    #[serde(skip)]
    pub whole: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Passed {
    pub hook: String,
    /// The reason, one of [`PASSED`].
    pub why: Cow<'static, str>,
}

impl Passed {
    pub fn in_words(&self) -> &str {
        PASSED.iter().find(|(why, _)| *why == self.why).map_or(&self.why, |(_, words)| words)
    }
}

/// The reason why hooks are passed over, with what that says.
pub const PASSED: [(&str, &str); 2] =
    [("if", "its `if` does not match the call"), (DENIED, "a hook before it denied the call")];

pub const DENIED: &str = "denied";

impl<'a> Entry<'a> {
    /// A line for a run of `chain` on `event`.
    pub fn new(event: Event, chain: &Chain) -> Self {
        Self {
            scope: chain.scope.into(),
            event: event.name().into(),
            by_hand: !clients::gave_environment(PROJECT),
            ..Self::default()
        }
    }

    pub fn describe(&mut self, payload: &Payload<'a>) {
        self.session = short(&payload.session_id);
        self.cwd = short(&payload.cwd);
        self.transcript = short(&payload.transcript_path);
        self.prompt = short(payload.turn());
        self.call = short(&payload.tool_use_id);
        if let Some(project) = environment::raw(PROJECT) {
            self.project = project.to_string_lossy().into_owned().into();
        }
        self.client = clients::caller();
        let subject = Event::from_name(&self.event).and_then(|event| match event.facts().subject {
            Subject::Model => Some(&*payload.to_model),
            _ => payload.subject(event),
        });
        if let Some(subject) = subject {
            self.subject = start(subject).to_owned().into();
        }
    }

    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Adds a hook that does not run: the outcome that this is, and why.
    pub fn skipped(&mut self, step: &Step<'_>, outcome: &'static str, why: String) {
        self.steps.push(StepEntry {
            hook: step.name.to_owned(),
            place: step.place,
            outcome: outcome.into(),
            why: Some(why),
            ..StepEntry::default()
        });
    }

    /// Adds a hook that must hold where the client did not call so that it could be asked, and why.
    pub fn unasked_gate(&mut self, step: &Step<'_>, event: Event, why: &str) {
        self.skipped(step, "no-payload", why.to_owned());
        let decided = self.taken_for(event, &failing::answer(event, step.on_error, String::new()));
        if let Some(entry) = self.steps.last_mut() {
            entry.decided = decided.into();
        }
    }

    /// Notes a hook that has no part in the run, and why, one of [`PASSED`].
    pub fn passed_over(&mut self, step: &Step<'_>, why: &'static str) {
        self.passed.push(Passed { hook: step.name.to_owned(), why: why.into() });
    }

    pub fn ran(&mut self, step: &Step<'_>, event: Event, ran: &Ran, took: Duration) {
        let mut entry = StepEntry {
            hook: step.name.to_owned(),
            place: step.place,
            us: micros(took),
            exit: ran.exit,
            ..StepEntry::default()
        };
        match &ran.outcome {
            Outcome::Failure(failure) => {
                entry.outcome = failure.kind().into();
                entry.decided = self.taken_for(event, &ran.answer(event)).into();
                let mut error = failure.to_string();
                // Behind the first colon comes what the hook printed.
                if step.unexplained
                    && let Some(end) = error.find(": ")
                {
                    error.truncate(end);
                }
                entry.error = Some(error);
            }
            Outcome::Answer(answer, _) => {
                let given = self.given(event, answer);
                let is_told = given.as_ref().is_some_and(|it| {
                    it.decision.is_none() && it.context.len() > answer.context.len()
                });
                entry.outcome = match answer.decision {
                    Some(_) if is_told => "context",
                    Some(decision) => decision.name(),
                    None if answer.is_silent() => "silent",
                    None if answer.stop && event.facts().top.contains(&"continue") => "stop",
                    None if !answer.context.is_empty() => "context",
                    None if !answer.specific.is_empty() => "changed",
                    None if answer.system_message.is_none() && !answer.stop => "rang",
                    None => "spoke",
                }
                .into();
                entry.quiet = answer.quiet.unwrap_or_default().into();
                let size: usize = answer.context.iter().map(String::len).sum();
                entry.size = (size > 0).then_some(size);
                let denied = |answer: &Answer| answer.decision == Some(Decision::Deny);
                if given.is_some_and(|given| denied(&given) && !denied(answer)) {
                    entry.decided = Decision::Deny.name().into();
                }
                let is_plain = answer.decision == Some(Decision::Allow) && entry.decided.is_empty();
                if !is_plain && (self.whole || !step.unexplained) {
                    entry.reason = reason(step, answer, self.whole);
                }
            }
        }
        self.steps.push(entry);
    }

    /// The word for the answer to a failure, as the program heeds it.
    fn taken_for(&self, event: Event, answer: &Answer) -> &'static str {
        let given = self.given(event, answer);
        let heeded = given.as_ref().unwrap_or(answer);
        let is_told = answer.decision.is_some() && !heeded.context.is_empty();
        heeded.decision.map_or(if is_told { "context" } else { "" }, Decision::name)
    }

    /// The answer that a program other than Claude Code gets for one, with what it heeds.
    fn given(&self, event: Event, answer: &Answer) -> Option<Answer> {
        let host = (!self.host.is_empty()).then(|| Host::named(&self.host, false))?;
        Some(host.fitted(event, answer.clone(), &mut Vec::new()))
    }

    /// Adds a step that was run and of whose answer nothing is heeded.
    pub fn watched(&mut self, step: &Step<'_>, event: Event, ran: &Ran, took: Duration) {
        self.ran(step, event, ran, took);
        if let Some(entry) = self.steps.last_mut() {
            for word in [&mut entry.outcome, &mut entry.decided] {
                *word = would(word).map_or_else(|| word.clone(), Cow::Borrowed);
            }
            entry.size = None;
        }
    }

    /// Adds what was odd about the step that was run last.
    pub fn warn(&mut self, warnings: Vec<String>) {
        if let Some(step) = self.steps.last_mut() {
            step.warnings = warnings;
        }
    }

    /// Says of what a step had for the model that it did not get it, and by which of [`Silence`]'s words.
    ///
    /// [`Silence`]: crate::builtin::silence::Silence
    pub fn kept_back(&mut self, hook: &str, why: &'static str) {
        let is_it = |step: &&mut StepEntry| step.hook == hook && step.outcome == "context";
        if let Some(step) = self.steps.iter_mut().rev().find(is_it) {
            (step.quiet, step.size) = (why.into(), None);
        }
    }

    /// Says that the step that was run last was asked about the rewritten input, behind all others.
    pub fn asked_again(&mut self) {
        if let Some(step) = self.steps.last_mut() {
            (step.again, step.place) = (true, usize::MAX);
        }
    }

    /// Says of the steps that kept the end of a turn from coming that they were not heeded.
    pub fn overruled(&mut self, hooks: &[&str], why: &str) {
        for step in self.steps.iter_mut().filter(|step| hooks.contains(&&*step.hook)) {
            step.decided = Cow::Borrowed("");
            if step.error.is_none() {
                step.outcome = Cow::Borrowed("overruled");
            }
            step.warnings.push(why.to_owned());
        }
    }

    /// Adds the decision that the program got, the exit code and the time it took.
    pub fn finish(&mut self, decision: Option<Decision>, exit: u8, took: Duration) {
        // Those that do not run were known before the others ran.
        self.steps.sort_by_key(|step| step.place);
        self.verdict = match decision {
            Some(_) if self.unasked == TYPED => "answered",
            Some(decision) => decision.name(),
            None => "none",
        }
        .into();
        self.exit = exit;
        self.us = micros(took);
        self.time = clock::stamp();
    }

    /// Explains why no hook was asked, of a line of the journal: what of its notes says that.
    pub fn recall(&mut self) {
        if self.verdict == "answered" {
            TYPED.clone_into(&mut self.unasked);
        }
        let begins = |note: &&String| UNASKED.iter().any(|start| note.starts_with(start));
        if let Some(note) = self.notes.iter().find(begins).filter(|_| self.unasked.is_empty()) {
            self.unasked.clone_from(note);
        }
    }

    fn into_owned(self) -> Entry<'static> {
        macro_rules! entry {
            ($($text:ident)*; $($kept:ident)*) => {
                Entry {
                    $($text: Cow::Owned(self.$text.into_owned()),)*
                    $($kept: self.$kept,)*
                }
            };
        }
        entry!(
            scope host session event subject cwd project transcript prompt call only verdict off;
            time client by_hand steps passed exit us reasons notes unasked whole
        )
    }

    pub fn line(&self) -> String {
        // Plain text and numbers always have a JSON form.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// Gives one line on a denial, a question or advice, without the call's words in what is written.
fn reason(step: &Step<'_>, answer: &Answer, is_whole: bool) -> Option<String> {
    let said = || answer.reason.as_ref().or(answer.context.first());
    let text = match step.run {
        Run::Builtin { .. } => answer.rule.as_ref().or_else(|| said().filter(|_| is_whole))?,
        _ if is_whole => said()?,
        Run::Command(_) | Run::Argv(_) | Run::Held(_) => {
            answer.reason.as_deref().or(answer.stop_reason.as_deref())?
        }
    };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(match line.char_indices().nth(REASON) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    })
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// The last `bytes` of the journal, from the first whole line on, what was put aside included.
pub fn tail(paths: &Paths, bytes: u64) -> io::Result<String> {
    let mut text = files::read_tail(&paths.journal(), bytes)?;
    let length = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX);
    if length(&text) < bytes {
        for aside in journal_files::put_aside(paths)?.iter().rev() {
            let older = files::read_tail(aside, bytes - length(&text))?;
            if older.is_empty() {
                break;
            }
            text.insert_str(0, &older);
        }
    }
    Ok(text)
}

/// The lines of a journal, oldest first; a damaged line is passed over.
pub fn entries(text: &str) -> Vec<Entry<'static>> {
    parsed(text).map(Entry::into_owned).collect()
}

/// As [`entries`], line by line and from either end.
pub fn parsed(text: &str) -> impl DoubleEndedIterator<Item = Entry<'_>> {
    text.lines().filter_map(|line| parse(line).map(|(_, entry)| entry))
}

/// A line of a journal, and what of it is whole; nothing if it is damaged or hookman did not write it.
pub fn parse(line: &str) -> Option<(&str, Entry<'_>)> {
    let whole = whole(line);
    let entry: Entry<'_> = serde_json::from_str(whole).ok()?;
    Some((whole, entry))
}

/// Gives the whole part of a line: one that a crash cut short has the next one behind it.
pub fn whole(line: &str) -> &str {
    line.rfind("{\"time\":").map_or(line, |start| &line[start..])
}

/// The name of a run: the first half of a sum of its line, as it is whole, in hexadecimal digits.
pub fn id(whole: &str) -> String {
    let mut sum = path_hash(Path::new(whole));
    sum.truncate(8);
    sum
}

/// The newest line of the journal that names a session's transcript.
pub fn last(paths: &Paths, session: &SessionId<'_>) -> Option<Entry<'static>> {
    let session = session.as_str();
    newest(paths, session, |entry| entry.session == session && !entry.transcript.is_empty())
}

/// The newest line that `is_meant` among those with the text `mark`, from the end or else from all.
pub fn newest(
    paths: &Paths,
    mark: &str,
    is_meant: impl Fn(&Entry<'_>) -> bool,
) -> Option<Entry<'static>> {
    // An id that its JSON form spells otherwise is only found by reading each line.
    let plain = !mark.bytes().any(|byte| matches!(byte, b'"' | b'\\') || byte.is_ascii_control());
    let find = |bytes| {
        let text = tail(paths, bytes).ok()?;
        text.lines()
            .rev()
            .filter(|line| !plain || line.contains(mark))
            .filter_map(parse)
            .map(|(_, entry)| entry)
            .find(&is_meant)
            .map(Entry::into_owned)
    };
    find(END).or_else(|| find(u64::MAX))
}

/// The bytes of the journal that are looked at first.
const END: u64 = 256 * 1024;

/// The number of bytes of a field are kept: no path is longer.
const FIELD: usize = 4096;

pub(super) fn short<'a>(field: &Lent<'a>) -> Cow<'a, str> {
    match &field.0 {
        Cow::Borrowed(text) => start(text).into(),
        Cow::Owned(text) => start(text).to_owned().into(),
    }
}

pub(super) fn start(text: &str) -> &str {
    if text.len() <= FIELD {
        return text;
    }
    let end = (0..=FIELD).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::outcome::Failure;

    #[test]
    fn every_outcome_has_its_words() {
        let none = String::new;
        let failures = [
            Failure::NotStarted(none()),
            Failure::TimedOut(1),
            Failure::Signal(9),
            Failure::Code(3, none()),
            Failure::Output(none()),
            Failure::Builtin(none()),
        ];
        let decisions = [Decision::Allow, Decision::Ask, Decision::Defer, Decision::Deny];
        let all = failures.iter().map(Failure::kind).chain(decisions.map(Decision::name));
        for word in all {
            assert!(outcomes().any(|(known, _)| known == word), "{word}");
        }
    }
}
