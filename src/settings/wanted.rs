//! The entries that a chain needs.

use super::Registration;
use crate::client::host::files::{Files, Form};
use crate::client::{Event, call, matcher};

#[derive(Clone, Debug)]
pub struct Demand<'a> {
    pub event: Event,
    /// The matcher; `None` matches all.
    pub matcher: Option<&'a str>,
    pub timeout_ms: u64,
    /// True if it runs with its neighbours that are marked so too.
    pub parallel: bool,
    /// The entry that it needs instead of being called with its chain.
    pub own: Option<Own<'a>>,
}

/// The prompts that are answered without the model: the slash commands that switch hooks.
const TYPED: &str = "^hook:(careful|disable|enable|status)$";

/// Lists the demands of switching: slash commands before they cost a model call, and sessions that begin.
pub fn for_switches() -> [Demand<'static>; 2] {
    [(Event::SessionStart, None), (Event::UserPromptExpansion, Some(TYPED))].map(
        |(event, matcher)| Demand { event, matcher, timeout_ms: 1_000, parallel: false, own: None },
    )
}

#[derive(Clone, Debug)]
pub struct Own<'a> {
    pub hook: &'a str,
    /// True if the client runs it without hookman; the keys are the whole handler then.
    pub passed: bool,
    pub keys: serde_json::Map<String, serde_json::Value>,
}

/// The program that [`Caller::Launcher`] is about, as it is committed to a project.
pub const LAUNCHER: &str = include_str!(concat!(env!("OUT_DIR"), "/launcher.sh"));

/// The flag of `run` before a project's directory.
pub const PROJECT: &str = "--project";

/// The flag of `run` before an administrator's directory.
pub const MANAGED: &str = "--managed";

/// The form in which the client calls hookman.
#[derive(Clone, Debug)]
pub enum Caller {
    /// By the absolute path of the installed binary, without a shell; by one that begins with `$HOME`
    /// in a line of the shell, which alone expands it.
    Binary(String),
    /// By the project's launcher, so that no path of a machine ends in git.
    Launcher,
    /// As `Binary`, for a chain other than the user's.
    BinaryFor {
        binary: String,
        /// Whose chain: [`PROJECT`] where that has no launcher, or [`MANAGED`].
        flag: &'static str,
        folder: String,
    },
}

/// The time on top of the hooks' own: to wait for the payload and to end late children.
const MARGIN_MS: u64 = 10_000;

/// The seconds of every entry, always the same, as hookman ends late hooks itself.
pub const LIMIT: u64 = 3_600;

/// The client gives all hooks of a session's end together at most a minute.
const SESSION_END_LIMIT: u64 = 60;

