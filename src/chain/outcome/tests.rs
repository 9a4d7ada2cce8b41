use serde_json::Value;

use super::*;
use crate::client::ExitTwo;

/// Names the effect of an answer on the client.
fn effect(said: &Said) -> &'static str {
    let json: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
    let specific = &json["hookSpecificOutput"];
    match (said.code, &specific["permissionDecision"]) {
        (2, _) => "exit 2",
        (_, Value::String(word)) if word == "ask" => "ask",
        (_, Value::String(word)) if word == "deny" => "deny",
        _ if specific["decision"]["behavior"] == "deny" => "deny",
        _ if specific["action"] == "decline" => "decline",
        _ if json["decision"] == "block" => "block",
        _ if json["systemMessage"].is_string() => "told",
        // Where standard output is read as text, there is no JSON to tell it in.
        _ if json.is_null() && said.stdout.len() + said.stderr.len() > 0 => "told",
        _ => "silent",
    }
}

#[test]
fn each_failure_means_what_on_error_says_on_every_event() {
    let failures = [
        Failure::NotStarted("why".to_owned()),
        Failure::TimedOut(1000),
        Failure::Signal(11),
        Failure::Code(1, "why".to_owned()),
        Failure::Output("why".to_owned()),
        Failure::Builtin("why".to_owned()),
    ];
    let stops = [Event::Stop, Event::SubagentStop, Event::TeammateIdle];
    for event in Event::ALL {
        let effects = match event.facts().block {
            Block::Never => ["told", "told", "told"],
            Block::Permission => ["told", "ask", "deny"],
            Block::Request => ["told", "told", "deny"],
            // What failed is not done.
            Block::ExitCode if event.facts().exit_two == ExitTwo::Fails => ["exit 2"; 3],
            Block::Decision if stops.contains(event) => ["told", "exit 2", "exit 2"],
            Block::Decision => ["told", "block", "block"],
            Block::ExitCode => ["told", "exit 2", "exit 2"],
            Block::Action => ["told", "decline", "decline"],
        };
        // A hook of this event that is late blocks under the client too.
        let late = |failure: &Failure| matches!(failure, Failure::TimedOut(_));
        let effects_of = |failure: &Failure| match event {
            Event::PreModelSwitch if late(failure) => ["deny", "ask", "deny"],
            _ => effects,
        };
        let policies = [OnError::Open, OnError::Ask, OnError::Closed];
        for (failure, (on_error, expected)) in failures
            .iter()
            .flat_map(|it| policies.iter().zip(effects_of(it)).map(move |row| (it, row)))
        {
            let said = output::write(*event, &consequence(*event, failure, *on_error));
            assert_eq!(effect(&said), expected, "{event} {failure:?} {on_error:?}");
            let words = format!("{}{}", said.stdout, said.stderr);
            let names = expected == "decline" || words.contains(&failure.to_string());
            assert!(names, "{event} {failure:?} {on_error:?}: {words}");
        }
    }
}

