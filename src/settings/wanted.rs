//! Which entries a chain needs.

use crate::client::event::Event;
use crate::client::matcher;

use super::Registration;

/// What one hook asks of the client: to be called on an event.
#[derive(Clone, Debug)]
pub struct Demand<'a> {
    /// The event.
    pub event: Event,
    /// The matcher; `None` matches all.
    pub matcher: Option<&'a str>,
    /// Milliseconds the hook may take.
    pub timeout_ms: u64,
    /// Whether it runs beside its neighbours that are marked so too.
    pub parallel: bool,
    /// What it needs instead of being called with its chain.
    pub own: Option<Own<'a>>,
}

/// A hook that is called by an entry of its own.
#[derive(Clone, Debug)]
pub struct Own<'a> {
    /// The hook's name.
    pub hook: &'a str,
    /// The further keys of the handler.
    pub keys: serde_json::Map<String, serde_json::Value>,
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

/// The entries for a chain, in the order of the event table: one per event that a hook of the chain
/// asks for, then those of the hooks that have one of their own.
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

fn entry(event: Event, demands: &[&Demand<'_>], caller: &Caller) -> Registration {
    // Every hook may be late once, and being late costs the time until it is killed as well. Those
    // that run side by side are late together.
    let needed: u64 = demands
        .chunk_by(|one, next| one.parallel && next.parallel)
        .filter_map(|batch| batch.iter().map(|demand| demand.timeout_ms + 2_000).max())
        .sum::<u64>()
        + MARGIN_MS;
    let own = demands.iter().find_map(|demand| demand.own.as_ref());
    let seconds = needed.div_ceil(1000);
    let limit = LIMITS.iter().copied().find(|limit| *limit >= seconds).unwrap_or(seconds);
    let (command, args) = match caller {
        Caller::Binary(path) => {
            let mut args = vec!["run".to_owned(), event.name().to_owned()];
            args.extend(own.iter().flat_map(|own| ["--hook".to_owned(), own.hook.to_owned()]));
            (path.clone(), Some(args))
        }
        Caller::Launcher => {
            let hook = own.map(|own| format!(" --hook {}", own.hook)).unwrap_or_default();
            (format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hookman run {event}{hook}"), None)
        }
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
        extra: own.map(|own| own.keys.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_per_event_covers_all_its_hooks() {
        let demand = |event, matcher, timeout_ms| Demand {
            event,
            matcher,
            timeout_ms,
            parallel: false,
            own: None,
        };
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
        let apart = Demand { own: Some(Own { hook: "notify", keys }), ..chained(5_000) };
        let demands = [chained(100_000), apart, chained(100_000)];
        let entries = wanted(&demands, &Caller::Binary("/opt/hookman".to_owned()));
        assert_eq!(
            entries.iter().map(Registration::handler).collect::<Vec<_>>(),
            [
                serde_json::json!({"type": "command", "command": "/opt/hookman",
                    "args": ["run", "Stop"], "timeout": 120}),
                serde_json::json!({"type": "command", "command": "/opt/hookman",
                    "args": ["run", "Stop", "--hook", "notify"], "timeout": 60, "async": true}),
            ]
        );
        assert_eq!(
            wanted(&demands[1..2], &Caller::Launcher)[0].command,
            "\"$CLAUDE_PROJECT_DIR\"/.claude/hookman run Stop --hook notify"
        );
    }
}
