use super::*;
use crate::chain::entries::Entries;
use crate::manifest::{Action, Hook};

fn hook(name: &str, action: Action, matcher: Option<&str>) -> Hook {
    Hook {
        package: None,
        name: name.to_owned(),
        action,
        summary: String::new(),
        events: vec![Event::PreToolUse, Event::Stop],
        matcher: matcher.map(str::to_owned),
        enabled: name != "off",
        timeout_ms: 1500,
        on_error: OnError::Ask,
        options: serde_json::Map::new().into(),
        manner: crate::manifest::Manner::default(),
        surroundings: crate::manifest::Surroundings::default(),
        audience: crate::manifest::Audience::default(),
        origins: std::collections::BTreeMap::new(),
    }
}

fn plain(sources: &[Source<'_>], hooks: &[Hook]) -> String {
    render("build", sources, (hooks, &[]), &Entries::default(), &|_, _| false).unwrap()
}

#[test]
fn a_hook_stands_apart_once_the_client_calls_it_so() {
    use Event::Stop;
    let own = |name: &str, condition: Option<&str>| {
        let mut hook = hook(name, Action::Command(name.to_owned()), None);
        hook.events = vec![Stop];
        hook.manner.status_message = Some("…".to_owned());
        hook.manner.condition = condition.map(str::to_owned);
        hook
    };
    let plain_hook = hook("p", Action::Command("p".to_owned()), None);
    let hooks = [plain_hook, own("g", None), own("i", Some("Bash(x)"))];
    let entry = |rest: &str| {
        format!(r#"{{"type": "command", "command": "/h/hookman", "args": ["run", "Stop"{rest}"#)
    };
    let (chain, g) = (entry("]}"), entry(r#", "--hook", "g"]}"#));
    let background = entry(r#", "--hook", "g"], "async": true}"#);
    let narrow = entry(r#", "--hook", "i"], "if": "Bash(y)"}"#);
    let narrow_as_asked = entry(r#", "--hook", "i"], "if": "Bash(x)"}"#);
    let (gone, of_project) =
        (entry(r#", "--hook", "old"]}"#), entry(r#", "--hook", "g", "--project", "/p"]}"#));
    // The entries, and what each of the chain, `g` and `old` calls by its own.
    let rows: &[(&[&str], bool, [&str; 3])] = &[
        (&[], false, ["p g i", "g", ""]),
        (&[&chain], false, ["p g i", "g", ""]),
        (&[&chain, &g], false, ["p i", "g", ""]),
        (&[&chain, &g], true, ["p g i", "g", ""]),
        (&[&chain, &of_project], false, ["p g i", "g", ""]),
        (&[&chain, &background], false, ["p g i", "g", ""]),
        (&[&chain, &narrow], false, ["p g i", "g", ""]),
        (&[&chain, &narrow_as_asked, &g], false, ["p", "g", ""]),
        (&[&chain, &gone], false, ["p g i", "g", ""]),
        // Nothing but it calls them.
        (&[&gone, &g], false, ["p i", "g", "p i"]),
    ];
    for (handlers, lately, expected) in rows {
        let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, handlers.join(","));
        let mut entries = Entries::default();
        entries.add(&text, false);
        let text = render("build", &[], (&hooks, &[]), &entries, &|_, _| *lately).unwrap();
        let plan = Plan::parse(&text).unwrap();
        let every = Target::new(Stop, None);
        let called = [None, Some("g"), Some("old")].map(|hook| {
            let names = plan.steps(Stop, hook, false, &every).map(|step| step.unwrap().name);
            let names = names.collect::<Vec<_>>().join(" ");
            assert_eq!(hook.is_none_or(|it| plan.answers(Stop, it)), !names.is_empty());
            names
        });
        assert_eq!(&called, expected, "{handlers:?} {lately}");
        assert_eq!(plan.chains(Stop, "g"), expected[0].contains('g'));
    }
}

#[test]
fn a_plan_gives_back_the_steps_of_an_event_in_order() {
    let odd = "a\tb\n\"c\"";
    let hooks = [
        hook("one", Action::Command(odd.to_owned()), None),
        hook("off", Action::Command("x".to_owned()), None),
        hook("two", Action::Argv(vec!["p".to_owned(), odd.to_owned()]), Some("Edit|Write")),
        hook("three", Action::Builtin { name: "b".into(), kind: "k".into() }, Some("^\tB")),
    ];
    let source = Source { path: "/m".into(), stamp: Some((1, -2, 3)) };
    let text = plain(std::slice::from_ref(&source), &hooks);
    let plan = Plan::parse(&text).unwrap();
    let header = Header::parse(&text).unwrap();
    assert_eq!((&*header.build, header.sources.as_slice()), ("build", [source].as_slice()));
    let names = |event, subject| -> Vec<&str> {
        plan.steps(event, None, false, &Target::new(event, subject))
            .map(|step| step.unwrap().name)
            .collect()
    };
    assert_eq!(names(Event::PreToolUse, Some("Write")), ["one", "two"]);
    assert_eq!(names(Event::PreToolUse, Some("\tBash")), ["one", "three"]);
    assert_eq!(names(Event::Stop, None), ["one", "two", "three"]);
    assert_eq!(names(Event::PreCompact, None), Vec::<&str>::new());
    let steps: Vec<Step<'_>> =
        plan.steps(Event::Stop, None, false, &Target::new(Event::Stop, None)).flatten().collect();
    assert_eq!(steps[0].run, Run::Command(odd.to_owned()));
    assert_eq!(steps[1].run, Run::Argv(vec!["p".to_owned(), odd.to_owned()]));
    assert_eq!(steps[2].run, Run::Builtin { kind: "k", options: "{}", late: Late::default() });
    assert_eq!((steps[0].timeout_ms, steps[0].on_error), (1500, OnError::Ask));
}

#[test]
fn no_byte_of_a_plan_changes_unnoticed() {
    let hooks = [hook("one", Action::Command("exit 2".to_owned()), Some("Edit|Write"))];
    let source = Source { path: "/m".into(), stamp: Some((1, -2, 3)) };
    let text = plain(&[source], &hooks);
    assert!(Header::parse(&text).is_some());
    for at in 0..text.len() {
        assert!(Header::parse(&text[..at]).is_none(), "cut at {at}");
        let mut damaged = text.clone().into_bytes();
        for byte in [damaged[at] ^ 1, b' ', b'\n', 0] {
            if byte != text.as_bytes()[at] {
                damaged[at] = byte;
                let damaged = String::from_utf8(damaged.clone()).unwrap();
                assert!(Header::parse(&damaged).is_none(), "{damaged}");
            }
        }
    }
}

#[test]
fn late_options_are_behind_the_head_and_damage_in_them_is_noticed() {
    let with = |late: &str| {
        let action = Action::Builtin { name: "b".into(), kind: "k".into() };
        let options = serde_json::json!({"a": 1, "late": {"b": late}});
        let mut guard = hook("guard", action, None);
        guard.options = options.as_object().unwrap().clone().into();
        guard.on_error = OnError::Closed;
        plain(&[], &[guard])
    };
    let text = with("long");
    let head = &text[..head(text.as_bytes()).unwrap()];
    assert_eq!(&text[head.len()..], r#"{"b":"long"}"#);
    assert!(Header::parse(head).is_some());
    let late_of = |text: &'_ str| {
        let plan = Plan::parse(text)?;
        let every = Target::new(Event::Stop, None);
        let step = plan.steps(Event::Stop, None, false, &every).next()?.ok()?;
        let Run::Builtin { options: "{\"a\":1}", late, .. } = step.run else { return None };
        Some(format!("{:?}", late.find()?))
    };
    let start = head.len();
    let in_file =
        LateOptions::InFile { start: start as u64, length: 12, sum: sum(r#"{"b":"long"}"#) };
    assert_eq!(late_of(&text), Some(r#"Here("{\"b\":\"long\"}")"#.to_owned()));
    assert_eq!(late_of(head), Some(format!("{in_file:?}")));
    assert_eq!(late_of(&text.replace("long", "lXng")), Some(format!("{in_file:?}")));
    assert_eq!(Plan::parse(&text).unwrap().late_options("guard"), Some(r#"{"b":"long"}"#));
    assert!(loses(&text, &with("less")) && !loses(head, &text));
}

#[test]
fn a_line_that_cannot_be_read_is_told_and_hides_no_other() {
    let rows = [
        "bad\tnever\t1\talone\tcommand\t0 3",
        "bad\topen\t1\talone\tcommand\t0 4",
        "good\topen\t1\talone\tcommand\t0 3",
    ];
    let plan = |odd: &str| {
        let rows = rows.map(|row| format!("{} Stop\t\t{row}\n", row.len() + 6)).concat() + odd;
        let sum = "0".repeat(SUM - 1);
        let header = format!("{:08x} {{\"build\":\"b\",\"sources\":[]}}\n", rows.len());
        let length = SUM + LENGTH + header.len() + rows.len() + "\n\"x\"".len();
        format!("{sum} {length:08x} {header}{rows}\n\"x\"")
    };
    let read = |text: &str| -> Vec<bool> {
        let plan = Plan::parse(text).unwrap();
        plan.steps(Event::Stop, None, false, &Target::new(Event::Stop, None))
            .map(|step| step.is_ok())
            .collect()
    };
    assert_eq!(read(&plan("")), [false, false, true]);
    for odd in ["\n", "x", "9 short\n", "5 long1234\n", "4 none"] {
        assert_eq!(read(&plan(odd)), [false, false, true, false], "{odd}");
    }
    assert!(Plan::parse("no plan\n").is_none());
}

#[test]
fn a_damaged_plan_still_says_that_it_had_gates() {
    let rows = [
        ("", OnError::Open),
        ("garbage", OnError::Open),
        ("head\n\nclosed\tx\tclosed\tclosed", OnError::Open),
        ("head\nStop\t\ta\topen\t1\talone\n", OnError::Open),
        ("head\nStop\t\ta\topen\t1\nStop\t\tb\task\t1\n", OnError::Ask),
        ("head\nStop\t\ta\topen\t1\nStXp\t\tb\tclosed\t1\n", OnError::Closed),
        ("head\nStop\t\ta\tclXsed\t1\n", OnError::Closed),
        ("head\nStop\t a\tclosed\t1\n", OnError::Closed),
        ("head\nStop\t a\topen\t1\n", OnError::Closed),
        ("head\nStop\t\tb", OnError::Closed),
    ];
    for (text, expected) in rows {
        assert_eq!(strictest(text), expected, "{text}");
    }
}
