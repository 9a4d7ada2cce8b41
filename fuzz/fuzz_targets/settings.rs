//! The editor of `settings.json` against any text.
//!
//! The first two bytes choose the entries that are wanted before and after a change of mind; the
//! rest is the file. No nightly compiler is needed, and what is found goes to the first folder:
//!
//! ```text
//! cargo fuzz run --sanitizer none settings /tmp/corpus fuzz/corpus/settings
//! ```

#![no_main]

use hookman::syntax::json::Document;
use hookman::settings::{Plan, Record, Registration, Undo, handlers, plan};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const EVENTS: [&str; 4] = ["PreToolUse", "Stop", "SessionStart", "Tomorrow"];

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first_chunk::<2>() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    check(text, &wanted(choice[0]), &wanted(choice[1]));
});

/// Four bits choose events, four how their entries look.
fn wanted(choice: u8) -> Vec<Registration> {
    let chosen = EVENTS.iter().enumerate().filter(|(bit, _)| choice & (1 << bit) != 0);
    chosen
        .map(|(_, event)| Registration {
            event: (*event).to_owned(),
            matcher: (choice & 16 != 0).then(|| "Bash|Edit".to_owned()),
            command: if choice & 32 == 0 {
                "/opt/hookman".to_owned()
            } else {
                format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hookman run {event}")
            },
            args: (choice & 32 == 0).then(|| vec!["run".to_owned(), (*event).to_owned()]),
            timeout: (choice & 64 != 0).then_some(60),
            extra: if choice & 128 == 0 {
                serde_json::Map::new()
            } else {
                [("statusMessage".to_owned(), Value::from("\u{e9}\n"))].into_iter().collect()
            },
        })
        .collect()
}

fn check(text: &str, first: &[Registration], second: &[Registration]) {
    let Ok(installed) = plan(Some(text), first, &Record::default()) else { return };
    sound(&installed, first);
    let clean = !holds_ours(text);
    if clean {
        assert!(keeps(text, installed.after.as_deref().unwrap()), "bytes of the user's are gone");
        let removed = plan(installed.after.as_deref(), &[], &installed.record).unwrap();
        assert_eq!(removed.after.as_deref(), Some(text), "the removal is not the original");
    }
    let Some(undo) = Undo::of(None, &installed).unwrap() else { return };
    let changed = plan(installed.after.as_deref(), second, &installed.record);
    // The second wish may meet a value in its way that the first did not touch.
    let Ok(changed) = changed else { return };
    sound(&changed, second);
    let Some(undo) = Undo::of(Some(&undo), &changed).unwrap() else { return };
    let removed = undo.removal(changed.after.as_deref()).unwrap();
    assert_eq!(removed.after, undo.original);
    assert!(!removed.after.as_deref().is_some_and(holds_ours), "an entry stayed");
    if clean {
        assert_eq!(removed.after.as_deref(), Some(text), "the undo is not the original");
    }
}

/// The plan proves itself, a second one finds nothing to do, and another parser sees the same.
fn sound(done: &Plan, wanted: &[Registration]) {
    done.verify().unwrap();
    let again = plan(done.after.as_deref(), wanted, &done.record).unwrap();
    assert!(again.is_empty() && again.changes.is_empty(), "the second plan is not empty");
    let read = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default().trim_start_matches('\u{feff}').trim();
        serde_json::from_str::<Value>(if text.is_empty() { "{}" } else { text }).ok()
    };
    // Numbers out of range and lone surrogates are the client's to read and not this parser's.
    let Some(before) = read(&done.before) else { return };
    let after = read(&done.after).expect("the new text is no JSON");
    let without_hooks = |mut value: Value| {
        value.as_object_mut().and_then(|members| members.remove("hooks"));
        value
    };
    assert_eq!(without_hooks(before), without_hooks(after), "something beside the hooks changed");
}

fn holds_ours(text: &str) -> bool {
    Document::parse(text).is_ok_and(|document| handlers(&document).iter().any(|it| it.ours))
}

/// Whether all bytes of `before` that are not blank stand in `after` in their order.
fn keeps(before: &str, after: &str) -> bool {
    let mut rest = after.bytes();
    before.bytes().filter(|byte| !byte.is_ascii_whitespace()).all(|byte| rest.any(|it| it == byte))
}
