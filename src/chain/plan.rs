//! The compiled form of a chain's manifests: what `hookman run` reads instead of TOML.
//!
//! The first line is a header: a sum of the head that follows it, by which damage is noticed, the lengths
//! of the head and of the steps, and what the plan was made from. Then comes one short line for each step,
//! in columns between tabs, the event and the matcher first, and in front of each its length, so that steps
//! of other events and steps that do not match are passed over unread. After an empty line comes what
//! the steps run, which is looked at only where a step points to it, and with it the head ends. Behind it is
//! what is long and seldom asked for, each part with a sum of its own: a run does not read it from the
//! file until a hook asks. The event of a step
//! that the client calls by an entry of a hook's own is followed by a colon and that hook's name. A hook
//! with conditions has one more column, which points to them, and one that is pinned another one.

mod writing;

pub use writing::{Lately, render};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Budget;
use crate::client::Event;
use crate::client::matcher::{Hit, Target};
use crate::manifest::OnError;

/// The bytes of the sum in front of the header, as hexadecimal digits and a blank.
const SUM: usize = 17;

/// The bytes after it of the length of the head, and then of all steps, in the same form.
const LENGTH: usize = 9;

/// The option in which a kind's compiled options have what it seldom asks for.
pub const LATE: &str = "late";

const USER_ONLY: &str = "!";
const ALWAYS: &str = " always";
const BACKGROUND: &str = " background";
const IN_PROJECT: &str = " project";
const ADOPTED: &str = " adopted";
const UNEXPLAINED: &str = " unexplained";
const OBSERVE: &str = " observe";
const PATH: &str = " path=";
const BUDGET: &str = " budget=";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source<'a> {
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// Size in bytes, modification time in nanoseconds since 1970, inode; absent if the file was.
    pub stamp: Option<(u64, i64, u64)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Header<'a> {
    #[serde(borrow)]
    pub build: Cow<'a, str>,
    #[serde(borrow)]
    pub sources: Vec<Source<'a>>,
}

impl<'a> Header<'a> {
    /// Reads the header of a plan; `None` if the text is none or was damaged anywhere.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (said, text) = text.get(..head(text.as_bytes())?)?.split_at_checked(SUM)?;
        if u64::from_str_radix(said.strip_suffix(' ')?, 16) != Ok(sum(text)) {
            return None;
        }
        serde_json::from_str(text.get(2 * LENGTH..)?.split_once('\n')?.0).ok()
    }
}

/// The bytes of the head, of which the beginning of a plan tells; `None` where it does not.
pub fn head(text: &[u8]) -> Option<usize> {
    let digits = text.get(SUM..SUM + LENGTH)?.strip_suffix(b" ")?;
    usize::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the manifest by itself")]
pub struct Step<'a> {
    pub name: &'a str,
    /// Its line among those of the plan, which are in the order of the manifest.
    pub place: usize,
    pub run: Run<'a>,
    pub timeout_ms: u64,
    pub on_error: OnError,
    /// True if it may run with its neighbours that are marked so too.
    pub parallel: bool,
    /// Its conditions as JSON, to be read by [`Condition::parse`]; empty for none.
    pub conditions: &'a str,
    /// True if it runs also when a step before it has ended the chain.
    pub always: bool,
    /// True if a command runs in the project's directory and not in the session's.
    pub in_project: bool,
    /// True if it was written for the client itself, which takes a rewrite for the whole input.
    pub adopted: bool,
    /// True if the journal keeps no reasons of its denials.
    pub unexplained: bool,
    /// The last day on which it only watches, empty where there is none; nothing where it decides.
    pub observe: Option<&'a str>,
    /// The context that hooks may add, where the manifest limits it.
    pub budget: Option<Budget>,
    /// Directories that a command's `PATH` has in addition, as a JSON list, or nothing.
    pub path: &'a str,
    /// True if only a person may switch it off.
    pub user_only: bool,
    /// The files that must be as they were seen, or behind `!` the reason why it does not run.
    pub pin: &'a str,
    /// The tool whose call it takes this one for, where that is another than the call's.
    pub seen_as: Option<&'static str>,
}

/// The word of an `argv` that the file of a call replaces.
pub const FILE: &str = "{file}";

#[derive(Clone, Debug, PartialEq)]
pub enum Run<'a> {
    /// A built-in hook of a kind, with its options as JSON, complete.
    Builtin {
        kind: &'a str,
        options: &'a str,
        late: Late<'a>,
    },
    Command(String),
    Argv(Vec<String>),
    /// Nothing, for this reason: it is not as a person has seen it.
    Held(String),
}

/// The place of a built-in hook's options that are read when its function asks for them. It is not read before
/// either, as most calls ask for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Late<'a> {
    place: &'a str,
    text: &'a str,
    start: usize,
}

