//! From the outcomes of a chain to one verdict.

use std::borrow::Cow;

use super::outcome::{Failure, consequence};
use super::{Outcome, fields};
use crate::client::host::{Encoded, Host};
use crate::client::output::Said;
use crate::client::{Answer, Decision, Event, PlainText, Subject};
use crate::manifest::OnError;

#[derive(Clone, Debug)]
pub struct Ran {
    pub name: String,
    pub on_error: OnError,
    pub outcome: Outcome,
    pub exit: Option<i32>,
}

impl Ran {
    /// Makes a message to the user that is no step's answer.
    pub fn told(name: &str, message: String) -> Self {
        let answer = Answer { system_message: Some(message), ..Answer::default() };
        let (name, outcome) = (name.to_owned(), Outcome::Answer(answer, None));
        Self { name, on_error: OnError::Open, outcome, exit: None }
    }

    /// The step's answer, a failure turned into what its `on_error` says.
    pub fn answer(&self, event: Event) -> Cow<'_, Answer> {
        match &self.outcome {
            Outcome::Answer(answer, _) => Cow::Borrowed(answer),
            Outcome::Failure(failure) => {
                let mut answer = consequence(event, failure, self.on_error);
                if answer.reason.is_some() && self.on_error != OnError::Open {
                    answer.reason = Some(self.explained(event, failure, answer.decision));
                }
                Cow::Owned(answer)
            }
        }
    }

    /// Explains a failed gate: the gate failed, and not the call that it was asked about.
    fn explained(&self, event: Event, failure: &Failure, decision: Option<Decision>) -> String {
        let (what, so) = match (event, event.facts().subject) {
            (Event::UserPromptSubmit | Event::UserPromptExpansion, _) => {
                ("this prompt", ", so the prompt did not go through")
            }
            (Event::Stop | Event::SubagentStop, _) => {
                ("the end of this turn", ", so the turn goes on")
            }
            (Event::PreToolUse | Event::PermissionRequest, _) => {
                ("this call", ", so nothing of this call ran")
            }
            (_, Subject::Tool) => ("this call", ""),
            _ => ("this", ""),
        };
        let (does, so) = match decision {
            Some(Decision::Ask) => ("asks", ""),
            _ => ("blocks", so),
        };
        let (on_error, name) = (self.on_error.name(), &self.name);
        if matches!(failure, Failure::Held(_)) {
            return format!(
                "could not check {what}: it {failure}. It {does} meanwhile (on_error = \"{on_error}\"){so}. \
                 For the user: do what this names in another terminal, and work goes on."
            );
        }
        format!(
            "could not check {what}: the hook itself failed (it {failure}). It {does} when it fails \
             (on_error = \"{on_error}\"){so}. For the user: `hookman why` shows the failure, and `hookman \
             disable {name}` in a terminal lets work go on."
        )
    }
}

/// The answer of hookman, in its own words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub answer: Answer,
    /// The exact words of the one command that spoke, which Claude Code gets as they are.
    pub exact: Option<Said>,
}

impl From<Answer> for Verdict {
    fn from(answer: Answer) -> Self {
        Self { answer, exact: None }
    }
}

impl Verdict {
    pub fn encoded(&self, host: &Host, event: Event) -> Encoded {
        match &self.exact {
            Some(said) if host.is_claude() => {
                Encoded { said: said.clone(), decision: self.answer.decision, ..Encoded::default() }
            }
            _ => host.encode(event, &self.answer),
        }
    }

    /// The verdict on several calls in one, denied if one is; a part cannot rewrite the whole, and denies.
    pub fn of_parts(parts: Vec<Self>) -> Self {
        let mut whole = Answer::default();
        let mut reasons = Vec::new();
        for Self { mut answer, .. } in parts {
            if let Some(input) = answer.specific.shift_remove("updatedInput")
                && answer.decision != Some(Decision::Deny)
            {
                answer.decision = Some(Decision::Deny);
                answer.reason =
                    Some(format!("a patch cannot be rewritten; edit it like this: {input}"));
            }
            if answer.decision > whole.decision {
                reasons.clear();
                whole.decision = answer.decision;
            }
            if answer.decision == whole.decision {
                add(&mut reasons, answer.reason);
            }
            for text in answer.context {
                add(&mut whole.context, Some(text));
            }
            let mut messages = Vec::from_iter(whole.system_message.take());
            add(&mut messages, answer.system_message);
            whole.system_message = lines(&messages);
            whole.stop |= answer.stop;
            whole.stop_reason = whole.stop_reason.or(answer.stop_reason);
            whole.failed |= answer.failed;
        }
        whole.reason = lines(&reasons);
        whole.into()
    }
}

