//! Running the commands of neighbouring steps as children, side by side.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::call::Seen;
use super::launch::{self, Attempt};
use super::overrides::Effects;
use crate::builtin::silence::Silence;
use crate::chain::outcome::{self, Exit, Failure, Heard};
use crate::chain::plan::{FILE, Run};
use crate::chain::{Outcome, Step};
use crate::client::host::Host;
use crate::client::{Decision, Event, Payload, output};
use crate::machine::child::{self, Ended, Finished, KEPT, Program, Spec};
use crate::machine::exports::{self, Exports};
use crate::machine::signals::Endings;
use crate::machine::{environment, terminal};
use crate::manifest::OnError;
use crate::session::{MemoryStore, Store};
use crate::syntax::escaped::quoted;
use crate::syntax::lent::Lent;

/// The file in which a hook that only watches writes what it exports.
const NOWHERE: &str = "/dev/null";

const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

#[derive(Clone, Copy)]
pub struct Session<'a> {
    pub store: &'a (dyn Store + Sync),
    pub manifest: &'a Path,
    /// hookman's own directory for it.
    pub folder: &'a Path,
    pub caller: &'static Host,
    pub effects: Effects,
    /// The directory that holds the state in a rehearsal.
    pub staged: Option<&'a Path>,
    /// The store where a replay keeps it in memory, which knows the time of the call.
    pub memory: Option<&'a MemoryStore>,
    /// The plan's file, and the way to late options that it should have and has not.
    pub plan: Option<(BorrowedFd<'a>, LateOptions<'a>)>,
}

/// Gives the late options of a hook.
pub(super) type LateOptions<'a> = &'a (dyn Fn(&str) -> io::Result<String> + Sync);

#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub session: Session<'a>,
    pub host: &'static Host,
    /// The directory of the project whose chain it is; the user's chain has none.
    pub project: Option<&'a Path>,
    /// The files in which its commands write what they export to the session.
    pub exports: &'a Exports,
}

#[derive(Debug)]
pub(super) struct Came {
    pub outcome: Outcome,
    pub exit: Option<i32>,
    pub took: Duration,
    /// Odd things about it, for the journal.
    pub warnings: Vec<String>,
}

impl Came {
    /// Nothing, because a rehearsal starts no program.
    pub(super) fn held() -> Self {
        let outcome = Outcome::Answer(Silence::Held.answer(), None);
        Self { outcome, exit: None, took: Duration::ZERO, warnings: Vec::new() }
    }
}

impl From<Failure> for Came {
    fn from(failure: Failure) -> Self {
        let outcome = Outcome::Failure(failure);
        Self { outcome, exit: None, took: Duration::ZERO, warnings: Vec::new() }
    }
}

struct Prepared<'s> {
    step: &'s Step<'s>,
    line: Cow<'s, str>,
    words: Cow<'s, [String]>,
    directory: Option<PathBuf>,
    path: Option<OsString>,
    exports: Option<PathBuf>,
    /// The payload, where it reads another than its neighbours.
    stdin: Option<Vec<u8>>,
}

