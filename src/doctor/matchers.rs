//! Do the matchers match what they were meant for?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::client::event::{AGENTS, Event, Subject};
use crate::client::matcher::{self, Kind, compile};
use crate::client::tools;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "matcher-case",
        about: "names of tools and agents are spelled as the client does",
        notice: "the hook never runs for what has that name",
        run: |facts, findings| {
            let places = places(facts);
            case(&places, findings);
            agents(facts, &places, findings);
        },
    },
    Check {
        id: "matcher-mcp",
        about: "matchers for MCP servers name their tools",
        notice: "the hook never runs for the tools of that server",
        run: |facts, findings| mcp(&places(facts), findings),
    },
    Check {
        id: "matcher-rule",
        about: "no permission rule is used as a matcher",
        notice: "the hook never runs",
        run: |facts, findings| rule(&of_manifests(facts), findings),
    },
    Check {
        id: "matcher-ignored",
        about: "no matcher is where it has no effect",
        notice: "the hook runs each time, whatever the matcher says",
        run: ignored,
    },
];

/// A matcher somewhere.
pub(super) struct Place {
    pub(super) shown: String,
    pub(super) event: Event,
    pub(super) matcher: String,
}

/// The matchers of manifests and settings files.
pub(super) fn places(facts: &Facts) -> Vec<Place> {
    let mut places = of_manifests(facts);
    places.extend(of_settings(facts));
    places
}

fn of_manifests(facts: &Facts) -> Vec<Place> {
    let mut places = Vec::new();
    for hook in facts.hooks() {
        let (Some(matcher), Some(origin)) = (&hook.matcher, hook.origins.get("matcher")) else {
            continue;
        };
        places.extend(hook.events.iter().map(|event| Place {
            shown: origin.place(),
            event: *event,
            matcher: matcher.clone(),
        }));
    }
    places
}

fn of_settings(facts: &Facts) -> Vec<Place> {
    let mut places = Vec::new();
    for file in facts.files() {
        for (handler, shown) in file.foreign_with("matcher") {
            let (Some(event), Some(matcher)) = (Event::from_name(&handler.event), handler.matcher)
            else {
                continue;
            };
            // A matcher is its group's, so one finding is enough.
            if places.last().is_none_or(|last: &Place| last.shown != shown) {
                places.push(Place { shown, event, matcher });
            }
        }
    }
    places
}

pub(super) fn case(places: &[Place], findings: &mut Findings) {
    for place in places.iter().filter(|place| is_list_of_tools(place)) {
        for name in matcher::names(&place.matcher) {
            if let Some(tool) = tools::misspelled(name) {
                findings.add(
                    Level::Warning,
                    &place.shown,
                    format!("`{name}` matches no tool: case matters"),
                    format!("write `{tool}`"),
                );
            }
        }
    }
}

/// As [`case`], for agents: the client's own, and those that have files here.
fn agents(facts: &Facts, places: &[Place], findings: &mut Findings) {
    let is_of_agents = |place: &&Place| place.event.facts().subject == Subject::AgentType;
    let mut places = places.iter().filter(is_of_agents).peekable();
    if places.peek().is_none() {
        return;
    }
    let named = facts.agents();
    let known = || AGENTS.iter().copied().chain(named.iter().map(String::as_str));
    for place in places {
        let kind = matcher::kind(Some(&place.matcher), place.event);
        if kind == Kind::Pattern {
            let (Ok(pattern), Ok(lower)) =
                (compile(&place.matcher), compile(&place.matcher.to_lowercase()))
            else {
                continue;
            };
            let meant = known().find(|name| lower.find(&name.to_lowercase()).is_some());
            if let Some(agent) = meant.filter(|_| known().all(|it| pattern.find(it).is_none())) {
                findings.add(
                    Level::Warning,
                    &place.shown,
                    format!("`{}` hits no agent that is known here: case matters", place.matcher),
                    format!("write it as in `{agent}`"),
                );
            }
        }
        let listed = matcher::names(&place.matcher).filter(|_| kind == Kind::List);
        for name in listed.filter(|name| known().all(|it| it != *name)) {
            if let Some(agent) = known().find(|it| it.eq_ignore_ascii_case(name)) {
                findings.add(
                    Level::Warning,
                    &place.shown,
                    format!("`{name}` matches no agent: case matters"),
                    format!("write `{agent}`"),
                );
            }
        }
    }
}

pub(super) fn mcp(places: &[Place], findings: &mut Findings) {
    let of_tools = places.iter().filter(|it| it.event.facts().subject == Subject::Tool);
    for place in of_tools {
        let one = place.matcher.trim_start_matches('^').strip_prefix("mcp_");
        if let Some(rest) = one.filter(|rest| !rest.starts_with('_')) {
            findings.add(
                Level::Warning,
                &place.shown,
                format!(
                    "`{}` never matches: tools of MCP servers begin with `mcp__`",
                    place.matcher
                ),
                format!("write `mcp__{}`", rest.replacen('_', "__", 1)),
            );
        }
    }
    for place in places.iter().filter(|place| is_list_of_tools(place)) {
        for name in matcher::names(&place.matcher) {
            let Some(rest) = name.strip_prefix("mcp__") else { continue };
            let (server, tool) = rest.split_once("__").unwrap_or((rest, ""));
            if tool.is_empty() {
                let name = format!("mcp__{server}");
                findings.add(
                    Level::Warning,
                    &place.shown,
                    format!("`{name}` is a server, whose tools are called `{name}__…`, so it never matches"),
                    format!("write `{name}__.*`"),
                );
            }
        }
    }
}

fn is_list_of_tools(place: &Place) -> bool {
    place.event.facts().subject == Subject::Tool
        && matcher::kind(Some(&place.matcher), place.event) == Kind::List
}

// In settings files this is a defect by the client's rules, which `settings-schema` names.
pub(super) fn rule(places: &[Place], findings: &mut Findings) {
    for place in places {
        let looks_like_rule = place.matcher.strip_suffix(')').and_then(|rest| rest.split_once('('));
        if let Some((tool, inside)) = looks_like_rule
            && tools::KNOWN.contains(&tool)
            && !inside.starts_with('?')
            && !compile(&place.matcher)
                .is_ok_and(|it| tools::KNOWN.iter().any(|name| it.find(name).is_some()))
        {
            findings.add(
                Level::Warning,
                place.shown.clone(),
                format!("`{}` is a permission rule; as a matcher it never matches", place.matcher),
                format!("write the matcher `{tool}`, and look at the input in the hook"),
            );
        }
    }
}

fn ignored(facts: &Facts, findings: &mut Findings) {
    for place in places(facts) {
        let anything = matcher::kind(Some(&place.matcher), place.event) == Kind::Any;
        if place.event.facts().subject == Subject::None && !anything {
            findings.add(
                Level::Info,
                place.shown,
                format!("{} has no subject, so `{}` has no effect", place.event, place.matcher),
                "leave the matcher out",
            );
        }
    }
}
