//! Is the program there that settings.json has the client run, and would the commands of hooks do what
//! they are for, as far as can be seen without running them?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regress::{Match, Regex};
use serde_json::{Map, Value};
use url::Url;

use super::check::{Check, Findings, Level, Mend};
use super::facts::Facts;
use super::settings_file::SettingsFile;
use crate::install::addition::tool_consent;
use crate::install::command_faults::places::PlacedFault;
use crate::install::command_faults::{Kind, Weight};
use crate::install::target::binary::{self, program};
use crate::machine::files;
use crate::manifest::Hook;
use crate::settings::Handler;
use crate::settings::wanted::LAUNCHER;
use crate::state::project_tools;
use crate::syntax::suggestion::hits;

pub(super) const CHECKS: &[Check] = &[
    Check { id: "binary-present", run: present },
    Check { id: "binary-answers", run: answers },
    Check { id: "launcher-present", run: launcher },
    Check { id: "slash-commands", run: slash_commands },
    Check { id: "command-present", run: add },
    Check { id: "command-gone", run: add },
    Check { id: "command-executable", run: add },
    Check { id: "command-interpreter", run: add },
    Check { id: "command-relative", run: add },
    Check { id: "command-quoting", run: add },
    Check { id: "command-lockout", run: add },
    Check { id: "command-variables", run: add },
    Check { id: "command-input", run: add },
    Check { id: "command-needs", run: add },
    Check { id: "command-syntax", run: add },
    Check { id: "command-lint", run: add },
    Check { id: "command-answer", run: add },
    Check { id: "project-tools", run: project_tools },
    Check {
        id: "http-allowed",
        run: |facts, findings| {
            allowed(facts, findings);
            variables(facts, findings);
        },
    },
];

fn project_tools(facts: &Facts, findings: &mut Findings) {
    let Some(project) = &facts.project else { return };
    let hooks: Vec<Hook> = facts.hooks().filter(|hook| hook.enabled).cloned().collect();
    for says in tool_consent::missing(&hooks, project) {
        findings.say("tools-missing", facts.paths.shown(project), &[&says]);
    }
    if project_tools::answer(&facts.paths, project).is_some() {
        return;
    }
    let (names, programs) = tool_consent::wanted(&hooks, project);
    if !programs.is_empty() {
        let (shown, names) = (facts.paths.shown(project), names.join(", "));
        findings.say("project-tools-unasked", shown, &[&names, &programs.join(", ")]);
    }
}

fn add(facts: &Facts, findings: &mut Findings) {
    let kind = Kind::from_name(findings.check);
    let mut causes: Vec<Vec<&PlacedFault>> = Vec::new();
    let mut known = BTreeMap::new();
    for placed in facts.faults().iter().filter(|placed| Some(placed.fault.kind) == kind) {
        let cause = (&placed.fault.message, &placed.fault.fix);
        let at = *known.entry(cause).or_insert(causes.len());
        match causes.get_mut(at) {
            Some(same) => same.push(placed),
            None => causes.push(vec![placed]),
        }
    }
    for placed in causes {
        let first = placed[0];
        let fault = &first.fault;
        let worst = placed.iter().map(|it| it.fault.weight).max().unwrap_or(fault.weight);
        let level = match worst {
            Weight::Breaks => Level::Error,
            Weight::Risks => Level::Warning,
            Weight::Hints => Level::Info,
        };
        let message = match placed.len() {
            1 => first.message(),
            _ => format!("{}; the same in {}", first.message(), others(&placed[1..])),
        };
        let finding = findings.add(level, &first.place, message, &fault.fix);
        finding.rests_on = fault.layer;
        if let Some(notice) = placed.iter().find_map(|it| it.fault.notice) {
            finding.notice(notice);
        }
        if let Some(file) = &fault.executable {
            finding.mend(Mend::MakeExecutable(file.clone()));
        }
    }
}