fn add(texts: &mut Vec<String>, text: Option<String>) {
    texts.extend(text.filter(|text| !texts.contains(text)));
}

fn lines(lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Merges the outcomes of a chain, in order; what has no room goes to `keep`.
///
/// The gravest decision wins and its reasons name their hooks; contexts and messages are all kept;
/// of two rewrites of one field the later wins, as the later hook saw the earlier one's. Where one
/// command alone spoke, its words are passed on as they are.
pub fn merge(event: Event, ran: &[Ran], keep: Keep<'_>) -> Verdict {
    let answers: Vec<(&Ran, Cow<'_, Answer>)> = ran
        .iter()
        .map(|ran| (ran, ran.answer(event)))
        .filter(|(_, answer)| !answer.is_silent())
        .collect();
    if let [(Ran { outcome: Outcome::Answer(answer, Some(said)), .. }, _)] = answers.as_slice()
        && !does_harm(event, said)
    {
        return Verdict { answer: answer.clone(), exact: Some(said.clone()) };
    }
    let decision = answers.iter().filter_map(|(_, answer)| answer.decision).max();
    let mut merged = Answer { decision, ..Answer::default() };
    let (mut reasons, mut messages, mut stops) = (Vec::new(), Vec::new(), Vec::new());
    for (ran, answer) in answers {
        let answer = answer.into_owned();
        let named = |text: &str| format!("{}: {text}", ran.name);
        let wins = answer.decision == decision;
        if wins && decision.is_some() {
            reasons.extend(reason(&answer).map(named));
        }
        // Two guards with one set of rules warn of the same.
        let said = |text: &str| text.split_once(" warns: ").map(|(_, said)| said.to_owned());
        for text in answer.context.into_iter().filter(|text| !text.is_empty()) {
            let warning = said(&text);
            if warning.is_none() || !merged.context.iter().any(|known| said(known) == warning) {
                merged.context.push(text);
            }
        }
        messages.extend(answer.system_message.as_deref().map(named));
        if answer.stop {
            merged.stop = true;
            stops.extend(answer.stop_reason.as_deref().map(named));
        }
        if let Some(sequence) = answer.terminal_sequence {
            let sequences = merged.terminal_sequence.get_or_insert_default();
            if sequences.len() + sequence.len() <= SEQUENCES {
                sequences.push_str(&sequence);
            }
        }
        merged.suppress_output |= answer.suppress_output;
        merged.failed |= answer.failed;
        let said = answer.specific.into_iter();
        fields::add(
            &mut merged.specific,
            said.filter(|(key, _)| wins || !fields::decides(key)).collect(),
        );
    }
    if decision == Some(Decision::Deny) {
        // What is not done needs no input.
        merged.specific.shift_remove("updatedInput");
    }
    if event == Event::WorktreeCreate {
        // The path is the last line of the first hook that printed any (2.1.329).
        merged.context.truncate(1);
    } else if !merged.context.is_empty() {
        merged.context = vec![join(&merged.context, keep)];
    }
    merged.reason = lines(&reasons);
    merged.stop_reason = lines(&stops);
    merged.system_message = lines(&messages).map(|messages| join(&[messages], keep));
    merged.into()
}

/// The most bytes of escape sequences that the client writes to the terminal (2.1.197).
const SEQUENCES: usize = 4096;

/// The reason of an answer; who holds something back is named also where none was given.
fn reason(answer: &Answer) -> Option<&str> {
    let asks = matches!(answer.decision, Some(Decision::Ask | Decision::Deny));
    let given = answer.reason.as_deref().filter(|reason| !asks || !reason.trim().is_empty());
    given.or(asks.then_some("gave no reason"))
}

// Where the client takes standard output for text, JSON would be read by the model or the user
// (seen on 2.1.329); only a block is understood.
fn does_harm(event: Event, said: &Said) -> bool {
    matches!(event.facts().plain_text, PlainText::Steers | PlainText::User)
        && said.stdout.trim_start().starts_with('{')
}

/// The most UTF-16 units of a text that the client takes over; of a longer one it shows 2,000 and a path.
/// Source: the client's hooks reference.
pub const ROOM: usize = 10_000;

/// Keeps a text somewhere and gives the path under which it can be read.
pub type Keep<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Joins texts by blank lines; beyond the room the long ones are cut, and a last line says where all is.
pub fn join(texts: &[String], keep: Keep<'_>) -> String {
    let whole = texts.join("\n\n");
    // A text never has more UTF-16 units than bytes.
    if whole.len() <= ROOM || units(&whole) <= ROOM {
        return whole;
    }
    let note = match keep(&whole) {
        Some(path) => format!(
            "[hookman: {} characters do not fit in here; the whole text is in {path}]",
            units(&whole)
        ),
        None => format!(
            "[hookman: {} characters do not fit in here, and the whole text could not be kept]",
            units(&whole)
        ),
    };
    // Each text may take an ellipsis and the blank line behind it.
    let room = ROOM.saturating_sub(units(&note) + 3 * texts.len());
    // Less than this of a text says nothing; of very many the last ones are left out.
    let share = share(texts.iter().map(|text| units(text)).collect(), room).max(40);
    let mut shown = String::new();
    for text in texts {
        let short = shortened(text, share);
        if units(&shown) + units(&short) + units(&note) + 2 <= ROOM {
            shown.push_str(&short);
            shown.push_str("\n\n");
        }
    }
    shown + &note
}

/// The most that each of these lengths may have for all of them to fit into `room`.
fn share(mut lengths: Vec<usize>, mut room: usize) -> usize {
    lengths.sort_unstable();
    let count = lengths.len();
    for (index, length) in lengths.into_iter().enumerate() {
        let share = room / (count - index);
        if length > share {
            return share;
        }
        room -= length;
    }
    usize::MAX
}

fn shortened(text: &str, most: usize) -> String {
    if units(text) <= most {
        return text.to_owned();
    }
    let mut left = most;
    let fits = |character: &char| {
        let taken = left.checked_sub(character.len_utf16());
        left = taken.unwrap_or(0);
        taken.is_some()
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_shortened_where_it_is_long_and_kept_whole() {
        let rows = [
            (vec!["short".to_owned(), "a".repeat(9_993)], true),
            (vec!["short".to_owned(), "a".repeat(9_994)], false),
            (vec!["a".repeat(30_000), "short".to_owned(), "b".repeat(30_000)], false),
            (vec!["𝄞".repeat(5_000)], true),
            (vec!["𝄞".repeat(5_001), "short".to_owned()], false),
            (vec!["short".to_owned(); 3_000], false),
        ];
        for (texts, fits) in rows {
            let kept = std::cell::RefCell::new(String::new());
            let keep = |text: &str| {
                text.clone_into(&mut kept.borrow_mut());
                Some("/kept".to_owned())
            };
            let whole = texts.join("\n\n");
            let joined = join(&texts, &keep);
            assert!(units(&joined) <= ROOM, "{}", units(&joined));
            assert!(joined.contains("short") || whole.starts_with('𝄞'));
            if fits {
                assert_eq!((joined, &*kept.borrow()), (whole, &String::new()));
            } else {
                let note = "do not fit in here; the whole text is in /kept]";
                assert!(joined.ends_with(note) && *kept.borrow() == whole, "{joined}");
                assert!(units(&joined) > ROOM - 400 || texts.len() > 100, "{}", units(&joined));
            }
        }
        assert!(join(&["a".repeat(20_000)], &|_| None).ends_with("could not be kept]"));
    }
}
