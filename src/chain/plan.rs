//! The compiled form of a chain's manifests: what `hookman run` reads instead of TOML.
//!
//! The first line is a header: a sum of all that follows it, by which damage is noticed, the length
//! of the steps, and what the plan was made from. Then comes one short line for each step, in columns
//! between tabs, the event and the matcher first, and in front of each its length, so that steps of
//! other events and steps that do not match are passed over unread. After an empty line stands what
//! the steps run, which is long and is looked at only where a step points to it. The event of a step
//! that the client calls by an entry of a hook's own is followed by a colon and that hook's name. A hook
//! with conditions has one more column, which points to them.

mod writing;

pub use writing::{Lately, render};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::client::event::Event;
use crate::client::matcher::{Hit, Target};
use crate::manifest::OnError;

/// The bytes of the sum in front of the header, as hexadecimal digits and a blank.
const SUM: usize = 17;

/// The bytes after it of the length of all steps, in the same form.
const LENGTH: usize = 9;

const USER_ONLY: &str = "!";
const ALWAYS: &str = " always";
const IN_PROJECT: &str = " project";
const ADOPTED: &str = " adopted";
const PATH: &str = " path=";

/// A file that a plan was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source<'a> {
    /// Its path.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// Size in bytes, modification time in nanoseconds since 1970, inode; absent if the file was.
    pub stamp: Option<(u64, i64, u64)>,
}

/// What a plan was made from, and by whom.
#[derive(Debug, Serialize, Deserialize)]
pub struct Header<'a> {
    /// The build of hookman that made it.
    #[serde(borrow)]
    pub build: Cow<'a, str>,
    /// The files it was made from.
    #[serde(borrow)]
    pub sources: Vec<Source<'a>>,
}

impl<'a> Header<'a> {
    /// Reads the header of a plan; `None` if the text is none or was damaged, in whatever part of
    /// it, which is as good as no plan.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (said, text) = text.split_at_checked(SUM)?;
        if u64::from_str_radix(said.strip_suffix(' ')?, 16) != Ok(sum(text)) {
            return None;
        }
        serde_json::from_str(text.get(LENGTH..)?.split_once('\n')?.0).ok()
    }
}

/// One hook, ready to run.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest by itself")]
pub struct Step<'a> {
    /// The hook's name.
    pub name: &'a str,
    /// Its line among those of the plan, which are in the order of the manifest.
    pub place: usize,
    /// What it does.
    pub run: Run<'a>,
    /// Milliseconds it may take.
    pub timeout_ms: u64,
    /// What a failure means.
    pub on_error: OnError,
    /// Whether it may run beside its neighbours that are marked so too.
    pub parallel: bool,
    /// Its conditions as JSON, to be read by [`Condition::parse`]; empty for none.
    pub conditions: &'a str,
    /// Whether it runs also when a step before it has ended the chain.
    pub always: bool,
    /// Whether a command runs in the project's directory and not in the session's.
    pub in_project: bool,
    /// Whether it was written for the client itself, which takes a rewrite for the whole input.
    pub adopted: bool,
    /// Directories that a command's `PATH` has in addition, as a JSON list, or nothing.
    pub path: &'a str,
    /// Whether only a person may switch it off.
    pub user_only: bool,
    /// The tool whose call it takes this one for, where that is another than the call's.
    pub seen_as: Option<&'static str>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Run<'a> {
    /// A built-in hook of a kind, with its options as JSON, complete.
    Builtin {
        /// The kind's name.
        kind: &'a str,
        /// The options.
        options: &'a str,
    },
    /// A line for the shell.
    Command(String),
    /// A program and its arguments.
    Argv(Vec<String>),
}

/// A sum of a text that differs wherever one byte does. It is there for accidents: who may write a
/// plan may write its manifest.
fn sum(text: &str) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let add = |sum: u64, word: &[u8; 8]| {
        (sum ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29)
    };
    add(words.iter().fold(text.len() as u64, add), &last)
}

/// What the text of a plan that was damaged says of failures, the strictest of its lines. A line
/// whose word for it cannot be read is one of a hook that must hold.
pub fn strictest(text: &str) -> OnError {
    let of_line = |line: &str| match line.split('\t').nth(3) {
        _ if line.contains("\tclosed\t") => OnError::Closed,
        word => word.and_then(OnError::from_name).unwrap_or(OnError::Closed),
    };
    let lines = text.lines().skip(1).take_while(|line| !line.is_empty());
    lines.map(of_line).max().unwrap_or_default()
}