/// The entries for a chain in the order of events: one per event, then those of hooks with their own.
pub fn wanted(demands: &[Demand<'_>], caller: &Caller) -> Vec<Registration> {
    Event::ALL
        .iter()
        .flat_map(|event| {
            let (apart, chain): (Vec<&Demand<'_>>, Vec<_>) = demands
                .iter()
                .filter(|demand| demand.event == *event)
                .partition(|demand| demand.own.is_some());
            let chain = (!chain.is_empty()).then(|| entry(*event, &chain, caller));
            let apart: Vec<_> =
                apart.into_iter().map(|demand| entry(*event, &[demand], caller)).collect();
            chain.into_iter().chain(apart)
        })
        .collect()
}

/// The entries that `all` hooks of a project need beyond those of the `committed` ones. The client runs
/// equal commands once, so that no chain runs twice.
pub fn beyond(committed: &[Demand<'_>], all: &[Demand<'_>], caller: &Caller) -> Vec<Registration> {
    let there = wanted(committed, caller);
    let both: Vec<Demand<'_>> = committed.iter().chain(all).cloned().collect();
    let matchers = wanted(&both, caller);
    // The client tells entries of one event apart by what they run.
    let of = |entries: &[Registration], like: &Registration| {
        let same = |entry: &&Registration| {
            (&entry.event, &entry.command, &entry.args) == (&like.event, &like.command, &like.args)
        };
        entries.iter().find(same).cloned()
    };
    wanted(all, caller)
        .into_iter()
        .filter_map(|mut entry| {
            if entry.is_passed() {
                return (!there.contains(&entry)).then_some(entry);
            }
            let wide = of(&matchers, &entry)?;
            entry.matcher = wide.matcher;
            match of(&there, &entry) {
                Some(there) if there.matcher == entry.matcher => None,
                _ => Some(entry),
            }
        })
        .collect()
}

/// The entries for another program, in the order of the event table. No hook changes them but one that
/// asks for a rare event: `program` is the start of each line, and none has a matcher.
pub fn of_host(files: &Files, demands: &[Demand<'_>], program: &str) -> Vec<Registration> {
    if demands.is_empty() {
        return Vec::new();
    }
    let is_asked = |event: &Event| demands.iter().any(|demand| demand.event == *event);
    let is_there = |event: &Event| files.enters(*event) || files.has(*event) && is_asked(event);
    let named = files.form == Form::Groups { named: true };
    let extra = named.then(|| ("name".to_owned(), "hookman".into()));
    let entry = |event: Event| Registration {
        event: files.host.event_name(event).to_owned(),
        matcher: None,
        command: format!("{program} run {event} --host {}", files.host.name),
        args: None,
        timeout: Some(files.limit(event)),
        extra: extra.clone().into_iter().collect(),
    };
    Event::ALL.iter().copied().filter(is_there).map(entry).collect()
}

pub fn limit(event: Event) -> u64 {
    if event == Event::SessionEnd { SESSION_END_LIMIT } else { LIMIT }
}

/// Tells how long the hooks of one event's chain may take together, in seconds, each late once and then
/// killed; those side by side count once, and those with entries of their own do not.
pub fn longest(demands: &[Demand<'_>], event: Event) -> u64 {
    let chain: Vec<&Demand<'_>> =
        demands.iter().filter(|it| it.event == event && it.own.is_none()).collect();
    let late = chain
        .chunk_by(|one, next| one.parallel && next.parallel)
        .filter_map(|batch| batch.iter().map(|demand| demand.timeout_ms + 2_000).max())
        .sum::<u64>();
    (late + MARGIN_MS).div_ceil(1000)
}

fn entry(event: Event, demands: &[&Demand<'_>], caller: &Caller) -> Registration {
    let own = demands.iter().find_map(|demand| demand.own.as_ref());
    let matcher = matcher::union(demands.iter().map(|demand| demand.matcher), event);
    if let Some(own) = own.filter(|own| own.passed) {
        let (event, extra) = (event.name().to_owned(), own.keys.clone());
        let (command, args, timeout) = (String::new(), None, None);
        return Registration { event, matcher, command, args, timeout, extra };
    }
    let arguments = |project: &[&str]| {
        let hook = own.map_or([""; 2], |own| ["--hook", own.hook]);
        let words = ["run", event.name()].into_iter().chain(hook).chain(project.iter().copied());
        Some(words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
    };
    let line = |program: &str| {
        let hook = own.map(|own| format!(" --hook {}", own.hook)).unwrap_or_default();
        (format!("{program} run {event}{hook}"), None)
    };
    let (command, args) = match caller {
        Caller::Binary(path) if path.starts_with("$HOME/") => line(&format!("\"{path}\"")),
        Caller::Binary(path) => (path.clone(), arguments(&[])),
        Caller::BinaryFor { binary, flag, folder } => (binary.clone(), arguments(&[*flag, folder])),
        Caller::Launcher => line(call::LAUNCHER),
    };
    Registration {
        event: event.name().to_owned(),
        matcher,
        command,
        args,
        timeout: Some(limit(event)),
        extra: own.map(|own| own.keys.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(event: Event, matcher: Option<&str>, seconds: u64) -> Demand<'_> {
        Demand { event, matcher, timeout_ms: seconds * 1000, parallel: false, own: None }
    }

    #[test]
    fn one_entry_per_event_covers_all_its_hooks() {
        let demands = [
            demand(Event::Stop, None, 5),
            demand(Event::PreToolUse, Some("Bash"), 700),
            demand(Event::PreToolUse, Some("Edit|Write"), 10),
        ];
        let caller = Caller::Binary("/opt/hookman".to_owned());
        let entries = wanted(&demands, &caller);
        assert_eq!(
            serde_json::to_value(&entries).unwrap(),
            serde_json::json!([
                {"event": "PreToolUse", "matcher": "Bash|Edit|Write", "command": "/opt/hookman",
                 "args": ["run", "PreToolUse"], "timeout": 3600},
                {"event": "Stop", "command": "/opt/hookman", "args": ["run", "Stop"], "timeout": 3600},
            ])
        );
        let project = wanted(&demands[..1], &Caller::Launcher);
        assert_eq!(project[0].command, format!("{} run Stop", call::LAUNCHER));
        assert_eq!(project[0].args, None);
        let binary = "/opt/hookman".to_owned();
        let caller = Caller::BinaryFor { binary, flag: PROJECT, folder: "/p q".to_owned() };
        let args = wanted(&demands[..1], &caller)[0].args.clone().unwrap();
        assert_eq!(args, ["run", "Stop", "--project", "/p q"]);
    }

    #[test]
    fn an_overlay_registers_only_what_it_needs_more() {
        use Event::{PreToolUse, SessionStart, Stop};
        let bash = || demand(PreToolUse, Some("Bash"), 5);
        let stop = || demand(Stop, None, 5);
        for (committed, all, more) in [
            (vec![bash(), stop()], vec![bash(), stop()], vec![]),
            (vec![bash(), stop()], vec![bash()], vec![]),
            (vec![bash()], vec![], vec![]),
            (vec![bash()], vec![bash(), stop()], vec!["Stop - 3600"]),
            (vec![], vec![bash()], vec!["PreToolUse Bash 3600"]),
            (
                vec![bash()],
                vec![bash(), demand(PreToolUse, Some("Edit"), 5)],
                vec!["PreToolUse Bash|Edit 3600"],
            ),
            (
                vec![bash()],
                vec![demand(PreToolUse, Some("Edit"), 5)],
                vec!["PreToolUse Bash|Edit 3600"],
            ),
            (vec![bash()], vec![bash(), demand(PreToolUse, None, 5)], vec!["PreToolUse - 3600"]),
            (vec![demand(PreToolUse, None, 5)], vec![bash()], vec![]),
            (vec![bash()], vec![demand(PreToolUse, Some("Bash"), 900)], vec![]),
            (
                vec![demand(SessionStart, None, 5)],
                vec![demand(SessionStart, Some("startup"), 5)],
                vec![],
            ),
        ] {
            let found: Vec<String> = beyond(&committed, &all, &Caller::Launcher)
                .iter()
                .map(|entry| {
                    let matcher = entry.matcher.as_deref().unwrap_or("-");
                    format!("{} {matcher} {}", entry.event, entry.timeout.unwrap_or_default())
                })
                .collect();
            assert_eq!(found, more, "{committed:?} {all:?}");
        }
    }

    #[test]
    fn hooks_side_by_side_are_late_together() {
        let limit =
            |seconds: u64, parallel| Demand { parallel, ..demand(Event::Stop, None, seconds) };
        for (demands, seconds) in [
            (vec![], 10),
            (vec![limit(20, false)], 32),
            (vec![limit(20, false), limit(30, true)], 64),
            (vec![limit(20, true), limit(30, true)], 42),
            (vec![limit(20, false), demand(Event::PreToolUse, None, 30)], 32),
        ] {
            assert_eq!(longest(&demands, Event::Stop), seconds, "{demands:?}");
        }
    }

    #[test]
    fn a_hook_apart_from_its_chain_has_an_entry_of_its_own() {
        let keys = serde_json::Map::from_iter([("async".to_owned(), true.into())]);
        let chained = |timeout_ms| Demand {
            event: Event::Stop,
            matcher: None,
            timeout_ms,
            parallel: true,
            own: None,
        };
        let apart =
            Demand { own: Some(Own { hook: "notify", passed: false, keys }), ..chained(5_000) };
        let demands = [chained(500_000), apart, chained(500_000)];
        let entries = wanted(&demands, &Caller::Binary("/opt/hookman".to_owned()));
        assert_eq!(
            entries.iter().map(Registration::handler).collect::<Vec<_>>(),
            [
                serde_json::json!({"type": "command", "command": "/opt/hookman",
                    "args": ["run", "Stop"], "timeout": 3600}),
                serde_json::json!({"type": "command", "command": "/opt/hookman",
                    "args": ["run", "Stop", "--hook", "notify"], "timeout": 3600, "async": true}),
            ]
        );
        assert_eq!(
            wanted(&demands[1..2], &Caller::Launcher)[0].command,
            format!("{} run Stop --hook notify", call::LAUNCHER)
        );
    }
}