#[test]
fn a_command_is_read_as_the_client_reads_it_and_no_2_blocks_by_accident() {
    let read = |event, exit, stdout, stderr, on_error| {
        let heard = Heard { stdout, stderr, cut: false };
        match read(event, exit, heard, on_error).outcome {
            Outcome::Answer(answer, _) if answer.is_silent() => "silent".to_owned(),
            Outcome::Answer(Answer { decision: Some(decision), .. }, _) => {
                format!("{decision:?}").to_lowercase()
            }
            Outcome::Answer(..) => "spoke".to_owned(),
            Outcome::Failure(failure) => failure.kind().to_owned(),
        }
    };
    let deny = r#"{"decision":"block","reason":"no"}"#;
    let allow = r#"{"decision":"approve"}"#;
    let ask = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#;
    let refuse = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"#;
    let noisy = &format!("hi\n{deny}");
    let rows = [
        (Event::PreToolUse, Exit::Code(0), "", "silent"),
        (Event::PreToolUse, Exit::Code(0), "text", "silent"),
        (Event::SessionStart, Exit::Code(0), "text", "spoke"),
        (Event::PreToolUse, Exit::Code(0), deny, "deny"),
        (Event::PreToolUse, Exit::Code(1), deny, "deny"),
        (Event::PreToolUse, Exit::Code(0), allow, "allow"),
        (Event::PreToolUse, Exit::Code(2), allow, "deny"),
        (Event::PreToolUse, Exit::Code(1), allow, "exit-code"),
        (Event::PreToolUse, Exit::Code(127), allow, "not-started"),
        (Event::PreToolUse, Exit::Code(2), "", "deny"),
        (Event::PreToolUse, Exit::Code(2), "{ broken }", "deny"),
        (Event::SessionStart, Exit::Code(2), "", "exit-code"),
        (Event::PermissionRequest, Exit::Code(2), "", "exit-code"),
        (Event::PreToolUse, Exit::Code(1), "", "exit-code"),
        (Event::PreToolUse, Exit::Code(126), "", "not-started"),
        (Event::PreToolUse, Exit::Code(127), "", "not-started"),
        (Event::PreToolUse, Exit::Code(0), "{ broken }", "output"),
        (Event::PreToolUse, Exit::Code(127), deny, "deny"),
        (Event::PreToolUse, Exit::Signal(9), deny, "deny"),
        (Event::PreToolUse, Exit::Signal(9), ask, "ask"),
        (Event::PreToolUse, Exit::Signal(9), r#"{"continue":false}"#, "spoke"),
        (Event::Stop, Exit::Signal(9), deny, "deny"),
        (Event::PermissionRequest, Exit::Signal(9), refuse, "deny"),
        (Event::TaskCreated, Exit::Signal(9), r#"{"continue":false}"#, "signal"),
        (Event::SessionStart, Exit::Signal(9), deny, "signal"),
        (Event::PreToolUse, Exit::Signal(9), allow, "signal"),
        (Event::PreToolUse, Exit::Signal(9), r#"{"systemMessage":"x"}"#, "signal"),
        (Event::PreToolUse, Exit::Signal(9), noisy, "signal"),
        (Event::PreToolUse, Exit::Code(0), noisy, "deny"),
        (Event::PreToolUse, Exit::Code(1), noisy, "exit-code"),
        (Event::PreToolUse, Exit::Code(1), "hi\n{\"systemMessage\":\"x\"}", "exit-code"),
        (Event::PreToolUse, Exit::TimedOut(5), deny, "timed-out"),
        (Event::PreToolUse, Exit::Code(0), "{\"async\":true}\nx", "silent"),
        (Event::PreToolUse, Exit::GoesOn, "", "silent"),
    ];
    for (event, exit, stdout, expected) in rows {
        let found = read(event, exit, stdout, "", OnError::Open);
        assert_eq!(found, expected, "{event} {exit:?} {stdout}");
    }
    let closed = |exit, stdout| read(Event::PreToolUse, exit, stdout, "", OnError::Closed);
    assert_eq!(closed(Exit::Code(0), "{ cut"), "output");
    assert_eq!(closed(Exit::GoesOn, ""), "output");
    assert_eq!(closed(Exit::Code(0), "hi\n{\"permissionDecision\":\"deny\""), "output");
    let noisy = format!("warn: {deny}");
    assert_eq!(closed(Exit::Code(0), &noisy), "output");
    let noisy = format!("hi\n{deny}");
    assert_eq!(closed(Exit::Code(1), &noisy), "deny");
    assert_eq!(closed(Exit::Code(0), "hi"), "silent");
    for odd in [r#"{"async":true}"#, r#"{"async":"true"}"#, r#"{"async":1}"#] {
        assert_eq!(closed(Exit::Code(0), odd), "output", "{odd}");
    }
    assert_eq!(closed(Exit::Code(0), r#"{"async":false}"#), "silent");
    let denies = r#"{"async":"true","decision":"block","reason":"no"}"#;
    assert_eq!(closed(Exit::Code(0), denies), "deny");
    assert_eq!(closed(Exit::Code(1), r#"{"systemMessage":"x"}"#), "exit-code");
    assert_eq!(closed(Exit::Signal(9), deny), "deny");
    assert_eq!(closed(Exit::Signal(9), allow), "signal");
}

/// The kind of what an exit with 0 and this output come to: a decision, a failure or neither.
fn kind(event: Event, stdout: &str, cut: bool, on_error: OnError) -> &'static str {
    let heard = Heard { stdout, stderr: "", cut };
    match read(event, Exit::Code(0), heard, on_error).outcome {
        Outcome::Answer(answer, _) => answer.decision.map_or("none", Decision::name),
        Outcome::Failure(failure) => failure.kind(),
    }
}

#[test]
fn a_garbled_answer_is_never_weaker_than_the_client_reads_it() {
    let deny = r#"{"decision":"block","reason":"no"}"#;
    let deep = format!("{}1{}", "[".repeat(1000), "]".repeat(1000));
    let rows = [
        (format!("\u{feff}{deny}"), "deny"),
        (format!("\n\u{feff}\u{feff} {deny}\u{feff}\n"), "deny"),
        (format!("\u{a0}{deny}"), "deny"),
        (r#"{"decision":"block","reason":"half \ud83d"}"#.to_owned(), "deny"),
        (r#"{"decision":"block","n":1e999}"#.to_owned(), "deny"),
        (format!(r#"{{"decision":"block","a":{deep}}}"#), "deny"),
        (
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"ask","a":{deep}}}}}"#
            ),
            "ask",
        ),
        // The client takes the rest for text or nonsense.
        (format!("\u{200b}{deny}"), "none"),
        ("\u{85}{\"decision\":\"approve\"}".to_owned(), "none"),
        ("{\"decision\":\"approve\",\"reason\":\"a\tb\"}".to_owned(), "output"),
        (r#"{"permissionDecision":"deny"}"#.to_owned(), "none"),
    ];
    for (stdout, expected) in &rows {
        assert_eq!(kind(Event::PreToolUse, stdout, false, OnError::Open), *expected, "{stdout}");
    }
}

#[test]
fn a_gate_whose_answer_cannot_be_heeded_has_failed() {
    let named =
        |rest: &str| format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{rest}}}}}"#);
    let rows = [
        (r#"{"permissionDecision":"deny"}"#.to_owned(), false, "output"),
        (named(r#""decision":"block""#), false, "output"),
        (format!("hello\n{}", named(r#""decision":"block""#)), false, "output"),
        (r#"{"hook_specific_output":{"permission_decision":"deny"}}"#.to_owned(), false, "output"),
        (r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#.to_owned(), false, "output"),
        (format!("hello\n{}", named(r#""additionalContext":"x""#)), true, "output"),
        (named(r#""permissionDecision":"allow""#), true, "output"),
        (format!("hello\n{}", named(r#""permissionDecision":"deny""#)), true, "deny"),
        ("hello".to_owned(), true, "output"),
        ("hello".to_owned(), false, "none"),
        (named(r#""permissionDecision":"allow""#), false, "allow"),
        (format!("hello\n{}", named(r#""permissionDecision":"allow""#)), false, "none"),
        (r#"{"decision":"approve","permissionDecision":"allow"}"#.to_owned(), false, "allow"),
        (r#"{"continue":false,"permissionDecision":"deny"}"#.to_owned(), false, "none"),
        (r#"{"systemMessage":"x"}"#.to_owned(), false, "none"),
    ];
    for (stdout, cut, expected) in &rows {
        for on_error in [OnError::Ask, OnError::Closed] {
            let found = kind(Event::PreToolUse, stdout, *cut, on_error);
            assert_eq!(found, *expected, "{on_error:?} {stdout}");
        }
    }
    let told = |stdout| kind(Event::SessionStart, stdout, false, OnError::Closed);
    assert_eq!(told(r#"{"decision":"block"}"#), "none");
}

#[test]
fn what_stands_beside_an_answer_is_looked_at_too() {
    let said = |word: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}"}}}}"#
        )
    };
    let (deny, allow, ask) = (&said("deny"), &said("allow"), &said("ask"));
    let told = r#"{"systemMessage":"checking"}"#;
    let rows = [
        // Without `on_error`, and for a gate.
        (format!("{told}{deny}"), "deny", "deny"),
        (format!("{allow} {deny}"), "deny", "deny"),
        (format!("{deny}{allow}"), "deny", "deny"),
        (format!("hi\n{told}\t{ask}"), "ask", "ask"),
        (format!("{told}\n{{\"decision\":\"block\",}}"), "none", "output"),
        (format!("{allow}\n{{\"decision\":\"block\", oops"), "none", "output"),
        (format!("{ask}\n{{'decision':'block'}}"), "ask", "output"),
        (format!("{told}\nresult: {deny}"), "none", "output"),
        (format!("{told}\n{{\"decision\":\"deny\"}}"), "none", "output"),
        (format!("{told}\n{{\"permissionDecision\":\"deny\"}}"), "none", "output"),
        (format!("{{\"permissionDecision\":\"deny\"}}\n{told}"), "none", "output"),
        (format!("{deny}\n{{\"decision\":\"block\","), "deny", "deny"),
        (format!("{{\"continue\":false}}\n{allow}\n{{ oops"), "none", "none"),
        (format!("{told}\ndone\n"), "none", "none"),
        (format!("{told}\n{{\"level\":30}}\n"), "none", "none"),
    ];
    for (stdout, open, gate) in &rows {
        let found = |on_error| kind(Event::PreToolUse, stdout, false, on_error);
        assert_eq!(found(OnError::Open), *open, "{stdout}");
        assert_eq!(found(OnError::Ask), *gate, "{stdout}");
        assert_eq!(found(OnError::Closed), *gate, "{stdout}");
    }
    let context =
        r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"x"}}"#;
    let rows = [
        (format!("{context}\n{{ let a = 1; }}"), "none"),
        (format!("{context}\n{{\"decision\":\"block\",}}"), "output"),
        (format!("{context}\n{{\"hookSpecificOutput\":"), "output"),
        (format!("{context}\n{{\"decision\":\"block\"}}"), "deny"),
    ];
    for (stdout, expected) in &rows {
        let found = kind(Event::UserPromptSubmit, stdout, false, OnError::Closed);
        assert_eq!(found, *expected, "{stdout}");
    }
}

#[test]
fn a_gate_holds_with_a_block_among_text_that_the_client_reads() {
    let block = r#"{"decision":"block","reason":"no"}"#;
    let stop = r#"{"continue":false}"#;
    let prompts = [Event::UserPromptSubmit, Event::UserPromptExpansion, Event::PreCompact];
    for event in prompts {
        for (stdout, expected) in [
            (format!("hello\n{block}"), "deny"),
            (format!("{block}\nbye\n"), "deny"),
            (format!("hello\n{block}\n{{ let a = 1; }}"), "deny"),
            ("hello\n{\"decision\": \"block\", \"reason\": \"no".to_owned(), "output"),
            ("hello\n{\"decision\": \"block\",}".to_owned(), "output"),
            (serde_json::to_string(block).unwrap(), "output"),
            (format!("[{block}]"), "output"),
            ("[{\"decision\": \"later\"}, \"decision\"]".to_owned(), "none"),
            ("hello\n{\"decision\":\"approve\"}".to_owned(), "none"),
            ("hello\n{ let decision = 1; }".to_owned(), "none"),
            ("a \"decision\" is near".to_owned(), "none"),
            ("\"hello\"".to_owned(), "none"),
        ] {
            assert_eq!(kind(event, &stdout, false, OnError::Open), "none", "{event} {stdout}");
            assert_eq!(kind(event, &stdout, false, OnError::Ask), expected, "{event} {stdout}");
            assert_eq!(kind(event, &stdout, false, OnError::Closed), expected, "{event} {stdout}");
        }
    }
    for event in [Event::UserPromptExpansion, Event::UserPromptSubmit] {
        let read = |on_error| {
            let heard = Heard { stdout: &format!("hello\n{stop}"), stderr: "", cut: false };
            read(event, Exit::Code(0), heard, on_error)
        };
        let stops = |read: &Read| matches!(&read.outcome, Outcome::Answer(it, _) if it.stop);
        assert!(stops(&read(OnError::Closed)), "{event}");
        let open = read(OnError::Open);
        assert!(!stops(&open) && open.warning.is_some(), "{event}");
    }
}

#[test]
fn a_gate_whose_answer_was_encoded_twice_has_failed() {
    let once =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let twice = serde_json::to_string(once).unwrap();
    for (stdout, expected) in [
        (twice.clone(), "output"),
        (format!("hello\n{twice}\n"), "output"),
        (format!("{once}\n{twice}\n"), "deny"),
        (r#""hello""#.to_owned(), "none"),
        (r#""{\"level\":30}""#.to_owned(), "none"),
    ] {
        assert_eq!(kind(Event::PreToolUse, &stdout, false, OnError::Closed), expected, "{stdout}");
    }
}