/// The number of further commands, with their hooks or places, of which three are named.
fn others(more: &[&PlacedFault]) -> String {
    let name = |it: &&PlacedFault| match &it.hook {
        Some(hook) => format!("`{hook}`"),
        None => it.place.clone(),
    };
    let names: Vec<String> = more.iter().take(3).map(name).collect();
    let dots = if more.len() > names.len() { ", …" } else { "" };
    let word = if more.len() == 1 { "command" } else { "commands" };
    format!("{} other {word} ({}{dots})", more.len(), names.join(", "))
}

/// The key for what may be posted to.
const KEY: &str = "allowedHttpHookUrls";

fn allowed(facts: &Facts, findings: &mut Findings) {
    let mut patterns: Vec<String> = Vec::new();
    let mut first = None;
    for file in facts.writable_files().into_iter().chain(&facts.managed) {
        let Some((Value::Array(list), place)) = file.value(&format!("/{KEY}")) else { continue };
        patterns.extend(list.iter().filter_map(|it| Some(it.as_str()?.to_owned())));
        first = first.or(Some(place));
    }
    // Without a list all are allowed.
    let Some(first) = first else { return };
    for (handler, place) in facts.foreign_with("url") {
        let url = handler.text("url").and_then(|url| Url::parse(url).ok());
        let is_refused = |url: &Url| !patterns.iter().any(|it| allows(it, url.as_str()));
        let Some(url) = url.filter(is_refused) else { continue };
        let of = url.origin().ascii_serialization();
        findings.say("url-not-allowed", place, &[&url, &KEY, &first, &of]);
    }
}

/// Variables in headers that the client leaves out, as 2.1.329 and 2.1.197 do with one that is not named.
fn variables(facts: &Facts, findings: &mut Findings) {
    for (handler, place) in facts.foreign_with("headers") {
        let headers = handler.value.get("headers").and_then(Value::as_object);
        let named = handler.value.get("allowedEnvVars").and_then(Value::as_array);
        let is_named = |name: &&str| named.into_iter().flatten().any(|it| *it == **name);
        let texts = headers.into_iter().flat_map(Map::values).filter_map(Value::as_str);
        let wanted: BTreeSet<&str> = texts.flat_map(variables_of).collect();
        for name in wanted.into_iter().filter(|name| !is_named(name)) {
            findings.say("header-variable-unnamed", &place, &[&name]);
        }
    }
}

/// The names of variables in a header: capital letters, digits and `_`.
fn variables_of(text: &str) -> impl Iterator<Item = &str> {
    let name = Regex::new(r"\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*))");
    let found = name.into_iter().flat_map(|name| name.find_iter(text).collect::<Vec<Match>>());
    found.filter_map(|it| it.groups().skip(1).flatten().next()).map(|range| &text[range])
}

