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
            each(facts, findings, case);
            each(facts, findings, |place, findings| agents(facts, place, findings));
        },
    },
    Check { id: "matcher-mcp", run: |facts, findings| each(facts, findings, mcp) },
    Check {
        id: "matcher-rule",
        run: |facts, findings| of_manifests(facts).iter().for_each(|it| rule(it, findings)),
    },
    Check { id: "matcher-ignored", run: |facts, findings| each(facts, findings, ignored) },
    Check {
        id: "matcher-unknown",
        run: |facts, findings| {
            let (client, newer) = (facts.client_version(), facts.newer_client());
            each(facts, findings, |it, findings| unknown(it, client, newer.as_deref(), findings));
        },
    },
    Check { id: "matcher-never", run: |facts, findings| each(facts, findings, never) },
    Check { id: "matcher-wide", run: |facts, findings| each(facts, findings, wide) },
];

pub(super) struct Place {
    pub(super) shown: String,
    pub(super) event: Event,
    pub(super) matcher: String,
}

impl Place {
    pub(super) fn subject(&self) -> Subject {
        self.event.facts().subject
    }

    fn is_of_tools(&self) -> bool {
        self.subject() == Subject::Tool
    }

    fn is(&self, kind: Kind) -> bool {
        matcher::kind(Some(&self.matcher), self.event) == kind
    }

    /// The names in a list; a regular expression has none.
    fn names(&self) -> impl Iterator<Item = &str> {
        matcher::names(&self.matcher).filter(|_| self.is(Kind::List))
    }

    /// The names that it can be about, where the client has no others; tools may be others'.
    fn known(&self) -> Option<&'static [&'static str]> {
        match self.subject() {
            Subject::Tool => Some(tools::KNOWN),
            subject => subject.words(self.event),
        }
    }
}

pub(super) fn places(facts: &Facts) -> Vec<Place> {
    let mut places = of_manifests(facts);
    for (handler, shown) in facts.foreign_with("matcher") {
        let event = Event::from_name(&handler.event);
        let Some((event, matcher)) = event.zip(handler.matcher) else { continue };
        // A matcher is its group's, so one finding is enough.
        if places.last().is_none_or(|last| last.shown != shown) {
            places.push(Place { shown, event, matcher });
        }
    }
    places
}

fn of_manifests(facts: &Facts) -> Vec<Place> {
    let mut places = Vec::new();
    for hook in facts.hooks() {
        let is_placed = hook.origins.contains_key("matcher");
        let Some(matcher) = hook.matcher.as_ref().filter(|_| is_placed) else { continue };
        let place = |event: &Event| Place {
            shown: hook.place_of("matcher"),
            event: *event,
            matcher: matcher.clone(),
        };
        places.extend(hook.events.iter().map(place));
    }
    places
}

fn each(facts: &Facts, findings: &mut Findings, check: impl Fn(&Place, &mut Findings)) {
    for place in places(facts) {
        check(&place, findings);
    }
}

fn case(place: &Place, findings: &mut Findings) {
    for name in place.names().filter(|_| place.is_of_tools()) {
        if let Some(tool) = tools::misspelled(name) {
            findings.say("tool-case", &place.shown, &[&name, &tool]);
        }
    }
}

/// As [`case`], for agents: the client's own, and those that have files here.
fn agents(facts: &Facts, place: &Place, findings: &mut Findings) {
    if place.subject() != Subject::AgentType {
        return;
    }
    let named = facts.agents();
    let known = || AGENTS.iter().copied().chain(named.iter().map(String::as_str));
    if place.is(Kind::Pattern)
        && let Ok(pattern) = compile(&place.matcher)
        && known().all(|it| pattern.find(it).is_none())
        && let Some(agent) = but_for_case(&place.matcher, known())
    {
        findings.say("agent-pattern-case", &place.shown, &[&place.matcher, &agent]);
    }
    for name in place.names().filter(|name| known().all(|it| it != *name)) {
        if let Some(agent) = known().find(|it| it.eq_ignore_ascii_case(name)) {
            findings.say("agent-case", &place.shown, &[&name, &agent]);
        }
    }
}

/// The first of some names that a regular expression hits where case does not matter.
fn but_for_case<'n>(matcher: &str, mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lower = compile(&matcher.to_lowercase()).ok()?;
    names.find(|name| lower.find(&name.to_lowercase()).is_some())
}