/// The options at such a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateOptions<'a> {
    Here(&'a str),
    /// They are in the plan's file, from a byte on.
    InFile {
        start: u64,
        length: usize,
        sum: u64,
    },
}

impl<'a> Late<'a> {
    /// Finds the options by their start, their length and their sum; `None` where there are none.
    pub fn find(self) -> Option<LateOptions<'a>> {
        let (place, digits) = self.place.rsplit_once(' ')?;
        let sum = u64::from_str_radix(digits, 16).ok()?;
        if let Some(text) = stored(place, self.text).filter(|text| self::sum(text) == sum) {
            return Some(LateOptions::Here(text));
        }
        let (start, length) = place.split_once(' ')?;
        let start = self.start.checked_add(start.parse().ok()?)?;
        Some(LateOptions::InFile {
            start: start.try_into().ok()?,
            length: length.parse().ok()?,
            sum,
        })
    }
}

impl PartialEq for Late<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.find() == other.find()
    }
}

/// A sum of a text that differs wherever one byte does, against accidents.
pub fn sum(text: &str) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let add = |sum: u64, word: &[u8; 8]| {
        (sum ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29)
    };
    let (fours, others) = words.as_chunks::<4>();
    let four = |sum: u64, [a, b, c, d]: &[[u8; 8]; 4]| add(add(add(add(sum, a), b), c), d);
    let sum = fours.iter().fold(text.len() as u64, four);
    add(others.iter().fold(sum, add), &last)
}

/// Finds the strictest word for failures in a damaged plan; a word that cannot be read is `closed`.
pub fn strictest(text: &str) -> OnError {
    let of_line = |line: &str| match line.split('\t').nth(3) {
        _ if line.contains("\tclosed\t") => OnError::Closed,
        word => word.and_then(OnError::from_name).unwrap_or(OnError::Closed),
    };
    let lines = text.lines().skip(1).take_while(|line| !line.is_empty());
    lines.map(of_line).max().unwrap_or_default()
}

/// Returns whether a step of a hook that must hold, or that only a person switches, is missing from a later
/// plan or weaker there, as where the end of a manifest is not written yet.
pub fn loses(before: &str, after: &str) -> bool {
    let gates = |text| {
        let plan = Plan::parse(text)?;
        let gates = plan.lines().flatten().filter_map(|line| gate(line, plan.store.text));
        Some(gates.collect::<Vec<_>>())
    };
    let after = gates(after).unwrap_or_default();
    gates(before).unwrap_or_default().iter().any(|gate| !after.contains(gate))
}

/// Gives the gate that a cut could take from a step's line.
fn gate<'a>(line: &'a str, store: &'a str) -> Option<[&'a str; 6]> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [caller, _, name, on_error, _, _, kind, place, mark, ..] = columns[..] else { return None };
    let (place, late) = parted(place);
    let options = if matches!(kind, "command" | "argv") { "" } else { stored(place, store)? };
    let late = late.rsplit(' ').next();
    let is_gate = on_error == OnError::Closed.name() || mark == USER_ONLY;
    let event = caller.split(':').next()?;
    is_gate.then_some([event, name, on_error, options, late.unwrap_or_default(), mark])
}

#[derive(Debug)]
pub struct Plan<'a> {
    steps: &'a str,
    store: Store<'a>,
}

/// The texts that the steps run, and behind the head as much as was read of the rest, which begins at `start`.
#[derive(Clone, Copy, Debug)]
struct Store<'a> {
    text: &'a str,
    late: &'a str,
    start: usize,
}

impl<'a> Plan<'a> {
    /// Reads a plan whose header was read, which tells if it is whole; `None` if the text is no plan.
    pub fn parse(text: &'a str) -> Option<Self> {
        let start = head(text.as_bytes())?;
        let (text, late) = text.split_at_checked(start)?;
        let (header, rest) = text.split_once('\n')?;
        let length = header.get(SUM + LENGTH..SUM + 2 * LENGTH)?.strip_suffix(' ')?;
        let (steps, store) = rest.split_at_checked(usize::from_str_radix(length, 16).ok()?)?;
        Some(Self { steps, store: Store { text: store.strip_prefix('\n')?, late, start } })
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

    /// The names of all hooks, once for each line, and whether only a person may switch one off.
    pub fn hooks(&self) -> impl Iterator<Item = (&'a str, bool)> {
        self.lines().flatten().filter_map(|line| {
            let mark = line.split('\t').nth(8).unwrap_or_default();
            Some((line.split('\t').nth(2)?, mark == USER_ONLY))
        })
    }

    /// The names of the hooks that run, once for each line; those that are held do not.
    pub fn running(&self) -> impl Iterator<Item = &'a str> {
        self.lines().flatten().filter_map(|line| {
            let columns = line.splitn(3, '\t').nth(2)?;
            let step = step(0, columns, self.store)?;
            (!step.pin.starts_with('!')).then_some(step.name)
        })
    }

