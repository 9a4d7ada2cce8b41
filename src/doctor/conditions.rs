//! Can the conditions in `when` ever be met, and has a call the file that a hook asks for?

use super::check::Check;
use super::facts::Facts;
use super::finding::{Finding, Findings, Level};
use crate::chain::plan::FILE;
use crate::client::event::{Event, Subject};
use crate::client::matcher::{self, Kind, names};
use crate::client::permission_rule::odd_glob;
use crate::manifest::{Action, Hook, Origin};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "when-never",
        about: "no `when` asks for what never comes",
        notice: "the hook never runs",
        run: never,
    },
    Check {
        id: "file-never",
        about: "no `argv` asks for the file of calls that are about none",
        notice: "the hook fails at each call, and does nothing",
        run: |facts, findings| {
            facts.hooks().for_each(|hook| file_never(hook, findings));
        },
    },
];

/// Names the cause that keeps a hook which asks for the file of its calls from ever getting one.
pub fn of_file(hook: &Hook) -> Vec<Finding> {
    let mut findings = Findings::of("", "");
    file_never(hook, &mut findings);
    findings.into_found()
}

fn file_never(hook: &Hook, findings: &mut Findings) {
    let Action::Argv(words) = &hook.action else { return };
    if hook.manner.adopted || !words.iter().any(|word| word.contains(FILE)) {
        return;
    }
    if let Some(subject) = without_file(hook) {
        findings.add(
            Level::Warning,
            hook.origins.get("argv").map(Origin::place).unwrap_or_default(),
            format!("`{}` never gets a file for `{FILE}`: {subject} is about none", hook.name),
            "leave it out, or give the hook an event and a matcher of tools with files",
        );
    }
}

/// Tools whose input names no file; the client's tools reference, and payloads of 2.1.329.
const WITHOUT_FILE: &[&str] =
    &["Agent", "Bash", "Monitor", "PowerShell", "Skill", "WebFetch", "WebSearch"];

fn never(facts: &Facts, findings: &mut Findings) {
    for hook in facts.hooks().filter(|hook| !hook.audience.when.paths.is_empty()) {
        let shown = || hook.origins.get("when").map(Origin::place).unwrap_or_default();
        if let Some(subject) = without_file(hook) {
            findings.add(
                Level::Warning,
                shown(),
                format!("`when.paths` of `{}` is never met: {subject} is about no file", hook.name),
                "leave it out, or give the hook an event and a matcher of tools with files",
            );
        }
        for glob in &hook.audience.when.paths {
            if let Some((why, fix)) = odd_glob(glob) {
                findings.add(Level::Warning, shown(), format!("`{glob}` {why}"), fix);
            }
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