/// The hooks of a plan.
#[derive(Debug)]
pub struct Plan<'a> {
    steps: &'a str,
    store: &'a str,
}

impl<'a> Plan<'a> {
    /// Reads a plan whose header was read, as whether it is whole is seen by that; `None` if the
    /// text is no plan.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (header, rest) = text.split_once('\n')?;
        let length = header.get(SUM..SUM + LENGTH)?.strip_suffix(' ')?;
        let (steps, store) = rest.split_at_checked(usize::from_str_radix(length, 16).ok()?)?;
        Some(Self { steps, store: store.strip_prefix('\n')? })
    }

    /// The lines of the steps, or what is left of the text where one cannot be told from the next.
    fn lines(&self) -> impl Iterator<Item = Result<&'a str, &'a str>> {
        let mut left = self.steps;
        std::iter::from_fn(move || {
            let text = left;
            let is_last = text.is_empty();
            let line = line(text);
            left = line.map_or("", |(_, rest)| rest);
            (!is_last).then(|| line.map(|(line, _)| line).ok_or(text))
        })
    }

    /// The names of the hooks, once for each line, those with entries of their own included, and
    /// whether only a person may switch the hook off.
    pub fn hooks(&self) -> impl Iterator<Item = (&'a str, bool)> {
        self.lines().flatten().filter_map(|line| {
            let mark = line.split('\t').nth(8).unwrap_or_default();
            Some((line.split('\t').nth(2)?, mark == USER_ONLY))
        })
    }

    /// Whether an entry of a hook's own calls anything on an event.
    pub fn answers(&self, event: Event, hook: &str) -> bool {
        self.lines().flatten().any(|line| {
            let mut columns = line.split('\t');
            let caller = columns.next().and_then(|it| it.strip_prefix(event.name()));
            match caller {
                Some("") => columns.nth(1) == Some(hook),
                Some(caller) => caller.strip_prefix(':') == Some(hook),
                None => false,
            }
        })
    }

    /// Whether a hook runs with its chain on an event.
    pub fn chains(&self, event: Event, hook: &str) -> bool {
        self.lines().flatten().any(|line| {
            let mut columns = line.split('\t');
            columns.next() == Some(event.name()) && columns.nth(1) == Some(hook)
        })
    }

    /// The steps that apply to a target under `event`, in order.
    ///
    /// Without `hook` those of the chain; with it those that an entry of that hook's own calls: the
    /// hook itself, also where it stands in the chain by now.
    ///
    /// # Errors
    ///
    /// Of each step, the line where it cannot be read, which is a mistake of the build that wrote it.
    pub fn steps(
        &self,
        event: Event,
        hook: Option<&str>,
        target: &Target<'_>,
    ) -> impl Iterator<Item = Result<Step<'a>, &'a str>> {
        self.lines().enumerate().filter_map(move |(place, line)| {
            let line = match line {
                Ok(line) => line,
                Err(text) => return Some(Err(text)),
            };
            let mut rest = line.strip_prefix(event.name())?;
            let mut named = hook;
            if let Some(hook) = hook
                && let Some(apart) = rest.strip_prefix(':')
            {
                (rest, named) = (apart.strip_prefix(hook)?, None);
            }
            let rest = rest.strip_prefix('\t')?;
            // The search of the standard library is made for longer texts.
            let end = rest.bytes().position(|byte| byte == b'\t')?;
            let (matcher, rest) = (&rest[..end], &rest[end + 1..]);
            if named.is_some_and(|hook| rest.split('\t').next() != Some(hook)) {
                return None;
            }
            let matcher: Cow<'_, str> = if matcher.starts_with('"') {
                let Ok(matcher) = serde_json::from_str::<String>(matcher) else {
                    return Some(Err(line));
                };
                matcher.into()
            } else {
                matcher.into()
            };
            let seen_as = match target.hit(&matcher)? {
                Hit::Itself => None,
                Hit::As(tool) => Some(tool),
            };
            let step = step(place, rest, self.store).map(|step| Step { seen_as, ..step });
            Some(step.ok_or(line))
        })
    }
}

/// The first line of some, and the text after it.
fn line(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().position(|byte| byte == b' ')?;
    let length: usize = text[..digits].parse().ok()?;
    let (line, rest) = text[digits + 1..].split_at_checked(length)?;
    Some((line, rest.strip_prefix('\n')?))
}