    /// The late options of a hook; `None` where it has none or they are not here.
    pub fn late_options(&self, hook: &str) -> Option<&'a str> {
        self.lines().flatten().find_map(|line| {
            let step = step(0, line.splitn(3, '\t').nth(2)?, self.store)?;
            match step.run {
                Run::Builtin { late, .. } if step.name == hook => match late.find()? {
                    LateOptions::Here(text) => Some(text),
                    LateOptions::InFile { .. } => None,
                },
                _ => None,
            }
        })
    }

    /// Returns whether a hook runs on an event, with its chain or by an entry of its own.
    pub fn hears(&self, event: Event) -> bool {
        let caller = |line: &'a str| line.split(['\t', ':']).next();
        self.lines().flatten().any(|line| caller(line) == Some(event.name()))
    }

    /// Returns whether an entry of a hook's own calls anything on an event.
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

    pub fn chains(&self, event: Event, hook: &str) -> bool {
        self.lines().flatten().any(|line| {
            let mut columns = line.split('\t');
            columns.next() == Some(event.name()) && columns.nth(1) == Some(hook)
        })
    }

    /// The steps that apply to a target under `event`, in order: those of the chain, or that an entry of
    /// `hook` calls. `has_no_apart` is for a program with the chain's entry alone: it waits for the others
    /// too.
    pub fn steps(
        &self,
        event: Event,
        hook: Option<&str>,
        has_no_apart: bool,
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
            } else if has_no_apart && let Some(apart) = rest.strip_prefix(':') {
                (rest, named) = (&apart[apart.find('\t')?..], apart.split('\t').next());
                if line.split('\t').nth(5)?.contains(BACKGROUND) {
                    return None;
                }
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

fn step<'a>(line: usize, columns: &'a str, parts: Store<'a>) -> Option<Step<'a>> {
    let store = parts.text;
    let mut columns = columns.split('\t');
    let name = columns.next()?;
    let on_error = OnError::from_name(columns.next()?)?;
    let timeout_ms = columns.next()?.parse().ok()?;
    let manner = columns.next()?;
    // Most steps have no flags but the first.
    let flags = manner.find(' ').map_or("", |blank| &manner[blank..]);
    let (flags, path) = match flags {
        "" => ("", ""),
        flags => flags.split_once(PATH).unwrap_or((flags, "")),
    };
    let (kind, (place, late)) = (columns.next()?, parted(columns.next()?));
    let user_only = columns.next() == Some(USER_ONLY);
    let conditions = match columns.next() {
        Some(place) if !place.is_empty() => stored(place, store)?,
        _ => "",
    };
    let pin = match columns.next() {
        Some(place) => stored(place, store)?,
        None => "",
    };
    let data = stored(place, store)?;
    let run = match kind {
        "command" => Run::Command(serde_json::from_str(data).ok()?),
        "argv" => Run::Argv(serde_json::from_str(data).ok()?),
        kind => {
            let late = Late { place: late, text: parts.late, start: parts.start };
            Run::Builtin { kind, options: data, late }
        }
    };
    Some(Step {
        name,
        place: line,
        run,
        timeout_ms,
        on_error,
        parallel: manner.starts_with("parallel"),
        always: flags.contains(ALWAYS),
        in_project: flags.contains(IN_PROJECT),
        adopted: flags.contains(ADOPTED),
        unexplained: flags.contains(UNEXPLAINED),
        observe: if flags.is_empty() { None } else { observe(flags) },
        budget: budget(flags),
        path: if path.is_empty() { path } else { stored(path, store)? },
        user_only,
        conditions,
        pin,
        seen_as: None,
    })
}

/// The last day of watching among a step's flags, which few steps have.
fn observe(flags: &str) -> Option<&str> {
    let (_, rest) = flags.split_once(OBSERVE)?;
    Some(rest.strip_prefix(':').map_or("", |day| day.split(' ').next().unwrap_or_default()))
}

/// The budget among a step's flags, which few steps have and which is the last of them.
fn budget(flags: &str) -> Option<Budget> {
    if !flags.contains('=') {
        return None;
    }
    flags.split_once(BUDGET).and_then(|(_, budget)| Budget::read(budget))
}

/// The place of what is always read, and behind it that of late options, or nothing.
fn parted(place: &str) -> (&str, &str) {
    let mut blanks = place.bytes().enumerate().filter(|it| it.1 == b' ');
    match blanks.nth(1) {
        Some((at, _)) => (&place[..at], &place[at + 1..]),
        None => (place, ""),
    }
}

/// The text at a place, which is its start and its length.
fn stored<'a>(place: &str, store: &'a str) -> Option<&'a str> {
    let (start, length) = place.split_once(' ')?;
    let start: usize = start.parse().ok()?;
    store.get(start..start.checked_add(length.parse().ok()?)?)
}

#[cfg(test)]
mod tests;
