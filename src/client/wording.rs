//! The words of an answer, in the layout that an event honours.
//!
//! Source: the client's hooks reference, "Decision control", and runs of client 2.1.329;
//! `tests/client/cases/events.toml` and `verdicts.toml` show it.

use serde_json::{Map, Value};

use super::{Answer, Block, Decision, Event, PlainText};

/// The report of a process to the client: its two outputs and its exit code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub stdout: String,
    pub stderr: String,
    /// 0, 2 for a block, or 1 where the user learns of a failure by the exit code only.
    pub code: u8,
}

/// Writes an answer in the layout of `event`, without what would do harm; a silent one is no output.
pub fn write(event: Event, answer: &Answer) -> Said {
    match event.facts().plain_text {
        PlainText::Ignored | PlainText::Context => in_json(event, answer),
        PlainText::User | PlainText::Steers => in_text(event, answer),
    }
}

fn in_json(event: Event, answer: &Answer) -> Said {
    let facts = event.facts();
    let mut top = Map::new();
    let mut specific = answer.specific.clone();
    let mut said = Said::default();
    match (facts.block, answer.decision) {
        (Block::Permission, Some(decision)) => {
            specific.insert("permissionDecision".to_owned(), decision.name().into());
            if let Some(reason) = &answer.reason {
                specific.insert("permissionDecisionReason".to_owned(), reason.as_str().into());
            }
        }
        // In JSON the client tells the model the reason twice (2.1.329), by exit code once; what
        // else is said still goes by JSON.
        (Block::Decision, Some(Decision::Deny))
            if matches!(event, Event::Stop | Event::SubagentStop | Event::TeammateIdle) =>
        {
            (said.code, said.stderr) = (2, reason(answer));
        }
        (Block::ExitCode, Some(Decision::Deny)) => {
            (said.code, said.stderr) = (2, reason(answer));
        }
        (Block::Decision, Some(Decision::Deny)) => block(&mut top, answer),
        (Block::Request, decision) => request(&mut specific, decision, answer),
        (Block::Action, Some(Decision::Deny)) => decline(&mut top, &mut specific, answer),
        _ => {}
    }
    if facts.context && !answer.context.is_empty() {
        specific.insert("additionalContext".to_owned(), answer.context.join("\n\n").into());
    }
    if answer.stop {
        top.insert("continue".to_owned(), false.into());
        if let Some(reason) = &answer.stop_reason {
            top.insert("stopReason".to_owned(), reason.as_str().into());
        }
    }
    if answer.suppress_output {
        top.insert("suppressOutput".to_owned(), true.into());
    }
    let message = answer.system_message.as_ref();
    let shown = message.filter(|_| facts.top.contains(&"systemMessage"));
    // Nobody is shown it; what is on standard error is in the debug log at least.
    if let Some(message) = message.filter(|_| !event.shows_messages()) {
        let newline = if said.stderr.is_empty() { "" } else { "\n" };
        said.stderr = format!("{}{newline}{message}", said.stderr);
    }
    for (key, text) in
        [("systemMessage", shown), ("terminalSequence", answer.terminal_sequence.as_ref())]
    {
        if let Some(text) = text {
            top.insert(key.to_owned(), text.as_str().into());
        }
    }
    // The client throws an answer away that has this object on an event which has no use for it.
    if !specific.is_empty() && !facts.specific.is_empty() {
        let mut named = Map::new();
        named.insert("hookEventName".to_owned(), event.name().into());
        named.extend(specific);
        top.insert("hookSpecificOutput".to_owned(), Value::Object(named));
    }
    if answer.failed && event.shows_failures() {
        // JSON on standard output would make the client pass over the code.
        said.code = 1;
    } else if !top.is_empty() {
        said.stdout = Value::Object(top).to_string();
    }
    said
}

/// Writes an answer where standard output is text: compaction instructions, a path, words for the user.
fn in_text(event: Event, answer: &Answer) -> Said {
    let facts = event.facts();
    match (facts.block, answer.decision) {
        (Block::ExitCode, Some(Decision::Deny)) => {
            return Said { stderr: reason(answer), code: 2, ..Said::default() };
        }
        (Block::Decision, Some(Decision::Deny)) => {
            let mut top = Map::new();
            block(&mut top, answer);
            return Said { stdout: Value::Object(top).to_string(), ..Said::default() };
        }
        _ => {}
    }
    let message = answer.system_message.clone().unwrap_or_default();
    if facts.plain_text == PlainText::User {
        let mut lines = answer.context.clone();
        lines.extend(answer.system_message.clone());
        return Said { stdout: lines.join("\n"), ..Said::default() };
    }
    let path = answer.specific.get("worktreePath").and_then(Value::as_str);
    let stdout = path.map_or_else(|| answer.context.join("\n\n"), str::to_owned);
    // The client takes instructions from a hook that succeeds only.
    let tells = answer.failed && event.shows_failures() && stdout.is_empty();
    Said { stdout, stderr: message, code: tells.into() }
}

fn reason(answer: &Answer) -> String {
    answer.reason.clone().unwrap_or_else(|| "no reason was given".to_owned())
}

fn block(top: &mut Map<String, Value>, answer: &Answer) {
    top.insert("decision".to_owned(), "block".into());
    top.insert("reason".to_owned(), reason(answer).into());
}

fn decline(top: &mut Map<String, Value>, specific: &mut Map<String, Value>, answer: &Answer) {
    if specific.get("action").is_none_or(|action| action == "accept") {
        specific.insert("action".to_owned(), "decline".into());
        specific.shift_remove("content");
    }
    if let Some(reason) = &answer.reason {
        top.insert("reason".to_owned(), reason.as_str().into());
    }
}

fn request(specific: &mut Map<String, Value>, decision: Option<Decision>, answer: &Answer) {
    match decision {
        Some(Decision::Allow) => {}
        Some(Decision::Deny) => {
            let mut refusal = Map::new();
            refusal.insert("behavior".to_owned(), "deny".into());
            refusal.insert("message".to_owned(), reason(answer).into());
            if let Some(Value::Object(said)) = specific.shift_remove("decision") {
                refusal.extend(said.into_iter().filter(|(key, _)| key == "interrupt"));
            }
            specific.insert("decision".to_owned(), refusal.into());
        }
        // The user is asked where no hook decides.
        Some(Decision::Ask | Decision::Defer) | None => {
            specific.shift_remove("decision");
        }
    }
}
