//! An answer in a program's own form, strictly, as one that finds another word lets the call go on.

use serde_json::{Map, Value, json};

use super::{CODEX, Event, Host, Layout};
use crate::client::answer::{Answer, Decision};
use crate::client::event::Block;
use crate::client::output::{self, Said};

/// The ways of switching that refusals name, and what counts in every program instead.
const WAYS: [(&str, &str); 3] = [
    ("by typing `/hook:disable ", "in another terminal with `hookman disable "),
    ("` in Claude Code, or in another terminal", "`"),
    (" or by typing /hook:careful off", ""),
];

/// An answer as a program reads it.
#[derive(Debug, Default, PartialEq)]
pub struct Encoded {
    pub said: Said,
    /// The parts of the answer that have no effect there, in words.
    pub left_out: Vec<&'static str>,
    pub decision: Option<Decision>,
}

impl Host {
    /// Writes an answer as this program obeys it: unknown parts that hold back become a denial.
    pub fn encode(&self, event: Event, answer: &Answer) -> Encoded {
        if self.is_claude() {
            return Encoded {
                said: output::write(event, answer),
                decision: answer.decision,
                ..Encoded::default()
            };
        }
        let mut left_out = Vec::new();
        let answer = self.fitted(event, answer.clone(), &mut left_out);
        let said = match self.layout {
            Layout::Code if answer.decision == Some(Decision::Deny) => denial(&reason(&answer)),
            Layout::Code => Said::default(),
            _ => {
                let object = self.laid_out(event, &answer);
                let stdout = if object.is_empty() {
                    String::new()
                } else {
                    Value::Object(object).to_string()
                };
                Said { stdout, ..Said::default() }
            }
        };
        Encoded { said, left_out, decision: answer.decision }
    }

    pub fn ways(&self, refusal: &str) -> String {
        let others = WAYS.iter().filter(|_| !self.is_claude());
        others.fold(refusal.to_owned(), |text, (claudes, anyones)| text.replace(claudes, anyones))
    }

    /// An answer with nothing in it that the program cannot honour.
    pub fn fitted(&self, event: Event, answer: Answer, left_out: &mut Vec<&'static str>) -> Answer {
        let block = event.facts().block;
        let heeds = self.heeds;
        let mut fitted = Answer { suppress_output: false, terminal_sequence: None, ..answer };
        // What is typed counts in some programs, and there not for what only a person may switch.
        if let Some(reason) = &mut fitted.reason {
            *reason = self.ways(reason);
        }
        let deny = |answer: &mut Answer, why: String| {
            if answer.decision != Some(Decision::Deny) {
                (answer.decision, answer.reason) = (Some(Decision::Deny), Some(why));
            }
        };
        if block == Block::Permission {
            match fitted.decision {
                Some(Decision::Ask) if heeds.ask => {}
                Some(Decision::Defer) if heeds.ask => fitted.decision = Some(Decision::Ask),
                Some(Decision::Ask | Decision::Defer) => {
                    let why = format!("a person has to allow this: {}", reason(&fitted));
                    deny(&mut fitted, why);
                }
                Some(Decision::Allow) if !heeds.allow => fitted.decision = None,
                _ => {}
            }
            if let Some(input) = fitted.specific.get("updatedInput").filter(|_| !heeds.rewrite) {
                let why = format!("run it as: {input}");
                deny(&mut fitted, why);
            }
            if !heeds.advice_before && !fitted.context.is_empty() {
                fitted.context.clear();
                left_out.push("advice before a tool");
            }
        }
        let is_call = matches!(block, Block::Permission | Block::Request);
        // Codex hides a refused result from a script of the model's as well, which goes on at a stop.
        let hides = event == Event::PostToolUse && self.name == CODEX.name;
        if fitted.stop && (is_call || event == Event::UserPromptSubmit || hides) {
            let why =
                fitted.stop_reason.clone().unwrap_or_else(|| "a hook ended the turn".to_owned());
            deny(&mut fitted, why);
            fitted.stop = false;
        } else if fitted.stop && !heeds.end {
            fitted.stop = false;
            left_out.push("`continue: false`");
        }
        if matches!(event, Event::Stop | Event::SubagentStop) && !fitted.context.is_empty() {
            let text = std::mem::take(&mut fitted.context).join("\n\n");
            deny(&mut fitted, text);
        }
        if event == Event::PostToolUse
            && !heeds.refuse_result
            && fitted.decision == Some(Decision::Deny)
        {
            let text = reason(&fitted);
            fitted.context.insert(0, text);
            (fitted.decision, fitted.reason) = (None, None);
        }
        if event == Event::PreCompact
            && !heeds.refuse_compaction
            && fitted.decision.take() == Some(Decision::Deny)
        {
            fitted.reason = None;
            left_out.push("a refused compaction");
        }
        if fitted.decision == Some(Decision::Deny) {
            fitted.specific.shift_remove("updatedInput");
        }
        fitted
    }

