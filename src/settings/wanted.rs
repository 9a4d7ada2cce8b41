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
}

/// What comes on top of the hooks' own time: waiting for the payload and ending what is late.
const MARGIN_MS: u64 = 10_000;

/// Time limits are rounded up to one of these, in seconds, so that adding a hook to a manifest
/// seldom changes `settings.json`.
const LIMITS: &[u64] = &[60, 120, 300, 600, 1200, 3600];

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

fn entry(event: Event, demands: &[&Demand<'_>], caller: &Caller) -> Registration {
    // Every hook may be late once, and being late costs the time until it is killed as well.
    let needed: u64 =
        demands.iter().map(|demand| demand.timeout_ms + 2_000).sum::<u64>() + MARGIN_MS;
    let seconds = needed.div_ceil(1000);
    let limit = LIMITS.iter().copied().find(|limit| *limit >= seconds).unwrap_or(seconds);
    let (command, args) = match caller {
        Caller::Binary(path) => {
            (path.clone(), Some(vec!["run".to_owned(), event.name().to_owned()]))
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

    #[test]
    fn one_entry_per_event_covers_all_its_hooks() {
        let demand = |event, matcher, timeout_ms| Demand { event, matcher, timeout_ms };
        let demands = [
            demand(Event::Stop, None, 5_000),
            demand(Event::PreToolUse, Some("Bash"), 40_000),
            demand(Event::PreToolUse, Some("Edit|Write"), 10_000),
        ];
        let caller = Caller::Binary("/opt/hookman".to_owned());
        let entries = wanted(&demands, &caller);
        assert_eq!(
            serde_json::to_value(&entries).unwrap(),
            serde_json::json!([
                {"event": "PreToolUse", "matcher": "Bash|Edit|Write", "command": "/opt/hookman",
                 "args": ["run", "PreToolUse"], "timeout": 120},
                {"event": "Stop", "command": "/opt/hookman", "args": ["run", "Stop"], "timeout": 60},
            ])
        );
        let project = wanted(&demands[..1], &Caller::Launcher);
        assert_eq!(project[0].command, "\"$CLAUDE_PROJECT_DIR\"/.claude/hookman run Stop");
        assert_eq!(project[0].args, None);
    }
}
