//! Does the installed client know what the manifests use?

use super::check::{Check, Findings};
use super::facts::Facts;
use super::installed::Installed;
use crate::client::matcher::{self, Kind};
use crate::client::{Event, Subject, Version, tools};
use crate::manifest::Hook;
use crate::settings::Handler;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "client-features", run: features },
    Check { id: "client-session", run: tells_session },
];

/// A feature that a client lacks, and the version from which others have it.
struct Lack {
    since: [u32; 3],
    what: String,
    fix: &'static str,
    key: &'static str,
}

fn features(facts: &Facts, findings: &mut Findings) {
    let Some(Installed { program, version: Some(version) }) = &facts.client else { return };
    for hook in facts.hooks().filter(|hook| hook.enabled) {
        for Lack { since, what, fix, .. } in used(hook) {
            if *version < Version(since) {
                let says = format!(
                    "`{}` {what}, which clients know since {}, and {} is {version}",
                    hook.name,
                    Version(since),
                    facts.paths.shown(program)
                );
                let place = hook.origin().map(crate::manifest::Origin::place).unwrap_or_default();
                findings.warn(place, says, fix);
            }
        }
    }
    of_settings(facts, *version, findings);
}

fn of_settings(facts: &Facts, version: Version, findings: &mut Findings) {
    for file in facts.files() {
        for handler in file.handlers().into_iter().filter(|handler| !handler.ours) {
            for Lack { since, what, fix, key } in used_by(&handler) {
                if version < Version(since) {
                    let says = format!(
                        "it {what}, which clients know since {}, and yours is {version}",
                        Version(since)
                    );
                    findings.warn(file.at_key(&handler, key), says, fix);
                }
            }
        }
    }
}

const UPDATE: &str = "run `claude update`";

fn used_by(handler: &Handler) -> Vec<Lack> {
    let lack = |since, what: &str, key| Lack { since, what: what.to_owned(), fix: UPDATE, key };
    let has = |key: &str| handler.value.get(key).is_some();
    let mut used = Vec::new();
    let event = Event::from_name(&handler.event);
    if let Some(Version(since)) = event.and_then(|event| Version::parse(event.facts().since)) {
        used.push(lack(since, &format!("is for {}", handler.event), "type"));
    }
    // A client that does not know `args` calls the program alone, which hookman takes for a run of
    // its own; a foreign program is called without its arguments.
    if has("args") {
        let fix = "run `claude update`, or write one shell line in `command`";
        used.push(Lack { fix, ..lack([2, 1, 139], "has `args`", "args") });
    }
    if has("if") {
        used.push(lack([2, 1, 85], "has an `if`", "if"));
    }
    if has("onFailure") {
        used.push(lack([2, 1, 295], "has `onFailure`", "onFailure"));
    }
    match handler.text("type") {
        Some("mcp_tool") => used.push(lack([2, 1, 118], "calls an MCP tool", "type")),
        Some("http") => used.push(lack([2, 1, 63], "posts to an address", "type")),
        Some("prompt") => used.push(lack([2, 0, 30], "asks a model", "type")),
        _ => {}
    }
    if has("continueOnBlock") {
        used.push(lack([2, 1, 139], "has `continueOnBlock`", "continueOnBlock"));
    }
    used.extend(tools_since(handler.matcher.as_deref(), event));
    if handler.matcher.as_ref().is_some_and(|matcher| matcher.contains(',')) {
        used.push(lack([2, 1, 191], "has a comma in its matcher", "matcher"));
    }
    used
}

/// The tools in a list matcher that only newer clients have, if the list has no others.
fn tools_since(matcher: Option<&str>, event: Option<Event>) -> Option<Lack> {
    let (matcher, event) = (matcher?, event?);
    if event.facts().subject != Subject::Tool || matcher::kind(Some(matcher), event) != Kind::List {
        return None;
    }
    let all: Option<Vec<[u32; 3]>> = matcher::names(matcher).map(tools::since).collect();
    let since = all?.into_iter().min()?;
    Some(Lack { since, what: format!("is for the tool `{matcher}`"), fix: UPDATE, key: "matcher" })
}

fn used(hook: &Hook) -> Vec<Lack> {
    let lack = |since, what: &str| Lack { since, what: what.to_owned(), fix: UPDATE, key: "" };
    let mut used = Vec::new();
    for event in &hook.events {
        if let Some(Version(since)) = Version::parse(event.facts().since) {
            used.push(lack(since, &format!("is for {event}")));
        }
    }
    for event in &hook.events {
        used.extend(tools_since(hook.matcher.as_deref(), Some(*event)));
    }
    if let Some(passed) = hook.passed() {
        if passed.keys.contains_key("if") {
            used.push(lack([2, 1, 85], "has an `if` that the client judges"));
        }
        if passed.keys.contains_key("onFailure") {
            used.push(lack([2, 1, 295], "has `on_failure`"));
        }
        if passed.handler.name() == "mcp_tool" {
            used.push(lack([2, 1, 118], "calls an MCP tool"));
        }
    }
    used
}

fn tells_session(facts: &Facts, findings: &mut Findings) {
    const SINCE: Version = Version([2, 1, 132]);
    let Some(Installed { program, version: Some(version) }) = &facts.client else { return };
    if *version < SINCE {
        let says = format!(
            "clients set CLAUDE_CODE_SESSION_ID for their tools since {SINCE}, and this is \
             {version}"
        );
        let fix = "run `claude update`, or name the session with `--session ID`";
        findings.info(facts.paths.shown(program), says, fix);
    }
}
