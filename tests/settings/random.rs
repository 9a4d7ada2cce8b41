//! The settings engine against random values in random layouts.

use hookman::{
    client::{
        event::Event,
        host::files::{FILES, Form},
    },
    settings::{
        Plan, Record, Registration, Undo, own_file, plan,
        wanted::{Demand, of_host},
    },
    syntax::json::{Document, is_blank},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::Value;

/// A value with the spelling of its scalars and keys.
#[derive(Debug, Clone)]
enum Json {
    Scalar(&'static str),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// How a value is laid out.
#[derive(Debug, Clone)]
struct Style {
    newline: &'static str,
    unit: &'static str,
    colon: &'static str,
    /// From 0, all on one line, to 4, nothing on one line.
    lines: u8,
    mark: bool,
    tail: &'static str,
    /// Decides about each container, and where `chaos` holds about each gap.
    dice: Vec<u8>,
    chaos: bool,
    /// Whether there are comments, which some programs pass over.
    comments: bool,
}

const SCALARS: [&str; 16] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.0",
    "1E400",
    "12345678901234567890",
    "2.5e-3",
    "\"\"",
    "\"text\"",
    "\"\\u00e9\\/\"",
    "\"\\ud800\"",
    "\"caf\u{e9} \u{1f600}\"",
    "\"a, b: [{\"",
    "\"\\\"}]\\n\"",
];

const EVENTS: [&str; 5] = ["PreToolUse", "PostToolUse", "Stop", "SessionStart", "Tomorrow"];

fn value() -> impl Strategy<Value = Json> {
    select(&SCALARS[..]).prop_map(Json::Scalar).prop_recursive(3, 16, 4, |inner| {
        let key = select(&["a", "b", "a b", "\\u0061", "hook", "\u{e9}"][..]);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::Array),
            vec((key.prop_map(str::to_owned), inner), 0..4).prop_map(Json::Object),
        ]
    })
}

fn handler() -> impl Strategy<Value = Json> {
    let commands = ["\"guard.sh\"", "\"echo hookman run Stop\"", "\"\\\"$HOME\\\"/x --y\""];
    (select(commands.to_vec()), any::<bool>()).prop_map(|(command, timeout)| {
        let mut members = vec![("type".to_owned(), Json::Scalar("\"command\""))];
        members.push(("command".to_owned(), Json::Scalar(command)));
        if timeout {
            members.push(("timeout".to_owned(), Json::Scalar("2.5")));
            let args = vec![Json::Scalar("\"x\""), Json::Scalar("\"run\"")];
            members.push(("args".to_owned(), Json::Array(args)));
        }
        Json::Object(members)
    })
}

fn group() -> impl Strategy<Value = Json> {
    (vec(handler(), 0..3), any::<bool>(), proptest::option::of(value())).prop_map(
        |(handlers, matcher, note)| {
            let mut members = Vec::new();
            if matcher {
                members.push(("matcher".to_owned(), Json::Scalar("\"Bash\"")));
            }
            members.extend(note.map(|note| ("note".to_owned(), note)));
            members.push(("hooks".to_owned(), Json::Array(handlers)));
            Json::Object(members)
        },
    )
}

fn hooks() -> impl Strategy<Value = Json> {
    let events = proptest::sample::subsequence(EVENTS.to_vec(), 0..4);
    (events, vec(vec(group(), 0..3), 4)).prop_map(|(events, groups)| {
        let members = events.into_iter().zip(groups);
        Json::Object(members.map(|(key, groups)| (key.to_owned(), Json::Array(groups))).collect())
    })
}

fn settings() -> impl Strategy<Value = Json> {
    let others = vec((select(&["env", "x", "\\u0078", "hook"][..]), value()), 0..4);
    (others, proptest::option::of(hooks()), any::<prop::sample::Index>()).prop_map(
        |(others, hooks, place)| {
            let mut members: Vec<_> =
                others.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            if let Some(hooks) = hooks {
                members.insert(place.index(members.len() + 1), ("hooks".to_owned(), hooks));
            }
            Json::Object(members)
        },
    )
}