/// Runs commands on the same payload at the same time; what each came to, in their order.
pub(super) fn run(steps: &[&Step<'_>], seen: Seen<'_>, around: Around<'_>) -> Vec<Came> {
    if around.session.effects == Effects::Held {
        return steps.iter().map(|_| Came::held()).collect();
    }
    let Seen { event, payload, text } = seen;
    // The client ends the payload with a line feed, which line-wise readers wait for.
    let stdin = [text.as_bytes(), b"\n"].concat();
    // Clients before 2.1.132 do not say in the environment for which session they run a hook.
    let session = (SESSION, OsStr::new(&*payload.session_id));
    let is_said = session.1.is_empty() || environment::raw(SESSION).is_some();
    let session = (!is_said).then_some(session);
    // A hook that calls hookman is not to reach the state that is not rehearsed.
    let staged = around.session.staged.map(|state| ("HOOKMAN_STATE_DIR", state.as_os_str()));
    let prepared: Vec<Result<Prepared<'_>, Failure>> =
        steps.iter().map(|step| Prepared::new(step, payload, text, around)).collect();
    let ready = || prepared.iter().flatten();
    let variables: Vec<Vec<(&str, &OsStr)>> =
        ready().map(|it| it.variables().chain(session).chain(staged).collect()).collect();
    let specs: Vec<Spec<'_>> = ready()
        .zip(&variables)
        .map(|(prepared, variables)| Spec {
            program: match &prepared.step.run {
                Run::Command(_) => Program::Shell(&prepared.line),
                _ => Program::Argv(&prepared.words),
            },
            stdin: prepared.stdin.as_deref().unwrap_or(&stdin),
            directory: prepared.directory.as_deref(),
            variables,
            timeout: Duration::from_millis(prepared.step.timeout_ms),
            goes_on_alone: output::goes_on_alone,
            is_whole: match prepared.step.on_error {
                OnError::Open => is_whole,
                OnError::Ask | OnError::Closed => is_block,
            },
        })
        .collect();
    terminal::reserve_output();
    let mut results = child::run(&specs, Endings::watch()).into_iter().zip(ready());
    let came = |(result, prepared): (io::Result<Finished>, &Prepared<'_>)| match result {
        Ok(finished) => prepared.heard(event, &finished, around.host),
        Err(error) => Failure::NotStarted(prepared.attempt().not_started(&error)).into(),
    };
    let each = prepared.iter().map(|prepared| match prepared {
        Ok(_) => results.next().map(came),
        Err(failure) => Some(failure.clone().into()),
    });
    each.flatten().collect()
}

/// Returns whether two steps run one command in one manner: the client would run it once, and of hooks that
/// differ in what their failure means, or in how they run, none may run in place of the other.
pub(super) fn same(one: &Step<'_>, other: &Step<'_>) -> bool {
    let manner = |step: &Step<'_>| {
        (step.on_error, step.timeout_ms, step.always, step.in_project, step.adopted)
    };
    let texts = (one.conditions, one.path, one.observe);
    if texts != (other.conditions, other.path, other.observe) || manner(one) != manner(other) {
        return false;
    }
    match (&one.run, &other.run) {
        (Run::Command(one), Run::Command(other)) => one == other,
        (Run::Argv(one), Run::Argv(other)) => one == other,
        _ => false,
    }
}

impl<'s> Prepared<'s> {
    fn new(
        step: &'s Step<'s>,
        payload: &Payload<'_>,
        text: &str,
        around: Around<'_>,
    ) -> Result<Self, Failure> {
        if let Run::Held(why) = &step.run {
            return Err(Failure::Held(why.clone()));
        }
        let seen = step.seen_as.map(|tool| payload.renamed(text, tool));
        let project = || {
            // The client says where the session was started, and clients before it did not.
            let of_user = || environment::raw("CLAUDE_PROJECT_DIR").map(PathBuf::from);
            let found = around.project.map(Path::to_owned).or_else(of_user);
            found.unwrap_or_else(|| PathBuf::from(&*payload.cwd))
        };
        // The list is hookman's own text. To read none of it as JSON takes far longer: the place of
        // the error is looked for, and how that is best done is asked of the processor.
        let more: Vec<String> = match step.path {
            "" => Vec::new(),
            path => serde_json::from_str(path).unwrap_or_default(),
        };
        Ok(Self {
            step,
            line: line(step),
            words: filled(step, text)?,
            directory: (step.in_project.then(project))
                // In a rehearsal the session is where the payload says, and not where hookman runs.
                .or_else(|| around.session.staged.map(|_| PathBuf::from(&*payload.cwd)))
                .filter(|it| !it.as_os_str().is_empty()),
            path: (!more.is_empty()).then(|| launch::longer_path(&more)),
            exports: match (step.observe, around.session.staged) {
                (None, None) => around.exports.next(),
                // In the client's own file it would reach the session.
                _ => environment::raw(exports::VARIABLE).map(|_| NOWHERE.into()),
            },
            stdin: seen.map(|text| [text.as_bytes(), b"\n"].concat()),
        })
    }

    fn variables(&self) -> impl Iterator<Item = (&'static str, &OsStr)> {
        let path = self.path.as_deref().map(|path| ("PATH", path));
        let exports = self.exports.as_deref().map(|file| (exports::VARIABLE, file.as_os_str()));
        path.into_iter().chain(exports)
    }

