//! Can the rules in `if` ever be met?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Findings, Level};
use crate::client::event::{Event, Subject};
use crate::client::matcher::{self, Kind, names};
use crate::client::permission_rule::{Anchors, Never, Rule, odd_glob};
use crate::client::tools;
use crate::manifest::Origin;

pub(super) const CHECKS: &[Check] = &[Check {
    id: "if-never",
    about: "no `if` asks for what never comes",
    notice: "the hook never runs",
    run: never,
}];

/// An `if` somewhere.
struct Place {
    shown: String,
    events: Vec<Event>,
    matcher: Option<String>,
    rule: String,
    /// True if it is a hook's of the manifest that the client runs.
    is_passed: bool,
}

fn places(facts: &Facts) -> Vec<Place> {
    let mut places = Vec::new();
    for hook in facts.hooks() {
        let of_client = || hook.passed()?.keys.get("if")?.as_str().map(str::to_owned);
        let Some(rule) = hook.manner.condition.clone().or_else(of_client) else { continue };
        let shown = hook.origins.get("if").map(Origin::place).unwrap_or_default();
        let (events, matcher) = (hook.events.clone(), hook.matcher.clone());
        places.push(Place { shown, events, matcher, rule, is_passed: hook.passed().is_some() });
    }
    for file in facts.files() {
        for (handler, shown) in file.foreign_with("if") {
            let (event, rule) = (Event::from_name(&handler.event), handler.text("if"));
            let (Some(event), Some(rule)) = (event, rule.map(str::to_owned)) else { continue };
            // The manifest's own entries are corrected there.
            let is_it = |it: &Place| it.is_passed && it.rule == rule && it.events.contains(&event);
            if places.iter().any(is_it) {
                continue;
            }
            let (events, matcher) = (vec![event], handler.matcher);
            places.push(Place { shown, events, matcher, rule, is_passed: false });
        }
    }
    places
}

/// Each `if`, with its place.
pub(super) fn texts(facts: &Facts) -> Vec<(String, String)> {
    places(facts).into_iter().map(|place| (place.shown, place.rule)).collect()
}

fn never(facts: &Facts, findings: &mut Findings) {
    let client = facts.client_version();
    for Place { shown, events, matcher, rule: text, .. } in places(facts) {
        if events.iter().any(|event| event.facts().subject != Subject::Tool) {
            continue;
        }
        // What is no rule at all, manifests refuse and `settings-schema` names.
        let Some(rule) = Rule::parse(&text) else { continue };
        let on = matcher.as_deref();
        let gone = || tools::former(rule.tool, client).map(Never::Former);
        let (why, fix) = match rule.never().or_else(gone) {
            Some(Never::NoTool) => {
                let names = if rule.tool.contains('*') {
                    rule.tool.replace('*', ".*")
                } else {
                    format!("{}__.*", rule.tool)
                };
                (
                    format!("`{text}` is never met: `if` names one tool, whole"),
                    format!("leave it out, and write the matcher `{names}`"),
                )
            }
            Some(Never::Case(tool)) => (
                format!("`{text}` is never met: case matters"),
                format!("write `{}`", text.replacen(rule.tool, tool, 1)),
            ),
            Some(Never::Unknown(tool)) => (
                format!("`{text}` is never met: the client has no tool `{}`", rule.tool),
                format!("write `{}`", text.replacen(rule.tool, tool, 1)),
            ),
            Some(Never::Former(tool)) => (
                format!(
                    "`{text}` is never met: {} no tool `{}`",
                    tools::who_lacks(client),
                    rule.tool
                ),
                format!("write `{}`", text.replacen(rule.tool, tool, 1)),
            ),
            Some(Never::Pattern) => (
                format!(
                    "`{text}` is never met: the client compares what is in brackets with commands and files only"
                ),
                format!("write `{}`, and look at the input in the hook", rule.tool),
            ),
            None if !is_tool(rule.tool) => {
                let message = format!("`{text}`: the client has no tool `{}`", rule.tool);
                let fix = "check the name, unless a host of the client adds the tool";
                findings.add(Level::Info, shown, message, fix);
                continue;
            }
            None if events.iter().any(|it| matcher::matches(on, *it, Some(rule.tool))) => {
                if let Some((why, fix)) = rule.glob().and_then(odd_glob) {
                    findings.add(Level::Warning, shown, format!("`{text}` {why}"), fix);
                    continue;
                }
                let Some(tool) = missed(&rule, on, &events) else { continue };
                (
                    format!("`{text}` is never met for {tool}, which the matcher names"),
                    format!("write the matcher `{}`, and another hook for {tool}", rule.tool),
                )
            }
            None => (
                format!(
                    "`{text}` is never met: the matcher `{}` does not hit {}",
                    on.unwrap_or_default(),
                    rule.tool
                ),
                format!("write the matcher `{}`", rule.tool),
            ),
        };
        findings.add(Level::Warning, shown, why, fix);
    }
}

fn is_tool(name: &str) -> bool {
    tools::KNOWN.contains(&name) || name.starts_with("mcp__")
}

/// A tool that the matcher names and the rule does not hit, whatever is asked of the tool.
fn missed<'m>(rule: &Rule<'_>, matcher: Option<&'m str>, events: &[Event]) -> Option<&'m str> {
    let is_list = |event: &Event| matcher::kind(matcher, *event) == Kind::List;
    let anchors = Anchors { cwd: "", project: "", home: "" };
    let mut names = matcher.filter(|_| events.iter().all(is_list)).into_iter().flat_map(names);
    names.find(|name| !rule.matches(name, None, anchors))
}
