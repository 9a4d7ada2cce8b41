//! Do the matchers match what they were meant for?

use super::check::{Check, Finding, Findings};
use super::facts::Facts;
use crate::client::event::AGENTS;
use crate::client::matcher::{self, Kind, compile};
use crate::client::settings_schema::is_permission_rule;
use crate::client::{Event, Subject, Version, model, tools};
use crate::syntax::suggestion::nearest;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "matcher-case",
        run: |facts, findings| {
            let places = places(facts);
            case(&places, findings);
            agents(facts, &places, findings);
        },
    },
    Check { id: "matcher-mcp", run: |facts, findings| mcp(&places(facts), findings) },
    Check { id: "matcher-rule", run: |facts, findings| rule(&of_manifests(facts), findings) },
    Check { id: "matcher-ignored", run: ignored },
    Check {
        id: "matcher-unknown",
        run: |facts, findings| {
            unknown(
                &places(facts),
                facts.client_version(),
                facts.newer_client().as_deref(),
                findings,
            );
        },
    },
    Check { id: "matcher-never", run: |facts, findings| never(&places(facts), findings) },
    Check { id: "matcher-wide", run: wide },
];

pub(super) struct Place {
    pub(super) shown: String,
    pub(super) event: Event,
    pub(super) matcher: String,
}

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
                findings.say("tool-case", &place.shown, &[&name, &tool]);
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
                findings.say("agent-pattern-case", &place.shown, &[&place.matcher, &agent]);
            }
        }
        let listed = matcher::names(&place.matcher).filter(|_| kind == Kind::List);
        for name in listed.filter(|name| known().all(|it| it != *name)) {
            if let Some(agent) = known().find(|it| it.eq_ignore_ascii_case(name)) {
                findings.say("agent-case", &place.shown, &[&name, &agent]);
            }
        }
    }
}