prop_compose! {
    fn style()(
        newline in select(&["\n", "\r\n"][..]),
        unit in select(&["  ", "    ", "\t", "", "   "][..]),
        colon in select(&[": ", ":", " : "][..]),
        lines in 0..5_u8,
        mark in any::<bool>(),
        tail in select(&["", "\n", "\r\n", " \n\n"][..]),
        dice in vec(any::<u8>(), 8..40),
        chaos in prop::bool::weighted(0.3),
    ) -> Style {
        Style { newline, unit, colon, lines, mark, tail, dice, chaos, comments: false }
    }
}

struct Writer<'s> {
    style: &'s Style,
    text: String,
    thrown: usize,
}

impl Writer<'_> {
    fn roll(&mut self) -> u8 {
        self.thrown += 1;
        self.style.dice[self.thrown % self.style.dice.len()]
    }

    fn gap(&mut self, orderly: &str) {
        let wild = ["", " ", "\n", "\r\n  ", "\t", " \n\n   ", "      "];
        let roll = usize::from(self.roll());
        let gap = if self.style.chaos { wild[roll % wild.len()] } else { orderly };
        self.text.push_str(gap);
        if self.style.comments && roll.is_multiple_of(5) {
            self.text.push_str(if roll.is_multiple_of(2) { "/* \"}, */" } else { "// {\"[\n" });
        }
    }

    fn write(&mut self, json: &Json, indent: &str, one_line: bool) {
        let (open, close, items): (_, _, Vec<(Option<&str>, &Json)>) = match json {
            Json::Scalar(text) => return self.text.push_str(text),
            Json::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
            Json::Object(members) => {
                let members = members.iter().map(|(key, value)| (Some(&**key), value));
                ('{', '}', members.collect())
            }
        };
        let one_line = one_line || self.roll() % 5 > self.style.lines;
        let hugged = open == '[' && self.roll().is_multiple_of(3);
        let deeper =
            if hugged { indent.to_owned() } else { format!("{indent}{}", self.style.unit) };
        let (lead, between, tail) = match (items.is_empty(), one_line, hugged) {
            (true, ..) => (String::new(), String::new(), String::new()),
            (_, true, _) | (_, _, true) => (String::new(), " ".to_owned(), String::new()),
            _ => {
                let lead = format!("{}{deeper}", self.style.newline);
                (lead.clone(), lead, format!("{}{indent}", self.style.newline))
            }
        };
        self.text.push(open);
        for (index, (key, item)) in items.into_iter().enumerate() {
            if index > 0 {
                self.gap("");
                self.text.push(',');
            }
            self.gap(if index == 0 { &lead } else { &between });
            if let Some(key) = key {
                self.text.extend(["\"", key, "\""]);
                self.gap(self.style.colon);
                if self.style.chaos {
                    self.text.push(':');
                    self.gap("");
                }
            }
            self.write(item, &deeper, one_line);
        }
        self.gap(&tail);
        self.text.push(close);
    }
}

fn laid_out(json: &Json, style: &Style) -> String {
    let mut writer = Writer { style, text: String::new(), thrown: 0 };
    if style.mark {
        writer.text.push('\u{feff}');
    }
    writer.write(json, "", style.lines == 0);
    writer.text + style.tail
}

prop_compose! {
    pub(crate) fn text()(json in settings(), style in style()) -> String {
        laid_out(&json, &style)
    }
}

prop_compose! {
    fn registration(event: &'static str)(
        matcher in proptest::option::of(select(&["Bash", "^(A|B\\(c\\))$"][..])),
        exec in any::<bool>(),
        timeout in proptest::option::of(1..600_u64),
        path in select(&["/usr/bin/hookman", "C:\\a b\\hookman.exe"][..]),
        loud in any::<bool>(),
    ) -> Registration {
        let mut extra = serde_json::Map::new();
        if loud {
            extra.insert("statusMessage".to_owned(), "\u{e9}\n".into());
        }
        Registration {
            event: event.to_owned(),
            matcher: matcher.map(str::to_owned),
            command: if exec { path.to_owned() } else { format!("'{path}' run {event}") },
            args: exec.then(|| vec!["run".to_owned(), event.to_owned()]),
            timeout,
            extra,
        }
    }
}

