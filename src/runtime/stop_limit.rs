//! The limit on refusals of the end of a session, or of a subagent.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::call::Call;
use crate::chain::merge::{self, Keep, Ran};
use crate::chain::{Outcome, Verdict};
use crate::client::host::Host;
use crate::client::{Answer, Decision, Event, Payload};
use crate::machine::lock::Lock;
use crate::machine::paths::content_hash;
use crate::machine::{clients, clock, environment, files};
use crate::session::id::safe_name;
use crate::session::{SessionId, Store};
use crate::state::FileStore;
use crate::state::journal::Entry;

/// The number of refusals of one prompt's end, unless the client's variable says another. Source: the
/// client's number (2.1.143 and later), which begins again with each tool call.
const CAP: u64 = 8;

const WAIT: Duration = Duration::from_secs(1);

const VARIABLE: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

pub(super) struct Unlimited<'a> {
    pub verdict: Verdict,
    pub ran: Vec<Ran>,
    /// Keeps a text that is too long for the answer.
    pub keep: Keep<'a>,
}

/// The end that is asked for: of a session's work on a prompt, or of a subagent.
pub(super) struct Asked<'a> {
    pub session: SessionId<'a>,
    /// The prompt that was worked on; empty where the client does not say.
    prompt: Cow<'a, str>,
    /// True if the client gives it no id, so that the next one can look the same.
    is_alike: bool,
    agent: &'a str,
    /// True if the client says that the work goes on because an end was refused, or nothing.
    is_active: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn of(payload: &'a Payload<'_>, host: &Host) -> Self {
        let is_text = payload.turn().is_empty() && !payload.prompt.is_empty();
        let is_unnamed = payload.turn().is_empty() && !is_text && !host.is_claude();
        let prompt = match (is_text, is_unnamed) {
            (true, _) => content_hash(payload.prompt.as_bytes()).into(),
            (_, true) => hour().into(),
            _ => Cow::Borrowed(&**payload.turn()),
        };
        Self {
            session: SessionId::new(&*payload.session_id),
            prompt,
            is_alike: is_text || is_unnamed,
            agent: &payload.agent_id,
            // Not every other program says that it does.
            is_active: payload.stop_hook_active || is_unnamed,
        }
    }

    /// Knows a run without a payload by the client's process, with the refusals of an hour for its prompt.
    pub(super) fn by_client() -> Self {
        Self {
            session: SessionId::new(format!("client-{}", clients::caller())),
            prompt: hour().into(),
            is_alike: false,
            agent: "",
            is_active: true,
        }
    }
}

fn hour() -> String {
    format!("hour-{}", clock::unix_seconds() / 3600)
}

/// Gives the verdict of a chain, or lets the end come if it was refused often enough for this prompt.
pub(super) fn limited(
    call: &Call<'_>,
    unlimited: Unlimited<'_>,
    asked: &Asked<'_>,
    entry: &mut Entry<'_>,
) -> Verdict {
    let Unlimited { verdict, ran, keep } = unlimited;
    let event = call.event;
    if !matches!(event, Event::Stop | Event::SubagentStop) {
        return verdict;
    }
    if !goes_on(event, &verdict, &ran) {
        forget(call, asked);
        return verdict;
    }
    note_refusal(call, &verdict, asked);
    let cap = environment::text(VARIABLE).and_then(|cap| cap.parse().ok()).unwrap_or(CAP);
    if cap == 0 {
        return verdict;
    }
    let active = asked.is_active;
    let count = count(&file(call, asked), &asked.prompt, active);
    let message = match count {
        Some(count) if count <= cap => return verdict,
        None if !active => return verdict,
        Some(_) => {
            let times = if cap == 1 { "once".to_owned() } else { format!("{cap} times") };
            format!("allowing {event}: it was refused {times} for this prompt")
        }
        None => format!("allowing {event}: the block count could not be saved"),
    };
    forget(call, asked);
    if ran.is_empty() {
        entry.note(message.clone());
    }
    let refused = ran.iter().filter(|ran| refuses(event, ran)).map(|ran| ran.name.as_str());
    entry.overruled(&refused.collect::<Vec<_>>(), &message);
    let message = format!("{message} ({VARIABLE} sets the number, 0 lifts the limit)");
    let mut rest: Vec<Ran> = ran.iter().map(|ran| without_refusal(event, ran)).collect();
    rest.push(Ran::told("hookman", message));
    merge::merge(event, &rest, keep)
}

/// The time in which a refusal comes back as a prompt; another chain's hooks may run before that.
const COMES_BACK: Duration = Duration::from_secs(15 * 60);