    fn input(&self, input: &Value) -> Value {
        let mut input = input.clone();
        if let Value::Object(fields) = &mut input {
            for (theirs, ours) in self.inputs {
                if let Some(value) = fields.shift_remove(*ours) {
                    fields.insert((*theirs).to_owned(), value);
                }
            }
        }
        input
    }

    fn laid_out(&self, event: Event, answer: &Answer) -> Map<String, Value> {
        let mut top = Map::new();
        let mut nested = Map::new();
        let denies = answer.decision == Some(Decision::Deny);
        let is_flat = self.layout == Layout::Flat;
        match event.facts().block {
            Block::Permission if self.layout == Layout::Gemini => {
                if denies {
                    top.insert("decision".to_owned(), "deny".into());
                    top.insert("reason".to_owned(), reason(answer).into());
                    return top;
                }
                if let Some(input) = answer.specific.get("updatedInput") {
                    nested.insert("tool_input".to_owned(), self.input(input));
                }
            }
            Block::Permission => {
                let place = if is_flat { &mut top } else { &mut nested };
                let input = answer.specific.get("updatedInput");
                // Without it a rewrite is not heeded.
                let decision = answer.decision.or(input.map(|_| Decision::Allow));
                if let Some(decision) = decision {
                    place.insert("permissionDecision".to_owned(), decision.name().into());
                }
                if answer.decision.is_some_and(|it| it != Decision::Allow) {
                    place.insert("permissionDecisionReason".to_owned(), reason(answer).into());
                }
                if let Some(input) = input {
                    let key = if is_flat { "modifiedArgs" } else { "updatedInput" };
                    place.insert(key.to_owned(), self.input(input));
                }
            }
            Block::Request => {
                let behaviour = match answer.decision {
                    Some(Decision::Deny) => json!({"behavior": "deny", "message": reason(answer)}),
                    Some(Decision::Allow) => json!({"behavior": "allow"}),
                    _ => Value::Null,
                };
                match behaviour {
                    Value::Object(fields) if matches!(self.layout, Layout::Root | Layout::Flat) => {
                        top.extend(fields);
                    }
                    Value::Null => {}
                    other => drop(nested.insert("decision".to_owned(), other)),
                }
            }
            // Codex rejects a `decision` there, and compacts.
            Block::Decision if denies && event == Event::PreCompact => {
                top.insert("continue".to_owned(), false.into());
                top.insert("stopReason".to_owned(), reason(answer).into());
            }
            Block::Decision if denies => {
                let word = if self.layout == Layout::Gemini { "deny" } else { "block" };
                top.insert("decision".to_owned(), word.into());
                top.insert("reason".to_owned(), reason(answer).into());
            }
            _ => {}
        }
        if event.facts().context && !answer.context.is_empty() {
            let text = answer.context.join("\n\n");
            if matches!(self.layout, Layout::Root | Layout::Flat) {
                top.insert("additionalContext".to_owned(), text.as_str().into());
            }
            if event.facts().block == Block::Permission && self.layout == Layout::Root
                || matches!(self.layout, Layout::Nested | Layout::Gemini)
            {
                nested.insert("additionalContext".to_owned(), text.into());
            }
        }
        if answer.stop {
            top.insert("continue".to_owned(), false.into());
            if let Some(reason) = &answer.stop_reason {
                top.insert("stopReason".to_owned(), reason.as_str().into());
            }
        }
        if let Some(message) = &answer.system_message {
            top.insert("systemMessage".to_owned(), message.as_str().into());
        }
        if !nested.is_empty() {
            let mut named = Map::new();
            named.insert("hookEventName".to_owned(), self.event_name(event).into());
            named.extend(nested);
            top.insert("hookSpecificOutput".to_owned(), Value::Object(named));
        }
        top
    }
}

/// A denial that every program obeys: by exit code, with one line on standard error.
fn denial(reason: &str) -> Said {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    Said { stderr: format!("{line}\n"), code: 2, ..Said::default() }
}

fn reason(answer: &Answer) -> String {
    let given = answer.reason.clone().filter(|reason| !reason.trim().is_empty());
    let asks = matches!(answer.decision, Some(Decision::Ask | Decision::Defer));
    given.unwrap_or_else(|| if asks { "a hook asks" } else { "a hook denied it" }.to_owned())
}
