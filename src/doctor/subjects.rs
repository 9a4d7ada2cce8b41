//! Do matchers name what there is?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Finding, Findings, Level};
use super::matchers::{self, Place, places};
use crate::client::event::{Event, Subject};
use crate::client::matcher::{self, Kind, compile};
use crate::client::version::Version;
use crate::client::{model, tools};
use crate::syntax::suggestion::nearest;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "matcher-unknown",
        about: "names in matchers are names that the client has",
        notice: "the hook never runs for what the name was meant for",
        run: |facts, findings| unknown(&places(facts), facts.client_version(), findings),
    },
    Check {
        id: "matcher-never",
        about: "matchers that are regular expressions hit something",
        notice: "the hook never runs",
        run: |facts, findings| never(&places(facts), findings),
    },
    Check {
        id: "matcher-wide",
        about: "regular expressions hit no more than they name",
        notice: "the hook runs for other tools too",
        run: wide,
    },
    Check {
        id: "matcher-powershell",
        about: "hooks for Bash are for PowerShell too where the client uses it",
        notice: "commands for PowerShell pass the hook by",
        run: powershell,
    },
];

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
    for check in [matchers::case, matchers::mcp, matchers::rule, newest, never] {
        check(&places, &mut findings);
    }
    findings.into_found()
}

fn is_of_server(name: &str) -> bool {
    name.starts_with("mcp__")
}

fn newest(places: &[Place], findings: &mut Findings) {
    unknown(places, None, findings);
}

fn unknown(places: &[Place], client: Option<Version>, findings: &mut Findings) {
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
            findings.add(
                Level::Warning,
                place.shown.clone(),
                format!("`{}` names nothing, so it never matches", place.matcher),
                "leave the matcher out, which is for all",
            );
        }
        for name in matcher::names(&place.matcher) {
            // Another case is found by `matcher-case`.
            let is_odd_case = is_tool && tools::misspelled(name).is_some();
            if known.contains(&name) || is_of_server(name) || is_odd_case {
                continue;
            }
            let near = nearest(name, known.iter().copied());
            let field = place.event.facts().subject.field().unwrap_or_default();
            let (level, message) = if is_tool {
                let level = if near.is_some() { Level::Warning } else { Level::Info };
                (level, format!("the client has no tool `{name}`"))
            } else {
                (Level::Warning, format!("`{field}` of {} is never `{name}`", place.event))
            };
            let fix = match near {
                Some(near) => format!("write `{near}`"),
                None if is_tool => {
                    "check the name, unless a host of the client adds the tool".into()
                }
                None => format!("write one of {}", known.join(", ")),
            };
            findings.add(level, place.shown.clone(), message, fix);
        }
    }
}

/// A list with nothing but tools of former clients; next to others they do no harm.
fn former(place: &Place, client: Option<Version>, findings: &mut Findings) {
    let names = matcher::names(&place.matcher);
    let today: Option<Vec<&str>> = names.map(|name| tools::former(name, client)).collect();
    let Some(mut today) = today.filter(|today| !today.is_empty()) else { return };
    today.dedup();
    findings.add(
        Level::Warning,
        place.shown.clone(),
        format!("{} no tool `{}`", tools::who_lacks(client), place.matcher),
        format!("write `{}`", today.join("|")),
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
            findings.add(
                Level::Warning,
                place.shown.clone(),
                format!("`{name}` is no whole name of a model, such as `claude-{family}-4-5`"),
                format!("write `.*{family}.*`"),
            );
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
            let message = format!("`{}` is never met: {what}", place.matcher);
            findings.add(Level::Warning, &place.shown, message, format!("write `{meant}`"));
            continue;
        }
        let (Some(known), Ok(pattern)) = (known(place), compile(&place.matcher)) else { continue };
        // A permission rule is found by `matcher-rule` and `settings-schema`.
        let tool = place.matcher.strip_suffix(')').and_then(|rest| rest.split_once('('));
        if tool.is_some_and(|(tool, rest)| tools::KNOWN.contains(&tool) && !rest.starts_with('?')) {
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
        findings.add(
            Level::Warning,
            place.shown.clone(),
            format!("`{}` hits no `{what}` that the client has", place.matcher),
            match other_case {
                Some(name) => format!("case matters: write it as in `{name}`"),
                None => "write the names with `|` between them".to_owned(),
            },
        );
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
        let is_more = |name: &&str| pattern.find(name).is_some() && as_meant.find(name).is_none();
        let more: Vec<&str> = tools::of_today().filter(is_more).collect();
        let is_of_one = tools::KNOWN.iter().any(|name| as_meant.find(name).is_some());
        if more.is_empty() && letter.is_none() || letter.is_none() && !is_of_one {
            continue;
        }
        let (level, also) = if more.is_empty() {
            (Level::Info, String::new())
        } else {
            (Level::Warning, format!(", and also hits {}", more.join(", ")))
        };
        let why = match letter {
            Some(letter) => format!("is a regular expression, in which `*` repeats the `{letter}`"),
            None => "is a regular expression, which may hit anywhere in a name".to_owned(),
        };
        let message = format!("`{}` {why}{also}", place.matcher);
        findings.add(level, &place.shown, message, format!("write the matcher `{meant}`"));
    }
}

/// The letter that a `*` directly behind it repeats.
fn star_behind_letter(matcher: &str) -> Option<char> {
    let letters: Vec<char> = matcher.chars().collect();
    let mut pairs = letters.windows(2);
    let is_it = |pair: &&[char]| pair[1] == '*' && (pair[0].is_alphanumeric() || pair[0] == '_');
    pairs.find(is_it).map(|pair| pair[0])
}

fn powershell(facts: &Facts, findings: &mut Findings) {
    let chosen = facts.settings.iter().filter_map(|file| {
        let (shell, _) = file.value("/defaultShell")?;
        Some(shell == "powershell")
    });
    if !cfg!(windows) && !chosen.into_iter().any(|it| it) {
        return;
    }
    for place in places(facts) {
        let hits = |tool: &str| matcher::matches(Some(&place.matcher), place.event, Some(tool));
        if place.event.facts().subject == Subject::Tool && hits("Bash") && !hits("PowerShell") {
            findings.add(
                Level::Info,
                place.shown.clone(),
                format!("`{}` does not hit PowerShell, which the client uses here", place.matcher),
                format!("write `{}|PowerShell`, if the hook can read such commands", place.matcher),
            );
        }
    }
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
