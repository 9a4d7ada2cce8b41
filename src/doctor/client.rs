//! Does the installed client know what the manifests use?

use super::check::{Check, Findings};
use super::facts::Facts;
use super::installed::Installed;
use crate::client::matcher::{self, Kind};
use crate::client::{Event, Subject, Version, tools};

pub(super) const CHECKS: &[Check] = &[Check { id: "client-features", run: features }];

const UPDATE: &str = "run `claude update`";

/// A feature, and the version from which clients have it.
struct Lack {
    since: [u32; 3],
    what: String,
    key: &'static str,
}

/// Keys of handlers that came with a version, some with one value.
const KEYS: &[(&str, &str, [u32; 3], &str)] = &[
    ("args", "", [2, 1, 139], "has `args`"),
    ("if", "", [2, 1, 85], "has an `if` that the client judges"),
    ("onFailure", "", [2, 1, 295], "says what follows its failure"),
    ("continueOnBlock", "", [2, 1, 139], "says what follows a block"),
    ("type", "mcp_tool", [2, 1, 118], "calls an MCP tool"),
    ("type", "http", [2, 1, 63], "posts to an address"),
    ("type", "prompt", [2, 0, 30], "asks a model"),
];

fn features(facts: &Facts, findings: &mut Findings) {
    let Some(Installed { program, version: Some(version) }) = &facts.client else { return };
    let mut add = |lacks: Vec<Lack>, name: &str, place: &dyn Fn(&str) -> String| {
        for Lack { since, what, key } in lacks.into_iter().filter(|it| *version < Version(it.since))
        {
            // A client that does not know `args` calls the program alone.
            let fix = match key {
                "args" => "run `claude update`, or write one shell line in `command`",
                _ => UPDATE,
            };
            findings.say(
                "client-lacks",
                place(key),
                &[&name, &what, &Version(since), &facts.paths.shown(program), &version, &fix],
            );
        }
    };
    for hook in facts.hooks().filter(|hook| hook.enabled) {
        let has = |key: &str, value: &str| match hook.passed() {
            Some(it) if value.is_empty() => it.keys.contains_key(key),
            passed => passed.is_some_and(|it| it.handler.name() == value),
        };
        let place = |_: &str| hook.place_of("hook");
        let used = used(&hook.events, hook.matcher.as_deref(), &has);
        add(used, &format!("`{}`", hook.name), &place);
    }
    for file in facts.files() {
        for handler in file.handlers().iter().filter(|handler| !handler.ours) {
            let events: Vec<Event> = Event::from_name(&handler.event).into_iter().collect();
            let has = |key: &str, value: &str| {
                handler.value.get(key).is_some_and(|it| value.is_empty() || it == value)
            };
            let at = |key: &str| file.at_key(handler, key);
            add(used(&events, handler.matcher.as_deref(), &has), "it", &at);
        }
    }
}

fn used(events: &[Event], matcher: Option<&str>, has: &dyn Fn(&str, &str) -> bool) -> Vec<Lack> {
    let of_event = |event: &Event| {
        let Version(since) = Version::parse(event.facts().since)?;
        Some(Lack { since, what: format!("is for {event}"), key: "type" })
    };
    let mut used: Vec<Lack> = events.iter().filter_map(of_event).collect();
    let keys = KEYS.iter().filter(|(key, value, ..)| has(key, value));
    let of_key = |(key, _, since, what): &(&'static str, _, _, &str)| Lack {
        since: *since,
        what: (*what).to_owned(),
        key,
    };
    used.extend(keys.map(of_key));
    used.extend(events.iter().filter_map(|event| tools_since(matcher, *event)));
    if matcher.is_some_and(|matcher| matcher.contains(',')) {
        let what = "has a comma in its matcher".to_owned();
        used.push(Lack { since: [2, 1, 191], what, key: "matcher" });
    }
    used
}

/// The tools in a list matcher that only newer clients have, if the list has no others.
fn tools_since(matcher: Option<&str>, event: Event) -> Option<Lack> {
    let list = matcher?;
    if event.facts().subject != Subject::Tool || matcher::kind(matcher, event) != Kind::List {
        return None;
    }
    let all: Option<Vec<[u32; 3]>> = matcher::names(list).map(tools::since).collect();
    let since = all?.into_iter().min()?;
    Some(Lack { since, what: format!("is for the tool `{list}`"), key: "matcher" })
}
