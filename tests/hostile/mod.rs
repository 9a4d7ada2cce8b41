//! Random and hostile payloads and children: no panic, no hang, no 2 without a verdict, no `allow`
//! that no hook said.

#![cfg(test)]

mod processes;
mod verdict;

use hookman::chain::outcome::Exit;
use hookman::client::event::Event;
use hookman::manifest::OnError;
use proptest::{collection::vec, prelude::*, sample::select};
use verdict::{Behaviour, check, check_payload};

/// Pieces that outputs are put together from: answers, near-answers and noise.
pub(crate) const PIECES: &[&str] = &[
    "",
    "\n",
    " ",
    "{",
    "}",
    "[",
    "\"",
    "{}",
    "null",
    "text",
    "\u{feff}",
    "\u{1b}[31m",
    "\u{202e}",
    "\0",
    r#"{"decision":"block"}"#,
    r#"{"decision":"block","reason":"no"}"#,
    r#"{"decision":"approve"}"#,
    r#"{"decision":"allow"}"#,
    r#"{"decision":5}"#,
    r#"{"continue":false,"stopReason":"enough"}"#,
    r#"{"continue":"no"}"#,
    r#"{"systemMessage":"hello"}"#,
    r#"{"async":true}"#,
    r#"{"hookSpecificOutput":[]}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"a"}}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":7}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"mind"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept"}}"#,
    r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#,
];

fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..40),
        1 => (1_usize..3000).prop_map(|depth| b"{\"a\":".repeat(depth)),
    ];
    vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        6 => Just(Exit::Code(0)),
        3 => Just(Exit::Code(2)),
        2 => select(&[1, 3, 126, 127, 255][..]).prop_map(Exit::Code),
        1 => any::<i32>().prop_map(Exit::Code),
        1 => (1..64).prop_map(Exit::Signal),
        1 => Just(Exit::TimedOut(100)),
        1 => Just(Exit::GoesOn),
    ]
}

pub(crate) fn on_error() -> impl Strategy<Value = OnError> {
    select(&[OnError::Open, OnError::Ask, OnError::Closed][..])
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    (exit(), output(), output(), any::<bool>(), on_error()).prop_map(
        |(exit, stdout, stderr, cut, on_error)| Behaviour { exit, stdout, stderr, cut, on_error },
    )
}

/// Texts near to what the client sends, and bytes that are not.
pub(crate) fn payload() -> impl Strategy<Value = Vec<u8>> {
    let value = select(
        &[
            "\"one\"",
            "\"\"",
            "null",
            "5",
            "-1e999",
            "[]",
            "{}",
            "true",
            "\"\\ud800\"",
            "\"a\u{1}b\"",
            "\"../../etc\"",
            "{\"command\":\"ls\"}",
            "\"Bash\"",
            "\"\u{1f600}\"",
            "\"\\u0000\"",
        ][..],
    );
    let key = select(
        &[
            "session_id",
            "cwd",
            "hook_event_name",
            "tool_name",
            "tool_input",
            "prompt_id",
            "agent_type",
            "agent_id",
            "source",
            "stop_hook_active",
            "permission_mode",
            "x",
            "",
        ][..],
    );
    let near = vec((key, value), 0..10).prop_map(|members| {
        let members: Vec<String> =
            members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}\n", members.join(",")).into_bytes()
    });
    let cut = (near.clone(), any::<prop::sample::Index>())
        .prop_map(|(text, at)| text[..at.index(text.len())].to_vec());
    prop_oneof![6 => near, 1 => cut, 1 => vec(any::<u8>(), 0..200)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_chain_says_more_than_its_hooks(
        event in select(Event::ALL),
        chain in vec(behaviour(), 0..4),
    ) {
        check(event, &chain);
    }

    #[test]
    fn no_payload_is_too_odd(bytes in payload()) {
        check_payload(&bytes);
    }
}