/// Returns whether a pattern allows an address; without a path it means each one. Source: the clients
/// 2.1.329 and 2.1.197. A `*` is any text, but the scheme is written out.
fn allows(pattern: &str, url: &str) -> bool {
    let pattern = pattern.trim();
    if pattern.starts_with('*') {
        return pattern == "*";
    }
    let Some((scheme, rest)) = pattern.split_once("://") else {
        return hits(&pattern.to_lowercase(), url);
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/*" } else { path };
    hits(&format!("{}://{}{path}", scheme.to_lowercase(), host.to_lowercase()), url)
}

fn present(facts: &Facts, findings: &mut Findings) {
    for file in facts.registered() {
        for handler in file.handlers().iter().filter(|handler| handler.ours) {
            let Some(command) = program(&handler.value) else { continue };
            let path = binary::file(&command);
            let problem = if !path.is_absolute() {
                "it is not an absolute path, and the client's PATH may not have it"
            } else if !path.exists() {
                "there is no such file"
            } else if !files::is_executable(&path) {
                "it may not be run"
            } else {
                continue;
            };
            let is_shared = file.scope == "user" && command.is_absolute() && !path.exists();
            let finding = if is_shared { "binary-gone" } else { "binary-missing" };
            let (place, shown) = (file.at_key(handler, "command"), command.display());
            findings.say(finding, place, &[&handler.event, &shown, &problem, &file.flag()]);
        }
    }
}

fn answers(facts: &Facts, findings: &mut Findings) {
    let calls = |handler: &Handler, path: &Path| {
        handler.ours && program(&handler.value).map(|it| binary::file(&it)).as_deref() == Some(path)
    };
    for (path, _) in facts.binaries.iter().filter(|(_, answer)| !answer.starts_with("hookman ")) {
        for file in facts.registered() {
            let handlers = file.handlers();
            let Some(first) = handlers.iter().find(|it| calls(it, path)) else { continue };
            let place = file.at_key(first, "command");
            findings.say("binary-silent", place, &[&facts.paths.shown(path), &file.flag()]);
        }
    }
}

fn launcher(facts: &Facts, findings: &mut Findings) {
    let Some(project) = &facts.project else { return };
    let is_of_line = |it: &Handler| it.ours && it.value.get("args").is_none();
    let of_project = facts.settings.iter().filter(|file| file.scope != "user");
    let launcher = project.join(".claude/hookman");
    if !of_project.flat_map(SettingsFile::handlers).any(|it| is_of_line(&it)) {
        return;
    }
    if !files::is_executable(&launcher) {
        let finding = findings.say("launcher-missing", facts.paths.shown(&launcher), &[]);
        if launcher.is_file() {
            finding.mend(Mend::MakeExecutable(launcher));
        }
    } else if files::read_text(&launcher).ok().flatten().as_deref() != Some(LAUNCHER) {
        findings.say("launcher-differs", facts.paths.shown(&launcher), &[]);
    }
}

fn slash_commands(facts: &Facts, findings: &mut Findings) {
    for name in ["disable.md", "enable.md", "status.md"] {
        let file = facts.paths.config.join("commands/hook").join(name);
        let Ok(Some(text)) = files::read_text(&file) else { continue };
        let called = text.lines().find_map(|line| line.strip_prefix("!`")?.split(' ').next());
        let Some(called) = called.filter(|called| called.ends_with("/hookman")) else { continue };
        // The shell expands the home directory, and only at the start of the word.
        let in_home = called.strip_prefix("~/").zip(facts.paths.home.as_ref());
        let path =
            in_home.map_or_else(|| Path::new(called).to_owned(), |(rest, home)| home.join(rest));
        if !files::is_executable(&path) {
            findings.say("slash-command-dead", facts.paths.shown(&file), &[&called]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_allow_what_the_client_posts_to() {
        // Each row was asked of both clients, with another port.
        let rows = [
            ("https://example.com/*", false),
            ("http://127.0.0.1:99/hook/deny", true),
            ("http://127.0.0.1:*", true),
            ("http://*/hook/*", true),
            ("http://127.0.0.1:99", true),
            ("http://127.0.0.1:99/", false),
            ("HTTP://127.0.0.1:*", true),
            ("*", true),
            ("http://127.0.0.1:99/hook", false),
            ("http://127.0.0.1:99/HOOK/*", false),
            ("127.0.0.1", false),
            ("http://127.0.0.1", false),
            ("http://127.0.0.1/*", false),
            ("*127*", false),
            ("*.0.0.1:*", false),
            ("http://localhost:*", false),
            ("http://?27.0.0.1:*", false),
            ("http://127.0.0.1:*/", false),
            ("http://127.0.0.1:*/*", true),
            ("http://127.0.0.1:99/hook/*/", false),
            ("  http://127.0.0.1:99/*  ", true),
            ("http:*", true),
            ("http://127.0.0.1:99/hook/d.ny", false),
        ];
        for (pattern, expected) in rows {
            assert_eq!(allows(pattern, "http://127.0.0.1:99/hook/deny"), expected, "{pattern}");
        }
    }
}