fn mcp(place: &Place, findings: &mut Findings) {
    if !place.is_of_tools() {
        return;
    }
    let first = place.matcher.trim_start_matches('^').split('|').next().unwrap_or_default();
    let rest = first.strip_prefix("mcp").and_then(|rest| rest.strip_prefix(['_', '.', ':', '/']));
    if let Some(rest) = rest.filter(|rest| !rest.starts_with(['_', '*', '+'])) {
        let meant = rest.replacen(['_', '.', ':', '/'], "__", 1);
        findings.say("mcp-underscores", &place.shown, &[&place.matcher, &meant]);
    }
    for rest in place.names().filter_map(|name| name.strip_prefix("mcp__")) {
        let (server, tool) = rest.split_once("__").unwrap_or((rest, ""));
        if tool.is_empty() {
            findings.say("mcp-server-alone", &place.shown, &[&format!("mcp__{server}")]);
        }
    }
}

// In settings files this is a defect by the client's rules, which `settings-schema` names.
fn rule(place: &Place, findings: &mut Findings) {
    if is_permission_rule(&place.matcher) {
        let tool = place.matcher.split('(').next().unwrap_or_default();
        findings.say("matcher-is-rule", &place.shown, &[&place.matcher, &tool]);
    }
}

fn ignored(place: &Place, findings: &mut Findings) {
    if place.subject() == Subject::None && !place.is(Kind::Any) {
        findings.say("matcher-ignored", &place.shown, &[&place.event, &place.matcher]);
    }
}

/// Names the cause that keeps a matcher which is in no file yet from matching.
pub fn of_matcher(event: Event, matcher: &str) -> Vec<Finding> {
    let place = Place { shown: String::new(), event, matcher: matcher.to_owned() };
    let mut findings = Findings::of("", "");
    for check in [case, mcp, rule, never] {
        check(&place, &mut findings);
    }
    unknown(&place, None, None, &mut findings);
    findings.into_found()
}

pub fn hits_none(event: Event, matcher: &str) -> bool {
    let place = Place { shown: String::new(), event, matcher: matcher.to_owned() };
    let hits = |name: &&str| matcher::matches(Some(matcher), event, Some(name));
    place.known().is_some_and(|known| !known.iter().any(hits))
}

fn unknown(place: &Place, client: Option<Version>, newer: Option<&str>, findings: &mut Findings) {
    if place.subject() == Subject::Model {
        short_model(place, findings);
    }
    let Some(known) = place.known().filter(|_| place.is(Kind::List)) else { return };
    let is_tool = place.is_of_tools();
    if is_tool {
        former(place, client, findings);
    }
    if place.names().next().is_none() {
        findings.say("matcher-empty", &place.shown, &[&place.matcher]);
    }
    for name in place.names() {
        // Another case is found by `matcher-case`.
        let is_odd_case = is_tool && tools::misspelled(name).is_some();
        let is_former = is_tool && tools::former(name, client).is_some();
        if known.contains(&name) || name.starts_with("mcp__") || is_odd_case || is_former {
            continue;
        }
        let near = nearest(name, known.iter().copied());
        let field = place.subject().field().unwrap_or_default();
        let is_for_none = !place.names().any(|it| known.contains(&it));
        let finding = match newer {
            _ if !is_tool => "subject-unknown",
            Some(_) => "tool-of-newer-client",
            None if near.is_some() || is_for_none => "tool-unknown",
            None => "tool-unknown-among-others",
        };
        let fix = match near {
            Some(near) => format!("write `{near}`"),
            None if is_tool => "check the name, unless a host of the client adds the tool".into(),
            None => format!("write one of {}", known.join(", ")),
        };
        let newer = newer.unwrap_or_default();
        findings.say(finding, &place.shown, &[&name, &fix, &newer, &field, &place.event]);
    }
}

/// A list with nothing but tools of former clients; next to others they do no harm.
fn former(place: &Place, client: Option<Version>, findings: &mut Findings) {
    let today: Option<Vec<&str>> = place.names().map(|name| tools::former(name, client)).collect();
    let Some(mut today) = today.filter(|today| !today.is_empty()) else { return };
    today.dedup();
    let (who, today) = (tools::who_lacks(client), today.join("|"));
    findings.say("matcher-of-former-tools", &place.shown, &[&who, &place.matcher, &today]);
}

/// Families of models, which no matcher hits (2.1.329): `sonnet` becomes `claude-sonnet-5-5`.
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

