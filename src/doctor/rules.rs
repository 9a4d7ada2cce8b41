//! Can the conditions in `if` and `when` ever be met, and has a call the file that a hook asks for?

use super::check::{Check, Finding, Findings};
use super::facts::Facts;
use crate::chain::plan::FILE;
use crate::client::matcher::{self, Kind, names};
use crate::client::permission_rule::{Anchors, Never, odd_glob};
use crate::client::{Event, Rule, Subject, Version, tools};
use crate::manifest::{Action, Hook};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "if-never",
        run: |facts, findings| never(places(facts), facts.client_version(), findings),
    },
    Check {
        id: "when-never",
        run: |facts, findings| facts.hooks().for_each(|hook| when_never(hook, findings)),
    },
    Check {
        id: "file-never",
        run: |facts, findings| facts.hooks().for_each(|hook| file_never(hook, findings)),
    },
];

struct Place {
    shown: String,
    events: Vec<Event>,
    matcher: Option<String>,
    rule: String,
    /// True if it is a hook's of the manifest that the client runs.
    is_passed: bool,
}

fn places(facts: &Facts) -> Vec<Place> {
    let mut places: Vec<Place> = facts.hooks().filter_map(place).collect();
    for (handler, shown) in facts.foreign_with("if") {
        let rule = handler.text("if").map(str::to_owned);
        let Some((event, rule)) = Event::from_name(&handler.event).zip(rule) else { continue };
        // The manifest's own entries are corrected there.
        let is_it = |it: &Place| it.is_passed && it.rule == rule && it.events.contains(&event);
        if !places.iter().any(is_it) {
            let (events, matcher) = (vec![event], handler.matcher);
            places.push(Place { shown, events, matcher, rule, is_passed: false });
        }
    }
    places
}

fn place(hook: &Hook) -> Option<Place> {
    let of_client = || hook.passed()?.keys.get("if")?.as_str().map(str::to_owned);
    let rule = hook.manner.condition.clone().or_else(of_client)?;
    let (events, matcher) = (hook.events.clone(), hook.matcher.clone());
    let is_passed = hook.passed().is_some();
    Some(Place { shown: hook.place_of("if"), events, matcher, rule, is_passed })
}

pub(super) fn texts(facts: &Facts) -> Vec<(String, String)> {
    places(facts).into_iter().map(|place| (place.shown, place.rule)).collect()
}

fn never(places: Vec<Place>, client: Option<Version>, findings: &mut Findings) {
    for Place { shown, events, matcher, rule: text, .. } in places {
        if events.iter().any(|event| event.facts().subject != Subject::Tool) {
            continue;
        }
        // What is no rule at all, manifests refuse and `settings-schema` names.
        let Some(rule) = Rule::parse(&text) else { continue };
        let on = matcher.as_deref();
        let gone = || tools::former(rule.tool, client).map(Never::Former);
        let put = |tool: &str| text.replacen(rule.tool, tool, 1);
        let (finding, more) = match rule.never().or_else(gone) {
            Some(Never::NoTool) if rule.tool.contains('*') => {
                ("if-without-tool", rule.tool.replace('*', ".*"))
            }
            Some(Never::NoTool) => ("if-without-tool", format!("{}__.*", rule.tool)),
            Some(Never::Case(tool)) => ("if-case", put(tool)),
            Some(Never::Unknown(tool)) => ("if-misspelled", put(tool)),
            Some(Never::Former(tool)) => ("if-former", put(tool)),
            Some(Never::Pattern) => ("if-pattern", String::new()),
            None if !is_tool(rule.tool) => ("if-unknown-tool", String::new()),
            None if events.iter().any(|it| matcher::matches(on, *it, Some(rule.tool))) => {
                if let Some((why, fix)) = rule.glob().and_then(odd_glob) {
                    findings.say("if-odd-glob", shown, &[&text, &why, &fix]);
                    continue;
                }
                let Some(tool) = missed(&rule, on, &events) else { continue };
                ("if-misses", tool.to_owned())
            }
            None => ("if-not-of-matcher", on.unwrap_or_default().to_owned()),
        };
        findings.say(finding, shown, &[&text, &rule.tool, &more, &tools::who_lacks(client)]);
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

/// Names what keeps a hook from ever running, or from its file, in whatever client.
pub fn of_hook(hook: &Hook) -> Vec<Finding> {
    let mut findings = Findings::of("", "");
    never(place(hook).into_iter().collect(), None, &mut findings);
    when_never(hook, &mut findings);
    file_never(hook, &mut findings);
    findings.into_found()
}

fn file_never(hook: &Hook, findings: &mut Findings) {
    let Action::Argv(words) = &hook.action else { return };
    if hook.manner.adopted || !words.iter().any(|word| word.contains(FILE)) {
        return;
    }
    if let Some(subject) = without_file(hook) {
        findings.say("file-for-none", hook.place_of("argv"), &[&hook.name, &FILE, &subject]);
    }
}

/// Tools whose input names no file; the client's tools reference, and payloads of 2.1.329.
const WITHOUT_FILE: &[&str] =
    &["Agent", "Bash", "Monitor", "PowerShell", "Skill", "WebFetch", "WebSearch"];

fn when_never(hook: &Hook, findings: &mut Findings) {
    if hook.audience.when.paths.is_empty() {
        return;
    }
    let shown = || hook.place_of("when");
    if let Some(subject) = without_file(hook) {
        findings.say("paths-for-none", shown(), &[&hook.name, &subject]);
    }
    for glob in &hook.audience.when.paths {
        if let Some((why, fix)) = odd_glob(glob) {
            findings.say("paths-odd-glob", shown(), &[&glob, &why, &fix]);
        }
    }
}

/// Names the calls that a hook runs for where none of them is about a file.
fn without_file(hook: &Hook) -> Option<String> {
    let about_file = |event: &&Event| {
        matches!(event.facts().subject, Subject::Tool | Subject::FileName | Subject::LoadReason)
    };
    if !hook.events.iter().any(|event| about_file(&event)) {
        return Some(hook.events.iter().map(|it| it.name()).collect::<Vec<_>>().join(" or "));
    }
    let matcher = hook.matcher.as_deref().filter(|matcher| {
        let of_tools = |event: &Event| event.facts().subject == Subject::Tool;
        let is_list = |event: &Event| matcher::kind(Some(matcher), *event) == Kind::List;
        hook.events.iter().all(|event| of_tools(event) && is_list(event))
    })?;
    names(matcher).all(|name| WITHOUT_FILE.contains(&name)).then(|| format!("`{matcher}`"))
}