pub(crate) fn wanted(least: usize) -> impl Strategy<Value = Vec<Registration>> {
    proptest::sample::subsequence(&EVENTS[..4], least..=4)
        .prop_flat_map(|events| events.into_iter().map(registration).collect::<Vec<_>>())
}

fn read(text: &str) -> Value {
    let document = Document::parse(text).unwrap();
    document.value(document.root())
}

/// Whether all bytes of `before` stand in `after` in their order.
fn keeps(before: &str, after: &str) -> bool {
    let mut rest = after.bytes();
    before.bytes().all(|byte| rest.any(|other| other == byte))
}

fn step(before: &Plan, wanted: &[Registration]) -> Plan {
    plan(before.after.as_deref(), wanted, &before.record).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_put_in_comes_out_again(before in text(), wanted in wanted(1)) {
        let first = plan(Some(&before), &wanted, &Record::default()).unwrap();
        let after = first.after.clone().unwrap();

        let mut expected = read(&before);
        let hooks = expected.as_object_mut().unwrap().entry("hooks");
        let hooks = hooks.or_insert_with(|| Value::Object(serde_json::Map::new()));
        for registration in &wanted {
            let groups = hooks.as_object_mut().unwrap().entry(registration.event.clone());
            let groups = groups.or_insert_with(|| Value::Array(Vec::new()));
            groups.as_array_mut().unwrap().push(registration.group());
        }
        prop_assert_eq!(read(&after), expected);

        // Blanks inside an empty container are the only bytes that may go.
        let blank = |c: char| c.is_ascii_whitespace();
        prop_assert!(keeps(&before.replace(blank, ""), &after));
        prop_assert!(!first.record.hollow.is_empty() || keeps(&before, &after));
        if !before.trim_end().contains('\n') && before.contains('"') {
            prop_assert!(!after.trim_end().contains('\n'), "{}", after);
        }

        let again = step(&first, &wanted);
        prop_assert!(again.is_empty() && again.changes.is_empty());
        prop_assert_eq!(&again.record, &first.record);
        prop_assert_eq!(step(&first, &[]).after, Some(before));
    }

    #[test]
    fn the_guard_mods_seat_comes_out_again(before in prop_oneof![9 => text(), 1 => "[ \n]{0,2}"], wanted in wanted(1)) {
        let record = Record::default();
        let bare = plan(Some(&before), &wanted, &record).unwrap();
        let first = bare.clone().seating(true, &record).unwrap();
        let mut expected = read(bare.after.as_deref().unwrap());
        expected["prependPlugins"] = serde_json::json!(["hookman-guard@skills-dir"]);
        prop_assert_eq!(read(first.after.as_deref().unwrap()), expected);
        prop_assert_eq!(first.clone().seating(true, &first.record).unwrap().after, first.after.clone());
        let removal = step(&first, &[]).seating(false, &first.record).unwrap();
        prop_assert_eq!(removal.after, Some(before));
    }

    #[test]
    fn changes_of_mind_leave_nothing_behind(
        before in text(),
        first in wanted(0),
        second in wanted(0),
        third in wanted(0),
    ) {
        let mut current = plan(Some(&before), &first, &Record::default()).unwrap();
        for wanted in [second, third] {
            // With nothing wanted the record ends, and what follows is a new beginning.
            current = step(&current, &wanted);
        }
        prop_assert_eq!(step(&current, &[]).after, Some(before));
    }

    #[test]
    fn a_file_of_our_own_goes_as_it_came(blanks in "\u{feff}?[ \t]{0,2}(\r?\n){0,2}", wanted in wanted(1)) {
        for before in [None, Some(&*blanks)] {
            let first = plan(before, &wanted, &Record::default()).unwrap();
            prop_assert!(first.after.as_deref().is_some_and(|text| !is_blank(text)));
            let removal = step(&first, &[]);
            prop_assert_eq!(removal.after.as_deref(), before);
        }
    }

    #[test]
    fn undo_gives_the_original_whatever_came_between(
        before in text(),
        first in wanted(1),
        second in wanted(1),
        other in text(),
    ) {
        let one = plan(Some(&before), &first, &Record::default()).unwrap();
        let undo = Undo::of(None, &one).unwrap().unwrap();
        let two = plan(one.after.as_deref(), &second, &undo.record).unwrap();
        let undo = Undo::of(Some(&undo), &two).unwrap().unwrap();
        let removal = undo.removal(two.after.as_deref()).unwrap();
        prop_assert_eq!(removal.after.as_deref(), Some(&*before));

        // Somebody wrote another file over ours, which is the original now, record or not.
        let three = plan(Some(&other), &first, &Record::default()).unwrap();
        let undo = Undo::of(Some(&undo), &three).unwrap().unwrap();
        prop_assert_eq!(undo.original.as_deref(), Some(&*other));
        prop_assert_eq!(undo.removal(three.after.as_deref()).unwrap().after, Some(other));
    }

    #[test]
    fn the_reader_agrees_with_serde_on_damaged_files(
        json in settings(),
        style in style(),
        place in any::<prop::sample::Index>(),
        length in 0..3_usize,
        damage in "[\\[\\]{}:,\"a-z0-9 .\n'+/-]{0,2}",
    ) {
        // What serde refuses although the client does not.
        let text = laid_out(&json, &Style { mark: false, ..style });
        let text = text.replace("\\ud800", "\\u00e9").replace("1E400", "1.5e1");
        let text: Vec<char> = text.chars().collect();
        let at = place.index(text.len());
        let end = (at + length).min(text.len());
        let text: String = text[..at].iter().chain(&damage.chars().collect::<Vec<_>>())
            .chain(&text[end..]).collect();
        let serde: Result<Value, _> = serde_json::from_str(&text);
        prop_assume!(!serde.as_ref().is_err_and(|error| error.to_string().contains("range")));
        prop_assert_eq!(Document::parse(&text).is_ok(), serde.is_ok(), "{:?}", serde.err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_files_of_other_agents_come_back(
        json in settings(),
        events in hooks(),
        style in style(),
        comments in any::<bool>(),
        is_there in prop::bool::weighted(0.9),
    ) {
        for of in FILES {
            let demand = Demand { event: Event::PreToolUse, matcher: None, timeout_ms: 1000, parallel: false, own: None };
            let wanted = of_host(of, &[demand], "/usr/bin/hookman");
            if matches!(of.form, Form::Own | Form::Plugin) {
                let first = own_file::plan(of.form, None, &wanted);
                let text = first.after.as_deref().unwrap();
                prop_assert!(own_file::is_own(of.form, text));
                prop_assert_eq!(own_file::lines(of.form, text).len(), wanted.len());
                prop_assert!(own_file::plan(of.form, Some(text), &wanted).is_empty());
                prop_assert_eq!(own_file::plan(of.form, Some(text), &[]).after, None);
                prop_assert!(!own_file::is_own(of.form, &laid_out(&json, &style)));
                if of.form == Form::Own {
                    // Its program drops this one, so it is written again.
                    let marked = format!("\u{feff}{text}");
                    prop_assert!(own_file::is_own(of.form, &marked));
                    prop_assert_eq!(own_file::plan(of.form, Some(&marked), &wanted).after, first.after.clone());
                    let theirs = text.replacen("run ", "walk ", 1);
                    prop_assert!(!own_file::is_own(of.form, &theirs));
                }
                continue;
            }
            let style = Style { comments: comments && of.comments, ..style.clone() };
            for bare in [false, true] {
                if bare && of.form != Form::Bare {
                    continue;
                }
                let before = laid_out(if bare { &events } else { &json }, &style);
                let before = is_there.then_some(before);
                let record = Record { comments: of.comments, bare, ..Record::default() };
                let first = plan(before.as_deref(), &wanted, &record).unwrap();
                prop_assert_eq!(first.record.lines(first.after.as_deref().unwrap()).len(), wanted.len());
                // By the record alone, blanks around a comment in an empty object can change.
                if !style.comments {
                    prop_assert_eq!(step(&first, &[]).after, before.clone(), "{}", of.title);
                }
                let undo = Undo::of(None, &first).unwrap().unwrap();
                prop_assert_eq!(undo.removal(first.after.as_deref()).unwrap().after, before);
            }
        }
    }
}