/// Notes why an end was refused: programs other than Claude Code hand it to their prompt hooks.
fn note_refusal(call: &Call<'_>, verdict: &Verdict, asked: &Asked<'_>) {
    if call.event != Event::Stop || call.host.is_claude() {
        return;
    }
    let fitted = call.host.fitted(call.event, verdict.answer.clone(), &mut Vec::new());
    if let Some(reason) = fitted.reason {
        // Without the note, hooks are asked about the refusal.
        let _ = store(call, &asked.session).raise(&flag(&reason), COMES_BACK);
    }
}

pub(super) fn is_refusal(call: &Call<'_>, payload: &Payload<'_>) -> bool {
    call.event == Event::UserPromptSubmit
        && !call.host.is_claude()
        && store(call, &SessionId::new(&*payload.session_id))
            .is_up(&flag(&payload.prompt))
            .unwrap_or(false)
}

fn store(call: &Call<'_>, session: &SessionId<'_>) -> FileStore {
    FileStore::of_run(call.paths.session(&session.file_name()).join("flags"))
}

fn flag(refusal: &str) -> String {
    format!("refused-{}", content_hash(refusal.trim().as_bytes()))
}

/// A step with all that it said but what would keep the end from coming.
fn without_refusal(event: Event, ran: &Ran) -> Ran {
    let answer = ran.answer(event).into_owned();
    let answer = Answer { decision: None, reason: None, context: Vec::new(), ..answer };
    Ran { outcome: Outcome::Answer(answer, None), ..ran.clone() }
}

fn goes_on(event: Event, verdict: &Verdict, ran: &[Ran]) -> bool {
    verdict.answer.decision == Some(Decision::Deny) || ran.iter().any(|ran| refuses(event, ran))
}

// A text for the model keeps the session going as a block does (client 2.1.163 and later).
fn refuses(event: Event, ran: &Ran) -> bool {
    let answer = ran.answer(event);
    answer.decision == Some(Decision::Deny) || !answer.context.is_empty()
}

/// Gives the file with the refusals of a chain, or of a hook with an entry of its own.
fn file(call: &Call<'_>, asked: &Asked<'_>) -> PathBuf {
    let hook = call.hook.as_ref().map_or(String::new(), |hook| format!("-{}", safe_name(hook)));
    let who = if asked.agent.is_empty() { "main" } else { asked.agent };
    let mut stops = call.paths.session(&asked.session.file_name()).join("stops");
    // What an agent made up uses up nothing of what the client's own calls have.
    if !clients::is_called_by_client(&call.paths.config) {
        stops.push("by-hand");
    }
    stops.join(format!("{}{hook}", call.chain.scope)).join(&*safe_name(who))
}

/// Begins again where the end comes and the next prompt may be the same.
fn forget(call: &Call<'_>, asked: &Asked<'_>) {
    if asked.is_alike {
        let _ = files::remove(&file(call, asked));
    }
}

/// Counts one more refusal for a prompt and gives how many there were. Where the client does not
/// name the prompt, one that was not refused before begins again.
fn count(file: &Path, prompt: &str, active: bool) -> Option<u64> {
    let _lock = Lock::take_within(&file.parent()?.with_extension("lock"), WAIT).ok()?;
    let mut text = String::new();
    files::read_own(file, &mut text).ok()?;
    let before = text.split_once(' ').filter(|(_, known)| *known == prompt);
    let before = before.filter(|_| active || !prompt.is_empty());
    let count = before.and_then(|(count, _)| count.parse::<u64>().ok()).unwrap_or(0) + 1;
    let mut line = String::new();
    let _ = write!(line, "{count} {prompt}");
    files::replace_private(file, &line).ok()?;
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_for_each_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("stops/main");
        let rows = [
            ("a", false, 1),
            ("a", true, 2),
            // A tool call in between does not begin it again.
            ("a", false, 3),
            ("b", true, 1),
            ("", true, 1),
            ("", true, 2),
            ("", false, 1),
        ];
        for (prompt, active, expected) in rows {
            assert_eq!(count(&file, prompt, active), Some(expected), "{prompt} {active}");
        }
        // Many at once are counted one by one.
        let mut counts: Vec<u64> = std::thread::scope(|scope| {
            let count = || scope.spawn(|| count(&file, "c", true).unwrap());
            let running: Vec<_> = (0..20).map(|_| count()).collect();
            running.into_iter().map(|it| it.join().unwrap()).collect()
        });
        counts.sort_unstable();
        assert!(counts.into_iter().eq(1..=20));
        let inside = file.join("below-a-file");
        assert_eq!(count(&inside, "a", true), None);
    }
}
