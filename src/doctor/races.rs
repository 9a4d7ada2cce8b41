//! Do others' handlers run in parallel to the chain?

use serde_json::Value;

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use super::order::REWRITES;
use super::overlap::{Reach, meet};
use super::pointless::is_for_nothing;
use super::settings_file::SettingsFile;
use super::switched_off;
use crate::client::event::Event;
use crate::install::command_faults::Around;
use crate::install::command_faults::places;
use crate::settings::Handler;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "race",
        about: "no handler of others runs at the same time as a chain",
        notice: "they see what the chain has not changed yet, and run although it denies the call",
        run: races,
    },
    Check {
        id: "rewrites",
        about: "no two hooks outside of one chain rewrite the same input",
        notice: "the rewrite of whichever ends last counts, and the other is lost",
        run: rewrites,
    },
];

/// The events on which the order of hooks matters.
const ORDERED: [Event; 2] = [Event::PreToolUse, Event::UserPromptSubmit];

fn chain_hits(facts: &Facts, event: Event, matcher: Option<&str>) -> bool {
    let hooks = facts.hooks().filter(|it| it.enabled && it.passed().is_none());
    let mut hooks = hooks.filter(|it| it.events.contains(&event) && !it.manner.background);
    hooks.any(|hook| meet(hook.matcher.as_deref(), matcher, event))
}

fn waits(handler: &Handler) -> bool {
    let is_set = |key: &str| handler.value.get(key).and_then(Value::as_bool) == Some(true);
    !handler.ours && !is_set("async") && !is_set("asyncRewake")
}

fn races(facts: &Facts, findings: &mut Findings) {
    let off = switched_off::all(facts);
    for file in &facts.settings {
        let handlers = file.handlers();
        let races: Vec<&Handler> = handlers
            .iter()
            .filter(|handler| waits(handler))
            .filter(|handler| {
                let event = Event::from_name(&handler.event).filter(|it| ORDERED.contains(it));
                // What the manifest has the client run is meant so.
                handler.text("type") == Some("command")
                    && !off.iter().any(|off| switched_off::hits(off, handler))
                    && event.is_some_and(|it| {
                        !is_for_nothing(handler, it)
                            && chain_hits(facts, it, handler.matcher.as_deref())
                    })
            })
            .collect();
        let Some(first) = races.first() else { continue };
        let several = match races.len() {
            1 => "this handler runs".to_owned(),
            2 => "this and 1 more handler run".to_owned(),
            several => format!("this and {} more handlers run", several - 1),
        };
        findings.add(
            Level::Info,
            file.at_key(first, "command"),
            format!("{several} at the same time as hookman's chain for {}", first.event),
            format!(
                "run `hookman adopt --all{}`, which gives them a place in the order",
                file.flag()
            ),
        );
    }
}

fn chain_rewrites(facts: &Facts, around: &Around, matcher: Option<&str>) -> bool {
    facts.manifests().any(|(chain, manifest)| {
        manifest.hooks.iter().any(|hook| {
            hook.enabled
                && hook.events.contains(&Event::PreToolUse)
                && meet(hook.matcher.as_deref(), matcher, Event::PreToolUse)
                && places::hook_mentions(hook, &chain.chain.manifest, around, REWRITES)
        })
    })
}

fn rewrites(facts: &Facts, findings: &mut Findings) {
    let around = facts.around();
    let mut found: Vec<(&SettingsFile, Handler)> = Vec::new();
    for (file, around) in facts.placed_files() {
        for handler in file.handlers().into_iter().filter(waits) {
            if handler.event == Event::PreToolUse.name()
                && places::handler_mentions(&handler, &around, REWRITES)
            {
                found.push((file, handler));
            }
        }
    }
    let reaches: Vec<Reach<'_>> = found
        .iter()
        .map(|(_, handler)| Reach::of(handler.matcher.as_deref(), Event::PreToolUse))
        .collect();
    for (index, (file, handler)) in found.iter().enumerate() {
        let matcher = handler.matcher.as_deref();
        let earlier = (0..index).find(|&other| {
            found[other].1.identity != handler.identity && reaches[other].meets(&reaches[index])
        });
        let with = match earlier.map(|other| &found[other]) {
            Some((other, earlier)) => other.at_key(earlier, "command"),
            None if chain_rewrites(facts, &around, matcher) => "a hook of the chain".to_owned(),
            None => continue,
        };
        findings.add(
            Level::Warning,
            file.at_key(handler, "command"),
            format!("this handler and {with} both rewrite the input of a call"),
            if ["user", "project", "local"].contains(&file.scope) {
                format!(
                    "run `hookman adopt --all{}` and take `parallel` out of both hooks, so that one sees what the other made",
                    file.flag()
                )
            } else {
                "take one of the two out; only those of settings can be adopted".to_owned()
            },
        );
    }
}