    fn attempt(&self) -> Attempt<'_> {
        Attempt {
            run: &self.step.run,
            words: &self.words,
            directory: self.directory.as_deref(),
            path: self.path.as_deref(),
        }
    }

    fn heard(&self, event: Event, finished: &Finished, host: &Host) -> Came {
        let Finished { ended, took, dropped, held, unread, .. } = *finished;
        let code = if let Ended::Exited(code) = ended { Some(code) } else { None };
        let mut warnings = Vec::new();
        for (what, _) in OUTPUTS.iter().zip(held).filter(|(_, held)| *held) {
            warnings.push(still_open(what));
        }
        for (what, _) in OUTPUTS.iter().zip(unread).filter(|(_, unread)| *unread) {
            warnings.push(unreadable(what));
        }
        let stdout = text(&finished.stdout, dropped[0], OUTPUTS[0], &mut warnings);
        let stderr = text(&finished.stderr, dropped[1], OUTPUTS[1], &mut warnings);
        let exit = match ended {
            Ended::Exited(code) => Exit::Code(code),
            Ended::Signalled(signal) => Exit::Signal(signal),
            Ended::TimedOut => Exit::TimedOut(self.step.timeout_ms),
            Ended::GoesOn => Exit::GoesOn,
        };
        let shown = plain(&stderr);
        let said = host.heard(event, &stdout);
        let heard = Heard { stdout: &said, stderr: &shown, cut: dropped[0] > 0 };
        let read = outcome::read(event, exit, heard, self.step.on_error);
        let never_ran = match ended {
            Ended::Exited(2) => self.attempt().unread_script(&stdout, &stderr),
            Ended::Exited(126 | 127) if matches!(read.outcome, Outcome::Failure(_)) => {
                self.attempt().not_found(&stderr)
            }
            _ => None,
        };
        if let Some(why) = never_ran {
            let outcome = Outcome::Failure(Failure::NotStarted(plain(&why)));
            return Came { outcome, exit: code, took, warnings };
        }
        warnings.extend(read.warning);
        let is_garbled = matches!(stdout, Cow::Owned(_)) || stdout.contains('\0');
        let doubt = if held[0] {
            Some(still_open(OUTPUTS[0]))
        } else if unread[0] {
            Some(unreadable(OUTPUTS[0]))
        } else {
            is_garbled.then(|| "its output is no UTF-8 text".to_owned())
        };
        if let Some(doubt) = doubt
            && self.step.on_error != OnError::Open
            && !holds_back(&read.outcome)
        {
            let outcome = Outcome::Failure(Failure::Output(doubt));
            return Came { outcome, exit: code, took, warnings: Vec::new() };
        }
        Came { outcome: read.outcome, exit: code, took, warnings }
    }
}

const OUTPUTS: [&str; 2] = ["standard output", "standard error"];

fn still_open(what: &str) -> String {
    format!(
        "it left a process behind that keeps its {what} open; send that process's output \
         elsewhere, for example to `/dev/null`"
    )
}

fn unreadable(what: &str) -> String {
    format!("its {what} could not be read to its end")
}

/// Returns whether an output is a whole JSON object: to the client, anything after it could only spoil it.
fn is_whole(stdout: &[u8]) -> bool {
    let text = stdout.trim_ascii();
    let is_object = text.starts_with(b"{") && text.ends_with(b"}");
    is_object && serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Returns whether an output is a whole answer that holds something back. Of a hook that must not fail open
/// nothing less is whole: what it left behind could still deny.
fn is_block(stdout: &[u8]) -> bool {
    let Ok(answer) = serde_json::from_slice::<Value>(stdout.trim_ascii()) else { return false };
    let says = |place: &str, words: &[&str]| {
        answer.pointer(place).and_then(Value::as_str).is_some_and(|word| words.contains(&word))
    };
    answer.get("continue") == Some(&Value::Bool(false))
        || says("/decision", &["block"])
        || says("/hookSpecificOutput/permissionDecision", &["deny", "ask", "defer"])
        || says("/hookSpecificOutput/decision/behavior", &["deny"])
        || says("/hookSpecificOutput/action", &["decline", "cancel"])
}

/// Returns whether a hook came to what would not be undone by more of its output.
fn holds_back(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Answer(answer, _) => {
            answer.stop || answer.decision.is_some_and(|it| it != Decision::Allow)
        }
        Outcome::Failure(_) => true,
    }
}

/// Standard error as a message may have it, which a terminal shows.
fn plain(stderr: &str) -> String {
    terminal::harmless(&stderr.replace("\r\n", "\n"))
}

