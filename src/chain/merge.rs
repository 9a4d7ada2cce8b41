//! From the outcomes of a chain to one verdict.

use serde_json::Value;

use super::outcome::{Outcome, consequence};
use crate::client::answer::{Answer, Decision};
use crate::client::event::Event;
use crate::client::output::{self, Said};
use crate::manifest::OnError;

/// One step that was run.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The hook's name.
    pub name: String,
    /// What a failure of it means.
    pub on_error: OnError,
    /// What it came to.
    pub outcome: Outcome,
}

impl Ran {
    /// What is no step's answer and only tells the user something.
    pub fn told(name: &str, message: String) -> Self {
        let answer = Answer { system_message: Some(message), ..Answer::default() };
        let (name, outcome) = (name.to_owned(), Outcome::Answer(answer, None));
        Self { name, on_error: OnError::Open, outcome }
    }

    /// The step's answer, a failure turned into what its `on_error` says.
    pub fn answer(&self, event: Event) -> Answer {
        match &self.outcome {
            Outcome::Answer(answer, _) => answer.clone(),
            Outcome::Failure(failure) => consequence(event, failure, self.on_error),
        }
    }
}

/// What hookman answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The decision, if any hook made one.
    pub decision: Option<Decision>,
    /// The words for the client.
    pub said: Said,
}

/// Merges the outcomes of a chain, in order.
///
/// The gravest decision wins and its reasons name their hooks; contexts and messages are all kept;
/// of two rewrites of one field the later wins, as the later hook saw the earlier one's. Where one
/// command alone spoke, its words are passed on as they are.
pub fn merge(event: Event, ran: &[Ran]) -> Verdict {
    let answers: Vec<(&Ran, Answer)> = ran
        .iter()
        .map(|ran| (ran, ran.answer(event)))
        .filter(|(_, answer)| !answer.is_silent())
        .collect();
    if let [(Ran { outcome: Outcome::Answer(answer, Some(said)), .. }, _)] = answers.as_slice() {
        return Verdict { decision: answer.decision, said: said.clone() };
    }
    let decision = answers.iter().filter_map(|(_, answer)| answer.decision).max();
    let mut merged = Answer { decision, ..Answer::default() };
    let mut reasons = Vec::new();
    let mut messages = Vec::new();
    for (ran, answer) in answers {
        let named = |text: &str| format!("{}: {text}", ran.name);
        if answer.decision.is_some() && answer.decision == merged.decision {
            reasons.extend(answer.reason.as_deref().map(named));
        }
        merged.context.extend(answer.context);
        messages.extend(answer.system_message.as_deref().map(named));
        if answer.stop && !merged.stop {
            merged.stop = true;
            merged.stop_reason = answer.stop_reason;
        }
        if let Some(sequence) = answer.terminal_sequence {
            merged.terminal_sequence.get_or_insert_default().push_str(&sequence);
        }
        for (key, value) in answer.specific {
            match (merged.specific.get_mut(&key), value) {
                (Some(Value::Object(earlier)), Value::Object(later)) if key == "updatedInput" => {
                    earlier.extend(later);
                }
                (_, value) => {
                    merged.specific.insert(key, value);
                }
            }
        }
    }
    merged.reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
    merged.system_message = (!messages.is_empty()).then(|| messages.join("\n"));
    Verdict { decision: merged.decision, said: output::write(event, &merged) }
}
