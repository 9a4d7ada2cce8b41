//! What must hold of a verdict, whatever the hooks of a chain did. The fuzz target uses it too.

use hookman::chain::{
    merge::{Ran, Verdict, merge},
    outcome::{Exit, Heard, Outcome, read},
};
use hookman::client::{
    answer::Decision,
    event::{Event, PlainText},
    host::CLAUDE,
    payload,
};
use hookman::manifest::OnError;
use serde_json::Value;

/// What one command did.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    pub(crate) exit: Exit,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) cut: bool,
    pub(crate) on_error: OnError,
}

/// Merges a chain of such commands and holds the verdict against what they said.
pub(crate) fn check(event: Event, chain: &[Behaviour]) -> Verdict {
    let ran: Vec<Ran> = chain.iter().map(|behaviour| ran(event, behaviour)).collect();
    let verdict = merge(event, &ran, &|_| None);
    let answers: Vec<_> = ran.iter().map(|ran| ran.answer(event)).collect();
    let gravest = answers.iter().filter_map(|answer| answer.decision).max();
    assert_eq!(verdict.answer.decision, gravest, "{event} {chain:?}");
    let said = &verdict.encoded(&CLAUDE, event).said;
    let tells = event.shows_failures() && said.stdout.is_empty() && !said.stderr.is_empty();
    let is_known = matches!(said.code, 0 | 2) || said.code == 1 && tells;
    assert!(is_known && (said.code != 1 || gravest.is_none()), "{event} {chain:?}: {said:?}");
    if said.code == 2 {
        assert_eq!(gravest, Some(Decision::Deny), "a block that nobody said: {event} {chain:?}");
    }
    let json = serde_json::from_str::<Value>(said.stdout.trim()).unwrap_or_default();
    if allows(&json) {
        let hook_allows = |behaviour: &Behaviour| {
            let text = String::from_utf8_lossy(&behaviour.stdout);
            // Of an answer among other text, nothing that lets through is believed.
            // The client trims a byte order mark, too.
            let text = text.trim_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
            serde_json::from_str(text).is_ok_and(|said| allows(&said))
        };
        assert!(chain.iter().any(hook_allows), "an `allow` that no hook said: {event} {chain:?}");
    }
    // What hookman wrote itself is JSON or nothing; only a single command's words may be text.
    let passed_on = chain.iter().any(|it| String::from_utf8_lossy(&it.stdout) == said.stdout);
    // Where the client reads text, hookman writes text.
    let as_text = matches!(event.facts().plain_text, PlainText::User | PlainText::Steers);
    let is_fit = said.stdout.is_empty() || passed_on || json.is_object() != as_text;
    let blocks = gravest == Some(Decision::Deny);
    assert!(is_fit || blocks && json.is_object(), "{event} {chain:?}: {said:?}");
    let is_gate = |behaviour: &Behaviour| behaviour.on_error == OnError::Closed;
    for (ran, behaviour) in ran.iter().zip(chain).filter(|(_, behaviour)| is_gate(behaviour)) {
        if matches!(ran.outcome, Outcome::Failure(_)) {
            let holds = event.facts().block == hookman::client::event::Block::Never
                || gravest == Some(Decision::Deny);
            assert!(holds, "a gate that opened: {event} {behaviour:?}");
        }
    }
    verdict
}

fn ran(event: Event, behaviour: &Behaviour) -> Ran {
    let Behaviour { exit, stdout, stderr, cut, on_error } = behaviour;
    let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let heard = Heard { stdout: &stdout, stderr: &stderr, cut: *cut };
    let outcome = read(event, *exit, heard, *on_error).outcome;
    Ran { name: "hook".to_owned(), on_error: *on_error, outcome, exit: None }
}

pub(crate) fn allows(said: &Value) -> bool {
    let specific = &said["hookSpecificOutput"];
    said["decision"] == "approve"
        || specific["permissionDecision"] == "allow"
        || specific["decision"]["behavior"] == "allow"
}

/// Reads what may be a payload: nothing is invented on the way.
pub(crate) fn check_payload(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let repaired = payload::repaired(&text);
    if let Ok(payload) = payload::Payload::parse(&repaired) {
        for event in Event::ALL {
            let _ = payload.subject(*event);
        }
    }
    assert_eq!(payload::repaired(&repaired), repaired, "it is repaired once: {text}");
}