fn text<'b>(bytes: &'b [u8], dropped: u64, what: &str, odd: &mut Vec<String>) -> Cow<'b, str> {
    if dropped > 0 {
        let all = KEPT as u64 + dropped;
        odd.push(format!("{what} had {all} bytes, of which the first {KEPT} were kept"));
    }
    // A character that the cut goes through is no mistake of the hook's.
    let end = match std::str::from_utf8(bytes) {
        Err(error) if dropped > 0 && error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    let text = String::from_utf8_lossy(&bytes[..end]);
    if matches!(text, Cow::Owned(_)) {
        odd.push(format!("{what} was not UTF-8; the invalid bytes were replaced"));
    }
    text
}

// The client has a prefix in its environment wrap what a shell runs: as one word up to its last
// ` -`, and what begins there as it is.
// Measured on 2.1.329 and 2.1.197: `tests/client/cases/adopt.toml`.
fn line<'s>(step: &'s Step<'_>) -> Cow<'s, str> {
    let Run::Command(line) = &step.run else { return Cow::Borrowed("") };
    let Some(prefix) = environment::text("CLAUDE_CODE_SHELL_PREFIX") else {
        return Cow::Borrowed(line);
    };
    let (program, options) = prefix.split_at(prefix.rfind(" -").unwrap_or(prefix.len()));
    Cow::Owned(format!("{}{options} {}", quoted(program), quoted(line)))
}

/// Names that the client replaces as plain text in the words of the exec form, with their sources.
const OF_CLIENT: &[(&str, &str)] = &[
    ("${CLAUDE_PROJECT_DIR}", "CLAUDE_PROJECT_DIR"),
    ("${CLAUDE_PLUGIN_ROOT}", "CLAUDE_PLUGIN_ROOT"),
    ("${CLAUDE_PLUGIN_DATA}", "CLAUDE_PLUGIN_DATA"),
];

/// The words of a step's `argv` for a payload; none for a step that has no `argv`.
pub(super) fn filled<'s>(step: &'s Step<'_>, payload: &str) -> Result<Cow<'s, [String]>, Failure> {
    let Run::Argv(words) = &step.run else { return Ok(Cow::Borrowed(&[])) };
    let has = |text: &str| words.iter().any(|word| word.contains(text));
    let (of_client, of_call) = (has("${CLAUDE_P"), has(FILE) && !step.adopted);
    if !of_client && !of_call {
        return Ok(Cow::Borrowed(words));
    }
    let mut filled = words.clone();
    let mut put = |name: &str, value: &str| {
        for word in &mut filled {
            *word = word.replace(name, value);
        }
    };
    for (placeholder, variable) in OF_CLIENT.iter().filter(|_| of_client) {
        if let Some(value) = environment::text(variable) {
            put(placeholder, &value);
        }
    }
    // Last, because nothing is looked for in the name of a file.
    if of_call {
        let Some(file) = file(payload) else {
            return Err(Failure::NotStarted(format!(
                "the call has no file for `{FILE}`; let the hook run only for tools with a file, \
                 for example with `matcher = \"Edit|Write\"`"
            )));
        };
        put(FILE, &file);
    }
    Ok(Cow::Owned(filled))
}

#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
struct Call<'a> {
    tool_input: Named<'a>,
    file_path: Option<Lent<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound = "'de: 'a")]
struct Named<'a> {
    file_path: Option<Lent<'a>>,
    notebook_path: Option<Lent<'a>>,
}

/// The file that a tool reads or writes, or that the event itself is about.
fn file(payload: &str) -> Option<String> {
    let Call { tool_input, file_path } = serde_json::from_str(payload).ok()?;
    let file = tool_input.file_path.or(tool_input.notebook_path).or(file_path)?;
    (!file.is_empty()).then(|| file.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_call_is_its_tools_or_its_own() {
        for (payload, expected) in [
            (r#"{"tool_input": {"file_path": "/a b/c"}}"#, Some("/a b/c")),
            (r#"{"tool_input": {"notebook_path": "/n"}, "x": 1}"#, Some("/n")),
            (r#"{"file_path": "/watched", "event": "change"}"#, Some("/watched")),
            (r#"{"tool_input": {"file_path": ""}}"#, None),
            (r#"{"tool_input": {"command": "ls"}}"#, None),
            (r#"{"tool_input": "odd"}"#, None),
            ("", None),
        ] {
            assert_eq!(file(payload).as_deref(), expected, "{payload}");
        }
    }
}
