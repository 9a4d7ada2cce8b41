//! Which entries a chain needs.

use crate::client::event::Event;
use crate::client::matcher;

use super::Registration;

/// What one hook asks of the client: to be called on an event.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a> {
    /// The event.
    pub event: Event,
    /// The matcher; `None` matches all.
    pub matcher: Option<&'a str>,
    /// Milliseconds the hook may take.
    pub timeout_ms: u64,
}

/// How the client is to call hookman.
#[derive(Clone, Debug)]
pub enum Caller {
    /// By the absolute path of the installed binary, without a shell.
    Binary(String),
    /// By the project's launcher, so that no path of a machine ends in git.
    Launcher,
    /// As `Binary`, for the chain of a project that has no launcher.
    BinaryFor {
        /// The absolute path of the installed binary.
        binary: String,
        /// The project's directory.
        project: String,
    },
}

/// What comes on top of the hooks' own time: waiting for the payload and ending what is late.
const MARGIN_MS: u64 = 10_000;

/// Time limits are rounded up to one of these, in seconds, so that adding a hook to a manifest does
/// not change `settings.json`. hookman ends late hooks itself; this limit is for hookman, and the
/// least is the client's own default.
const LIMITS: &[u64] = &[600, 1200, 3600];

/// The client gives all hooks of a session's end together at most a minute.
const SESSION_END_LIMIT: u64 = 60;

/// The entries for a chain: one per event that a hook asks for, in the order of the event table.
pub fn wanted(demands: &[Demand<'_>], caller: &Caller) -> Vec<Registration> {
    Event::ALL
        .iter()
        .filter_map(|event| {
            let own: Vec<&Demand<'_>> =
                demands.iter().filter(|demand| demand.event == *event).collect();
            (!own.is_empty()).then(|| entry(*event, &own, caller))
        })
        .collect()
}

/// The entries that `all` hooks of a project need beyond those that the `committed` ones have: for
/// events that no committed hook asks for, and for events whose matcher or time limit is too small.
///
/// The client runs equal commands once, with the time limit of the file it reads last, so an entry
/// for an event that has a committed one does not run the chain twice.
pub fn beyond(committed: &[Demand<'_>], all: &[Demand<'_>], caller: &Caller) -> Vec<Registration> {
    let there = wanted(committed, caller);
    let both: Vec<Demand<'_>> = committed.iter().chain(all).copied().collect();
    let matchers = wanted(&both, caller);
    let of = |entries: &[Registration], event: &str| {
        entries.iter().find(|entry| entry.event == event).cloned()
    };
    wanted(all, caller)
        .into_iter()
        .filter_map(|mut entry| {
            let wide = of(&matchers, &entry.event)?;
            entry.matcher = wide.matcher;
            match of(&there, &entry.event) {
                Some(there) => (there.matcher != entry.matcher || there.timeout < entry.timeout)
                    .then_some(entry),
                None => Some(entry),
            }
        })
        .collect()
}

fn entry(event: Event, demands: &[&Demand<'_>], caller: &Caller) -> Registration {
    // Every hook may be late once, and being late costs the time until it is killed as well.
    let needed: u64 =
        demands.iter().map(|demand| demand.timeout_ms + 2_000).sum::<u64>() + MARGIN_MS;
    let seconds = needed.div_ceil(1000);
    let limit = LIMITS.iter().copied().find(|limit| *limit >= seconds).unwrap_or(seconds);
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    let (command, args) = match caller {
        Caller::Binary(path) => (path.clone(), words(&["run", event.name()])),
        Caller::BinaryFor { binary, project } => {
            (binary.clone(), words(&["run", event.name(), "--project", project]))
        }
        Caller::Launcher => (format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hookman run {event}"), None),
    };
    Registration {
        event: event.name().to_owned(),
        matcher: matcher::union(demands.iter().map(|demand| demand.matcher), event),
        command,
        args,
        timeout: Some(if event == Event::SessionEnd {
            limit.min(SESSION_END_LIMIT)
        } else {
            limit
        }),
        extra: serde_json::Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(event: Event, matcher: Option<&str>, seconds: u64) -> Demand<'_> {
        Demand { event, matcher, timeout_ms: seconds * 1000 }
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
                 "args": ["run", "PreToolUse"], "timeout": 1200},
                {"event": "Stop", "command": "/opt/hookman", "args": ["run", "Stop"], "timeout": 600},
            ])
        );
        let project = wanted(&demands[..1], &Caller::Launcher);
        assert_eq!(project[0].command, "\"$CLAUDE_PROJECT_DIR\"/.claude/hookman run Stop");
        assert_eq!(project[0].args, None);
        let binary = "/opt/hookman".to_owned();
        let caller = Caller::BinaryFor { binary, project: "/p q".to_owned() };
        let args = wanted(&demands[..1], &caller)[0].args.clone().unwrap();
        assert_eq!(args, ["run", "Stop", "--project", "/p q"]);
    }

    #[test]
    fn an_overlay_registers_only_what_it_needs_more() {
        use Event::{PreToolUse, SessionStart, Stop};
        let bash = demand(PreToolUse, Some("Bash"), 5);
        let stop = demand(Stop, None, 5);
        for (committed, all, more) in [
            (vec![bash, stop], vec![bash, stop], vec![]),
            (vec![bash, stop], vec![bash], vec![]),
            (vec![bash], vec![], vec![]),
            (vec![bash], vec![bash, stop], vec!["Stop - 600"]),
            (vec![], vec![bash], vec!["PreToolUse Bash 600"]),
            (
                vec![bash],
                vec![bash, demand(PreToolUse, Some("Edit"), 5)],
                vec!["PreToolUse Bash|Edit 600"],
            ),
            (
                vec![bash],
                vec![demand(PreToolUse, Some("Edit"), 5)],
                vec!["PreToolUse Bash|Edit 600"],
            ),
            (vec![bash], vec![bash, demand(PreToolUse, None, 5)], vec!["PreToolUse - 600"]),
            (vec![demand(PreToolUse, None, 5)], vec![bash], vec![]),
            (vec![bash], vec![demand(PreToolUse, Some("Bash"), 900)], vec!["PreToolUse Bash 1200"]),
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
}