/// A command with its slash, or a file with its directory, in a matcher, and the name that is meant.
fn with_slash(place: &Place) -> Option<(&'static str, String)> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./|:".contains(c);
    let whole = place.matcher.trim_start_matches('^').trim_end_matches('$');
    if !whole.chars().all(is_plain) {
        return None;
    }
    let names: Vec<&str> = whole.split('|').filter(|name| name.contains('/')).collect();
    let bare = |name: &&str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let meant: Vec<String> = names.iter().map(bare).filter(|name| !name.is_empty()).collect();
    let what = match place.subject() {
        Subject::CommandName if names.iter().all(|name| name.starts_with('/')) => {
            "the client gives the name of a command without its slash"
        }
        Subject::FileName => "the client compares the name of a file without its directory",
        _ => return None,
    };
    (!meant.is_empty()).then(|| (what, meant.join("|")))
}

fn never(place: &Place, findings: &mut Findings) {
    if !place.is(Kind::Pattern) {
        return;
    }
    if let Some((what, meant)) = with_slash(place) {
        findings.say("matcher-with-slash", &place.shown, &[&place.matcher, &what, &meant]);
        return;
    }
    let Some((known, pattern)) = place.known().zip(compile(&place.matcher).ok()) else { return };
    let hits = |name: &&str| pattern.find(name).is_some();
    let is_of_servers = place.matcher.contains("mcp") && !is_list_with_star(&place.matcher);
    // A permission rule is found by `matcher-rule` and `settings-schema`.
    if is_permission_rule(&place.matcher) || known.iter().any(hits) || is_of_servers {
        return;
    }
    let what = place.subject().field().unwrap_or_default();
    let fix = match but_for_case(&place.matcher, known.iter().copied()) {
        Some(name) => format!("case matters: write it as in `{name}`"),
        None => "write the names with `|` between them".to_owned(),
    };
    findings.say("pattern-hits-nothing", &place.shown, &[&place.matcher, &what, &fix]);
}

/// Returns whether a list was made an expression by a star: it asks for a comma, which no name has.
fn is_list_with_star(matcher: &str) -> bool {
    let is_plain = !matcher.contains(['(', '[', '{', '\\', '?']);
    is_plain && matcher.split('|').all(|part| part.trim_matches(',').contains(','))
}

fn wide(place: &Place, findings: &mut Findings) {
    let is_asked = place.is(Kind::Pattern) && place.is_of_tools();
    if !is_asked || place.matcher.starts_with(".*") {
        return;
    }
    let letter = star_behind_letter(&place.matcher);
    let meant = match letter {
        Some(_) => format!("^(?:{})$", place.matcher.replace('*', ".*").replace("..*", ".*")),
        None => format!("^(?:{})", place.matcher),
    };
    let (Ok(pattern), Ok(as_meant)) = (compile(&place.matcher), compile(&meant)) else { return };
    if let Some(rule) = place.matcher.split('|').find(|part| is_permission_rule(part)) {
        if rule != place.matcher {
            findings.say("rule-in-pattern", &place.shown, &[&rule]);
        }
        return;
    }
    let is_more = |name: &&str| pattern.find(name).is_some() && as_meant.find(name).is_none();
    let more: Vec<&str> = tools::of_today().filter(is_more).collect();
    let is_of_one = tools::KNOWN.iter().any(|name| as_meant.find(name).is_some());
    if letter.is_none() && (more.is_empty() || !is_of_one) {
        return;
    }
    let finding = match letter {
        _ if more.is_empty() => "pattern-long",
        // It runs for what it names, and now and then for more.
        None => "pattern-unanchored",
        Some(_) => "pattern-wide",
    };
    let why = match letter {
        Some(letter) => format!("is a regular expression, in which `*` repeats the `{letter}`"),
        None => "is a regular expression, which may hit anywhere in a name".to_owned(),
    };
    findings.say(finding, &place.shown, &[&place.matcher, &why, &more.join(", "), &meant]);
}

/// The letter that a `*` directly behind it repeats.
fn star_behind_letter(matcher: &str) -> Option<char> {
    let letters: Vec<char> = matcher.chars().collect();
    let mut pairs = letters.windows(2);
    let is_it = |pair: &&[char]| pair[1] == '*' && (pair[0].is_alphanumeric() || pair[0] == '_');
    pairs.find(is_it).map(|pair| pair[0])
}