fn step<'a>(line: usize, columns: &'a str, store: &'a str) -> Option<Step<'a>> {
    let mut columns = columns.split('\t');
    let name = columns.next()?;
    let on_error = OnError::from_name(columns.next()?)?;
    let timeout_ms = columns.next()?.parse().ok()?;
    let manner = columns.next()?;
    let (flags, path) = manner.split_once(PATH).unwrap_or((manner, ""));
    let (kind, place) = (columns.next()?, columns.next()?);
    let user_only = columns.next() == Some(USER_ONLY);
    let conditions = match columns.next() {
        Some(place) => stored(place, store)?,
        None => "",
    };
    let data = stored(place, store)?;
    let run = match kind {
        "command" => Run::Command(serde_json::from_str(data).ok()?),
        "argv" => Run::Argv(serde_json::from_str(data).ok()?),
        kind => Run::Builtin { kind, options: data },
    };
    Some(Step {
        name,
        place: line,
        run,
        timeout_ms,
        on_error,
        parallel: flags.starts_with("parallel"),
        always: flags.contains(ALWAYS),
        in_project: flags.contains(IN_PROJECT),
        adopted: flags.contains(ADOPTED),
        path: if path.is_empty() { path } else { stored(path, store)? },
        user_only,
        conditions,
        seen_as: None,
    })
}

fn stored<'a>(place: &str, store: &'a str) -> Option<&'a str> {
    let (start, length) = place.split_once(' ')?;
    let start: usize = start.parse().ok()?;
    store.get(start..start.checked_add(length.parse().ok()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::entries::Entries;
    use crate::manifest::{Action, Hook};

    fn hook(name: &str, action: Action, matcher: Option<&str>) -> Hook {
        Hook {
            name: name.to_owned(),
            action,
            summary: String::new(),
            events: vec![Event::PreToolUse, Event::Stop],
            matcher: matcher.map(str::to_owned),
            enabled: name != "off",
            timeout_ms: 1500,
            on_error: OnError::Ask,
            options: serde_json::Map::new(),
            manner: crate::manifest::Manner::default(),
            surroundings: crate::manifest::Surroundings::default(),
            audience: crate::manifest::Audience::default(),
            origins: std::collections::BTreeMap::new(),
        }
    }

    fn plain(sources: &[Source<'_>], hooks: &[Hook]) -> String {
        render("build", sources, hooks, (&Entries::default(), &|_, _| false)).unwrap()
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
            let text =
                format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{}]}}]}}}}"#, handlers.join(","));
            let mut entries = Entries::default();
            entries.add(&text, false);
            let text = render("build", &[], &hooks, (&entries, &|_, _| *lately)).unwrap();
            let plan = Plan::parse(&text).unwrap();
            let every = Target::new(Stop, None);
            let called = [None, Some("g"), Some("old")].map(|hook| {
                let names = plan.steps(Stop, hook, &every).map(|step| step.unwrap().name);
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
            plan.steps(event, None, &Target::new(event, subject))
                .map(|step| step.unwrap().name)
                .collect()
        };
        assert_eq!(names(Event::PreToolUse, Some("Write")), ["one", "two"]);
        assert_eq!(names(Event::PreToolUse, Some("\tBash")), ["one", "three"]);
        assert_eq!(names(Event::Stop, None), ["one", "two", "three"]);
        assert_eq!(names(Event::PreCompact, None), Vec::<&str>::new());
        let steps: Vec<Step<'_>> =
            plan.steps(Event::Stop, None, &Target::new(Event::Stop, None)).flatten().collect();
        assert_eq!(steps[0].run, Run::Command(odd.to_owned()));
        assert_eq!(steps[1].run, Run::Argv(vec!["p".to_owned(), odd.to_owned()]));
        assert_eq!(steps[2].run, Run::Builtin { kind: "k", options: "{}" });
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
        assert!(Header::parse(&format!("{text} ")).is_none());
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
            format!("{sum} {:08x} {{\"build\":\"b\",\"sources\":[]}}\n{rows}\n\"x\"", rows.len())
        };
        let read = |text: &str| -> Vec<bool> {
            let plan = Plan::parse(text).unwrap();
            plan.steps(Event::Stop, None, &Target::new(Event::Stop, None))
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
}