pub(super) fn mcp(places: &[Place], findings: &mut Findings) {
    let of_tools = places.iter().filter(|it| it.event.facts().subject == Subject::Tool);
    for place in of_tools {
        let one = place.matcher.trim_start_matches('^').strip_prefix("mcp_");
        if let Some(rest) = one.filter(|rest| !rest.starts_with('_')) {
            findings.say(
                "mcp-underscores",
                &place.shown,
                &[&place.matcher, &rest.replacen('_', "__", 1)],
            );
        }
    }
    for place in places.iter().filter(|place| is_list_of_tools(place)) {
        for name in matcher::names(&place.matcher) {
            let Some(rest) = name.strip_prefix("mcp__") else { continue };
            let (server, tool) = rest.split_once("__").unwrap_or((rest, ""));
            if tool.is_empty() {
                let name = format!("mcp__{server}");
                findings.say("mcp-server-alone", &place.shown, &[&name]);
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
        if !is_permission_rule(&place.matcher) {
            continue;
        }
        let tool = place.matcher.split('(').next().unwrap_or_default();
        findings.say("matcher-is-rule", &place.shown, &[&place.matcher, &tool]);
    }
}

fn ignored(facts: &Facts, findings: &mut Findings) {
    for place in places(facts) {
        let anything = matcher::kind(Some(&place.matcher), place.event) == Kind::Any;
        if place.event.facts().subject == Subject::None && !anything {
            findings.say("matcher-ignored", place.shown, &[&place.event, &place.matcher]);
        }
    }
}

/// The names that a matcher can be about, where the client has no others; tools may be others'.
fn known(place: &Place) -> Option<&'static [&'static str]> {
    match place.event.facts().subject {
        Subject::Tool => Some(tools::KNOWN),
        subject => subject.words(place.event),
    }
}

/// Names the cause that keeps a matcher which is in no file yet from matching.
pub fn of_matcher(event: Event, matcher: &str) -> Vec<Finding> {
    let places = [Place { shown: String::new(), event, matcher: matcher.to_owned() }];
    let mut findings = Findings::of("", "");
    for check in [case, mcp, rule, newest, never] {
        check(&places, &mut findings);
    }
    findings.into_found()
}

/// Returns whether none of the names that the client has matches.
pub fn hits_none(event: Event, matcher: &str) -> bool {
    let place = Place { shown: String::new(), event, matcher: matcher.to_owned() };
    let hits = |name: &&str| matcher::matches(Some(matcher), event, Some(name));
    known(&place).is_some_and(|known| !known.iter().any(hits))
}

fn is_of_server(name: &str) -> bool {
    name.starts_with("mcp__")
}

fn newest(places: &[Place], findings: &mut Findings) {
    unknown(places, None, None, findings);
}

fn unknown(
    places: &[Place],
    client: Option<Version>,
    newer: Option<&str>,
    findings: &mut Findings,
) {
    for place in places {
        if place.event.facts().subject == Subject::Model {
            short_model(place, findings);
        }
        if matcher::kind(Some(&place.matcher), place.event) != Kind::List {
            continue;
        }
        let Some(known) = known(place) else { continue };
        let is_tool = place.event.facts().subject == Subject::Tool;
        if is_tool {
            former(place, client, findings);
        }
        if matcher::names(&place.matcher).next().is_none() {
            findings.say("matcher-empty", &place.shown, &[&place.matcher]);
        }
        for name in matcher::names(&place.matcher) {
            // Another case is found by `matcher-case`.
            let is_odd_case = is_tool && tools::misspelled(name).is_some();
            if known.contains(&name) || is_of_server(name) || is_odd_case {
                continue;
            }
            let near = nearest(name, known.iter().copied());
            let field = place.event.facts().subject.field().unwrap_or_default();
            let is_for_none = !matcher::names(&place.matcher).any(|it| known.contains(&it));
            let finding = match newer {
                _ if !is_tool => "subject-unknown",
                Some(_) => "tool-of-newer-client",
                None if near.is_some() || is_for_none => "tool-unknown",
                None => "tool-unknown-among-others",
            };
            let fix = match near {
                Some(near) => format!("write `{near}`"),
                None if is_tool => {
                    "check the name, unless a host of the client adds the tool".into()
                }
                None => format!("write one of {}", known.join(", ")),
            };
            let newer = newer.unwrap_or_default();
            findings.say(finding, &place.shown, &[&name, &fix, &newer, &field, &place.event]);
        }
    }
}

/// A list with nothing but tools of former clients; next to others they do no harm.
fn former(place: &Place, client: Option<Version>, findings: &mut Findings) {
    let names = matcher::names(&place.matcher);
    let today: Option<Vec<&str>> = names.map(|name| tools::former(name, client)).collect();
    let Some(mut today) = today.filter(|today| !today.is_empty()) else { return };
    today.dedup();
    findings.say(
        "matcher-of-former-tools",
        &place.shown,
        &[&tools::who_lacks(client), &place.matcher, &today.join("|")],
    );
}

/// Families of models, which the client takes for names where one is chosen, but not in a matcher.
///
/// Source: the client 2.1.329, which compares `claude-sonnet-5-5` where `sonnet` was asked for.
const FAMILIES: &[&str] = &["haiku", "opus", "sonnet"];

fn short_model(place: &Place, findings: &mut Findings) {
    let list = model::without_context(&place.matcher);
    let is_list = matcher::kind(Some(list), place.event) == Kind::List;
    for name in matcher::names(list).filter(|_| is_list) {
        let lower = name.to_lowercase();
        let family = lower.strip_prefix("claude-").unwrap_or(&lower);
        if FAMILIES.contains(&family) {
            findings.say("model-short", &place.shown, &[&name, &family]);
        }
    }
}

/// A matcher that begins a command with its slash, or names a file with its directory: what there
/// would be to hit, and the name that is meant.
fn with_slash(place: &Place) -> Option<(&'static str, String)> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./|:".contains(c);
    let whole = place.matcher.trim_start_matches('^').trim_end_matches('$');
    if !whole.chars().all(is_plain) {
        return None;
    }
    let names: Vec<&str> = whole.split('|').filter(|name| name.contains('/')).collect();
    let bare = |name: &&str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let meant: Vec<String> = names.iter().map(bare).filter(|name| !name.is_empty()).collect();
    let what = match place.event.facts().subject {
        Subject::CommandName if names.iter().all(|name| name.starts_with('/')) => {
            "the client gives the name of a command without its slash"
        }
        Subject::FileName => "the client compares the name of a file without its directory",
        _ => return None,
    };
    (!meant.is_empty()).then(|| (what, meant.join("|")))
}

fn never(places: &[Place], findings: &mut Findings) {
    for place in places.iter().filter(|place| is_pattern(place)) {
        if let Some((what, meant)) = with_slash(place) {
            findings.say("matcher-with-slash", &place.shown, &[&place.matcher, &what, &meant]);
            continue;
        }
        let (Some(known), Ok(pattern)) = (known(place), compile(&place.matcher)) else { continue };
        // A permission rule is found by `matcher-rule` and `settings-schema`.
        if is_permission_rule(&place.matcher) {
            continue;
        }
        let hits = |name: &&str| pattern.find(name).is_some();
        let is_of_servers = place.matcher.contains("mcp") && !is_list_with_star(&place.matcher);
        if known.iter().any(hits) || is_of_servers {
            continue;
        }
        let other_case = known.iter().find(|name| {
            let lower = compile(&place.matcher.to_lowercase());
            lower.is_ok_and(|lower| lower.find(&name.to_lowercase()).is_some())
        });
        let what = place.event.facts().subject.field().unwrap_or_default();
        let fix = match other_case {
            Some(name) => format!("case matters: write it as in `{name}`"),
            None => "write the names with `|` between them".to_owned(),
        };
        findings.say("pattern-hits-nothing", &place.shown, &[&place.matcher, &what, &fix]);
    }
}

/// Returns whether a matcher was written as a list, in which a star makes it an expression: one that asks for
/// a comma, which no name has.
fn is_list_with_star(matcher: &str) -> bool {
    let is_plain = !matcher.contains(['(', '[', '{', '\\', '?']);
    is_plain && matcher.split('|').all(|part| part.trim_matches(',').contains(','))
}

fn wide(facts: &Facts, findings: &mut Findings) {
    for place in patterns(facts) {
        if place.event.facts().subject != Subject::Tool || place.matcher.starts_with(".*") {
            continue;
        }
        let letter = star_behind_letter(&place.matcher);
        let meant = match letter {
            Some(_) => format!("^(?:{})$", place.matcher.replace('*', ".*").replace("..*", ".*")),
            None => format!("^(?:{})", place.matcher),
        };
        let (Ok(pattern), Ok(as_meant)) = (compile(&place.matcher), compile(&meant)) else {
            continue;
        };
        if let Some(rule) = place.matcher.split('|').find(|part| is_permission_rule(part)) {
            if rule != place.matcher {
                findings.say("rule-in-pattern", &place.shown, &[&rule]);
            }
            continue;
        }
        let is_more = |name: &&str| pattern.find(name).is_some() && as_meant.find(name).is_none();
        let more: Vec<&str> = tools::of_today().filter(is_more).collect();
        let is_of_one = tools::KNOWN.iter().any(|name| as_meant.find(name).is_some());
        if more.is_empty() && letter.is_none() || letter.is_none() && !is_of_one {
            continue;
        }
        let finding = if more.is_empty() { "pattern-long" } else { "pattern-wide" };
        let why = match letter {
            Some(letter) => format!("is a regular expression, in which `*` repeats the `{letter}`"),
            None => "is a regular expression, which may hit anywhere in a name".to_owned(),
        };
        findings.say(finding, &place.shown, &[&place.matcher, &why, &more.join(", "), &meant]);
    }
}

/// The letter that a `*` directly behind it repeats.
fn star_behind_letter(matcher: &str) -> Option<char> {
    let letters: Vec<char> = matcher.chars().collect();
    let mut pairs = letters.windows(2);
    let is_it = |pair: &&[char]| pair[1] == '*' && (pair[0].is_alphanumeric() || pair[0] == '_');
    pairs.find(is_it).map(|pair| pair[0])
}

/// The places whose matchers are regular expressions.
fn patterns(facts: &Facts) -> Vec<Place> {
    let mut places = places(facts);
    places.retain(is_pattern);
    places
}

fn is_pattern(place: &Place) -> bool {
    matcher::kind(Some(&place.matcher), place.event) == Kind::Pattern
}
